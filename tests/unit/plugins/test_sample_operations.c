#include "common/random.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/sample_fixture.h"

#include <math.h>
#include <stdlib.h>

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define Q8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
#define I32 ANEURALNETWORKS_TENSOR_INT32

static struct hy_random random_numbers = {12345};

static void fill_q8(int8_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (int8_t)hy_random_next(&random_numbers);
}

static void fill_f32(float *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (float)hy_random_between(&random_numbers, -1000, 1000) / 1000;
}

/* Runs a model of one input and one output. */
static void run_one(const struct sample_fixture *fixture, const struct sample_model *model,
                    const void *input, size_t input_size, void *output, size_t output_size)
{
    EXPECT_INT(sample_run(fixture, model, &input, &input_size, &output, &output_size),
               HY_STATUS_OK);
}

static void expect_q8(const int8_t *got, const double *real, size_t count, float scale, int zero,
                      int tolerance)
{
    for (size_t i = 0; i < count; i++) {
        double exact = fmin(fmax(round(real[i] / scale) + zero, -128), 127);
        if (fabs(got[i] - exact) > tolerance)
            hy_test_fail(__FILE__, __LINE__, "element %zu is %d, expected %g", i, got[i], exact);
    }
    CU_PASS("all elements");
}

static void expect_f32(const float *got, const double *real, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(got[i] - real[i]) <= 1e-5 + 1e-6 * fabs(real[i])))
            hy_test_fail(__FILE__, __LINE__, "element %zu is %g, expected %g", i, (double)got[i],
                         real[i]);
    }
    CU_PASS("all elements");
}

/* ---- FULLY_CONNECTED ------------------------------------------------------------------------- */

#define BATCHES 3u
#define DEPTH   19u
#define UNITS   5u

static void build_fully_connected(struct sample_model *model, int32_t type, const void *weights,
                                  const void *bias, float out_scale, int32_t activation)
{
    const size_t size = type == F32 ? 4 : 1;
    sample_model_init(model);
    uint32_t inputs[] = {sample_model_tensor(model, type, HY_LIFETIME_INPUT, 3,
                                             (uint32_t[]){BATCHES, 1, DEPTH}, 0.5f, 3),
                         sample_model_constant(model, type, 2, (uint32_t[]){UNITS, DEPTH}, 0.25f,
                                               -2, weights, size * UNITS * DEPTH),
                         sample_model_constant(model, type == F32 ? F32 : I32, 1,
                                               (uint32_t[]){UNITS}, 0.125f, 0, bias, 4 * UNITS),
                         sample_model_i32(model, activation)};
    uint32_t output = sample_model_tensor(model, type, HY_LIFETIME_OUTPUT, 2,
                                          (uint32_t[]){BATCHES, UNITS}, out_scale, 1);
    sample_model_operation(model, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, output);
}

static double activate(double value, int32_t activation)
{
    switch (activation) {
    case 1:
        return fmax(value, 0);
    case 2:
        return fmin(fmax(value, -1), 1);
    case 3:
        return fmin(fmax(value, 0), 6);
    default:
        return value;
    }
}

TEST(sample_operations, fully_connected_f32)
{
    struct sample_fixture fixture;
    struct sample_model model;
    float in[BATCHES * DEPTH], weights[UNITS * DEPTH], bias[UNITS], out[BATCHES * UNITS];
    REQUIRE(sample_fixture_init(&fixture));
    for (int32_t activation = 0; activation < 4; activation++) {
        double real[BATCHES * UNITS];
        fill_f32(in, BATCHES * DEPTH);
        fill_f32(weights, UNITS * DEPTH);
        fill_f32(bias, UNITS);
        for (size_t i = 0; i < BATCHES * UNITS; i++) {
            double sum = bias[i % UNITS];
            for (size_t k = 0; k < DEPTH; k++)
                sum += (double)in[i / UNITS * DEPTH + k] * weights[i % UNITS * DEPTH + k];
            real[i] = activate(sum, activation);
        }
        build_fully_connected(&model, F32, weights, bias, 0, activation);
        run_one(&fixture, &model, in, sizeof in, out, sizeof out);
        expect_f32(out, real, BATCHES * UNITS);
    }
    sample_fixture_finish(&fixture);
}

