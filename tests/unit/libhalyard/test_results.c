/* What operators compute that TensorFlow Lite 2.9 has not, and the arithmetic of tables: against
 * definitions in plain C. The others are compared with TensorFlow Lite itself
 * (tests/scenarios/peers). */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/lower/fixed_point.h"
#include "libhalyard/session/network.h"
#include "tests/unit/tools/kit/tflite_builder.h"

/* A vector, with a scale where it has 8 bits. */
struct vector {
    enum hy_tflite_type type;
    int32_t count;
    float scale;
    int64_t zero_point;
    void *data; /* of inputs; outputs are written here */
    size_t bytes;
};

#define FLOATS(values, count) \
    { \
        HY_TFLITE_FLOAT32, (count), 0.0f, 0, (values), (count) * sizeof(float) \
    }
#define INTEGERS(values, count) \
    { \
        HY_TFLITE_INT32, (count), 0.0f, 0, (values), (count) * sizeof(int32_t) \
    }
#define BYTES(values, count, scale, zero_point) \
    { \
        HY_TFLITE_INT8, (count), (scale), (zero_point), (values), (count) \
    }

#define SHORTS(values, count, scale) \
    { \
        HY_TFLITE_INT16, (count), (scale), 0, (values), (count) * sizeof(int16_t) \
    }
#define BOOLS(values, count) \
    { \
        HY_TFLITE_BOOL, (count), 0.0f, 0, (values), (count) \
    }

static int32_t add_vector(struct hy_builder *builder, const struct vector *vector)
{
    const struct hy_builder_tensor tensor = {.name = "t",
                                             .type = (int)vector->type,
                                             .rank = 1,
                                             .dims = {vector->count},
                                             .scale_count = vector->scale != 0.0f,
                                             .scales = &vector->scale,
                                             .zero_point_count = vector->scale != 0.0f,
                                             .zero_points = &vector->zero_point};
    return hy_builder_tensor(builder, &tensor);
}

static uint8_t *build(int op, const struct vector *inputs, uint32_t input_count,
                      const struct vector *output, size_t *length)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_builder_operator operator_ = {
        .op = op, .input_count = input_count, .output_count = 1};

    for (uint32_t i = 0; i < input_count; i++) {
        operator_.inputs[i] = add_vector(builder, &inputs[i]);
        hy_builder_input(builder, operator_.inputs[i]);
    }
    operator_.outputs[0] = add_vector(builder, output);
    hy_builder_operator(builder, &operator_);
    hy_builder_output(builder, operator_.outputs[0]);
    return hy_builder_finish(builder, length);
}

static int execute(const ANeuralNetworksModel *model, const struct vector *inputs,
                   uint32_t input_count, const struct vector *output)
{
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;

    int result = ANeuralNetworksCompilation_create((ANeuralNetworksModel *)model, &compilation);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksCompilation_finish(compilation);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_create(compilation, &execution);
    for (uint32_t i = 0; result == ANEURALNETWORKS_NO_ERROR && i < input_count; i++)
        result = ANeuralNetworksExecution_setInput(execution, (int32_t)i, NULL, inputs[i].data,
                                                   inputs[i].bytes);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result =
            ANeuralNetworksExecution_setOutput(execution, 0, NULL, output->data, output->bytes);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    return result;
}

/* Runs one operator; a failure of any step is a failure of the test. */
static void run(int op, const struct vector *inputs, uint32_t input_count,
                const struct vector *output)
{
    struct hy_network *network = NULL;
    struct hy_error err = {0};
    size_t length;
    uint8_t *bytes = build(op, inputs, input_count, output, &length);

    if (hy_network_open(bytes, length, NULL, &network, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", hy_tflite_op_name((enum hy_tflite_op)op),
                     err.text);
    else
        EXPECT_INT(execute(hy_lowered_model_handle(network->model), inputs, input_count, output),
                   ANEURALNETWORKS_NO_ERROR);
    hy_network_close(network);
    free(bytes);
}

/* ---- Real numbers ---------------------------------------------------------------------------- */

static void expect_near(int index, float got, double want, double tolerance)
{
    const double error = fabs((double)got - want);
    if (error <= tolerance * fmax(fabs(want), 0x1p-126))
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "element %d is %.9g, expected %.9g", index, (double)got,
                     want);
}

