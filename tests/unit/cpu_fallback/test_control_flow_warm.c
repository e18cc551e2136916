#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"

static unsigned long allocations_of_loop(struct hy_runner *runner, uint32_t extent)
{
    float in[4] = {0}, out[4] = {0};
    unsigned long before = hy_allocation_count();

    hy_runner_clear(runner);
    hy_runner_input(runner, in, extent * sizeof *in, 1, &extent);
    hy_runner_output(runner, out, sizeof out, 0, NULL);
    int32_t status = hy_runner_execute(runner);
    unsigned long made = hy_allocation_count() - before;
    EXPECT_INT(status, HY_STATUS_OK);
    EXPECT(out[0] >= 5);
    return made;
}

/* WHILE (x < 5) x = IF (true) x + 1, its shapes known or not. */
static void open_loop(struct hy_runner *runner, struct hy_flow *flow, uint32_t extent)
{
    hy_flow_init(flow);
    uint32_t condition = hy_flow_less_body(flow, 5), add = hy_flow_add_body(flow, extent, 1);
    hy_flow_while_main(flow, extent, condition, hy_flow_if_body(flow, extent, 1, add, add));
    EXPECT_INT(hy_runner_open(runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(runner, hy_flow_model(flow)), HY_STATUS_OK);
}

static void expect_warm(uint32_t extent)
{
    struct hy_runner runner;
    struct hy_flow flow;

    open_loop(&runner, &flow, extent);
    EXPECT(allocations_of_loop(&runner, 1) > 0);
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_INT(allocations_of_loop(&runner, 1), 0);
    hy_runner_close(&runner);
    hy_flow_finish(&flow);
}

TEST(control_flow_warm, second_loop_allocates_nothing)
{
    expect_warm(1);
}

TEST(control_flow_warm, second_loop_of_unknown_shapes_allocates_nothing)
{
    expect_warm(0);
}
