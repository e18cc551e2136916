/* Processes of drivers that die, stop, and do not come back. */
#include "common/random.h"
#include "isolated.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define CPU    "halyard-cpu"
#define SAMPLE "halyard-sample"

/* Longer than any of these takes, and shorter than anybody would wait. */
enum { BOUND_MS = 60000 * HY_SLOWNESS };

static const char *const cpu_alone[] = {CPU};

/* Runs until it is right again; gives the number of runs that were not. A run that succeeds and is
 * wrong is a failure of the test. */
static unsigned run_until_right(struct small_run *run)
{
    const int64_t end = isolated_clock() + BOUND_MS;
    unsigned failures = 0;

    for (;;) {
        small_run_fill(run, failures);
        const int code = ANeuralNetworksExecution_compute(run->execution);
        if (code == ANEURALNETWORKS_NO_ERROR) {
            EXPECT(small_run_is_right(run));
            return failures;
        }
        EXPECT(code == ANEURALNETWORKS_DEAD_OBJECT || code == ANEURALNETWORKS_UNAVAILABLE_DEVICE);
        failures++;
        if (isolated_clock() > end) {
            hy_test_fail(__FILE__, __LINE__, "never right again: %s", halyard_last_error());
            return failures;
        }
        poll(NULL, 0, 10);
    }
}

/* In the time after a series of deaths nothing compiles for the device alone. */
static ANeuralNetworksCompilation *compile_when_it_is_back(ANeuralNetworksModel *model)
{
    const int64_t end = isolated_clock() + BOUND_MS;
    ANeuralNetworksCompilation *compilation = isolated_compile(model, cpu_alone, 1);

    while (!compilation && isolated_clock() < end) {
        poll(NULL, 0, 10);
        compilation = isolated_compile(model, cpu_alone, 1);
    }
    return compilation;
}

TEST(service_death, next_inference_after_a_death_is_right)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_when_it_is_back(model);
    struct small_run run;
    REQUIRE(compilation && small_run_init(&run, compilation, true));

    small_run_fill(&run, 0);
    EXPECT(small_run_compute(&run));
    const uint32_t restarts = isolated_info(CPU).restart_count;
    isolated_kill(CPU);
    EXPECT_INT(isolated_pid(CPU), 0);

    /* Nothing of it was lost: the death came before. */
    EXPECT_INT(run_until_right(&run), 0);
    EXPECT(isolated_pid(CPU) > 0);
    EXPECT_INT(isolated_info(CPU).restart_count, restarts + 1);
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* A start takes longer than any of the calls that would need it has. */
TEST(service_death, process_comes_back_though_no_call_has_the_time_to_wait_for_it)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_when_it_is_back(model);
    const uint32_t restarts = isolated_info(CPU).restart_count;
    const int64_t end = isolated_clock() + BOUND_MS;
    struct small_run run;
    REQUIRE(compilation != NULL);

    isolated_kill(CPU);
    while (isolated_pid(CPU) == 0 && isolated_clock() < end) {
        REQUIRE(small_run_init(&run, compilation, true));
        EXPECT_INT(ANeuralNetworksExecution_setTimeout(run.execution, 100000),
                   ANEURALNETWORKS_NO_ERROR);
        (void)ANeuralNetworksExecution_compute(run.execution);
        small_run_finish(&run);
    }
    EXPECT_INT(isolated_info(CPU).restart_count, restarts + 1);
    REQUIRE(small_run_init(&run, compilation, true));
    small_run_fill(&run, 3);
    EXPECT(small_run_compute(&run));
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(service_death, process_that_dies_again_and_again_is_not_started_at_once)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_when_it_is_back(model);
    unsigned failures = 0;
    struct small_run run;
    REQUIRE(compilation && small_run_init(&run, compilation, true));

    /* The time doubles from death to death: at some it is longer than what the machine takes. */
    (void)run_until_right(&run);
    for (unsigned i = 0; i < 8 && failures == 0; i++) {
        isolated_kill(CPU);
        failures = run_until_right(&run);
    }
    EXPECT(failures > 0);
    small_run_fill(&run, 1);
    EXPECT(small_run_compute(&run));
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* Right after a series of deaths no process is started: whoever has another device goes on there,
 * and whoever has none is told. */
