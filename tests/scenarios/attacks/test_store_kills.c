/*
 * Processes that are killed at each system call with which they store, find, replace, evict or
 * remove an entry of the cache, and such whose calls of the file system fail: whoever comes next is
 * right, finds an entry or makes one, and nothing is left that grows.
 */
#include "tests/kit/test.h"

#include "common/random.h"
#include "tests/kit/sanitizers.h"
#include "tests/scenarios/attacks/fs_tree.h"
#include "tests/scenarios/attacks/traced.h"
#include "tests/scenarios/caching/app.h"
#include "tests/scenarios/caching/cache_case.h"
#include "tests/scenarios/caching/forked.h"
#include "tests/scenarios/caching/fs_path.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CAMPAIGN_SECONDS = 600,
    MAX_DIRS = 160,     /* whose leftovers get old together */
    STALE_US = 2100000, /* old enough to be cleared away, by a clock of seconds */
};

/* First bytes of an app's tokens, beside 1 and 2. */
enum { OTHER = 8, LAST = 9 };

enum action { STORE, FIND, REPLACE, EVICT, REMOVE, ACTIONS };

static const char *const action_names[ACTIONS] = {"store", "find", "replace", "evict", "remove"};
static const char *const deed_names[] = {"nothing", "kill", "failure", "short write"};

/* One app at its own folder. */
struct attempt {
    struct app app;
    enum action action;
    uint8_t token[HALYARD_TOKEN_SIZE]; /* of the entry that is removed */
};

static struct campaign {
    struct cache_model cache_model;
    struct app apps[CACHE_CASE_DEVICE_COUNT];
    uint8_t tokens[CACHE_CASE_DEVICE_COUNT][HALYARD_TOKEN_SIZE];
    struct fs_path template_dirs[CACHE_CASE_DEVICE_COUNT * ACTIONS]; /* "" until they are needed */
    struct fs_path dirs[MAX_DIRS];
    struct app dir_apps[MAX_DIRS]; /* who was there */
    unsigned dir_count;
    unsigned long kills, failures, short_writes;
    uint32_t most_stops[ACTIONS];
    unsigned attempts[ACTIONS];
} campaign;

/* ---- What processes do ----------------------------------------------------------------------- */

static bool is_right(const struct app *app, struct app_result *result)
{
    *result = app_compile_and_run(app);
    if (!app_is_good(result))
        fprintf(stderr, "  %s\n", app_describe(app, result));
    return app_is_good(result);
}

static bool compile_tokens(struct app app, uint8_t from, uint8_t to)
{
    struct app_result result;

    for (app.token = from; app.token <= to; app.token++)
        FORKED_CHECK(is_right(&app, &result));
    return true;
}

static bool corrupt_entry(const struct attempt *attempt)
{
    struct app_result result;

    FORKED_CHECK(is_right(&attempt->app, &result));
    const struct fs_path file = path_of_file(attempt->app.dir, result.token, "metadata");
    return path_flip_bit(&file, 8 * 20);
}

/* What there is before: never nothing, since the first entry of all has another way. */
static bool prepare_attempt(void *context)
{
    const struct attempt *attempt = context;

    FORKED_CHECK(compile_tokens(attempt->app, OTHER, OTHER));
    switch (attempt->action) {
    case STORE:
        return true;
    case REPLACE:
        return corrupt_entry(attempt);
    default:
        return compile_tokens(attempt->app, 1, attempt->action == EVICT ? 2 : 1);
    }
}

static int collect(const char *dir, uint64_t limit)
{
    return halyard_cache_collect(dir, limit, NULL, NULL, NULL);
}

/* Nothing of the cache ever fails a compilation; looking after it may fail, in words. */
static bool act(void *context)
{
    const struct attempt *attempt = context;
    struct app_result result = {0};
    bool good = true;

    traced_mark();
    if (attempt->action == EVICT)
        (void)collect(attempt->app.dir, 1);
    else if (attempt->action == REMOVE)
        (void)halyard_cache_remove(attempt->app.dir, attempt->token);
    else
        result = app_compile_and_run(&attempt->app);
    traced_mark();
    if (attempt->action != EVICT && attempt->action != REMOVE) {
        good = app_is_good(&result);
        if (!good)
            fprintf(stderr, "  %s\n", app_describe(&attempt->app, &result));
    }
    return good;
}

