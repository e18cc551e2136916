/* The floating-point mode of both devices: subnormal numbers are zeros, rounding is to nearest, and
 * a thread keeps the mode and the flags that it came with. */
#include <android/NeuralNetworksTypes.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

#define F32  ANEURALNETWORKS_TENSOR_FLOAT32
#define F16  ANEURALNETWORKS_TENSOR_FLOAT16
#define BOOL ANEURALNETWORKS_TENSOR_BOOL8

enum { DEVICES = 2, COUNT = 8 };

static const float subnormals[COUNT] = {1e-40f,      -1e-40f,      FLT_TRUE_MIN, -FLT_TRUE_MIN,
                                        FLT_MIN / 2, -FLT_MIN / 2, 1e-38f,       -1e-38f};
static const float zeros[COUNT] = {0, -0.0f, 0, -0.0f, 0, -0.0f, 0, -0.0f};
static const float numbers[COUNT] = {1, 1, -1, -1, 3, 3, 1e-30f, 1e-30f};

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* What an operation on one or two vectors gives; `b` NULL: one. */
static void compute(int32_t operation, uint32_t device, const float *a, const float *b,
                    int32_t out_type, void *out)
{
    const uint32_t extent = COUNT;
    const struct hy_builder_type type = hy_op_case_type(F32, 1, &extent);
    const struct hy_builder_type result = hy_op_case_type(out_type, 1, &extent);
    struct hy_op_case test;

    memset(out, 0x55, COUNT * (out_type == F32 ? sizeof(float) : 1));
    hy_op_case_init(&test, operation);
    hy_op_case_tensor(&test, &type, a, false);
    if (b)
        hy_op_case_tensor(&test, &type, b, false);
    if (operation == HY_OP_ADD || operation == HY_OP_SUB || operation == HY_OP_MUL ||
        operation == HY_OP_DIV)
        hy_op_case_int(&test, ANEURALNETWORKS_FUSED_NONE);
    hy_op_case_output(&test, &result, out, COUNT * (out_type == F32 ? sizeof(float) : 1));
    EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
    if (*test.message)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", hy_operation_name(operation), test.message);
    hy_op_case_finish(&test);
}

static void expect_same_floats(int32_t operation, uint32_t device, const float *got,
                               const float *want)
{
    for (int i = 0; i < COUNT; i++) {
        if (isnan(want[i]) ? !isnan(got[i]) : bits_of(got[i]) != bits_of(want[i]))
            hy_test_fail(__FILE__, __LINE__, "device %u, %s of %a: %a, of a zero %a", device,
                         hy_operation_name(operation), (double)subnormals[i], (double)got[i],
                         (double)want[i]);
    }
}

TEST(float_mode, functions_of_subnormal_numbers_are_those_of_zeros)
{
    static const int32_t operations[] = {
        HY_OP_ABS,      HY_OP_EXP, HY_OP_FLOOR, HY_OP_HARD_SWISH, HY_OP_LOG,
        HY_OP_LOGISTIC, HY_OP_NEG, HY_OP_RELU,  HY_OP_RELU1,      HY_OP_RELU6,
        HY_OP_RSQRT,    HY_OP_SIN, HY_OP_SQRT,  HY_OP_TANH,
    };
    float got[COUNT], want[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++)
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
            compute(operations[i], device, subnormals, NULL, F32, got);
            compute(operations[i], device, zeros, NULL, F32, want);
            expect_same_floats(operations[i], device, got, want);
        }
}

TEST(float_mode, arithmetic_on_subnormal_numbers_is_that_on_zeros)
{
    static const int32_t operations[] = {HY_OP_ADD, HY_OP_SUB, HY_OP_MUL, HY_OP_DIV, HY_OP_POW};
    float got[COUNT], want[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++)
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
            compute(operations[i], device, subnormals, numbers, F32, got);
            compute(operations[i], device, zeros, numbers, F32, want);
            expect_same_floats(operations[i], device, got, want);
            compute(operations[i], device, numbers, subnormals, F32, got);
            compute(operations[i], device, numbers, zeros, F32, want);
            expect_same_floats(operations[i], device, got, want);
        }
}

TEST(float_mode, comparisons_see_zeros)
{
    static const struct {
        int32_t operation;
        uint8_t want;
    } rows[] = {{HY_OP_EQUAL, 1},   {HY_OP_NOT_EQUAL, 0},     {HY_OP_LESS, 0},
                {HY_OP_GREATER, 0}, {HY_OP_GREATER_EQUAL, 1}, {HY_OP_LESS_EQUAL, 1}};
    uint8_t got[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            compute(rows[i].operation, device, subnormals, zeros, BOOL, got);
            for (int k = 0; k < COUNT; k++)
                EXPECT_INT(got[k], rows[i].want);
        }
}

