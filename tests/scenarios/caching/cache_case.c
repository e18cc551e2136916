#include "tests/scenarios/caching/cache_case.h"

#include "tests/kit/test.h"
#include "tests/scenarios/caching/state_dir.h"

#include <stdio.h>
#include <stdlib.h>

const char *const cache_case_devices[CACHE_CASE_DEVICE_COUNT] = {
    "halyard-cpu", "halyard-sample-compiled", "halyard-sample-just-in-time",
    "halyard-sample-descriptors"};

struct cache_case cache_case_make(const char *device)
{
    struct cache_case cache_case = {
        .fs_path = path_make_dir(true), .device = device, .kind = CACHE_MODEL_DENSE8};
    cache_case.state = path_in(state_dir_path(), "own");
    return cache_case;
}

void cache_case_remove(const struct cache_case *cache_case)
{
    path_remove(&cache_case->fs_path);
    path_remove(&cache_case->state);
}

/* ---- In the part ----------------------------------------------------------------------------- */

bool cache_case_begin(struct cache_case *cache_case)
{
    setenv("HALYARD_STATE_DIR", cache_case->state.path, 1);
    FORKED_CHECK(cache_model_init(&cache_case->cache_model, cache_case->kind, 1));
    FORKED_CHECK(app_init(&cache_case->app, &cache_case->cache_model, cache_case->device,
                          cache_case->fs_path.path));
    return true;
}

struct app_result cache_case_compile(const struct cache_case *cache_case)
{
    const struct app_result result = app_compile_and_run(&cache_case->app);
    if (!app_is_good(&result))
        fprintf(stderr, "  %s\n", app_describe(&cache_case->app, &result));
    return result;
}

bool cache_case_is_uncached(const struct cache_case *cache_case)
{
    const struct app_result result = cache_case_compile(cache_case);
    if (result.cache != HALYARD_CACHE_NOT_STORED)
        fprintf(stderr, "  %s\n", app_describe(&cache_case->app, &result));
    FORKED_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_NOT_STORED);
    FORKED_CHECK(result.reason[0]);
    return true;
}

bool cache_case_is_correct(const struct cache_case *cache_case)
{
    const struct app_result result = cache_case_compile(cache_case);
    FORKED_CHECK(app_is_good(&result) && result.reason[0]);
    return true;
}

bool cache_case_is_usable(const struct cache_case *cache_case)
{
    struct halyard_cache_summary summary = {.struct_size = sizeof summary};
    struct app_result result = cache_case_compile(cache_case);

    FORKED_CHECK(app_is_good(&result));
    result = cache_case_compile(cache_case);
    if (result.cache != HALYARD_CACHE_HIT)
        fprintf(stderr, "  %s\n", app_describe(&cache_case->app, &result));
    FORKED_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_HIT);
    FORKED_CHECK(halyard_cache_verify(cache_case->fs_path.path, NULL, NULL, &summary) ==
                 ANEURALNETWORKS_NO_ERROR);
    FORKED_CHECK(summary.faulty == 0 && summary.entries > 0);
    return true;
}

void cache_case_for_each_device(bool (*run)(void *context))
{
    for (int i = 0; i < CACHE_CASE_DEVICE_COUNT; i++) {
        struct cache_case cache_case = cache_case_make(cache_case_devices[i]);
        const int status = forked_run(run, &cache_case);
        if (status == FORKED_NOT_HERE)
            printf("(skipped: this machine does not permit it) ");
        else if (status != 0)
            hy_test_fail(__FILE__, __LINE__, "%s: status %d", cache_case_devices[i], status);
        else
            EXPECT_INT(status, 0);
        cache_case_remove(&cache_case);
    }
}