/* Found the second time at least: some write only what they have run. */
static bool is_cached(const struct app *app)
{
    struct app_result result;

    FORKED_CHECK(is_right(app, &result) && is_right(app, &result));
    if (result.cache != HALYARD_CACHE_HIT)
        fprintf(stderr, "  %s\n", app_describe(app, &result));
    return result.cache == HALYARD_CACHE_HIT;
}

/* Whoever comes next, and looks after the cache then. */
static bool look_over(void *context)
{
    const struct attempt *attempt = context;
    struct halyard_cache_summary summary = {.struct_size = sizeof summary};
    struct app app = attempt->app;

    for (app.token = 1; app.token <= (attempt->action == EVICT ? 2 : 1); app.token++)
        FORKED_CHECK(is_cached(&app));
    FORKED_CHECK(halyard_cache_verify(app.dir, NULL, NULL, &summary) == ANEURALNETWORKS_NO_ERROR);
    FORKED_CHECK(summary.faulty == 0);
    return true;
}

/* ---- What is left ---------------------------------------------------------------------------- */

/* A new entry clears away what is old; what is left then are entries. */
static bool collect_dir(const struct fs_path *fs_path, struct app *app)
{
    struct halyard_cache_summary summary = {.struct_size = sizeof summary};

    app->dir = fs_path->path;
    app->token = LAST;
    FORKED_CHECK(is_cached(app));
    FORKED_CHECK(cache_find_leftovers(app->dir).count == 0);
    const unsigned before = path_count_files(app->dir);
    FORKED_CHECK(halyard_cache_collect(app->dir, HALYARD_CACHE_LIMIT_IN_FORCE, NULL, NULL,
                                       &summary) == ANEURALNETWORKS_NO_ERROR);
    FORKED_CHECK(summary.removed == 0 && summary.leftovers == 0);
    FORKED_CHECK(path_count_files(app->dir) == before);
    FORKED_CHECK(collect(app->dir, 0) == ANEURALNETWORKS_NO_ERROR);
    FORKED_CHECK(path_count_files(app->dir) <= 1); /* the count of bytes */
    return true;
}

static bool clear_each(void *context)
{
    (void)context;
    for (unsigned i = 0; i < campaign.dir_count; i++) {
        if (!collect_dir(&campaign.dirs[i], &campaign.dir_apps[i]))
            return false;
    }
    return true;
}

static void collect_dirs(void)
{
    usleep(STALE_US);
    EXPECT_INT(forked_run(clear_each, NULL), 0);
    for (unsigned i = 0; i < campaign.dir_count; i++)
        path_remove(&campaign.dirs[i]);
    campaign.dir_count = 0;
}

/* ---- Attempts -------------------------------------------------------------------------------- */

static bool do_nothing(void *context)
{
    (void)context;
    return true;
}

/* The token is known without a cache. */
static bool learn_token(int device)
{
    struct app app = campaign.apps[device];
    struct app_result result;

    app.dir = "/dev/null/none";
    if (!is_right(&app, &result))
        return false;
    memcpy(campaign.tokens[device], result.token, sizeof result.token);
    return true;
}

/* False: nobody can be traced here, or there is nothing to be traced. */
static bool begin(void)
{
    const struct traced_plan nothing = {.deed = TRACED_NOTHING};
    struct traced_outcome outcome;

    if (!traced_run(do_nothing, NULL, &nothing, &outcome)) {
        printf("(skipped: this machine lets nobody be traced) ");
        return false;
    }
    EXPECT(cache_model_init(&campaign.cache_model, CACHE_MODEL_DENSE8, 1));
    for (int i = 0; i < CACHE_CASE_DEVICE_COUNT; i++) {
        const bool is_there =
            app_init(&campaign.apps[i], &campaign.cache_model, cache_case_devices[i], NULL) &&
            learn_token(i);
        EXPECT(is_there);
        if (!is_there)
            return false;
    }
    return true;
}

