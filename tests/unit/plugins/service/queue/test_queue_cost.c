#include "tests/kit/test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>

#include "queue_fixture.h"
#include "tests/scenarios/cost/cost.h"

enum { WARM_UP = 20, TIMES = 2000 };

/* Long enough that nobody sleeps, however busy the machine is. */
#define ENDLESS_NS UINT64_C(3600000000000)

struct client {
    struct queue_fixture fixture;
    struct queue_request request;
};

static bool run(void *argument)
{
    struct client *client = argument;

    return queue_request_execute(&client->fixture, &client->request) == HY_STATUS_OK;
}

static bool open_client(struct client *client)
{
    const struct hy_queue_burst_rules rules = {
        .spin_ns = ENDLESS_NS, .hang_timeout_ns = UINT64_C(10000000000), .depth = 1};

    queue_request_init(&client->request);
    client->request.request.pool_count = 2;
    client->request.outputs[0].location.pool = 1;
    client->request.options.measure = 1;
    if (!queue_fixture_open(&client->fixture, &rules))
        return false;
    client->fixture.listener_spin_ns = ENDLESS_NS;
    return true;
}

/* Two sides that spin want two CPUs, one each: who finds itself on that of the other one sleeps. */
static bool can_be_measured(void)
{
    cpu_set_t cpus;

    return hy_cost_can_be_measured() && sched_getaffinity(0, sizeof cpus, &cpus) == 0 &&
           CPU_COUNT(&cpus) > 1;
}

/* The calling thread runs on the first or second CPU of those it may run on, from now on. */
static void bind_cpu(int which)
{
    cpu_set_t cpus, one;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return;
    for (; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &cpus) && which-- == 0)
            break;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

/* In the service: the listener's thread, which has seen that there are two. */
static int32_t execute_apart(void *context, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    static bool is_apart;

    if (!is_apart)
        bind_cpu(1);
    is_apart = true;
    return queue_execute_idle(context, request, options, result);
}

TEST(queue_cost, a_client_that_spins_neither_allocates_nor_calls_the_system)
{
    static struct client client;
    struct hy_cost cost = {0};
    cpu_set_t cpus;

    if (!can_be_measured())
        return;
    REQUIRE(open_client(&client));
    REQUIRE(sched_getaffinity(0, sizeof cpus, &cpus) == 0);
    REQUIRE(queue_fixture_fork(&client.fixture, execute_apart, NULL));
    bind_cpu(0);
    REQUIRE(hy_cost_of(run, &client, WARM_UP, TIMES, &cost));
    EXPECT(cost.is_done && !cost.work_failed);
    EXPECT_INT(cost.allocations, 0);
    if (cost.system_calls_watched)
        EXPECT_INT(cost.system_call, -1);
    (void)sched_setaffinity(0, sizeof cpus, &cpus);
    queue_fixture_close(&client.fixture);
}

/* From here on, any system call of this thread is the end of the process. */
static void forbid_system_calls(void)
{
    struct sock_filter rules[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    const struct sock_fprog program = {.len = 1, .filter = rules};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* In the service: the listener's thread is on its own after some executions. Its allocations show
 * as failures. */
static int32_t execute_alone(void *context, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    static int executions;
    static unsigned long allocations;

    if (++executions == WARM_UP) {
        allocations = hy_cost_allocations();
        forbid_system_calls();
    }
    if (executions > WARM_UP && hy_cost_allocations() != allocations)
        return HY_STATUS_GENERAL_FAILURE;
    return execute_apart(context, request, options, result);
}

TEST(queue_cost, a_listener_that_spins_neither_allocates_nor_calls_the_system)
{
    static struct client client;
    int failed = 0;
    cpu_set_t cpus;

    if (!can_be_measured())
        return;
    REQUIRE(open_client(&client));
    REQUIRE(sched_getaffinity(0, sizeof cpus, &cpus) == 0);
    REQUIRE(queue_fixture_fork(&client.fixture, execute_alone, NULL));
    bind_cpu(0);
    for (int i = 0; i < TIMES && failed == 0; i++)
        failed += !run(&client);
    EXPECT_INT(failed, 0);
    (void)sched_setaffinity(0, sizeof cpus, &cpus);
    queue_fixture_close(&client.fixture);
}
