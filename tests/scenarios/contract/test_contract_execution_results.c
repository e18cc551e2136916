/* What an execution tells after a run: ranks, extents and times, what it writes when it fails, and
 * that reusable executions tell of their latest run. */
#include "runtime/compile/compile.h"

#include "runtime/drivers/device_list.h"
#include "tests/scenarios/contract/kit/fake_setup.h"

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[4 * EXTENT];

#define UNTOUCHED 0xabcdu

/* Runs a compilation whose output has an unknown extent, with room for `room` floats. */
static ANeuralNetworksExecution *open_execution(const struct fake_setup *fake_setup,
                                                size_t capacity)
{
    ANeuralNetworksExecution *execution = fake_setup_execution(fake_setup);

    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES));
    EXPECT_OK(
        ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, capacity * sizeof(float)));
    return execution;
}

static void expect_shape(ANeuralNetworksExecution *execution, int32_t index, int code,
                         uint32_t extent)
{
    uint32_t rank = UNTOUCHED, dimension = UNTOUCHED;

    EXPECT_CODE(code, ANeuralNetworksExecution_getOutputOperandRank(execution, index, &rank));
    EXPECT_CODE(code,
                ANeuralNetworksExecution_getOutputOperandDimensions(execution, index, &dimension));
    EXPECT_INT(rank, 1);
    EXPECT_INT(dimension, extent);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

TEST(contract_execution_results, shape_of_an_output_is_told_when_it_is_known_at_last)
{
    for (enum run_kind kind = 0; kind < FENCED; kind++) {
        struct fake_setup fake_setup;
        REQUIRE(fake_setup_open(&fake_setup, dynamic_model(EXTENT, 0, 0), ALL_DEVICES));
        ANeuralNetworksExecution *execution = open_execution(&fake_setup, 4 * EXTENT);
        EXPECT_INT(run(&fake_setup, kind, execution), ANEURALNETWORKS_NO_ERROR);
        expect_shape(execution, 0, ANEURALNETWORKS_NO_ERROR, EXTENT);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_execution_results, too_little_room_is_told_with_the_shape_that_is_needed)
{
    for (enum run_kind kind = 0; kind < FENCED; kind++) {
        struct fake_setup fake_setup;
        REQUIRE(fake_setup_open(&fake_setup, dynamic_model(EXTENT, 0, 0), ALL_DEVICES));
        fake_setup.npu.min_extent = 10;
        ANeuralNetworksExecution *execution = open_execution(&fake_setup, 9);
        EXPECT_INT(run(&fake_setup, kind, execution), ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
        expect_shape(execution, 0, ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE, 10);
        EXPECT_CONTAINS(halyard_last_error(), "output 0 has 36 bytes, too few for shape [10]");
        EXPECT_INT(fake_setup.cpu.runs, 0); /* it would need the same room */
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

/* Of two outputs, one is too small: the code is that of the output asked for. */
TEST(contract_execution_results, code_is_that_of_the_output)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y0 = floats(&f, 0), y1 = floats(&f, 0);
    const uint32_t outputs[] = {y0, y1};
    struct fake_setup fake_setup;
    REQUIRE(relu(&f, x, y0) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &x, y1) == HY_OK);
    REQUIRE(hy_app_model_identify(f.model, 1, &x, 2, outputs, &f.err) == HY_OK);
    REQUIRE(finish(&f) == HY_OK && fake_setup_open(&fake_setup, f.model, ALL_DEVICES));

    ANeuralNetworksExecution *execution = open_execution(&fake_setup, EXTENT);
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 1, NULL, output + EXTENT, 4));
    EXPECT_FAIL(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(execution));
    expect_shape(execution, 0, ANEURALNETWORKS_NO_ERROR, EXTENT);
    expect_shape(execution, 1, ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE, EXTENT);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* The order is null, state, index. */
TEST(contract_execution_results, what_cannot_be_told_is_left_as_it_was)
{
    static const int32_t strange[] = {-1, 1, INT32_MAX, INT32_MIN};
    uint32_t value = UNTOUCHED;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, dynamic_model(EXTENT, 0, 0), ALL_DEVICES));
    ANeuralNetworksExecution *execution = open_execution(&fake_setup, EXTENT);

    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_getOutputOperandRank(NULL, 9, &value));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_getOutputOperandRank(execution, 9, NULL));
    EXPECT_FAIL(UNEXPECTED_NULL,
                ANeuralNetworksExecution_getOutputOperandDimensions(NULL, 9, &value));
    EXPECT_FAIL(UNEXPECTED_NULL,
                ANeuralNetworksExecution_getOutputOperandDimensions(execution, 9, NULL));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(execution, 9, &value));
    EXPECT_FAIL(BAD_STATE,
                ANeuralNetworksExecution_getOutputOperandDimensions(execution, 9, &value));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    for (size_t i = 0; i < COUNT_OF(strange); i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "output %d, the model has 1", strange[i]);
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksExecution_getOutputOperandRank(execution, strange[i], &value));
        EXPECT_CONTAINS(halyard_last_error(), expected);
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_getOutputOperandDimensions(
                                  execution, strange[i], &value));
        EXPECT_CONTAINS(halyard_last_error(), expected);
    }
    EXPECT_INT(value, UNTOUCHED);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* An output that the app has left out. */