TEST(results, atan2_has_all_quadrants)
{
    enum { SIDE = 21, COUNT = SIDE * SIDE };
    float y[COUNT], x[COUNT], angle[COUNT];
    const struct vector inputs[] = {FLOATS(y, COUNT), FLOATS(x, COUNT)},
                        output = FLOATS(angle, COUNT);

    for (int i = 0; i < COUNT; i++) {
        y[i] = 0.37f * (float)(i / SIDE - SIDE / 2);
        x[i] = 0.41f * (float)(i % SIDE - SIDE / 2);
    }
    run(HY_TFLITE_OP_ATAN2, inputs, 2, &output);
    for (int i = 0; i < COUNT; i++)
        expect_near(i, angle[i], atan2((double)y[i], (double)x[i]), 4e-7);
}

TEST(results, sign_holds_for_the_smallest_and_the_largest)
{
    float x[] = {-INFINITY, -3e38f, -1.0f, -0x1p-126f, 0.0f, 0x1p-126f, 0.5f, 3e38f, INFINITY};
    static const float want[] = {-1, -1, -1, -1, 0, 1, 1, 1, 1};
    float y[9];
    const struct vector input = FLOATS(x, 9), output = FLOATS(y, 9);

    run(HY_TFLITE_OP_SIGN, &input, 1, &output);
    for (int i = 0; i < 9; i++)
        expect_near(i, y[i], (double)want[i], 0);

    int32_t whole[] = {INT32_MIN, -2, -1, 0, 1, 2, INT32_MAX}, signs[7];
    const struct vector integers = INTEGERS(whole, 7), signs_out = INTEGERS(signs, 7);
    run(HY_TFLITE_OP_SIGN, &integers, 1, &signs_out);
    for (int i = 0; i < 7; i++)
        EXPECT_INT(signs[i], (whole[i] > 0) - (whole[i] < 0));
}

TEST(results, round_takes_halves_to_the_even_integer)
{
    float x[] = {-INFINITY, -0x1.8p23f, -8388607.5f, -2.5f, -1.5f,      -0.5f,       -0.49999997f,
                 0.0f,      0.5f,       1.5f,        2.5f,  4194303.5f, 16777217.0f, INFINITY};
    enum { COUNT = sizeof x / sizeof *x };
    float y[COUNT];
    const struct vector input = FLOATS(x, COUNT), output = FLOATS(y, COUNT);

    run(HY_TFLITE_OP_ROUND, &input, 1, &output);
    for (int i = 0; i < COUNT; i++)
        EXPECT(y[i] == rintf(x[i]));
}

TEST(results, relu_0_to_1_cuts_off_both_ends)
{
    float x[] = {-INFINITY, -1.0f, 0.0f, 0.25f, 1.0f, 1.5f, INFINITY}, y[7];
    const struct vector input = FLOATS(x, 7), output = FLOATS(y, 7);

    run(HY_TFLITE_OP_RELU_0_TO_1, &input, 1, &output);
    for (int i = 0; i < 7; i++)
        EXPECT(y[i] == fminf(fmaxf(x[i], 0.0f), 1.0f));
}

TEST(results, cast_of_integers_keeps_their_low_bits)
{
    int32_t x[] = {0, 1, -1, 255, 256, 300, -129, INT32_MIN};
    const uint8_t want[] = {0, 1, 255, 255, 0, 44, 127, 0};
    const uint8_t truth[] = {0, 1, 1, 1, 1, 1, 1, 1};
    uint8_t y[8];
    const struct vector input = INTEGERS(x, 8);
    struct vector output = BYTES(y, 8, 0.0f, 0);

    output.type = HY_TFLITE_UINT8;
    run(HY_TFLITE_OP_CAST, &input, 1, &output);
    EXPECT(memcmp(y, want, sizeof y) == 0);
    output.type = HY_TFLITE_INT8;
    run(HY_TFLITE_OP_CAST, &input, 1, &output);
    EXPECT(memcmp(y, want, sizeof y) == 0);
    output.type = HY_TFLITE_BOOL;
    run(HY_TFLITE_OP_CAST, &input, 1, &output);
    EXPECT(memcmp(y, truth, sizeof y) == 0);
}

/* ---- Words ----------------------------------------------------------------------------------- */