TEST(sample_operations, fully_connected_q8)
{
    static const float out_scales[] = {7.5f, 1.0f,
                                       0.03f}; /* the last one multiplies by more than 1 */
    struct sample_fixture fixture;
    struct sample_model model;
    int8_t in[BATCHES * DEPTH], weights[UNITS * DEPTH], out[BATCHES * UNITS];
    REQUIRE(sample_fixture_init(&fixture));
    for (int32_t round = 0; round < 12; round++) {
        int32_t bias[UNITS] = {0, 100, -3000, 77, -1};
        double real[BATCHES * UNITS];
        const float out_scale = out_scales[round % 3];
        fill_q8(in, BATCHES * DEPTH);
        fill_q8(weights, UNITS * DEPTH);
        for (size_t i = 0; i < BATCHES * UNITS; i++) {
            double sum = bias[i % UNITS];
            for (size_t k = 0; k < DEPTH; k++)
                sum += (in[i / UNITS * DEPTH + k] - 3) * (weights[i % UNITS * DEPTH + k] + 2);
            real[i] = activate(sum * 0.125, round / 3);
        }
        build_fully_connected(&model, Q8, weights, bias, out_scale, round / 3);
        run_one(&fixture, &model, in, sizeof in, out, sizeof out);
        expect_q8(out, real, BATCHES * UNITS, out_scale, 1, 1);
    }
    sample_fixture_finish(&fixture);
}

TEST(sample_operations, fully_connected_q8_rounds_twice_with_halves_upwards)
{
    struct sample_fixture fixture;
    REQUIRE(sample_fixture_init(&fixture));
    static const int8_t in[] = {1, -1, 2, -2, 3, -3, 6, -6};
    static const struct {
        float out_scale;
        int8_t out[8];
    } cases[] = {{2, {1, 0, 1, -1, 2, -1, 3, -3}}, {4, {1, 0, 1, 0, 1, 0, 2, -1}}};
    for (size_t i = 0; i < 2; i++) {
        struct sample_model model;
        const int8_t weight = 1;
        const int32_t bias = 0;
        int8_t out[8] = {0};
        sample_model_init(&model);
        uint32_t inputs[] = {
            sample_model_tensor(&model, Q8, HY_LIFETIME_INPUT, 2, (uint32_t[]){8, 1}, 1, 0),
            sample_model_constant(&model, Q8, 2, (uint32_t[]){1, 1}, 1, 0, &weight, 1),
            sample_model_constant(&model, I32, 1, (uint32_t[]){1}, 1, 0, &bias, 4),
            sample_model_i32(&model, 0)};
        uint32_t output = sample_model_tensor(&model, Q8, HY_LIFETIME_OUTPUT, 2, (uint32_t[]){8, 1},
                                              cases[i].out_scale, 0);
        sample_model_operation(&model, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, output);
        run_one(&fixture, &model, in, sizeof in, out, sizeof out);
        for (size_t k = 0; k < 8; k++)
            EXPECT_INT(out[k], cases[i].out[k]);
    }
    sample_fixture_finish(&fixture);
}

/* ---- SOFTMAX --------------------------------------------------------------------------------- */

/* Input [2, 3, 4] along the axis. */
static void build_softmax(struct sample_model *model, int32_t type, float beta, int32_t axis)
{
    const uint32_t dims[] = {2, 3, 4};
    sample_model_init(model);
    uint32_t inputs[] = {
        sample_model_tensor(model, type, HY_LIFETIME_INPUT, 3, dims, 0.1f, 5),
        sample_model_constant(model, ANEURALNETWORKS_FLOAT32, 0, NULL, 0, 0, &beta, sizeof beta),
        sample_model_i32(model, axis)};
    uint32_t output =
        sample_model_tensor(model, type, HY_LIFETIME_OUTPUT, 3, dims, 1.0f / 256, -128);
    sample_model_operation(model, ANEURALNETWORKS_SOFTMAX, 3, inputs, output);
}

