/* What halyard.h tells of a compilation. */
#include "runtime/handle/handle.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};

static struct hy_compilation *compile_chain(uint32_t npu_operations)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, npu_operations);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    npu.reason = "not wired";
    return compile(chain_model(), both, 2, false, NULL);
}

TEST(plan_report, plan_and_steps)
{
    struct hy_compilation *own = compile_chain(FAKE_MUL | FAKE_ADD);
    REQUIRE(own);
    const ANeuralNetworksCompilation *compilation = hy_compilation_handle(own);
    struct halyard_plan plan = {.struct_size = sizeof plan};
    struct halyard_plan_step step = {.struct_size = sizeof step};

    EXPECT_INT(halyard_compilation_get_plan(compilation, &plan), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(plan.operation_count, 4);
    EXPECT_INT(plan.step_count, 3);
    EXPECT_INT(plan.device_count, 2);
    EXPECT_INT(plan.fallback_count, 2);
    EXPECT_INT(plan.boundary_bytes, 2 * EXTENT * sizeof(float));
    EXPECT_INT(plan.execution_count, 0);
    EXPECT_INT(plan.copied_bytes, 0);
    EXPECT(plan.compile_ns > 0);

    EXPECT_INT(halyard_compilation_get_step(compilation, 1, &step), ANEURALNETWORKS_NO_ERROR);
    EXPECT(step.device == hy_device_handle(&npu.device));
    EXPECT_INT(step.operation_count, 2);
    EXPECT_INT(step.input_bytes, EXTENT * sizeof(float));
    EXPECT_INT(step.output_bytes, EXTENT * sizeof(float));
    EXPECT_INT(halyard_compilation_get_step(compilation, 3, &step), ANEURALNETWORKS_BAD_DATA);
    hy_compilation_release(own);
}

TEST(plan_report, operations_with_reasons)
{
    struct hy_compilation *own = compile_chain(FAKE_MUL | FAKE_ADD);
    REQUIRE(own);
    const ANeuralNetworksCompilation *compilation = hy_compilation_handle(own);
    struct halyard_plan_operation operation = {.struct_size = sizeof operation};

    EXPECT_INT(halyard_compilation_get_operation(compilation, 1, &operation),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(operation.name, "MUL");
    EXPECT_INT(operation.step, 1);
    EXPECT(operation.device == hy_device_handle(&npu.device));
    EXPECT(operation.runner_up == hy_device_handle(&cpu.device));
    EXPECT(operation.runner_up_cost > 0 && operation.cost == .5 * operation.runner_up_cost);
    EXPECT_STR(operation.reason, "lowest cost");

    EXPECT_INT(halyard_compilation_get_operation(compilation, 0, &operation),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(!operation.runner_up);
    EXPECT(operation.runner_up_cost == HALYARD_NO_COST);
    EXPECT_STR(operation.reason, "acme-npu refuses the operation: not wired");
    EXPECT_INT(halyard_compilation_get_operation(compilation, 4, &operation),
               ANEURALNETWORKS_BAD_DATA);
    hy_compilation_release(own);
}

TEST(plan_report, predicted_times_add_up)
{
    struct hy_compilation *own = compile_chain(FAKE_MUL | FAKE_ADD);
    REQUIRE(own);
    ANeuralNetworksCompilation *compilation = hy_compilation_handle(own);
    struct halyard_plan plan = {.struct_size = sizeof plan};
    uint64_t sum = 0;

    EXPECT_INT(halyard_compilation_get_plan(compilation, &plan), ANEURALNETWORKS_NO_ERROR);
    for (uint32_t i = 0; i < plan.step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        EXPECT_INT(halyard_compilation_get_step(compilation, i, &step), ANEURALNETWORKS_NO_ERROR);
        EXPECT(step.predicted_ns > 0);
        sum += step.predicted_ns;
    }
    EXPECT(sum <= plan.predicted_ns && plan.predicted_ns <= sum + plan.step_count);
    hy_compilation_release(own);
}

TEST(plan_report, refusals_per_device)
{
    struct hy_compilation *own = compile_chain(FAKE_MUL);
    REQUIRE(own);
    const ANeuralNetworksCompilation *compilation = hy_compilation_handle(own);
    const ANeuralNetworksDevice *device = hy_device_handle(&npu.device);
    const char *reason = NULL;

    EXPECT_INT(halyard_compilation_get_refusal(compilation, 0, device, &reason), 0);
    EXPECT_STR(reason, "not wired");
    EXPECT_INT(halyard_compilation_get_refusal(compilation, 1, device, &reason), 0);
    EXPECT_STR(reason, "");
    EXPECT_INT(halyard_compilation_get_refusal(compilation, 9, device, &reason),
               ANEURALNETWORKS_BAD_DATA);
    device = (const ANeuralNetworksDevice *)&reason;
    EXPECT_INT(halyard_compilation_get_refusal(compilation, 0, device, &reason),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_compilation_get_refusal(compilation, 0, NULL, &reason),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    hy_compilation_release(own);
}

TEST(plan_report, steps_are_measured_on_demand)
{
    float output[EXTENT];
    const float input[EXTENT] = {1, 2, 3, 4};
    struct hy_compilation *own = compile_chain(FAKE_MUL);
    REQUIRE(own);
    ANeuralNetworksCompilation *compilation = hy_compilation_handle(own);
    struct halyard_plan_step step = {.struct_size = sizeof step};

    for (unsigned measured = 0; measured < 2; measured++) {
        EXPECT_INT(halyard_compilation_measure_steps(compilation, measured), 0);
        struct hy_execution *execution = execution_of(own, input, (float *[]){output});
        REQUIRE(execution);
        EXPECT_INT(compute(execution, NULL), HY_OK);
        hy_execution_release(execution);
        EXPECT_INT(halyard_compilation_get_step(compilation, 1, &step), 0);
        EXPECT_INT(step.run_count, measured);
        EXPECT((step.total_ns > 0) == measured);
    }
    struct halyard_plan plan = {.struct_size = sizeof plan};
    EXPECT_INT(halyard_compilation_get_plan(compilation, &plan), 0);
    EXPECT_INT(plan.execution_count, 2);
    hy_compilation_release(own);
}

TEST(plan_report, tokens_tell_prepared_models_apart)
{
    struct halyard_plan_step first = {.struct_size = sizeof first}, second = first, third = first;
    struct hy_compilation *own = compile_chain(FAKE_MUL);
    REQUIRE(own);
    EXPECT_INT(halyard_compilation_get_step(hy_compilation_handle(own), 1, &first), 0);
    EXPECT_INT(halyard_compilation_get_step(hy_compilation_handle(own), 2, &second), 0);
    hy_compilation_release(own);
    EXPECT(memcmp(first.token, second.token, sizeof first.token) != 0);

    own = compile_chain(FAKE_MUL); /* the same again, at other addresses */
    REQUIRE(own);
    EXPECT_INT(halyard_compilation_get_step(hy_compilation_handle(own), 1, &third), 0);
    hy_compilation_release(own);
    EXPECT(memcmp(first.token, third.token, sizeof first.token) == 0);
}

TEST(plan_report, smaller_structs_of_older_callers_are_served)
{
    struct hy_compilation *own = compile_chain(FAKE_MUL);
    REQUIRE(own);
    struct halyard_plan plan = {.struct_size = offsetof(struct halyard_plan, device_count),
                                .device_count = 77};
    EXPECT_INT(halyard_compilation_get_plan(hy_compilation_handle(own), &plan), 0);
    EXPECT_INT(plan.operation_count, 4);
    EXPECT_INT(plan.device_count, 77);
    plan.struct_size = 0;
    EXPECT_INT(halyard_compilation_get_plan(hy_compilation_handle(own), &plan),
               ANEURALNETWORKS_BAD_DATA);
    hy_compilation_release(own);
}

TEST(plan_report, needs_a_finished_compilation)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    struct hy_compilation *own = compile_start(chain_model(), both + 1, 1, false);
    REQUIRE(own);
    ANeuralNetworksCompilation *compilation = hy_compilation_handle(own);
    EXPECT_INT(halyard_compilation_get_plan(compilation, &plan), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_compilation_measure_steps(compilation, true), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_compilation_split_operations(compilation, true), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_compilation_split_operations(NULL, true), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_compilation_get_plan(NULL, &plan), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_compilation_get_plan(compilation, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    hy_compilation_release(own);
}
