/*
 * Every allocation of hy_plugins_open fails in turn. A program of its own: the linker puts the
 * functions below in the place of the allocator (--wrap). What leaks, the sanitizer tells.
 */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>

static unsigned fail_at; /* the allocation that fails; 0: none */
static unsigned count;   /* of allocations since fail_at was set */

static bool allow(void)
{
    if (fail_at == 0 || ++count != fail_at)
        return true;
    errno = ENOMEM;
    return false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t items, size_t size);
void *__wrap_reallocarray(void *old, size_t items, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *__wrap_malloc(size_t size)
{
    return allow() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t items, size_t size)
{
    return allow() ? __real_calloc(items, size) : NULL;
}

void *__wrap_reallocarray(void *old, size_t items, size_t size)
{
    return allow() ? __real_reallocarray(old, items, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return allow() ? __real_strdup(text) : NULL;
}

char *__wrap_strndup(const char *text, size_t length)
{
    return allow() ? __real_strndup(text, length) : NULL;
}

int __wrap_asprintf(char **out, const char *format, ...)
{
    if (!allow())
        return -1;
    va_list args;
    va_start(args, format);
    int length = vasprintf(out, format, args);
    va_end(args);
    return length;
}

/* jansson's own allocations are not at stake: it may be part of this program (subprojects/), and
 * does not always tell a lack of memory from bad text. */
__attribute__((constructor)) static void exempt_jansson(void)
{
    json_set_alloc_funcs(__real_malloc, free);
}

/* Fails the allocations of open one by one, until it gets by without meeting the one that fails. */
static void fail_each(struct plugin_fixture *fixture)
{
    for (unsigned at = 1; at < 10000; at++) {
        struct hy_error err = {0};
        struct hy_plugins *plugins = NULL;
        fixture->log_length = 0;
        count = 0;
        fail_at = at;
        enum hy_code code =
            hy_plugins_open(&fixture->discovery,
                            &(struct hy_plugin_hosts){.common = &fixture->host}, &plugins, &err);
        fail_at = 0;
        bool failed = count >= at;
        EXPECT_INT(code, failed ? HY_OUT_OF_MEMORY : HY_OK);
        EXPECT(!failed || err.text[0]);
        hy_plugins_close(plugins);
        if (!failed)
            return;
    }
    hy_test_fail(__FILE__, __LINE__, "there is no end of allocations");
}

TEST(plugins_out_of_memory, is_the_only_failure_and_leaves_nothing_behind)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    plugin_fixture_manifest(&fixture, "d/a.json", FAULTY_DRIVER_PATH,
                            "{\"name\":\"a\",\"devices\":3,\"fault\":\"extension-good\"}", 0);
    plugin_fixture_manifest(&fixture, "d/b.json", FAULTY_DRIVER_PATH, "{\"fault\":\"type-0\"}", 0);
    plugin_fixture_manifest(&fixture, "d/c.json", "bare.so", "{}", 0);
    plugin_fixture_manifest(&fixture, "e/a.json", "./masked.so", "{}", 0);
    plugin_fixture_write(&fixture, "d/sl.json",
                         "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":"
                         "\"" FAKE_SUPPORT_LIBRARY_PATH "\",\"kind\":\"nnapi-sl\"}}");
    plugin_fixture_write(&fixture, "added", "[]");
    const char *dirs[] = {plugin_fixture_path(&fixture, "d"), plugin_fixture_path(&fixture, "e"),
                          NULL};
    fixture.discovery.dirs = dirs;
    fixture.discovery.add_driver_files = plugin_fixture_path(&fixture, "added");
    fixture.discovery.plugin_dir = fixture.root;
    fail_each(&fixture);
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_names(&fixture), "a-0 a-1 a-2 fake-npu ");
    plugin_fixture_finish(&fixture);
}

TEST(plugins_out_of_memory, leaves_no_half_a_folder_list)
{
    const struct hy_discovery_environment environment = {.home = "/users/me"};
    bool failed = true;
    for (unsigned at = 1; failed; at++) {
        char **dirs = NULL;
        count = 0;
        fail_at = at;
        enum hy_code code = hy_discovery_dirs_create(&environment, &dirs, NULL);
        fail_at = 0;
        failed = count >= at;
        EXPECT_INT(code, failed ? HY_OUT_OF_MEMORY : HY_OK);
        EXPECT(!dirs == failed);
        hy_discovery_dirs_destroy(dirs);
    }
    EXPECT(count >= 6);
}