TEST(results, functions_of_words_are_rounded_to_a_step)
{
    static const float in_scale = 0x1p-12f, out_scale = 0x1p-15f;
    enum { COUNT = 4096 };
    static int16_t x[COUNT], y[COUNT];
    const struct vector input = {HY_TFLITE_INT16, COUNT, in_scale, 0, x, sizeof x};
    const struct vector output = {HY_TFLITE_INT16, COUNT, out_scale, 0, y, sizeof y};

    for (int i = 0; i < COUNT; i++)
        x[i] = (int16_t)(16 * i - 32768);
    run(HY_TFLITE_OP_TANH, &input, 1, &output);
    for (int i = 0; i < COUNT; i++) {
        const double steps = tanh((double)in_scale * x[i]) / (double)out_scale;
        EXPECT(fabs(y[i] - fmin(steps, 32767.0)) <= 0.51);
    }
}

TEST(results, words_are_quantised_anew_and_become_reals)
{
    int16_t x[] = {INT16_MIN, -1000, -1, 0, 1, 999, INT16_MAX};
    int8_t y[7];
    float z[7];
    const struct vector input = {HY_TFLITE_INT16, 7, 0.25f, 0, x, sizeof x};
    const struct vector bytes = BYTES(y, 7, 2.0f, -28), reals = FLOATS(z, 7);
    const int8_t want[] = {-128, -128, -28, -28, -28, 97, 127};

    run(HY_TFLITE_OP_QUANTIZE, &input, 1, &bytes);
    EXPECT(memcmp(y, want, sizeof y) == 0);
    run(HY_TFLITE_OP_DEQUANTIZE, &input, 1, &reals);
    for (int i = 0; i < 7; i++)
        EXPECT(z[i] == 0.25f * (float)x[i]);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static int8_t clamped(double value)
{
    return (int8_t)fmax(fmin(value, 127.0), -128.0);
}

/* All 256 values of one input. */
static void expect_function(int op, float (*function)(float))
{
    static const float in_scale = 0.03125f, out_scale = 0.0625f;
    int8_t x[256], y[256];
    const struct vector input = BYTES(x, 256, in_scale, -100), output = BYTES(y, 256, out_scale, 5);

    for (int i = 0; i < 256; i++)
        x[i] = (int8_t)(i - 128);
    run(op, &input, 1, &output);
    for (int i = 0; i < 256; i++) {
        const double real = (double)function(in_scale * (float)(x[i] + 100));
        EXPECT_INT(y[i], isnan(real) ? 127 : clamped(round(real / (double)out_scale) + 5));
    }
}

TEST(results, exp_and_log_of_bytes_are_rounded_real_functions)
{
    expect_function(HY_TFLITE_OP_EXP, expf);
    expect_function(HY_TFLITE_OP_LOG, logf);
}

TEST(results, a_tiny_output_scale_saturates)
{
    int8_t x[] = {-128, -1, 0, 1, 127}, y[5];
    const struct vector input = BYTES(x, 5, 1.0f, 0), output = BYTES(y, 5, 1e-37f, 100);

    run(HY_TFLITE_OP_ABS, &input, 1, &output);
    for (int i = 0; i < 5; i++)
        EXPECT_INT(y[i], x[i] == 0 ? 100 : 127);
    run(HY_TFLITE_OP_RELU, &input, 1, &output);
    for (int i = 0; i < 5; i++)
        EXPECT_INT(y[i], x[i] <= 0 ? 100 : 127);
}

/* All pairs of bytes. */
static void expect_pairs(int op, int (*function)(int a, int b))
{
    enum { COUNT = 1 << 16 };
    int8_t *a = malloc(COUNT), *b = malloc(COUNT), *c = malloc(COUNT);
    const struct vector inputs[] = {BYTES(a, COUNT, 0.0f, 0), BYTES(b, COUNT, 0.0f, 0)};
    const struct vector output = BYTES(c, COUNT, 0.0f, 0);
    int wrong = 0;

    for (int i = 0; i < COUNT; i++) {
        a[i] = (int8_t)((i >> 8) - 128);
        b[i] = (int8_t)((i & 255) - 128);
    }
    run(op, inputs, 2, &output);
    for (int i = 0; i < COUNT; i++)
        wrong += c[i] != (int8_t)function(a[i], b[i]); /* modulo 2^8 */
    EXPECT_INT(wrong, 0);
    free(a);
    free(b);
    free(c);
}

static int exclusive_or(int a, int b)
{
    return a ^ b;
}

static int shifted(int a, int b)
{
    return (int)floor(a / exp2(b < 0 ? 0 : b > 7 ? 7 : b));
}

static int floor_quotient(int a, int b)
{
    return b == 0 ? 0 : (int)floor((double)a / b);
}

static int floor_remainder(int a, int b)
{
    return a - floor_quotient(a, b) * b;
}

TEST(results, every_pair_of_bytes_is_as_defined)
{
    expect_pairs(HY_TFLITE_OP_BITWISE_XOR, exclusive_or);
    expect_pairs(HY_TFLITE_OP_RIGHT_SHIFT, shifted);
    expect_pairs(HY_TFLITE_OP_FLOOR_DIV, floor_quotient);
    expect_pairs(HY_TFLITE_OP_FLOOR_MOD, floor_remainder);
}

/* ---- Integers -------------------------------------------------------------------------------- */

TEST(results, right_shift_of_int32_shifts_the_sign_in)
{
    int32_t a[] = {INT32_MIN, INT32_MIN, -1, -5, 5, INT32_MAX, INT32_MAX, 1 << 20, -7};
    int32_t b[] = {31, 1, 31, 1, 1, 30, 40, 20, -3}, c[9];
    static const int32_t want[] = {-1, -1073741824, -1, -3, 2, 1, 0, 1, -7};
    const struct vector inputs[] = {INTEGERS(a, 9), INTEGERS(b, 9)}, output = INTEGERS(c, 9);

    run(HY_TFLITE_OP_RIGHT_SHIFT, inputs, 2, &output);
    for (int i = 0; i < 9; i++)
        EXPECT_INT(c[i], want[i]);
}

TEST(results, int32_powers_have_any_exponent)
{
    int32_t a[] = {2, -3, 10, 1, -1, -1, 2, 0, 0, 7}, b[] = {31, 3, 0, -5, -5, -4, -1, 0, -1, 1},
            c[10];
    static const int32_t want[] = {INT32_MIN, -27, 1, 1, -1, 1, 0, 1, 0, 7};
    const struct vector inputs[] = {INTEGERS(a, 10), INTEGERS(b, 10)}, output = INTEGERS(c, 10);

    run(HY_TFLITE_OP_POW, inputs, 2, &output);
    for (int i = 0; i < 10; i++)
        EXPECT_INT(c[i], want[i]);
}

TEST(results, int32_quotients_are_rounded_towards_zero)
{
    int32_t a[] = {7, -7, 7, -7, INT32_MIN, 0}, b[] = {2, 2, -2, -2, -1, 5}, c[6];
    static const int32_t want[] = {3, -3, -3, 3, INT32_MIN, 0};
    const struct vector inputs[] = {INTEGERS(a, 6), INTEGERS(b, 6)}, output = INTEGERS(c, 6);

    run(HY_TFLITE_OP_DIV, inputs, 2, &output);
    for (int i = 0; i < 6; i++)
        EXPECT_INT(c[i], want[i]);
}

TEST(results, one_element_is_selected_against_many)
{
    uint8_t condition[] = {1, 0, 0, 1, 1};
    float a[] = {-1}, b[] = {1, 2, 3, 4, 5}, c[5];
    static const float want[] = {-1, 2, 3, -1, -1};
    const struct vector inputs[] = {BOOLS(condition, 5), FLOATS(a, 1), FLOATS(b, 5)};
    const struct vector output = FLOATS(c, 5);

    run(HY_TFLITE_OP_SELECT_V2, inputs, 3, &output);
    for (int i = 0; i < 5; i++)
        EXPECT(c[i] == want[i]);
}

TEST(results, bools_are_selected)
{
    uint8_t condition[] = {1, 0, 0, 1}, a[] = {1, 1, 0, 0}, b[] = {0}, c[4];
    static const uint8_t want[] = {1, 0, 0, 0};
    const struct vector inputs[] = {BOOLS(condition, 4), BOOLS(a, 4), BOOLS(b, 1)};
    const struct vector output = BOOLS(c, 4);

    run(HY_TFLITE_OP_SELECT_V2, inputs, 3, &output);
    for (int i = 0; i < 4; i++)
        EXPECT_INT(c[i], want[i]);
}

/* ---- 16 bits --------------------------------------------------------------------------------- */

enum { SHORT_COUNT = 1000 };

/* Both inputs over all of their range; `function` is of real numbers. */
static void expect_shorts(int op, float out_scale, double (*function)(double a, double b))
{
    static const float a_scale = 0.0021f, b_scale = 0.0007f;
    int16_t a[SHORT_COUNT], b[SHORT_COUNT], c[SHORT_COUNT];
    const struct vector inputs[] = {SHORTS(a, SHORT_COUNT, a_scale),
                                    SHORTS(b, SHORT_COUNT, b_scale)};
    const struct vector output = SHORTS(c, SHORT_COUNT, out_scale);

    for (int i = 0; i < SHORT_COUNT; i++) {
        a[i] = (int16_t)(i * 7919 % 65536 - 32768);
        b[i] = (int16_t)(i * 104729 % 65536 - 32768);
    }
    run(op, inputs, 2, &output);
    for (int i = 0; i < SHORT_COUNT; i++) {
        const double real = function(a[i] * (double)a_scale, b[i] * (double)b_scale);
        const double steps = fmax(fmin(real / (double)out_scale, 32767.0), -32768.0);
        EXPECT(fabs(c[i] - steps) <= 0.76);
    }
}

static double sum(double a, double b)
{
    return a + b;
}

static double difference(double a, double b)
{
    return a - b;
}

static double product(double a, double b)
{
    return a * b;
}

TEST(results, sums_and_products_of_int16_are_those_of_real_numbers)
{
    expect_shorts(HY_TFLITE_OP_ADD, 0.0023f, sum);
    expect_shorts(HY_TFLITE_OP_SUB, 0.0009f, difference);
    expect_shorts(HY_TFLITE_OP_MUL, 0.04f, product);
}

TEST(results, maximum_and_comparison_of_int16)
{
    int16_t a[] = {-32768, 5, 32767}, b[] = {-32767, 4, 32767}, c[3];
    uint8_t less[3];
    const struct vector inputs[] = {SHORTS(a, 3, 0.5f), SHORTS(b, 3, 0.5f)};
    const struct vector output = SHORTS(c, 3, 0.5f), compared = BOOLS(less, 3);

    run(HY_TFLITE_OP_MAXIMUM, inputs, 2, &output);
    run(HY_TFLITE_OP_LESS, inputs, 2, &compared);
    EXPECT(c[0] == -32767 && c[1] == 5 && c[2] == 32767);
    EXPECT(less[0] == 1 && less[1] == 0 && less[2] == 0);
}

/* ---- Fixed point ----------------------------------------------------------------------------- */

TEST(fixed_point, a_factor_has_31_bits)
{
    EXPECT_INT(hy_multiplier_of(1.0).mantissa, 1 << 30);
    EXPECT_INT(hy_multiplier_of(1.0).shift, 1);
    EXPECT_INT(hy_multiplier_of(0.75).mantissa, 3 << 29);
    EXPECT_INT(hy_multiplier_of(0.75).shift, 0);
    /* The mantissa rounds up to the next power of two. */
    EXPECT_INT(hy_multiplier_of(1.0 - 0x1p-40).mantissa, 1 << 30);
    EXPECT_INT(hy_multiplier_of(1.0 - 0x1p-40).shift, 1);
    EXPECT_INT(hy_multiplier_of(0x1p-40).mantissa, 0);
    EXPECT_INT(hy_multiplier_of(INFINITY).mantissa, INT32_MAX);
    EXPECT_INT(hy_multiplier_of(INFINITY).shift, 30);
}

TEST(fixed_point, products_are_rounded_and_saturate)
{
    EXPECT_INT(hy_multiply(7, hy_multiplier_of(0.5)), 4);
    EXPECT_INT(hy_multiply(-7, hy_multiplier_of(0.5)), -3); /* the first rounding goes upwards */
    EXPECT_INT(hy_multiply(-7, hy_multiplier_of(0.25)), -2);
    EXPECT_INT(hy_multiply(3, hy_multiplier_of(1000.0)), 3000);
    EXPECT_INT(hy_multiply(1 << 20, hy_multiplier_of(0x1p29)), INT32_MAX / 2 + 1);
    EXPECT_INT(hy_divide_by_power(5, 1), 3);
    EXPECT_INT(hy_divide_by_power(-5, 1), -3);
    EXPECT_INT(hy_divide_by_power(INT32_MIN, 31), -1);
    EXPECT_INT(hy_divide_by_power(7, 0), 7);
    EXPECT_INT(hy_doubled_high_product(INT32_MIN, INT32_MIN), INT32_MAX);
}