TEST(float_mode, results_below_the_normal_numbers_are_zeros_of_their_sign)
{
    const float small[COUNT] = {1e-20f,  -1e-20f,  1e-30f, -1e-30f,
                                FLT_MIN, -FLT_MIN, 1e-37f, -1e-37f};
    const float factors[COUNT] = {1e-20f, 1e-20f, 1e-10f, 1e-10f, .5f, .5f, .1f, .1f};
    const float low[COUNT] = {-88, -90, -95, -100, -103, -104, -200, -1000};
    float got[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++) {
        compute(HY_OP_MUL, device, small, factors, F32, got);
        for (int i = 0; i < COUNT; i++)
            EXPECT_INT(bits_of(got[i]), bits_of(i % 2 ? -0.0f : 0));
        compute(HY_OP_EXP, device, low, NULL, F32, got);
        for (int i = 0; i < COUNT; i++)
            EXPECT_INT(bits_of(got[i]), 0);
    }
}

/* A half has fewer exponents: all its numbers are normal floats. */
TEST(float_mode, subnormal_halves_stay_numbers)
{
    const uint32_t extent = COUNT;
    const struct hy_builder_type type = hy_op_case_type(F16, 1, &extent);
    const uint16_t halves[COUNT] = {1, 2, 3, 0x3ff, 0x8001, 0x83ff, 0x0400, 0};
    const uint16_t doubled[COUNT] = {2, 4, 6, 0x7fe, 0x8002, 0x87fe, 0x0800, 0};
    uint16_t got[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++) {
        struct hy_op_case test;
        hy_op_case_init(&test, HY_OP_ADD);
        hy_op_case_tensor(&test, &type, halves, false);
        hy_op_case_tensor(&test, &type, halves, false);
        hy_op_case_int(&test, ANEURALNETWORKS_FUSED_NONE);
        hy_op_case_output(&test, &type, got, sizeof got);
        EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
        for (int i = 0; i < COUNT; i++)
            EXPECT_INT(got[i], doubled[i]);
        hy_op_case_finish(&test);
    }
}

/* ---- Other places where the devices compute -------------------------------------------------- */

/* [products, small * factor]: the first half is known when the model is prepared. */
static struct hy_builder folded_and_computed(void)
{
    const struct hy_builder_type type = {F32, 0, 0, 1, {COUNT}}, both = {F32, 0, 0, 1, {2 * COUNT}};
    const float small[COUNT] = {1e-20f, 1e-25f, -1e-20f, 1e-30f, 1e-19f, 1e-19f, 3e-20f, 1};
    struct hy_builder builder;
    uint32_t out, in, known, none, folded, computed, axis;

    hy_builder_init(&builder);
    out = hy_builder_output(&builder, &both);
    in = hy_builder_input(&builder, &type);
    known = hy_builder_constant(&builder, &type, small, sizeof small);
    none = hy_builder_int(&builder, ANEURALNETWORKS_FUSED_NONE);
    folded = hy_builder_temporary(&builder, &type);
    computed = hy_builder_temporary(&builder, &type);
    axis = hy_builder_int(&builder, 0);
    hy_builder_operation(&builder, HY_OP_MUL, 3, (uint32_t[]){known, known, none}, 1, &folded);
    hy_builder_operation(&builder, HY_OP_MUL, 3, (uint32_t[]){in, known, none}, 1, &computed);
    hy_builder_operation(&builder, HY_OP_CONCATENATION, 3, (uint32_t[]){folded, computed, axis}, 1,
                         &out);
    return builder;
}

TEST(float_mode, folded_constants_are_as_those_that_are_computed)
{
    const float small[COUNT] = {1e-20f, 1e-25f, -1e-20f, 1e-30f, 1e-19f, 1e-19f, 3e-20f, 1};
    struct hy_builder builder = folded_and_computed();
    float out[2 * COUNT];

    for (uint32_t device = 0; device < DEVICES; device++) {
        struct hy_runner runner;
        REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), device) == HY_STATUS_OK);
        EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
        hy_runner_clear(&runner);
        hy_runner_input(&runner, small, sizeof small, 0, NULL);
        hy_runner_output(&runner, out, sizeof out, 0, NULL);
        EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
        for (int i = 0; i < COUNT; i++) {
            const float exact = small[i] * small[i];
            EXPECT_INT(bits_of(out[i]), bits_of(fabsf(exact) < FLT_MIN ? 0 : exact));
            EXPECT_INT(bits_of(out[i]), bits_of(out[COUNT + i]));
        }
        hy_runner_close(&runner);
    }
    hy_builder_finish(&builder);
}

