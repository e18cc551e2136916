/* What a run of a session asks of the system, beside what its execution does: nothing. */
#include <halyard/halyard.h>
#include <stdlib.h>

#include "networks.h"
#include "tests/kit/test.h"
#include "tests/scenarios/cost/cost.h"

enum { WARM_UP = 100, TIMES = 300 };

/* One thread: who shares work with others wakes them. */
__attribute__((constructor)) static void set_pool(void)
{
    setenv("HALYARD_CPU_THREADS", "1", 1);
}

static bool run(void *argument)
{
    return halyard_session_run(argument) == ANEURALNETWORKS_NO_ERROR;
}

static void expect_free(struct halyard_network *network)
{
    struct halyard_session *session = NULL;
    struct hy_cost cost;

    REQUIRE(halyard_session_create(network, NULL, &session) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(hy_cost_of(run, session, WARM_UP, TIMES, &cost));
    EXPECT(cost.is_done && !cost.work_failed);
    EXPECT_INT(cost.system_call, -1);
    EXPECT_INT(cost.allocations, 0);
    halyard_session_free(session);
}

TEST(session_cost, a_run_allocates_nothing_and_makes_no_system_call)
{
    struct halyard_network *digits = NULL;
    struct test_network wide;

    if (!hy_cost_can_be_measured())
        return;
    REQUIRE(open_digits(&digits));
    expect_free(digits);
    halyard_network_close(digits);
    REQUIRE(test_network_wide(&wide)); /* whose inputs and outputs are converted */
    expect_free(wide.network);
    test_network_close(&wide);
}
