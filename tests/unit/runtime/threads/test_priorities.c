/* The order in which asynchronous executions get their worker, on a device that is held up. */
#include "runtime/compile/compile.h"
#include "runtime/event/event.h"
#include "runtime/threads/worker_pool.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <semaphore.h>
#include <stdlib.h>

enum { WORKERS = 3, EACH = 20, PRIORITIES = 3 };

TEST_SETUP(set_workers)
{
    setenv("HALYARD_CPU_THREADS", "3", 1);
}

/* The device: an input below 0 holds a worker up, any other is a name to be noted. */
static struct {
    struct hy_device table;
    const struct hy_device *plain;
    sem_t held, go_on;
    pthread_mutex_t lock;
    uint32_t count;
    float order[PRIORITIES * EACH];
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct fake_device cpu;

static float first_input(const struct hy_request *request)
{
    const struct hy_location *at = &request->inputs[0].location;
    const char *pool = request->pools[at->pool].address;
    float value;

    memcpy(&value, pool + at->offset, sizeof value);
    return value;
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const float name = first_input(request);

    if (name < 0) {
        sem_post(&gate.held);
        sem_wait(&gate.go_on);
    } else {
        pthread_mutex_lock(&gate.lock);
        gate.order[gate.count++] = name;
        pthread_mutex_unlock(&gate.lock);
    }
    return gate.plain->execute(prepared, request, options, result);
}

static struct hy_compilation *compile_with(int32_t priority)
{
    struct fake_device *const devices[] = {&cpu};
    struct hy_compilation *compilation = compile_start(chain_model(), devices, 1, false);

    if (!compilation)
        return NULL;
    compilation->priority = priority;
    if (hy_compilation_finish(compilation, NULL) != HY_OK) {
        hy_compilation_release(compilation);
        return NULL;
    }
    return compilation;
}

struct started {
    float input[EXTENT], output[EXTENT];
    struct hy_event *event;
};

static bool start(struct started *started, struct hy_compilation *compilation, float name)
{
    struct hy_execution *execution =
        execution_of(compilation, started->input, (float *[]){started->output});

    if (!execution)
        return false;
    started->input[0] = name;
    const bool good = hy_event_start(execution, &started->event, NULL) == HY_OK;
    hy_execution_release(execution); /* the event keeps it */
    return good;
}

static void init_blocker(void)
{
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    gate.plain = &fake_parallel_table;
    gate.table = fake_parallel_table;
    gate.table.execute = execute;
    cpu.device.table = &gate.table;
    sem_init(&gate.held, 0, 0);
    sem_init(&gate.go_on, 0, 0);
}

/* Every priority in turn: low, medium, high, low, … with names 0, 100, 200, 1, … */
static bool start_all(struct started *started, struct hy_compilation *const *compilations)
{
    bool good = true;
    for (unsigned i = 0; i < PRIORITIES * EACH; i++) {
        const unsigned priority = i % PRIORITIES;
        good =
            start(&started[i], compilations[priority], (float)(100 * priority + i / PRIORITIES)) &&
            good;
    }
    return good;
}

static void expect_order(void)
{
    EXPECT_INT(gate.count, PRIORITIES * EACH);
    for (unsigned i = 0; i < PRIORITIES * EACH; i++)
        EXPECT_INT(gate.order[i], 100 * (PRIORITIES - 1 - i / EACH) + i % EACH);
}

/* With all workers held up by low work, and one of them let go. */
TEST(priorities, higher_executions_go_first_and_equal_ones_as_they_came)
{
    static const int32_t priorities[] = {HY_PRIORITY_LOW, HY_PRIORITY_MEDIUM, HY_PRIORITY_HIGH};
    static struct started holders[WORKERS], started[PRIORITIES * EACH];
    struct hy_compilation *compilations[PRIORITIES];

    init_blocker();
    REQUIRE(hy_worker_pool_threads() == WORKERS);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        compilations[i] = compile_with(priorities[i]);
        REQUIRE(compilations[i]);
    }
    for (unsigned i = 0; i < WORKERS; i++)
        REQUIRE(start(&holders[i], compilations[0], -1));
    for (unsigned i = 0; i < WORKERS; i++)
        sem_wait(&gate.held);
    REQUIRE(start_all(started, compilations));
    EXPECT_INT(gate.count, 0);

    sem_post(&gate.go_on);
    for (unsigned i = 0; i < PRIORITIES * EACH; i++) {
        EXPECT_INT(hy_event_wait(started[i].event, NULL), HY_OK);
        hy_event_destroy(started[i].event);
    }
    for (unsigned i = 1; i < WORKERS; i++)
        sem_post(&gate.go_on);
    for (unsigned i = 0; i < WORKERS; i++)
        hy_event_destroy(holders[i].event);
    expect_order();
    for (unsigned i = 0; i < PRIORITIES; i++)
        hy_compilation_release(compilations[i]);
}
