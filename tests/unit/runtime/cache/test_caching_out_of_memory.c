/*
 * Every allocation of a compilation that caches fails in turn: it fails for that, or is right. A
 * program of its own: the linker puts the functions below in the place of the allocator (--wrap).
 */
#include "tests/kit/test.h"

#include "runtime/compile/compile.h"
#include "tests/unit/runtime/kit/cache_fixture.h"

#include <errno.h>
#include <stdarg.h>

static unsigned fail_at, count; /* the allocation that fails; 0: none */

static bool allow(void)
{
    if (fail_at == 0 || ++count != fail_at)
        return true;
    errno = ENOMEM;
    return false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t items, size_t size);
void *__real_reallocarray(void *old, size_t items, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t items, size_t size);
void *__wrap_reallocarray(void *old, size_t items, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
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

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return allow() ? __real_aligned_alloc(alignment, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return allow() ? __real_strdup(text) : NULL;
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

static struct caching_device device;

/* One compilation whose allocation `at` fails. False: it had fewer. */
static bool try_once(const char *dir, unsigned at)
{
    struct caching_device *list = &device;
    struct hy_compilation *compilation =
        begin_compiling(cached_model(cache_constant, false), &list, 1);
    struct hy_error err = {0};

    if (hy_caching_set_dir(&compilation->caching, dir, app_token, NULL) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "set_folder");
    count = 0;
    fail_at = at;
    const enum hy_code code = hy_compilation_finish(compilation, &err);
    fail_at = 0;
    /* The device's own lack of memory is a failure of the device. */
    EXPECT(code == HY_OK || (count >= at && (code == HY_OUT_OF_MEMORY || code == HY_FAILED)));
    if (code == HY_OK) {
        EXPECT(computes_correctly(compilation, cache_constant, false));
        EXPECT(outcome_of(compilation, 0)->kind >= HY_CACHE_HIT);
    }
    hy_compilation_release(compilation);
    EXPECT_INT(device.alive, 0);
    return count >= at;
}

TEST(caching_out_of_memory, a_miss_is_right_or_fails_for_that_alone)
{
    caching_device_init(&device, "acme-memory", ANEURALNETWORKS_ADD);
    for (unsigned at = 1;; at++) {
        struct cache_dir dir = make_dir();
        const bool is_over = !try_once(dir.path, at);
        remove_dir(dir.path);
        if (is_over)
            break;
        REQUIRE(at < 2000);
    }
    caching_device_finish(&device);
}

TEST(caching_out_of_memory, a_hit_is_right_or_fails_for_that_alone)
{
    struct cache_dir dir = make_dir();

    caching_device_init(&device, "acme-memory", ANEURALNETWORKS_ADD);
    for (unsigned at = 1;; at++) {
        struct hy_compilation *stored = compile_in(&device, dir.path);
        hy_compilation_release(stored);
        if (!try_once(dir.path, at))
            break;
        REQUIRE(at < 2000);
    }
    caching_device_finish(&device);
    remove_dir(dir.path);
}
