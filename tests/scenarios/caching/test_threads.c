/* Threads that share what came out of a cache, and threads that put the same into it. */
#include "tests/kit/test.h"

#include "tests/kit/threads.h"
#include "tests/scenarios/caching/app.h"
#include "tests/scenarios/caching/fs_path.h"
#include "tests/scenarios/caching/state_dir.h"

#include <stdatomic.h>

enum { THREAD_COUNT = 8 };

static const struct {
    const char *device;
    enum cache_model_kind kind;
} parts[] = {{"halyard-cpu", CACHE_MODEL_CNN8},
             {"halyard-cpu", CACHE_MODEL_BRANCH},
             {"halyard-cpu", CACHE_MODEL_LARGE},
             {"halyard-sample-compiled", CACHE_MODEL_DENSE8},
             {"halyard-sample-just-in-time", CACHE_MODEL_DENSE},
             {"halyard-sample-descriptors", CACHE_MODEL_DENSE8}};
#define PART_COUNT (sizeof parts / sizeof *parts)

struct worker {
    const struct app *app;
    ANeuralNetworksCompilation *compilation;
    unsigned rounds;
    unsigned hits, stored;
    char fault[400]; /* "": none */
};

static void note(struct worker *worker, const struct app_result *result)
{
    worker->hits += result->cache == HALYARD_CACHE_HIT;
    worker->stored += result->cache == HALYARD_CACHE_STORED;
    if (!app_is_good(result) && !worker->fault[0])
        snprintf(worker->fault, sizeof worker->fault, "%s", app_describe(worker->app, result));
}

static void run_often(void *argument)
{
    struct worker *worker = argument;

    for (unsigned i = 0; i < worker->rounds; i++) {
        struct app_result result = {.code = ANEURALNETWORKS_NO_ERROR, .cache = -1};
        app_run(worker->app, worker->compilation, &result);
        note(worker, &result);
    }
}

static void compile_often(void *argument)
{
    struct worker *worker = argument;

    for (unsigned i = 0; i < worker->rounds; i++) {
        const struct app_result result = app_compile_and_run(worker->app);
        note(worker, &result);
        if (i % 4 == 3) /* so that there is something to make again */
            (void)halyard_cache_remove(worker->app->dir, result.token);
    }
}

static void run_threads(struct worker workers[THREAD_COUNT], void (*cache_case)(void *argument))
{
    EXPECT(hy_threads_run(THREAD_COUNT, cache_case, workers, sizeof *workers));
    for (int i = 0; i < THREAD_COUNT; i++)
        EXPECT_STR(workers[i].fault, "");
}

/* One restored model, run by all at once; and a compilation of the same token beside each. */
static void run_restored_concurrently(const struct app *app)
{
    struct worker workers[THREAD_COUNT];
    struct app_result result = app_compile_and_run(app);
    ANeuralNetworksCompilation *compilation = app_compile(app, &result);

    EXPECT_INT(result.cache, HALYARD_CACHE_HIT);
    for (int i = 0; i < THREAD_COUNT; i++)
        workers[i] = (struct worker){.app = app, .compilation = compilation, .rounds = 50};
    if (compilation)
        run_threads(workers, run_often);
    ANeuralNetworksCompilation_free(compilation);
}

/* One compiles just in time while all run it. */
static void run_new_concurrently(const struct app *app)
{
    struct worker workers[THREAD_COUNT];
    struct app_result result = app_compile_and_run(app);

    EXPECT_INT(halyard_cache_remove(app->dir, result.token), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksCompilation *compilation = app_compile(app, &result);
    EXPECT(result.cache != HALYARD_CACHE_HIT);
    for (int i = 0; i < THREAD_COUNT; i++)
        workers[i] = (struct worker){.app = app, .compilation = compilation, .rounds = 50};
    if (compilation)
        run_threads(workers, run_often);
    ANeuralNetworksCompilation_free(compilation);
    result = app_compile_and_run(app);
    EXPECT(app_is_good(&result));
    EXPECT_INT(result.cache, HALYARD_CACHE_HIT);
}

static void compile_at_once(const struct app *app)
{
    struct worker workers[THREAD_COUNT];
    unsigned hits = 0, stored = 0;

    for (int i = 0; i < THREAD_COUNT; i++)
        workers[i] = (struct worker){.app = app, .rounds = 40};
    run_threads(workers, compile_often);
    for (int i = 0; i < THREAD_COUNT; i++) {
        hits += workers[i].hits;
        stored += workers[i].stored;
    }
    EXPECT(hits > 0);
    (void)stored; /* what commits late stores without a word */
}

/* ---- One token, many folders ----------------------------------------------------------------- */

/* Digests are recorded for tokens, not for folders: where a driver that searches for what is
 * fastest writes other bytes into each, one of them is a miss. Nothing is wrong with either. */
static void compile_in_own_dir(void *argument)
{
    struct worker *worker = argument;

    for (unsigned i = 0; i < worker->rounds; i++) {
        const struct app_result first = app_compile_and_run(worker->app);
        const struct app_result second = app_compile_and_run(worker->app);
        note(worker, &first);
        note(worker, &second);
        (void)halyard_cache_remove(worker->app->dir, second.token);
    }
}

static void compile_into_many_dirs(const char *device)
{
    struct fs_path paths[THREAD_COUNT];
    struct app apps[THREAD_COUNT];
    struct worker workers[THREAD_COUNT];
    struct cache_model cache_model;
    bool ready = cache_model_init(&cache_model, CACHE_MODEL_DENSE8, 1);

    for (int i = 0; i < THREAD_COUNT; i++) {
        paths[i] = path_make_dir(true);
        ready = ready && app_init(&apps[i], &cache_model, device, paths[i].path);
        workers[i] = (struct worker){.app = &apps[i], .rounds = 50};
    }
    EXPECT(ready);
    if (ready)
        run_threads(workers, compile_in_own_dir);
    for (int i = 0; i < THREAD_COUNT; i++)
        path_remove(&paths[i]);
    cache_model_finish(&cache_model);
}

static void for_each_part(void (*run)(const struct app *app))
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        const struct fs_path fs_path = path_make_dir(true);
        struct cache_model cache_model;
        struct app app;
        const bool ready = cache_model_init(&cache_model, parts[i].kind, 1) &&
                           app_init(&app, &cache_model, parts[i].device, fs_path.path);
        EXPECT(ready);
        if (ready)
            run(&app);
        cache_model_finish(&cache_model);
        path_remove(&fs_path);
    }
}

TEST(caching_threads, share_a_restored_model)
{
    for_each_part(run_restored_concurrently);
}

TEST(caching_threads, share_a_model_that_is_being_cached)
{
    for_each_part(run_new_concurrently);
}

TEST(caching_threads, compile_the_same_token_at_once)
{
    for_each_part(compile_at_once);
}

TEST(caching_threads, compile_one_token_into_folders_of_their_own)
{
    compile_into_many_dirs("halyard-cpu");
    compile_into_many_dirs("halyard-sample-compiled");
    compile_into_many_dirs("halyard-sample-just-in-time");
    compile_into_many_dirs("halyard-sample-descriptors");
}
