/* halyard_compilation_only_from_cache: what is not in the cache fails, and nothing is prepared. */
#include "tests/kit/test.h"

#include "halyard/halyard.h"
#include "runtime/handle/handle.h"
#include "tests/unit/runtime/kit/cache_fixture.h"

static struct caching_device device, other;

static struct cache_dir begin(void)
{
    caching_device_init(&device, "acme-cache", ANEURALNETWORKS_ADD);
    caching_device_init(&other, "acme-other", ANEURALNETWORKS_ADD);
    return make_dir();
}

static void end(struct cache_dir *dir)
{
    remove_dir(dir->path);
    caching_device_finish(&device);
    caching_device_finish(&other);
}

/* Of ADD on the first `count` devices; finish gives `code`, with this text. */
static void expect_finish(const char *dir, uint32_t count, enum hy_code code, const char *expected)
{
    struct caching_device *list[] = {&device, &other};
    struct hy_error err = {0};
    struct hy_compilation *compilation =
        begin_compiling(cached_model(cache_constant, false), list, count);
    REQUIRE(compilation);

    EXPECT_INT(halyard_compilation_only_from_cache(hy_compilation_handle(compilation), true),
               ANEURALNETWORKS_NO_ERROR);
    if (dir)
        EXPECT_INT(hy_caching_set_dir(&compilation->caching, dir, app_token, NULL), HY_OK);
    EXPECT_INT(hy_compilation_finish(compilation, &err), code);
    EXPECT_CONTAINS(err.text, expected);
    if (code == HY_OK)
        EXPECT(computes_correctly(compilation, cache_constant, false));
    hy_compilation_release(compilation);
    EXPECT_INT(device.alive + other.alive, 0);
}

TEST(only_cached, a_step_that_is_not_there_fails_and_is_not_prepared)
{
    struct cache_dir dir = begin();

    expect_finish(dir.path, 1, HY_FAILED, "step 0 on acme-cache: not in the cache: cache entry: ");
    expect_finish(dir.path, 1, HY_FAILED, "does not exist");
    EXPECT_INT(device.prepare_count + device.restore_count, 0);
    end(&dir);
}

TEST(only_cached, a_step_that_is_there_is_taken_from_there)
{
    struct cache_dir dir = begin();

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    expect_finish(dir.path, 1, HY_OK, "");
    EXPECT_INT(device.prepare_count, 1);
    EXPECT_INT(device.restore_count, 1);
    end(&dir);
}

TEST(only_cached, an_entry_that_the_device_refuses_fails_with_its_reason)
{
    struct cache_dir dir = begin();

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    device.fault = CACHING_RESTORE_FAILS;
    expect_finish(dir.path, 1, HY_FAILED, "not in the cache: prepare_from_cache failed: ");
    EXPECT_INT(device.prepare_count, 1);
    end(&dir);
}

TEST(only_cached, there_is_no_plan_without_the_device)
{
    struct cache_dir dir = begin();

    expect_finish(dir.path, 2, HY_FAILED, "not in the cache");
    EXPECT_INT(device.prepare_count + other.prepare_count, 0);
    end(&dir);
}

TEST(only_cached, a_device_without_files_fails)
{
    struct cache_dir dir = begin();

    device.device.info.model_cache_files = device.device.info.data_cache_files = 0;
    expect_finish(dir.path, 1, HY_FAILED,
                  "step 0 on acme-cache: not in the cache: the device does not support caching");
    EXPECT_INT(device.prepare_count, 0);
    end(&dir);
}

TEST(only_cached, without_a_cache_everything_fails)
{
    struct cache_dir dir = begin();

    expect_finish(NULL, 1, HY_FAILED, "not in the cache: no cache is set for the compilation");
    EXPECT_INT(device.prepare_count, 0);
    end(&dir);
}

/* A device of a support library compiles in the call in which it is given the entry. */
TEST(only_cached, a_device_that_restores_in_prepare_is_asked_whether_it_takes_the_entry)
{
    struct cache_dir dir = begin();

    device.table.prepare_from_cache = NULL;
    expect_finish(dir.path, 1, HY_FAILED, "does not exist");
    EXPECT_INT(device.prepare_count, 0);
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    device.fault = CACHING_WRITES_NOTHING; /* that is, it likes what it finds */
    expect_finish(dir.path, 1, HY_OK, "");
    device.fault = CACHING_WRITES_OTHER;
    expect_finish(dir.path, 1, HY_FAILED, "rewrote the files");
    end(&dir);
}

TEST(only_cached, is_set_before_finish)
{
    struct cache_dir dir = begin();
    struct caching_device *list = &device;
    struct hy_compilation *compilation =
        finish_compiling(begin_compiling(cached_model(cache_constant, false), &list, 1));

    REQUIRE(compilation);
    EXPECT_INT(halyard_compilation_only_from_cache(hy_compilation_handle(compilation), true),
               ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_compilation_only_from_cache(NULL, true), ANEURALNETWORKS_UNEXPECTED_NULL);
    hy_compilation_release(compilation);
    end(&dir);
}
