/* Many processes that compile in one directory and are killed at any moment: who survives is right,
 * no entry is bad afterwards, no lock is lost, and what was left goes. */
#include "tests/kit/test.h"

#include "common/random.h"
#include "tests/kit/threads.h"
#include "tests/scenarios/caching/app.h"
#include "tests/scenarios/caching/forked.h"
#include "tests/scenarios/caching/fs_path.h"
#include "tests/scenarios/caching/state_dir.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { APP_COUNT = 8, MOST_PROCESSES = 16 };

/* What all processes write to, and what each of them knows from its fork. */
struct shared {
    atomic_uint compiled, hits, stored, wrong;
    atomic_bool has_opened[MOST_PROCESSES];
};

struct work {
    struct shared *shared;
    const char *dir;
    uint64_t seed;
    unsigned process; /* index in has_opened */
    struct cache_model subjects[APP_COUNT];
    struct app apps[APP_COUNT];
};

/* ---- What a process does --------------------------------------------------------------------- */

static const struct {
    const char *device;
    enum cache_model_kind kind;
} apps[APP_COUNT] = {{"halyard-cpu", CACHE_MODEL_CNN8},
                     {"halyard-cpu", CACHE_MODEL_DENSE},
                     {"halyard-cpu", CACHE_MODEL_BRANCH},
                     {"halyard-cpu", CACHE_MODEL_LARGE},
                     {"halyard-sample-compiled", CACHE_MODEL_DENSE8},
                     {"halyard-sample-compiled", CACHE_MODEL_POOLED},
                     {"halyard-sample-just-in-time", CACHE_MODEL_DENSE},
                     {"halyard-sample-descriptors", CACHE_MODEL_DENSE8}};

static bool make_apps(struct work *work)
{
    for (unsigned i = 0; i < APP_COUNT; i++) {
        FORKED_CHECK(cache_model_init(&work->subjects[i], apps[i].kind, 1));
        FORKED_CHECK(app_init(&work->apps[i], &work->subjects[i], apps[i].device, work->dir));
    }
    return true;
}

static void free_subjects(struct work *work)
{
    for (unsigned i = 0; i < APP_COUNT; i++)
        cache_model_finish(&work->subjects[i]);
}

/* Until it is killed, or something is wrong. */
static bool compile_until_killed(void *context)
{
    struct work *work = context;
    struct hy_random random = {work->seed};

    if (!make_apps(work))
        return false;
    work->shared->has_opened[work->process] = true;
    for (;;) {
        struct app *app = &work->apps[hy_random_next(&random) % APP_COUNT];
        app->token = (uint8_t)(1 + hy_random_next(&random) % 3);
        const struct app_result result = app_compile_and_run(app);
        work->shared->compiled++;
        work->shared->hits += result.cache == HALYARD_CACHE_HIT;
        work->shared->stored += result.cache == HALYARD_CACHE_STORED;
        if (!app_is_good(&result)) {
            fprintf(stderr, "  %s\n", app_describe(app, &result));
            work->shared->wrong++;
            return false;
        }
        /* Some go now and then, so that there is always something to make. */
        if (hy_random_next(&random) % 8 == 0)
            (void)halyard_cache_remove(work->dir, result.token);
    }
}

/* ---- Killing --------------------------------------------------------------------------------- */

