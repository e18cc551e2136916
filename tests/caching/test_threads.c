/* Threads that share what came out of a cache, and threads that put the same into it. */
#include "tests/test.h"

#include "support/threads.h"
#include "tests/caching/app.h"
#include "tests/caching/place.h"
#include "tests/caching/state.h"

#include <stdatomic.h>

enum { THREAD_COUNT = 8 };

static const struct {
    const char *device;
    enum subject_kind kind;
} parts[] = {{"halyard-cpu", SUBJECT_CNN8},
             {"halyard-cpu", SUBJECT_BRANCH},
             {"halyard-cpu", SUBJECT_LARGE},
             {"halyard-sample-compiled", SUBJECT_DENSE8},
             {"halyard-sample-just-in-time", SUBJECT_DENSE},
             {"halyard-sample-descriptors", SUBJECT_DENSE8}};
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
        snprintf(worker->fault, sizeof worker->fault, "%s", app_words(worker->app, result));
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
            (void)halyard_cache_remove(worker->app->folder, result.token);
    }
}

static void run_threads(struct worker workers[THREAD_COUNT], void (*part)(void *argument))
{
    EXPECT(hy_threads_run(THREAD_COUNT, part, workers, sizeof *workers));
    for (int i = 0; i < THREAD_COUNT; i++)
        EXPECT_STR(workers[i].fault, "");
}

/* One restored model, run by all at once; and a compilation of the same token beside each. */
static void share_restored(const struct app *app)
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
static void share_new(const struct app *app)
{
    struct worker workers[THREAD_COUNT];
    struct app_result result = app_compile_and_run(app);

    EXPECT_INT(halyard_cache_remove(app->folder, result.token), ANEURALNETWORKS_NO_ERROR);
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
static void compile_in_own_folder(void *argument)
{
    struct worker *worker = argument;

    for (unsigned i = 0; i < worker->rounds; i++) {
        const struct app_result first = app_compile_and_run(worker->app);
        const struct app_result second = app_compile_and_run(worker->app);
        note(worker, &first);
        note(worker, &second);
        (void)halyard_cache_remove(worker->app->folder, second.token);
    }
}

static void compile_into_many_folders(const char *device)
{
    struct place places[THREAD_COUNT];
    struct app apps[THREAD_COUNT];
    struct worker workers[THREAD_COUNT];
    struct subject subject;
    bool ready = subject_init(&subject, SUBJECT_DENSE8, 1);

    for (int i = 0; i < THREAD_COUNT; i++) {
        places[i] = place_make(true);
        ready = ready && app_init(&apps[i], &subject, device, places[i].path);
        workers[i] = (struct worker){.app = &apps[i], .rounds = 50};
    }
    EXPECT(ready);
    if (ready)
        run_threads(workers, compile_in_own_folder);
    for (int i = 0; i < THREAD_COUNT; i++)
        place_remove(&places[i]);
    subject_finish(&subject);
}

static void for_each_part(void (*run)(const struct app *app))
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        const struct place place = place_make(true);
        struct subject subject;
        struct app app;
        const bool ready = subject_init(&subject, parts[i].kind, 1) &&
                           app_init(&app, &subject, parts[i].device, place.path);
        EXPECT(ready);
        if (ready)
            run(&app);
        subject_finish(&subject);
        place_remove(&place);
    }
}

TEST(caching_threads, share_a_restored_model)
{
    for_each_part(share_restored);
}

TEST(caching_threads, share_a_model_that_is_being_cached)
{
    for_each_part(share_new);
}

TEST(caching_threads, compile_the_same_token_at_once)
{
    for_each_part(compile_at_once);
}

TEST(caching_threads, compile_one_token_into_folders_of_their_own)
{
    compile_into_many_folders("halyard-cpu");
    compile_into_many_folders("halyard-sample-compiled");
    compile_into_many_folders("halyard-sample-just-in-time");
    compile_into_many_folders("halyard-sample-descriptors");
}