static void end(void)
{
    collect_dirs();
    for (int i = 0; i < CACHE_CASE_DEVICE_COUNT * ACTIONS; i++) {
        if (campaign.template_dirs[i].path[0])
            path_remove(&campaign.template_dirs[i]);
    }
    cache_model_finish(&campaign.cache_model);
    printf("\n  %lu kills, %lu failing calls, %lu short writes; system calls:", campaign.kills,
           campaign.failures, campaign.short_writes);
    for (int i = 0; i < ACTIONS; i++)
        printf(" %s %u (%u attempts)", action_names[i], campaign.most_stops[i] / 2,
               campaign.attempts[i]);
    printf("\n ");
}

/* A folder of its own, as it was before; how it looks is made once. */
static bool prepare_dir(int device, struct attempt *attempt)
{
    struct fs_path *template_dir = &campaign.template_dirs[device * ACTIONS + (int)attempt->action];

    if (!template_dir->path[0]) {
        *template_dir = path_make_dir(true);
        attempt->app.dir = template_dir->path;
        if (forked_run(prepare_attempt, attempt) != 0)
            return false;
    }
    if (campaign.dir_count == MAX_DIRS)
        collect_dirs();
    struct fs_path *fs_path = &campaign.dirs[campaign.dir_count];
    *fs_path = path_make_dir(true);
    campaign.dir_apps[campaign.dir_count++] = attempt->app;
    attempt->app.dir = fs_path->path;
    return path_copy_tree(template_dir, fs_path);
}

static void check_attempt(const struct attempt *attempt, const struct traced_plan *plan,
                          const struct traced_outcome *outcome, int after)
{
    const bool is_killed = WIFSIGNALED(outcome->status) && WTERMSIG(outcome->status) == SIGKILL;
    const bool has_ended = WIFEXITED(outcome->status) && WEXITSTATUS(outcome->status) == 0;
    const bool should_be_killed = plan->deed == TRACED_KILL && outcome->is_done;
    const char *device = "?";

    if (after == 0 && (should_be_killed ? is_killed : has_ended)) {
        hy_test_pass(__FILE__, __LINE__);
        return;
    }
    ANeuralNetworksDevice_getName(attempt->app.device, &device);
    hy_test_fail(__FILE__, __LINE__,
                 "%s on %s, %s at %u of %u stops (error %d): status %d; afterwards status %d",
                 action_names[attempt->action], device, deed_names[plan->deed], plan->stop,
                 outcome->stops, plan->error, outcome->status, after);
}