/* A host whose workers have the mode that a process begins with. */
static void run_tasks_elsewhere(void *context, uint32_t count,
                                void (*task)(void *argument, uint32_t index), void *argument)
{
    fenv_t before;

    (void)context;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
    EXPECT_INT(fetestexcept(FE_ALL_EXCEPT), 0);
    fesetenv(&before);
}

TEST(float_mode, workers_compute_as_the_thread_that_they_help)
{
    enum { SIZE = 1024 };
    static float weights[SIZE * SIZE], in[SIZE], bias[SIZE], out[SIZE];
    const struct hy_builder_type row = {F32, 0, 0, 2, {1, SIZE}}, column = {F32, 0, 0, 1, {SIZE}};
    const struct hy_builder_type square = {F32, 0, 0, 2, {SIZE, SIZE}};
    struct hy_host host = *hy_test_host();
    struct hy_op_case test;
    struct hy_runner runner;

    for (int i = 0; i < SIZE * SIZE; i++)
        weights[i] = 1e-20f;
    for (int i = 0; i < SIZE; i++)
        in[i] = 1e-20f;
    host.parallel = run_tasks_elsewhere;
    hy_op_case_init(&test, HY_OP_FULLY_CONNECTED);
    hy_op_case_tensor(&test, &row, in, false);
    hy_op_case_tensor(&test, &square, weights, true);
    hy_op_case_tensor(&test, &column, bias, true);
    hy_op_case_int(&test, ANEURALNETWORKS_FUSED_NONE);
    hy_op_case_output(&test, &row, out, sizeof out);
    hy_builder_operation(&test.builder, test.operation, test.input_count, test.inputs, 1,
                         test.outputs);
    REQUIRE(hy_runner_open_on(&runner, &host, hy_cpu_driver(), 0) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&test.builder)), HY_STATUS_OK);
    hy_runner_clear(&runner);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    for (int i = 0; i < SIZE; i++)
        EXPECT_INT(bits_of(out[i]), 0);
    hy_runner_close(&runner);
    hy_op_case_finish(&test);
}

/* ---- The thread ------------------------------------------------------------------------------ */

TEST(float_mode, rounding_of_the_thread_changes_no_result)
{
    const float ones[COUNT] = {1, 1, 1, 1, -1, -1, -1, -1};
    const float little[COUNT] = {1e-10f, -1e-10f, 1e-20f, -1e-20f, 1e-10f, -1e-10f, 0, 0};
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    float got[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++)
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            fesetround(modes[i]);
            compute(HY_OP_ADD, device, ones, little, F32, got);
            EXPECT_INT(fegetround(), modes[i]);
            fesetround(FE_TONEAREST);
            for (int k = 0; k < COUNT; k++)
                EXPECT(got[k] == ones[k]);
        }
}

TEST(float_mode, thread_keeps_its_exception_flags)
{
    const float many[COUNT] = {1e38f, 1e-30f, -1, 0, 1, 3, 7, 1e38f};
    static const int flags[] = {0, FE_DIVBYZERO, FE_INEXACT | FE_UNDERFLOW, FE_INVALID,
                                FE_ALL_EXCEPT};
    float got[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++)
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            feclearexcept(FE_ALL_EXCEPT);
            feraiseexcept(flags[i]);
            compute(HY_OP_DIV, device, many, many, F32, got);
            compute(HY_OP_MUL, device, many, many, F32, got);
            compute(HY_OP_EXP, device, many, NULL, F32, got);
            EXPECT_INT(fetestexcept(FE_ALL_EXCEPT), flags[i]);
        }
    feclearexcept(FE_ALL_EXCEPT);
}

/* Where it cannot trap there is nothing to see. */
TEST(float_mode, thread_that_traps_is_not_trapped_by_the_devices)
{
    const float many[COUNT] = {1e38f, 1e-30f, -1, 0, 1, 3, 7, 1e38f};
    const int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW;
    float got[COUNT];

    for (uint32_t device = 0; device < DEVICES; device++) {
        feclearexcept(FE_ALL_EXCEPT);
        if (feenableexcept(traps) < 0)
            return;
        compute(HY_OP_DIV, device, many, many, F32, got);
        EXPECT_INT(fegetexcept(), traps);
        compute(HY_OP_MUL, device, many, many, F32, got);
        fedisableexcept(FE_ALL_EXCEPT);
        EXPECT(isinf(got[0]) && got[1] == 0);
        EXPECT_INT(fetestexcept(FE_ALL_EXCEPT), 0);
    }
}