static void real_softmax(const double *in, double beta, int axis, double *out)
{
    const size_t strides[] = {12, 4, 1}, counts[] = {2, 3, 4};
    for (size_t i = 0; i < 24; i++) {
        size_t first = i - i / strides[axis] % counts[axis] * strides[axis];
        double sum = 0;
        for (size_t k = 0; k < counts[axis]; k++)
            sum += exp(beta * (in[first + k * strides[axis]] - in[i]));
        out[i] = 1 / sum;
    }
}

TEST(sample_operations, softmax_along_every_axis)
{
    struct sample_fixture fixture;
    struct sample_model model;
    REQUIRE(sample_fixture_init(&fixture));
    for (int axis = 0; axis < 3; axis++) {
        float in[24], out[24];
        int8_t quant_in[24], quant_out[24];
        double real_in[24], real[24];
        fill_f32(in, 24);
        fill_q8(quant_in, 24);

        for (size_t i = 0; i < 24; i++)
            real_in[i] = in[i];
        real_softmax(real_in, 1.5, axis, real);
        build_softmax(&model, F32, 1.5f, axis);
        run_one(&fixture, &model, in, sizeof in, out, sizeof out);
        expect_f32(out, real, 24);

        for (size_t i = 0; i < 24; i++)
            real_in[i] = 0.1 * quant_in[i];
        real_softmax(real_in, 0.75, axis, real);
        build_softmax(&model, Q8, 0.75f, axis - 3);
        run_one(&fixture, &model, quant_in, sizeof quant_in, quant_out, sizeof quant_out);
        expect_q8(quant_out, real, 24, 1.0f / 256, -128, 1);
    }
    sample_fixture_finish(&fixture);
}

/* ---- ADD ------------------------------------------------------------------------------------- */

/* [2, 1, 3] + [4, 1] = [2, 4, 3] */
static void build_add(struct sample_model *model, int32_t type, int32_t activation)
{
    sample_model_init(model);
    uint32_t inputs[] = {
        sample_model_tensor(model, type, HY_LIFETIME_INPUT, 3, (uint32_t[]){2, 1, 3}, 0.02f, -10),
        sample_model_tensor(model, type, HY_LIFETIME_INPUT, 2, (uint32_t[]){4, 1}, 0.05f, 20),
        sample_model_i32(model, activation)};
    uint32_t output =
        sample_model_tensor(model, type, HY_LIFETIME_OUTPUT, 3, (uint32_t[]){2, 4, 3}, 0.06f, 4);
    sample_model_operation(model, ANEURALNETWORKS_ADD, 3, inputs, output);
}

TEST(sample_operations, add_broadcasts_and_activates)
{
    struct sample_fixture fixture;
    struct sample_model model;
    REQUIRE(sample_fixture_init(&fixture));
    for (int32_t activation = 0; activation < 4; activation++) {
        float a[6], b[4], out[24];
        int8_t quant_a[6], quant_b[4], quant_out[24];
        double real[24], quant_real[24];
        fill_f32(a, 6);
        fill_f32(b, 4);
        fill_q8(quant_a, 6);
        fill_q8(quant_b, 4);
        for (size_t i = 0; i < 24; i++) {
            size_t of_a = i / 12 * 3 + i % 3, of_b = i / 3 % 4;
            real[i] = activate((double)a[of_a] + b[of_b], activation);
            quant_real[i] =
                activate(0.02 * (quant_a[of_a] + 10) + 0.05 * (quant_b[of_b] - 20), activation);
        }
        build_add(&model, F32, activation);
        EXPECT_INT(sample_run(&fixture, &model, (const void *[]){a, b},
                              (size_t[]){sizeof a, sizeof b}, (void *[]){out},
                              (size_t[]){sizeof out}),
                   HY_STATUS_OK);
        expect_f32(out, real, 24);
        build_add(&model, Q8, activation);
        EXPECT_INT(sample_run(&fixture, &model, (const void *[]){quant_a, quant_b},
                              (size_t[]){6, 4}, (void *[]){quant_out}, (size_t[]){24}),
                   HY_STATUS_OK);
        expect_q8(quant_out, quant_real, 24, 0.06f, 4, 1);
    }
    sample_fixture_finish(&fixture);
}

