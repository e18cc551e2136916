/*
 * Eight threads run one compilation in every way there is, while others build, compile, run and
 * free models of their own, and ask about devices: through the public API alone.
 */
#include "halyard/halyard.h"
#include "tests/kit/small_model.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { RUNNERS = 8, BUILDERS = 2, ASKERS = 1, CHAIN = 4, EXECUTIONS = 10000 };

/* What one more thread does for a runner: it waits for events that it did not start. */
struct waiter {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    ANeuralNetworksEvent *event; /* to be waited for, or NULL */
    bool is_done;                /* the last one is over */
    bool is_stopped;
    int code; /* of the last one */
};

static void *wait_for_others(void *argument)
{
    struct waiter *waiter = argument;

    pthread_mutex_lock(&waiter->lock);
    while (!waiter->is_stopped) {
        ANeuralNetworksEvent *event = waiter->event;
        if (!event) {
            pthread_cond_wait(&waiter->changed, &waiter->lock);
            continue;
        }
        pthread_mutex_unlock(&waiter->lock);
        const int code = ANeuralNetworksEvent_wait(event);
        pthread_mutex_lock(&waiter->lock);
        waiter->event = NULL;
        waiter->code = code;
        waiter->is_done = true;
        pthread_cond_broadcast(&waiter->changed);
    }
    pthread_mutex_unlock(&waiter->lock);
    return NULL;
}

