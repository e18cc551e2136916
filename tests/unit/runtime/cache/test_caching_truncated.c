/* Steps whose prepared model reads a guarded mapping that somebody has cut. The device only says
 * that it was cut: whether a fault is noticed is for sigbus_guard, entry_content,
 * caching_shortened.
 */
#include "tests/kit/test.h"

#include "runtime/cache/session_list.h"
#include "tests/unit/runtime/kit/cache_fixture.h"

static struct caching_device device;
static atomic_bool truncated;

/* A compilation from the cache, of which a data file counts as mapped. */
static struct hy_compilation *begin(struct cache_dir *dir)
{
    atomic_store(&truncated, false);
    *dir = make_dir();
    caching_device_init(&device, "acme-torn", ANEURALNETWORKS_ADD);
    expect_outcome(&device, dir->path, HY_CACHE_STORED, "does not exist");
    struct hy_compilation *compilation = compile_in(&device, dir->path);
    if (compilation)
        compilation->plan->steps[0].cache.is_truncated = &truncated;
    return compilation;
}

static void end(struct cache_dir *dir, struct hy_compilation *compilation)
{
    hy_compilation_release(compilation);
    EXPECT_INT(device.alive, 0);
    caching_device_finish(&device);
    remove_dir(dir->path);
}

TEST(caching_truncated, step_that_is_torn_in_its_run_is_compiled_anew_and_runs_again)
{
    struct cache_dir dir;
    struct hy_compilation *compilation = begin(&dir);

    REQUIRE(compilation);
    EXPECT(computes_correctly(compilation, cache_constant, false));
    EXPECT_INT(device.prepare_count, 1);
    device.tears = &truncated;
    EXPECT(computes_correctly(compilation, cache_constant, false));
    EXPECT(truncated);
    EXPECT_INT(device.prepare_count, 2);
    EXPECT(!device.has_token && device.last_model_files == 0);
    end(&dir, compilation);
}

TEST(caching_truncated, step_that_is_torn_is_compiled_anew_once)
{
    struct cache_dir dir;
    struct hy_compilation *compilation = begin(&dir);

    REQUIRE(compilation);
    atomic_store(&truncated, true);
    for (int i = 0; i < 3; i++)
        EXPECT(computes_correctly(compilation, cache_constant, false));
    EXPECT_INT(device.prepare_count, 2);
    EXPECT_INT(device.restore_count, 1);
    end(&dir, compilation);
}

TEST(caching_truncated, step_that_cannot_be_compiled_anew_fails_and_says_why)
{
    struct cache_dir dir;
    struct hy_compilation *compilation = begin(&dir);
    struct hy_execution *execution = NULL;
    struct hy_error err = {0};
    float out[EXTENT];
    const struct hy_argument_source in = {.buffer = (void *)(uintptr_t)cache_in,
                                          .length = sizeof cache_in};
    const struct hy_argument_source to = {.buffer = out, .length = sizeof out};

    REQUIRE(compilation);
    atomic_store(&truncated, true);
    device.fault = CACHING_PREPARE_FAILS;
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &to, NULL), HY_OK);
    EXPECT_INT(hy_execution_begin(execution, HY_RUN_SYNC, NULL), HY_OK);
    EXPECT_INT(hy_execution_run(execution, NULL, HY_NO_DEADLINE, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "acme-torn: a data cache file was truncated: ");
    hy_execution_release(execution);
    end(&dir, compilation);
}

/* What somebody has changed in the mapping would get digests that are right. */
TEST(caching_truncated, entry_is_not_replaced_by_what_was_read_of_a_guarded_mapping)
{
    const struct hy_entry_access access = {.is_restored_here = true, .map_from = 1};
    struct cache_dir dir;
    struct hy_compilation *compilation = begin(&dir);
    struct hy_entry *entry = NULL;

    REQUIRE(compilation);
    EXPECT(caching_device_write(&device, device.last_prepared, true));
    struct hy_cache_session *session = &compilation->plan->steps[0].cache;
    REQUIRE(hy_entry_open(session->store, session->token, session->counts, &access, &entry, NULL) ==
            HY_OK);
    hy_cache_session_set_found(session, entry);
    EXPECT(hy_cache_session_hold_guarded(session));
    EXPECT(!caching_device_write(&device, device.last_prepared, true));
    end(&dir, compilation);
}