/* ---- AVERAGE_POOL_2D ------------------------------------------------------------------------- */

/* [2, 5, 6, 2], window 2 x 3 (height x width), stride 2 x 1, implicit padding */
static void build_pool(struct sample_model *model, int32_t type, int32_t scheme, uint32_t height,
                       uint32_t width)
{
    sample_model_init(model);
    uint32_t inputs[] = {
        sample_model_tensor(model, type, HY_LIFETIME_INPUT, 4, (uint32_t[]){2, 5, 6, 2}, 0.1f, 5),
        sample_model_i32(model, scheme),
        sample_model_i32(model, 1), /* stride width, height */
        sample_model_i32(model, 2),
        sample_model_i32(model, 3), /* filter width, height */
        sample_model_i32(model, 2),
        sample_model_i32(model, 0)};
    uint32_t output = sample_model_tensor(model, type, HY_LIFETIME_OUTPUT, 4,
                                          (uint32_t[]){2, height, width, 2}, 0.1f, 5);
    sample_model_operation(model, ANEURALNETWORKS_AVERAGE_POOL_2D, 7, inputs, output);
}

static void real_pool(const double *in, int left, int top, int height, int width, double *out)
{
    for (int i = 0; i < 2 * height * width * 2; i++) {
        int batch = i / 2 / width / height, y = i / 2 / width % height, x = i / 2 % width;
        double sum = 0, count = 0;
        for (int row = y * 2 - top; row < y * 2 - top + 2; row++) {
            for (int column = x - left; column < x - left + 3; column++) {
                if (row < 0 || row >= 5 || column < 0 || column >= 6)
                    continue;
                sum += in[((batch * 5 + row) * 6 + column) * 2 + i % 2];
                count++;
            }
        }
        out[i] = sum / count;
    }
}

TEST(sample_operations, average_pool_counts_only_cells_of_the_image)
{
    struct sample_fixture fixture;
    struct sample_model model;
    REQUIRE(sample_fixture_init(&fixture));
    for (int same = 0; same < 2; same++) {
        const int height = same ? 3 : 2, width = same ? 6 : 4;
        const size_t count = (size_t)height * (size_t)width * 4;
        float in[120], out[120];
        int8_t quant_in[120], quant_out[120];
        double real_in[120], real[120];

        fill_f32(in, 120);
        for (size_t i = 0; i < 120; i++)
            real_in[i] = in[i];
        real_pool(real_in, same, 0, height, width, real);
        build_pool(&model, F32, same ? 1 : 2, (uint32_t)height, (uint32_t)width);
        run_one(&fixture, &model, in, sizeof in, out, 4 * count);
        expect_f32(out, real, count);

        fill_q8(quant_in, 120);
        for (size_t i = 0; i < 120; i++)
            real_in[i] = quant_in[i];
        real_pool(real_in, same, 0, height, width, real);
        build_pool(&model, Q8, same ? 1 : 2, (uint32_t)height, (uint32_t)width);
        run_one(&fixture, &model, quant_in, sizeof quant_in, quant_out, count);
        expect_q8(quant_out, real, count, 1, 0, 0); /* raw values, halves away from zero */
    }
    sample_fixture_finish(&fixture);
}

/* ---- Several operations ---------------------------------------------------------------------- */