TEST(contract_execution_results, omitted_output_has_no_extents)
{
    uint32_t value = UNTOUCHED;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, shared_output_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, NULL, 0));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 1, NULL, output, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, &value));
    EXPECT_CONTAINS(halyard_last_error(), "output 0 was left out");
    EXPECT_INT(value, UNTOUCHED);
    expect_shape(execution, 1, ANEURALNETWORKS_NO_ERROR, EXTENT);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Of real devices ------------------------------------------------------------------------- */

/* An operation of the API whose result is a scalar, or empty, is for the CPU backend to run. */
static struct hy_compilation *compile_for_cpu(struct fixture *f)
{
    const struct hy_runtime_device *device = hy_devices()->cpu;
    struct hy_compilation *compilation = NULL;

    EXPECT_INT(finish(f), HY_OK);
    EXPECT_INT(hy_compilation_create(f->model, &device, 1, true, &compilation, NULL), HY_OK);
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    fixture_free(f);
    return compilation;
}

TEST(contract_execution_results, scalar_has_rank_0_and_no_extents)
{
    struct fixture f = fixture_create();
    const int32_t five = 5;
    uint32_t x = floats(&f, EXTENT), y = scalar(&f, ANEURALNETWORKS_INT32);
    uint32_t value = UNTOUCHED;
    int32_t rank = 0;
    ANeuralNetworksExecution *execution = NULL;

    REQUIRE(op(&f, ANEURALNETWORKS_RANK, 1, &x, y) == HY_OK && identify(&f, x, y) == HY_OK);
    struct fake_setup fake_setup = {.compilation = hy_compilation_handle(compile_for_cpu(&f))};
    execution = fake_setup_execution(&fake_setup);
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_setOutput(execution, 0, NULL, &rank, 8));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, &rank, sizeof five));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_INT(rank, 1);
    EXPECT_OK(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &value));
    EXPECT_INT(value, 0);
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, &value));
    EXPECT_CONTAINS(halyard_last_error(), "output 0 is a scalar");
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* SLICE of no extent at all: the size is an input, so the shape is only known in the run. */
TEST(contract_execution_results, extent_of_0_after_success_is_an_empty_tensor)
{
    struct fixture f = fixture_create();
    const uint32_t one = 1;
    const int32_t begin = 0, size = 0;
    uint32_t x = floats(&f, EXTENT), y = floats(&f, 0);
    uint32_t from = tensor(&f, ANEURALNETWORKS_TENSOR_INT32, 1, &one, 0);
    uint32_t count = tensor(&f, ANEURALNETWORKS_TENSOR_INT32, 1, &one, 0);
    const uint32_t inputs[] = {x, from, count};
    REQUIRE(op(&f, ANEURALNETWORKS_SLICE, 3, inputs, y) == HY_OK);
    REQUIRE(hy_app_model_identify(f.model, 3, inputs, 1, &y, &f.err) == HY_OK);
    struct fake_setup fake_setup = {.compilation = hy_compilation_handle(compile_for_cpu(&f))};
    ANeuralNetworksExecution *execution = open_execution(&fake_setup, EXTENT);

    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, &begin, sizeof begin));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 2, NULL, &size, sizeof size));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    expect_shape(execution, 0, ANEURALNETWORKS_NO_ERROR, 0);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Reusable executions --------------------------------------------------------------------- */