static void pause_for(uint64_t ns)
{
    const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

static pid_t start(struct work *work, unsigned process)
{
    work->seed++;
    work->process = process;
    work->shared->has_opened[process] = false;
    return forked_start(compile_until_killed, work);
}

/* Two processes that end while they open a driver are evidence against the driver (crash_guard.h),
 * so kills wait for the end of the openings. */
static void wait_for_openings(const struct work *work, unsigned process, pid_t child)
{
    siginfo_t end = {0};

    while (!work->shared->has_opened[process] &&
           waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == 0)
        pause_for(1000000);
}

/* Any end other than by the signal of this function is a fault. */
static unsigned kill_process(const struct work *work, unsigned process, pid_t child)
{
    int status = 0;

    wait_for_openings(work, process, child);
    kill(child, SIGKILL);
    return waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
           WTERMSIG(status) != SIGKILL;
}

static unsigned kill_at_random(struct work *work, unsigned processes, unsigned kills)
{
    pid_t children[MOST_PROCESSES];
    struct hy_random dice = {7};
    unsigned faults = 0;

    for (unsigned i = 0; i < processes; i++)
        children[i] = start(work, i);
    for (unsigned i = 0; i < kills; i++) {
        const unsigned process = (unsigned)(hy_random_next(&dice) % processes);
        wait_for_openings(work, process, children[process]);
        pause_for(hy_random_next(&dice) % (40000000 * HY_SLOWNESS));
        faults += kill_process(work, process, children[process]);
        children[process] = start(work, process);
    }
    for (unsigned i = 0; i < processes; i++)
        faults += kill_process(work, i, children[i]);
    return faults;
}

/* ---- Afterwards ------------------------------------------------------------------------------ */

static void print_fault(void *context, const struct halyard_cache_entry *entry)
{
    (void)context;
    if (entry->fault[0])
        fprintf(stderr, "  bad entry of %s: %s\n", entry->device, entry->fault);
}

/* Every token is free: it hits, or is stored and then hits. */
static bool compile_each(struct work *work)
{
    for (unsigned i = 0; i < APP_COUNT; i++) {
        for (int token = 1; token <= 3; token++) {
            work->apps[i].token = (uint8_t)token;
            struct app_result result = app_compile_and_run(&work->apps[i]);
            FORKED_CHECK(app_is_good(&result));
            if (result.cache != HALYARD_CACHE_HIT)
                result = app_compile_and_run(&work->apps[i]);
            if (result.cache != HALYARD_CACHE_HIT)
                fprintf(stderr, "  %s\n", app_describe(&work->apps[i], &result));
            FORKED_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_HIT);
        }
    }
    return true;
}

static bool look_over(void *context)
{
    struct work *work = context;
    struct halyard_cache_summary summary = {.struct_size = sizeof summary};

    FORKED_CHECK(halyard_cache_verify(work->dir, print_fault, NULL, &summary) ==
                 ANEURALNETWORKS_NO_ERROR);
    FORKED_CHECK(summary.faulty == 0 && summary.entries > 0);
    FORKED_CHECK(make_apps(work) && compile_each(work));
    FORKED_CHECK(halyard_cache_verify(work->dir, print_fault, NULL, &summary) ==
                 ANEURALNETWORKS_NO_ERROR);
    FORKED_CHECK(summary.faulty == 0 && summary.entries == APP_COUNT * 3);
    /* A new entry clears away what was left. */
    work->apps[0].token = 99;
    const struct app_result result = app_compile_and_run(&work->apps[0]);
    FORKED_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_STORED);
    FORKED_CHECK(cache_find_leftovers(work->dir).count == 0);
    free_subjects(work);
    return true;
}

static void run_campaign(bool in_memory, unsigned processes, unsigned kills)
{
    static struct work work;
    const struct fs_path fs_path = path_make_dir(in_memory);

    memset(&work, 0, sizeof work);
    work.shared = forked_shared(sizeof *work.shared);
    REQUIRE(work.shared);
    work.dir = fs_path.path;
    EXPECT_INT(kill_at_random(&work, processes, kills), 0);
    const struct cache_leftovers leftovers = cache_find_leftovers(fs_path.path);
    EXPECT_INT(leftovers.old, 0);
    EXPECT_INT(work.shared->wrong, 0);
    EXPECT(work.shared->compiled > 0);
    pause_for(3000000000); /* leftovers have an age then */
    EXPECT_INT(forked_run(look_over, &work), 0);
    printf("\n  %s: %u kills among %u processes: %u compiled, %u hits, %u stored; %u leftovers, "
           "which then went\n",
           fs_path.path, kills, processes, work.shared->compiled, work.shared->hits,
           work.shared->stored, leftovers.count);
    path_remove(&fs_path);
}

TEST(caching_killed, processes_leave_a_sane_cache)
{
    run_campaign(true, 4, 60 / (HY_SLOWNESS > 1 ? 3 : 1));
}

TEST(caching_killed_slow, a_thousand_processes_leave_a_sane_cache)
{
    run_campaign(false, 16, 1000);
}