TEST(sample_operations, steps_hand_on_their_results)
{
    struct sample_fixture fixture;
    struct sample_model model;
    REQUIRE(sample_fixture_init(&fixture));
    const uint32_t dims[] = {1, 4};
    const float beta = 1, one[] = {1, 1, 1, 1}, in[] = {1, 2, 3, 4};
    float sum[4], out[4];
    sample_model_init(&model);
    uint32_t input = sample_model_tensor(&model, F32, HY_LIFETIME_INPUT, 2, dims, 0, 0);
    uint32_t ones = sample_model_constant(&model, F32, 2, dims, 0, 0, one, sizeof one);
    uint32_t none = sample_model_i32(&model, 0);
    uint32_t middle = sample_model_tensor(&model, F32, HY_LIFETIME_TEMPORARY, 2, dims, 0, 0);
    uint32_t total = sample_model_tensor(&model, F32, HY_LIFETIME_OUTPUT, 2, dims, 0, 0);
    uint32_t scale =
        sample_model_constant(&model, ANEURALNETWORKS_FLOAT32, 0, NULL, 0, 0, &beta, 4);
    uint32_t output = sample_model_tensor(&model, F32, HY_LIFETIME_OUTPUT, 2, dims, 0, 0);
    sample_model_operation(&model, ANEURALNETWORKS_ADD, 3, (uint32_t[]){input, ones, none}, middle);
    sample_model_operation(&model, ANEURALNETWORKS_ADD, 3, (uint32_t[]){middle, input, none},
                           total);
    sample_model_operation(&model, ANEURALNETWORKS_SOFTMAX, 2, (uint32_t[]){total, scale}, output);
    EXPECT_INT(sample_run(&fixture, &model, (const void *[]){in}, (size_t[]){16},
                          (void *[]){sum, out}, (size_t[]){16, 16}),
               HY_STATUS_OK);
    double expected[4], norm = exp(-6) + exp(-4) + exp(-2) + 1;
    for (int i = 0; i < 4; i++) {
        EXPECT(sum[i] == 2 * in[i] + 1);
        expected[i] = exp(2 * (i - 3)) / norm;
    }
    expect_f32(out, expected, 4);
    sample_fixture_finish(&fixture);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void add_model(struct sample_model *model)
{
    build_add(model, Q8, 0);
}

static void fc_model(struct sample_model *model)
{
    static const int8_t weights[UNITS * DEPTH];
    static const int32_t bias[UNITS];
    build_fully_connected(model, Q8, weights, bias, 1, 0);
}

static void softmax_model(struct sample_model *model)
{
    build_softmax(model, Q8, 1, -1);
}

static void pool_model(struct sample_model *model)
{
    build_pool(model, Q8, 1, 3, 6);
}

/* Overwrites the bytes of a constant scalar. */
static void set_i32(struct sample_model *model, uint32_t operand, int32_t value)
{
    memcpy(model->values + model->operands[operand].location.offset, &value, sizeof value);
}

TEST(sample_operations, refusals_have_reasons)
{
    struct sample_fixture fixture;
    struct sample_model m;
    REQUIRE(sample_fixture_init(&fixture));

#define REFUSED(build, change, reason) \
    do { \
        build(&m); \
        EXPECT_STR(sample_refusal(&fixture, &m), ""); \
        change; \
        EXPECT_CONTAINS(sample_refusal(&fixture, &m), reason); \
    } while (0)

    REFUSED(add_model, m.operations[0].type = ANEURALNETWORKS_MUL,
            "does not support operation type 18");
    REFUSED(add_model, m.operations[0].input_count = 2, "ADD with 2 inputs and 1 outputs");
    REFUSED(add_model, m.operations[0].output_count = 0, "ADD with 3 inputs and 0 outputs");
    REFUSED(add_model, m.operation_inputs[0][1] = 99, "ADD: input 1 is operand 99 of 4");
    REFUSED(add_model, m.operation_outputs[0][0] = 0, "ADD: output 0 cannot be written");
    REFUSED(add_model, m.operands[0].type = ANEURALNETWORKS_TENSOR_FLOAT16,
            "ADD: input 0 has type 8, needs 3");
    REFUSED(add_model, m.operands[1].type = F32, "ADD: input 1 has type 3, needs 14");
    REFUSED(add_model, m.operands[1].rank = 9, "ADD: input 1 has rank 9, needs 1 to 4");
    REFUSED(add_model, m.dims[0][0] = 0, "ADD: extent 0 of input 0 is not known");
    REFUSED(add_model, m.dims[0][0] = 0xffffffff, "ADD: input 0 has more than 268435456 elements");
    REFUSED(add_model, m.dims[1][0] = 3, "ADD: extent 1 of output 0 is 4, needs 3");
    REFUSED(add_model, m.dims[1][1] = 2, "ADD: extents 3 and 2 cannot be broadcast");
    REFUSED(add_model, m.operands[0].scale = NAN, "ADD: input 0 has scale nan");
    REFUSED(add_model, m.operands[0].zero_point = 128,
            "ADD: input 0 has scale 0.02, zero point 128");
    REFUSED(add_model, m.operands[0].scale = 1e9f, "ADD: the scales 1e+09 and 0.05 are too large");
    REFUSED(add_model, set_i32(&m, 2, 4), "ADD: the activation is 4, needs 0 to 3");
    REFUSED(add_model, m.operands[2].location.length = 8, "ADD: a constant needs 4 bytes");
    REFUSED(add_model, m.operands[2].location.offset = UINT64_MAX, "outside the model's values");
    REFUSED(add_model, m.operands[2].lifetime = HY_LIFETIME_CONSTANT_POOL,
            "ADD: a constant lies in pool 0 of 0");
    REFUSED(add_model, m.operands[2].lifetime = HY_LIFETIME_TEMPORARY,
            "ADD: input 2 is not constant");
    REFUSED(add_model, m.operands[1].lifetime = HY_LIFETIME_NO_VALUE, "ADD: input 1 is left out");

    REFUSED(fc_model, m.operands[1].lifetime = HY_LIFETIME_TEMPORARY,
            "FULLY_CONNECTED: weights and bias must be constant");
    REFUSED(fc_model, (m.dims[1][0] = DEPTH, m.dims[1][1] = UNITS),
            "FULLY_CONNECTED: the shapes of input, weights [19, 5] and bias [5] do not match");
    REFUSED(fc_model, m.operands[0].rank = 1,
            "FULLY_CONNECTED: input, weights and bias have ranks");
    REFUSED(fc_model, m.operands[0].scale = 1e30f, "FULLY_CONNECTED: the scales of input");

    REFUSED(softmax_model, set_i32(&m, 2, 3), "SOFTMAX: the axis is 3 at rank 3");
    REFUSED(softmax_model, set_i32(&m, 1, 0), "SOFTMAX: beta is 0");
    REFUSED(softmax_model, set_i32(&m, 1, 0x7f800000), "SOFTMAX: beta is inf");
    REFUSED(softmax_model, (m.operands[0].scale = 3e38f, set_i32(&m, 1, 0x41200000)),
            "SOFTMAX: scale 3e+38 times beta 10 is too large");
    REFUSED(softmax_model, m.operands[3].scale = 1,
            "SOFTMAX: output 0 has scale 1, zero point -128");

    REFUSED(pool_model, m.operands[0].rank = 3, "AVERAGE_POOL_2D: input 0 has rank 3, needs 4");
    REFUSED(pool_model, set_i32(&m, 1, 3), "AVERAGE_POOL_2D: the padding scheme is 3");
    REFUSED(pool_model, set_i32(&m, 2, 0), "AVERAGE_POOL_2D: input 2 is 0, needs at least 1");
    REFUSED(pool_model, set_i32(&m, 4, -1), "AVERAGE_POOL_2D: input 4 is -1, needs at least 1");
    REFUSED(pool_model, (set_i32(&m, 1, 2), set_i32(&m, 4, 7)),
            "AVERAGE_POOL_2D: pads 0 and 0, a filter span of 7 and size 6 do not fit");
    REFUSED(pool_model, m.dims[7][1] = 4, "AVERAGE_POOL_2D: extent 1 of output 0 is 4, needs 3");
    REFUSED(pool_model, m.operands[7].zero_point = 6, "AVERAGE_POOL_2D: scale and zero point");
#undef REFUSED
    sample_fixture_finish(&fixture);
}