static bool waiter_start(struct waiter *waiter)
{
    *waiter =
        (struct waiter){.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    return pthread_create(&waiter->thread, NULL, wait_for_others, waiter) == 0;
}

static void waiter_give(struct waiter *waiter, ANeuralNetworksEvent *event)
{
    pthread_mutex_lock(&waiter->lock);
    waiter->event = event;
    waiter->is_done = false;
    pthread_cond_broadcast(&waiter->changed);
    pthread_mutex_unlock(&waiter->lock);
}

static int waiter_code(struct waiter *waiter)
{
    pthread_mutex_lock(&waiter->lock);
    while (!waiter->is_done)
        pthread_cond_wait(&waiter->changed, &waiter->lock);
    const int code = waiter->code;
    pthread_mutex_unlock(&waiter->lock);
    return code;
}

static void waiter_stop(struct waiter *waiter)
{
    pthread_mutex_lock(&waiter->lock);
    waiter->is_stopped = true;
    pthread_cond_broadcast(&waiter->changed);
    pthread_mutex_unlock(&waiter->lock);
    pthread_join(waiter->thread, NULL);
}

/* ---- Runners --------------------------------------------------------------------------------- */

static ANeuralNetworksModel *shared_model;
static ANeuralNetworksCompilation *shared;
static atomic_uint running; /* runners that are not done */

struct runner {
    unsigned number;
    unsigned wrong; /* executions without the right answer */
    ANeuralNetworksBurst *burst;
    struct small_run reused;
    struct waiter waiter;
};

/* A new execution each time, as clients of older levels do. */
static bool run_fresh(unsigned seed)
{
    struct small_run run;
    bool good = small_run_init(&run, shared, false);

    small_run_fill(&run, seed);
    good = good && small_run_compute(&run);
    small_run_finish(&run);
    return good;
}

/* Two threads wait for the end, and it is the same for both. */
static bool run_watched(struct runner *runner)
{
    ANeuralNetworksEvent *event = NULL;

    if (ANeuralNetworksExecution_startCompute(runner->reused.execution, &event) !=
        ANEURALNETWORKS_NO_ERROR)
        return false;
    waiter_give(&runner->waiter, event);
    const int own = ANeuralNetworksEvent_wait(event);
    const int other = waiter_code(&runner->waiter);
    ANeuralNetworksEvent_free(event);
    return own == ANEURALNETWORKS_NO_ERROR && other == ANEURALNETWORKS_NO_ERROR &&
           small_run_is_right(&runner->reused);
}

/* Executions that wait for each other, and the first of them for a fence. */
static bool start_chain(struct small_run runs[CHAIN], ANeuralNetworksEvent *events[CHAIN + 1],
                        unsigned seed)
{
    bool good = true;

    for (unsigned i = 0; good && i < CHAIN; i++) {
        good = small_run_init(&runs[i], shared, false);
        small_run_fill(&runs[i], seed + i);
        const ANeuralNetworksEvent *before = events[i];
        good = good &&
               ANeuralNetworksExecution_startComputeWithDependencies(
                   runs[i].execution, &before, 1, 0, &events[i + 1]) == ANEURALNETWORKS_NO_ERROR;
    }
    return good;
}

static bool run_chain(struct runner *runner, unsigned seed)
{
    struct small_run runs[CHAIN] = {0};
    ANeuralNetworksEvent *events[CHAIN + 1] = {NULL};
    const int gate = eventfd(0, EFD_CLOEXEC);
    bool good = gate >= 0 && ANeuralNetworksEvent_createFromSyncFenceFd(gate, &events[0]) ==
                                 ANEURALNETWORKS_NO_ERROR;

    good = good && start_chain(runs, events, seed);
    good = eventfd_write(gate, 1) == 0 && good;
    if (good) {
        waiter_give(&runner->waiter, events[CHAIN]);
        good = waiter_code(&runner->waiter) == ANEURALNETWORKS_NO_ERROR;
    }
    for (unsigned i = 0; i < CHAIN; i++)
        good = good && small_run_is_right(&runs[i]);
    for (unsigned i = 0; i <= CHAIN; i++)
        ANeuralNetworksEvent_free(events[i]);
    for (unsigned i = 0; i < CHAIN; i++)
        small_run_finish(&runs[i]);
    close(gate);
    return good;
}

/* Some executions in one way or another; gives how many. */
static unsigned run_some(struct runner *runner, unsigned seed)
{
    bool good;
    unsigned count = 1;

    small_run_fill(&runner->reused, seed);
    switch (seed % 8) {
    case 0:
    case 1:
        good = small_run_burst(&runner->reused, runner->burst);
        break;
    case 2:
    case 3:
        good = small_run_compute(&runner->reused);
        break;
    case 4:
        good = run_fresh(seed);
        break;
    case 5:
        good = small_run_start(&runner->reused);
        break;
    case 6:
        good = run_watched(runner);
        break;
    default:
        good = run_chain(runner, seed);
        count = CHAIN;
        break;
    }
    runner->wrong += good ? 0 : count;
    return count;
}

static void run_all(struct runner *runner)
{
    bool ready = waiter_start(&runner->waiter);

    ready = small_run_init(&runner->reused, shared, true) && ready;
    ready =
        ANeuralNetworksBurst_create(shared, &runner->burst) == ANEURALNETWORKS_NO_ERROR && ready;
    if (!ready)
        runner->wrong = EXECUTIONS;
    for (unsigned done = 0, step = 0; ready && done < EXECUTIONS; step++)
        done += run_some(runner, step * RUNNERS + step + runner->number);
    waiter_stop(&runner->waiter);
    ANeuralNetworksBurst_free(runner->burst);
    small_run_finish(&runner->reused);
    running--;
}

/* ---- The others ------------------------------------------------------------------------------ */

static void build(struct runner *builder)
{
    for (unsigned i = 0; running > 0; i++) {
        builder->wrong += !small_life(i);
        usleep(1000);
    }
}

static bool ask(void)
{
    struct halyard_device_info info = {.struct_size = sizeof info};
    ANeuralNetworksDevice *device = NULL;
    const char *name = NULL;
    uint32_t count = 0;
    int64_t level = 0;
    bool supported[2] = {false, false};

    return ANeuralNetworks_getDeviceCount(&count) == ANEURALNETWORKS_NO_ERROR && count >= 2 &&
           ANeuralNetworks_getDevice(count - 2, &device) == ANEURALNETWORKS_NO_ERROR &&
           ANeuralNetworksDevice_getName(device, &name) == ANEURALNETWORKS_NO_ERROR &&
           strcmp(name, "halyard-cpu") == 0 &&
           ANeuralNetworksDevice_getFeatureLevel(device, &level) == ANEURALNETWORKS_NO_ERROR &&
           ANeuralNetworksModel_getSupportedOperationsForDevices(
               shared_model, (const ANeuralNetworksDevice *const *)&device, 1, supported) ==
               ANEURALNETWORKS_NO_ERROR &&
           supported[0] && supported[1] &&
           halyard_device_get_info(device, &info) == ANEURALNETWORKS_NO_ERROR;
}

static void ask_again_and_again(struct runner *asker)
{
    while (running > 0) {
        asker->wrong += !ask();
        usleep(200);
    }
}

static void play_part(void *argument)
{
    struct runner *runner = argument;

    if (runner->number < RUNNERS)
        run_all(runner);
    else if (runner->number < RUNNERS + BUILDERS)
        build(runner);
    else
        ask_again_and_again(runner);
}

TEST(threads, every_execution_of_eight_threads_is_right_whatever_others_do)
{
    static struct runner runners[RUNNERS + BUILDERS + ASKERS];

    shared_model = small_model();
    shared = shared_model ? small_compile(shared_model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    REQUIRE(shared);
    for (unsigned i = 0; i < RUNNERS + BUILDERS + ASKERS; i++)
        runners[i].number = i;
    running = RUNNERS;
    REQUIRE(hy_threads_run(RUNNERS + BUILDERS + ASKERS, play_part, runners, sizeof *runners));
    for (unsigned i = 0; i < RUNNERS + BUILDERS + ASKERS; i++)
        EXPECT_INT(runners[i].wrong, 0);

    struct halyard_plan plan = {.struct_size = sizeof plan};
    EXPECT_INT(halyard_compilation_get_plan(shared, &plan), ANEURALNETWORKS_NO_ERROR);
    EXPECT(plan.execution_count >= RUNNERS * EXECUTIONS);
    ANeuralNetworksCompilation_free(shared);
    ANeuralNetworksModel_free(shared_model);
}