TEST(service_death, until_the_next_start_other_devices_stand_in_and_the_device_alone_is_unavailable)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *alone = compile_when_it_is_back(model);
    ANeuralNetworksCompilation *all = small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM);
    struct small_run on_one, on_any;
    bool was_away = false;
    REQUIRE(alone && all && small_run_init(&on_one, alone, true) &&
            small_run_init(&on_any, all, true));

    for (unsigned i = 0; i < 8 && !was_away; i++) {
        (void)run_until_right(&on_one);
        isolated_kill(CPU);
        small_run_fill(&on_any, i);
        EXPECT(small_run_compute(&on_any));
        isolated_kill(CPU);
        small_run_fill(&on_one, i);
        const int code = ANeuralNetworksExecution_compute(on_one.execution);
        was_away = code == ANEURALNETWORKS_UNAVAILABLE_DEVICE;
        if (was_away)
            EXPECT_CONTAINS(halyard_last_error(), "the next start is allowed in");
        small_run_fill(&on_any, i + 1);
        EXPECT(small_run_compute(&on_any));
    }
    EXPECT(was_away);
    small_run_finish(&on_one);
    small_run_finish(&on_any);
    ANeuralNetworksCompilation_free(alone);
    ANeuralNetworksCompilation_free(all);
    ANeuralNetworksModel_free(model);
}

/* ---- Bursts ---------------------------------------------------------------------------------- */

TEST(service_death, burst_goes_on_in_the_next_process)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_when_it_is_back(model);
    ANeuralNetworksBurst *burst = NULL;
    struct small_run run;
    REQUIRE(compilation && small_run_init(&run, compilation, true));
    (void)run_until_right(&run); /* the process of the tests before may just have died */
    REQUIRE(ANeuralNetworksBurst_create(compilation, &burst) == ANEURALNETWORKS_NO_ERROR);

    small_run_fill(&run, 5);
    EXPECT(small_run_burst(&run, burst));
    isolated_kill(CPU);
    (void)run_until_right(&run);
    small_run_fill(&run, 6);
    EXPECT(small_run_burst(&run, burst));
    ANeuralNetworksBurst_free(burst);
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* ---- Stopped --------------------------------------------------------------------------------- */

/* The code of one run, with a burst or without one. */
static int run_once(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst *burst,
                    uint64_t timeout_ns)
{
    struct small_run run;
    int code = ANEURALNETWORKS_OP_FAILED;

    if (small_run_init(&run, compilation, false)) {
        small_run_fill(&run, 9);
        code = ANeuralNetworksExecution_setTimeout(run.execution, timeout_ns);
        if (code == ANEURALNETWORKS_NO_ERROR && burst)
            code = ANeuralNetworksExecution_burstCompute(run.execution, burst);
        else if (code == ANEURALNETWORKS_NO_ERROR)
            code = ANeuralNetworksExecution_compute(run.execution);
        EXPECT(code != ANEURALNETWORKS_NO_ERROR || small_run_is_right(&run));
    }
    small_run_finish(&run);
    return code;
}

