#include "plugin_fixture.h"

#include "tests/kit/test.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A host ---------------------------------------------------------------------------------- */

static void drop_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

static void append_log_line(void *context, int32_t level, const char *text)
{
    struct plugin_fixture *fixture = context;
    (void)level;
    size_t capacity = sizeof fixture->log - fixture->log_length;
    int length = snprintf(fixture->log + fixture->log_length, capacity, "%s\n", text);
    if (length > 0 && (size_t)length < capacity)
        fixture->log_length += (size_t)length;
}

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)context;
    if (pool->kind != HY_POOL_HOST || (protection & ~pool->protection))
        return HY_STATUS_INVALID_ARGUMENT;
    *address = pool->address;
    return HY_STATUS_OK;
}

static uint32_t worker_count(void *context)
{
    (void)context;
    return 1;
}

static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
}

const struct hy_host plugin_quiet_host = {
    .struct_size = sizeof(struct hy_host),
    .abi = HY_DRIVER_ABI,
    .log = drop_line,
    .map = map,
    .worker_count = worker_count,
    .parallel = parallel,
};

/* ---- The folder ------------------------------------------------------------------------------ */

bool plugin_fixture_init(struct plugin_fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    strcpy(fixture->root, "/tmp/halyard-plugins-XXXXXX");
    fixture->host = plugin_quiet_host;
    fixture->host.context = fixture;
    fixture->host.log = append_log_line;
    EXPECT(mkdtemp(fixture->root));
    return access(fixture->root, W_OK) == 0;
}

static int remove_entry(const char *path, const struct stat *file_info, int type, struct FTW *where)
{
    (void)file_info, (void)type, (void)where;
    return remove(path);
}

void plugin_fixture_finish(struct plugin_fixture *fixture)
{
    hy_plugins_close(fixture->plugins);
    nftw(fixture->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *plugin_fixture_path(const struct plugin_fixture *fixture, const char *name)
{
    static char paths[16][512];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", fixture->root, name);
    return path;
}

static void make_dirs(const char *path)
{
    char dir[512];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(dir, sizeof dir, "%.*s", (int)(slash - path), path);
        mkdir(dir, 0700);
    }
}

void plugin_fixture_write(const struct plugin_fixture *fixture, const char *name, const char *text)
{
    const char *path = plugin_fixture_path(fixture, name);
    make_dirs(path);
    FILE *file = fopen(path, "we");
    REQUIRE(file);
    EXPECT(fputs(text, file) >= 0);
    EXPECT_INT(fclose(file), 0);
}

void plugin_fixture_manifest(const struct plugin_fixture *fixture, const char *name,
                             const char *library, const char *arguments, int priority)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
             "\"abi\":\"1.0\",\"priority\":%d,\"arguments\":%s}}",
             library, priority, arguments);
    plugin_fixture_write(fixture, name, text);
}

bool plugin_fixture_open(struct plugin_fixture *fixture)
{
    struct hy_error err = {0};
    hy_plugins_close(fixture->plugins);
    fixture->plugins = NULL;
    fixture->log_length = 0;
    fixture->hosts.common = &fixture->host;
    enum hy_code code =
        hy_plugins_open(&fixture->discovery, &fixture->hosts, &fixture->plugins, &err);
    if (code != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "hy_plugins_open: %s", err.text);
    return code == HY_OK;
}

const char *plugin_fixture_names(const struct plugin_fixture *fixture)
{
    static char names[1024];
    size_t length = 0;
    names[0] = '\0';
    for (uint32_t i = 0; i < hy_plugins_device_count(fixture->plugins); i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s ",
                                   hy_plugins_device(fixture->plugins, i)->info->name);
    return names;
}

const char *plugin_fixture_reason(const struct plugin_fixture *fixture)
{
    uint32_t count = hy_plugins_refusal_count(fixture->plugins);
    EXPECT_INT(count, 1);
    return count == 1 ? hy_plugins_refusal(fixture->plugins, 0)->reason : "";
}