/* False: there is no such stop. */
static bool attack(int device, enum action action, const struct traced_plan *plan)
{
    struct attempt attempt = {.app = campaign.apps[device], .action = action};
    struct traced_outcome outcome;

    memcpy(attempt.token, campaign.tokens[device], sizeof attempt.token);
    if (!prepare_dir(device, &attempt) || !traced_run(act, &attempt, plan, &outcome)) {
        hy_test_fail(__FILE__, __LINE__, "%s: no scene", action_names[action]);
        return false;
    }
    check_attempt(&attempt, plan, &outcome, forked_run(look_over, &attempt));
    campaign.attempts[action]++;
    campaign.kills += plan->deed == TRACED_KILL && outcome.is_done;
    campaign.failures += plan->deed == TRACED_FAIL && outcome.is_done;
    campaign.short_writes += plan->deed == TRACED_SHORTEN && outcome.is_done;
    if (outcome.stops > campaign.most_stops[action] && !outcome.is_done)
        campaign.most_stops[action] = outcome.stops;
    return plan->deed == TRACED_KILL ? outcome.is_done : plan->stop < outcome.failable;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static const int errors[] = {EIO, ENOSPC, EMFILE, EINTR, EACCES, EDQUOT};

/* A deed by chance at one of the first `most` stops. */
static struct traced_plan choose(struct hy_random *chance, uint32_t most)
{
    static const enum traced_deed deeds[] = {TRACED_KILL, TRACED_KILL, TRACED_FAIL, TRACED_SHORTEN};

    return (struct traced_plan){
        .deed = deeds[hy_random_below(chance, 4)],
        .stop = hy_random_below(chance, most),
        .error = errors[hy_random_below(chance, sizeof errors / sizeof *errors)],
    };
}

TEST(attack_store, whatever_call_a_process_dies_at_the_cache_is_sane)
{
    const struct traced_plan nothing = {.deed = TRACED_NOTHING};
    struct hy_random chance = {4712};

    if (!begin())
        return;
    for (int i = 0; i < 30; i++) {
        const enum action action = (enum action)(i % ACTIONS);
        const int device = i / ACTIONS % CACHE_CASE_DEVICE_COUNT;
        if (campaign.most_stops[action] == 0)
            (void)attack(device, action, &nothing);
        REQUIRE(campaign.most_stops[action] > 0);
        const struct traced_plan plan = choose(&chance, campaign.most_stops[action]);
        (void)attack(device, action, &plan);
    }
    end();
}

static time_t campaign_end(void)
{
    const char *seconds = getenv("HALYARD_ATTACK_SECONDS");
    return time(NULL) + (seconds ? strtol(seconds, NULL, 10) : CAMPAIGN_SECONDS);
}

/* Every stop from `first` on, so many further on each time. False: the time is over. */
static bool sweep(int device, enum action action, struct traced_plan plan, uint32_t stride,
                  time_t end)
{
    for (; attack(device, action, &plan); plan.stop += stride) {
        if (time(NULL) >= end)
            return false;
    }
    return true;
}

static bool sweep_devices(enum action action, struct traced_plan plan, uint32_t stride, time_t end)
{
    bool goes_on = true;

    for (int device = 0; goes_on && device < CACHE_CASE_DEVICE_COUNT; device++)
        goes_on = sweep(device, action, plan, stride, end);
    return goes_on;
}

static void attack_by_chance(struct hy_random *chance, time_t end)
{
    while (time(NULL) < end) {
        const enum action action = (enum action)hy_random_below(chance, ACTIONS);
        const uint32_t most = campaign.most_stops[action];
        const struct traced_plan plan = choose(chance, most ? most : 100);
        (void)attack((int)hy_random_below(chance, CACHE_CASE_DEVICE_COUNT), action, &plan);
    }
}

static bool sweep_others(uint32_t stride, time_t end)
{
    const struct traced_plan kill_at_first = {.deed = TRACED_KILL};
    bool goes_on = true;

    for (int action = FIND; goes_on && action < ACTIONS; action++)
        goes_on = sweep_devices((enum action)action, kill_at_first, stride, end);
    return goes_on;
}

/*
 * Kills where a process enters each call: all of a store, then some of what else there is; calls
 * that fail or write less, for a while; the rest of the kills; and anything for the rest of the
 * time.
 */
TEST(attack_store_slow, a_process_may_die_at_each_call)
{
    enum { ALL = 2, SOME = 26 }; /* even numbers: calls are entered */
    const struct traced_plan kill_at_first = {.deed = TRACED_KILL};
    struct hy_random chance = {(uint64_t)time(NULL)};
    const time_t end_of_all = campaign_end(), interval = (end_of_all - time(NULL)) / 8;

    if (!begin())
        return;
    printf("(seed %llu) ", (unsigned long long)chance.state);
    if (sweep_devices(STORE, kill_at_first, ALL, end_of_all) && sweep_others(SOME, end_of_all)) {
        const time_t a_while = time(NULL) + interval;
        attack_by_chance(&chance, a_while < end_of_all ? a_while : end_of_all);
        (void)sweep_others(ALL, end_of_all);
    }
    attack_by_chance(&chance, end_of_all);
    end();
}