TEST(service_death, deadline_is_kept_whatever_the_process_does)
{
    enum { SHORT = 50000000 };
    const uint64_t long_enough = UINT64_C(10000000000) * HY_SLOWNESS;
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_when_it_is_back(model);
    ANeuralNetworksBurst *burst = NULL;
    REQUIRE(compilation != NULL);
    REQUIRE(ANeuralNetworksBurst_create(compilation, &burst) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(run_once(compilation, burst, long_enough), ANEURALNETWORKS_NO_ERROR);

    const pid_t pid = isolated_pid(CPU);
    REQUIRE(pid > 0);
    isolated_stop(pid);
    const int64_t before = isolated_clock();
    EXPECT_INT(run_once(compilation, NULL, SHORT), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(run_once(compilation, burst, SHORT), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
    EXPECT(isolated_clock() - before < BOUND_MS);
    kill(pid, SIGCONT);
    EXPECT_INT(run_once(compilation, NULL, long_enough), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(run_once(compilation, burst, long_enough), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(isolated_pid(CPU), pid);
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* The code of an execution that is waited for by its event. */
static int run_by_event(ANeuralNetworksCompilation *compilation, bool is_fenced,
                        uint64_t timeout_ns)
{
    ANeuralNetworksEvent *event = NULL;
    struct small_run run;
    int code = ANEURALNETWORKS_OP_FAILED;

    if (small_run_init(&run, compilation, false)) {
        small_run_fill(&run, 11);
        code = ANeuralNetworksExecution_setTimeout(run.execution, timeout_ns);
        if (code == ANEURALNETWORKS_NO_ERROR && is_fenced)
            code = ANeuralNetworksExecution_startComputeWithDependencies(run.execution, NULL, 0, 0,
                                                                         &event);
        else if (code == ANEURALNETWORKS_NO_ERROR)
            code = ANeuralNetworksExecution_startCompute(run.execution, &event);
        if (code == ANEURALNETWORKS_NO_ERROR)
            code = ANeuralNetworksEvent_wait(event);
        ANeuralNetworksEvent_free(event);
        EXPECT(code != ANEURALNETWORKS_NO_ERROR || small_run_is_right(&run));
    }
    small_run_finish(&run);
    return code;
}

TEST(service_death, deadline_is_kept_in_every_way_to_run)
{
    enum { SHORT = 50000000, LONGER = 1000000000 };
    const int64_t end = isolated_clock() + BOUND_MS;
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_when_it_is_back(model);
    struct small_run reusable;
    int code;
    REQUIRE(compilation && small_run_init(&reusable, compilation, true));

    /* It runs twice: while the process moves, however long a busy machine needs for that, and when
     * it does not. */
    EXPECT_INT(ANeuralNetworksExecution_setTimeout(reusable.execution, LONGER),
               ANEURALNETWORKS_NO_ERROR);
    do {
        small_run_fill(&reusable, 4);
        code = ANeuralNetworksExecution_compute(reusable.execution);
    } while (code != ANEURALNETWORKS_NO_ERROR && isolated_clock() < end);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    EXPECT(small_run_is_right(&reusable));
    const pid_t pid = isolated_pid(CPU);
    REQUIRE(pid > 0);
    isolated_stop(pid);
    EXPECT_INT(ANeuralNetworksExecution_compute(reusable.execution),
               ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(run_by_event(compilation, false, SHORT), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(run_by_event(compilation, true, SHORT), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
    kill(pid, SIGCONT);
    small_run_finish(&reusable);
    REQUIRE(small_run_init(&reusable, compilation, true));
    (void)run_until_right(&reusable);
    EXPECT_INT(isolated_pid(CPU), pid);
    small_run_finish(&reusable);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* HALYARD_SERVICE_PATIENCE is short for this one. */
TEST(service_stuck, process_that_does_not_come_back_is_killed)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = compile_when_it_is_back(model);
    struct small_run run;
    REQUIRE(compilation && small_run_init(&run, compilation, false));

    const pid_t pid = isolated_pid(CPU);
    REQUIRE(pid > 0);
    isolated_stop(pid);
    const int64_t before = isolated_clock();
    EXPECT_INT(ANeuralNetworksExecution_compute(run.execution), ANEURALNETWORKS_DEAD_OBJECT);
    EXPECT_CONTAINS(halyard_last_error(), "was killed");
    EXPECT(isolated_clock() - before < BOUND_MS);
    EXPECT(isolated_pid(CPU) != pid);
    small_run_finish(&run);
    REQUIRE(small_run_init(&run, compilation, true));
    (void)run_until_right(&run);
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* ---- At random ------------------------------------------------------------------------------- */

enum { KILLS = 25 };

static atomic_bool is_over;

static void *kill_now_and_then(void *context)
{
    struct hy_random random = {12345};

    for (unsigned i = 0; i < KILLS; i++) {
        poll(NULL, 0, hy_random_between(&random, 0, 29));
        isolated_signal(i % 3 == 0 ? SAMPLE : CPU, SIGKILL);
    }
    atomic_store(&is_over, true);
    return context;
}

/* With nnapi-reference in the list somebody is always left to run a step. */
TEST(service_death, killed_at_random_no_inference_fails_or_is_wrong)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM);
    ANeuralNetworksBurst *burst = NULL;
    struct small_run run;
    pthread_t killer;
    unsigned seed = 0;
    REQUIRE(compilation && small_run_init(&run, compilation, true));
    REQUIRE(ANeuralNetworksBurst_create(compilation, &burst) == ANEURALNETWORKS_NO_ERROR);

    atomic_store(&is_over, false);
    REQUIRE(pthread_create(&killer, NULL, kill_now_and_then, NULL) == 0);
    while (!atomic_load(&is_over)) {
        const int64_t before = isolated_clock();
        small_run_fill(&run, ++seed);
        const bool right = seed % 3 == 0   ? small_run_start(&run)
                           : seed % 3 == 1 ? small_run_burst(&run, burst)
                                           : small_run_compute(&run);
        if (!right)
            hy_test_fail(__FILE__, __LINE__, "inference %u: %s", seed, halyard_last_error());
        EXPECT(isolated_clock() - before < BOUND_MS);
    }
    pthread_join(killer, NULL);
    small_run_fill(&run, 1);
    EXPECT(small_run_compute(&run));
    EXPECT(seed > 0);
    ANeuralNetworksBurst_free(burst);
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(service_death, killed_while_compiling_everything_still_compiles)
{
    pthread_t killer;

    atomic_store(&is_over, false);
    REQUIRE(pthread_create(&killer, NULL, kill_now_and_then, NULL) == 0);
    for (unsigned seed = 0; !atomic_load(&is_over); seed++)
        EXPECT(small_life(seed));
    pthread_join(killer, NULL);
}

/* ---- In a process of its own: the series begins with it -------------------------------------- */

enum { DEATHS = 5, FIRST_DELAY_MS = 100 };

/* Calls that find no process say when there may be one. */
static void wait_for_next_process(struct small_run *run)
{
    const int64_t end = isolated_clock() + BOUND_MS;
    int code = ANEURALNETWORKS_UNAVAILABLE_DEVICE;

    while (code != ANEURALNETWORKS_NO_ERROR && isolated_clock() < end) {
        small_run_fill(run, 0);
        code = ANeuralNetworksExecution_compute(run->execution);
        if (code == ANEURALNETWORKS_UNAVAILABLE_DEVICE)
            EXPECT_CONTAINS(halyard_last_error(), "the next start is allowed in");
        poll(NULL, 0, 1);
    }
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
}

TEST(service_series, each_start_waits_twice_as_long_as_the_last)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = isolated_compile(model, cpu_alone, 1);
    int64_t began[DEATHS + 1];
    struct small_run run;
    REQUIRE(compilation && small_run_init(&run, compilation, true));

    wait_for_next_process(&run);
    began[0] = isolated_clock();
    for (unsigned i = 1; i <= DEATHS; i++) {
        isolated_kill(CPU);
        wait_for_next_process(&run);
        began[i] = isolated_clock();
    }
    /* Start i came after began[i - 1], and start i + 1 only after its delay. */
    for (unsigned i = 1; i < DEATHS; i++)
        EXPECT(began[i + 1] - began[i - 1] >= FIRST_DELAY_MS << (i - 1));
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