TEST(contract_execution_results, shapes_are_those_of_the_latest_run)
{
    uint32_t rank = UNTOUCHED;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, dynamic_model(EXTENT, 0, 0), ONE_DEVICE));
    ANeuralNetworksExecution *execution = open_execution(&fake_setup, 8);
    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));

    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    expect_shape(execution, 0, ANEURALNETWORKS_NO_ERROR, EXTENT);
    fake_setup.npu.min_extent = 10;
    EXPECT_FAIL(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(execution));
    expect_shape(execution, 0, ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE, 10);
    fake_setup.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(execution));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
    EXPECT_CONTAINS(halyard_last_error(), "the execution has failed");
    fake_setup.npu.execute_status = HY_STATUS_OK;
    fake_setup.npu.min_extent = 8;
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    expect_shape(execution, 0, ANEURALNETWORKS_NO_ERROR, 8);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Times ----------------------------------------------------------------------------------- */

enum { FIRST_DURATION = 0, LAST_DURATION = 3 };

static void expect_durations(const ANeuralNetworksExecution *execution, int code, uint64_t device,
                             uint64_t driver)
{
    for (int32_t kind = FIRST_DURATION; kind <= LAST_DURATION; kind++) {
        uint64_t duration = UNTOUCHED;
        EXPECT_CODE(code, ANeuralNetworksExecution_getDuration(execution, kind, &duration));
        EXPECT(duration == (kind % 2 ? driver : device));
    }
}

TEST(contract_execution_results, times_are_those_of_the_driver_in_every_kind_of_run)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        struct fake_setup fake_setup;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
        expect_durations(execution, ANEURALNETWORKS_BAD_STATE, UINT64_MAX, UINT64_MAX);
        EXPECT_INT(run(&fake_setup, kind, execution), ANEURALNETWORKS_NO_ERROR);
        expect_durations(execution, ANEURALNETWORKS_NO_ERROR, 5, 7);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_execution_results, times_that_nobody_asked_for_are_bad_state)
{
    for (int times = 0; times < 2; times++) {
        struct fake_setup fake_setup;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        if (times) /* the last word counts */
            EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
        EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(execution, false));
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        expect_durations(execution, ANEURALNETWORKS_BAD_STATE, UINT64_MAX, UINT64_MAX);
        EXPECT_CONTAINS(halyard_last_error(), "measurement was not enabled");
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_execution_results, times_of_a_run_without_success_are_bad_state)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, dynamic_model(EXTENT, 0, 0), ONE_DEVICE));
    ANeuralNetworksExecution *execution = open_execution(&fake_setup, EXTENT);
    EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));

    fake_setup.npu.min_extent = 10;
    EXPECT_FAIL(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(execution));
    expect_durations(execution, ANEURALNETWORKS_BAD_STATE, UINT64_MAX, UINT64_MAX);
    fake_setup.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(execution));
    expect_durations(execution, ANEURALNETWORKS_BAD_STATE, UINT64_MAX, UINT64_MAX);
    fake_setup.npu.execute_status = HY_STATUS_OK;
    fake_setup.npu.min_extent = 0;
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    expect_durations(execution, ANEURALNETWORKS_NO_ERROR, 5, 7);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_results,
     strange_duration_code_is_bad_data_before_the_state_and_writes_nothing)
{
    static const int32_t strange[] = {-1, 4, INT32_MAX, INT32_MIN};
    uint64_t duration = UNTOUCHED;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    for (size_t i = 0; i < COUNT_OF(strange); i++) {
        EXPECT_FAIL(UNEXPECTED_NULL,
                    ANeuralNetworksExecution_getDuration(NULL, strange[i], &duration));
        EXPECT_FAIL(UNEXPECTED_NULL,
                    ANeuralNetworksExecution_getDuration(execution, strange[i], NULL));
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksExecution_getDuration(execution, strange[i], &duration));
    }
    EXPECT_CONTAINS(halyard_last_error(), "duration code is -2147483648, values are 0 to 3");
    EXPECT(duration == UNTOUCHED);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_results, time_that_the_device_does_not_tell_is_unknown)
{
    struct fixture f = fixture_relu();
    struct fake_setup fake_setup = {.compilation = hy_compilation_handle(compile_for_cpu(&f))};
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
    uint64_t duration = 0;

    EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_OK(ANeuralNetworksExecution_getDuration(execution, ANEURALNETWORKS_DURATION_ON_HARDWARE,
                                                   &duration));
    EXPECT(duration == UINT64_MAX);
    EXPECT_OK(ANeuralNetworksExecution_getDuration(execution, ANEURALNETWORKS_DURATION_IN_DRIVER,
                                                   &duration));
    EXPECT(duration > 0 && duration < UINT64_MAX);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}
