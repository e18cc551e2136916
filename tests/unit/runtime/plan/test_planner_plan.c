/* What launches, links, measured times and preferences do to a plan. */
#include "runtime/compile/compile.h"
#include "runtime/profile/profile.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};

/* The NPU takes MUL and ADD, in half the time: it saves what one of them takes on the CPU. */
static void init_devices(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_MUL | FAKE_ADD);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

static uint32_t steps_of_chain(void)
{
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    const uint32_t steps = compilation ? compilation->plan->step_count : 0;
    hy_compilation_release(compilation);
    return steps;
}

/* What one operation of the chain takes on the CPU. */
static uint64_t operation_ns(void)
{
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    const double ns =
        compilation ? hy_support_matrix_cost(&compilation->plan->support_matrix, 1, 0) : 0;
    hy_compilation_release(compilation);
    return (uint64_t)ns;
}

TEST(planner_plan, a_launch_that_costs_more_than_it_saves_is_not_made)
{
    init_devices();
    const uint64_t saved = operation_ns();
    REQUIRE(saved > 10);
    npu.device.capabilities.launch_ns = saved - 5;
    EXPECT_INT(steps_of_chain(), 3);
    npu.device.capabilities.launch_ns = saved + 5;
    EXPECT_INT(steps_of_chain(), 1);
}

/* Coming back to the CPU costs a launch there, too. */
TEST(planner_plan, launches_on_both_sides_count)
{
    init_devices();
    const uint64_t saved = operation_ns();
    npu.device.capabilities.launch_ns = cpu.device.capabilities.launch_ns = saved / 2 - 5;
    EXPECT_INT(steps_of_chain(), 3);
    npu.device.capabilities.launch_ns = cpu.device.capabilities.launch_ns = saved / 2 + 5;
    EXPECT_INT(steps_of_chain(), 1);
}

/* EXTENT floats go there, and as many come back. */
TEST(planner_plan, a_link_that_is_too_slow_is_not_used)
{
    const uint64_t bytes = 2 * EXTENT * sizeof(float);

    init_devices();
    const uint64_t saved = operation_ns();
    npu.device.capabilities.bytes_per_second = bytes * 1000000000 / (saved - 5);
    EXPECT_INT(steps_of_chain(), 3);
    npu.device.capabilities.bytes_per_second = bytes * 1000000000 / (saved + 5);
    EXPECT_INT(steps_of_chain(), 1);
}

TEST(planner_plan, low_power_weighs_energy_against_launches)
{
    init_devices();
    npu.performance.performance.power_usage = .9f;
    npu.device.capabilities.launch_ns = operation_ns() / 2;
    EXPECT_INT(steps_of_chain(), 3);

    struct hy_compilation *compilation = compile_start(chain_model(), both, 2, false);
    REQUIRE(compilation);
    compilation->preference = HY_PREFER_LOW_POWER;
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    EXPECT_INT(compilation->plan->step_count, 1);
    hy_compilation_release(compilation);
}

TEST(planner_plan, measured_times_decide)
{
    const struct hy_profile_key key = {.operation = ANEURALNETWORKS_MUL,
                                       .type = ANEURALNETWORKS_TENSOR_FLOAT32};
    struct hy_profile profile = {0};

    init_devices();
    npu.operations = FAKE_MUL;
    EXPECT_INT(steps_of_chain(), 3);
    REQUIRE(hy_profile_set(&profile, key, EXTENT, 1e6, NULL) == HY_OK);
    npu.device.profile = &profile;
    EXPECT_INT(steps_of_chain(), 1);
    hy_profile_finish(&profile);
}

TEST(planner_plan, an_operation_that_stays_with_its_neighbours_says_so)
{
    init_devices();
    npu.device.capabilities.launch_ns = 1000000;
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    REQUIRE(compilation);
    const struct hy_plan *plan = compilation->plan;
    const uint32_t mul = plan->index_of[1];
    EXPECT_INT(plan->assigned[mul].device, 1);
    EXPECT_INT(plan->assigned[mul].runner_up, 0);
    EXPECT_STR(plan->why[mul], "same device as the neighbours: a step on acme-npu would save less "
                               "than the extra transfers cost");
    EXPECT_INT(plan->fallback_count, 2); /* RELU and FLOOR, which the NPU refuses */
    hy_compilation_release(compilation);
}

TEST(planner_plan, predicted_time_has_launch_operations_and_link)
{
    init_devices();
    npu.operations = FAKE_ALL;
    npu.device.capabilities.launch_ns = 10;
    npu.device.capabilities.bytes_per_second = 1000000000;
    npu.performance.performance.exec_time = .25f;
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->step_count == 1);
    const struct hy_support_matrix *support_matrix = &compilation->plan->support_matrix;
    double operations = 0;
    for (uint32_t i = 0; i < support_matrix->operation_count; i++)
        operations += support_matrix->costs[i];
    EXPECT_INT(compilation->plan->predicted_ns,
               (uint64_t)(10 + operations + 2 * EXTENT * sizeof(float)));
    hy_compilation_release(compilation);
}

TEST(planner_plan, a_device_that_fails_is_planned_without)
{
    init_devices();
    cpu.device.capabilities.launch_ns = 1;
    npu.prepare_status = HY_STATUS_GENERAL_FAILURE;
    struct hy_compilation *compilation = compile(chain_model(), both, 2, true, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, 1);
    EXPECT(compilation->plan->steps[0].device == &cpu.device);
    EXPECT_INT(compilation->plan->assigned[1].runner_up, HY_NO_DEVICE);
    hy_compilation_release(compilation);
}

TEST(planner_plan, split_operations_are_steps_on_the_first_device_that_takes_them)
{
    const float input[EXTENT] = {1, -2, 3, -4};
    float output[EXTENT] = {0};

    init_devices();
    npu.device.capabilities.launch_ns = 1000000;
    struct hy_compilation *compilation = compile_start(chain_model(), both, 2, true);
    REQUIRE(compilation);
    compilation->split_operations = true;
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    const struct hy_plan *plan = compilation->plan;
    EXPECT_INT(plan->step_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const bool is_for_npu = i == 1 || i == 2;
        EXPECT(plan->steps[plan->step_of[plan->index_of[i]]].device ==
               (is_for_npu ? &npu.device : &cpu.device));
    }
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution && compute(execution, NULL) == HY_OK);
    EXPECT(output[2] == chain_result(input[2]));
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}
