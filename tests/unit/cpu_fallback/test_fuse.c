#include <android/NeuralNetworksTypes.h>
#include <math.h>
#include <stdbool.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/cpu_prepared.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_fixture.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/*
 * What one operation does of another one's work: PAD, convolution, RELU on the fast device, where
 * one operation is left of them, from its cache files, and on the reference, which takes them as
 * they are.
 */
#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define U8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define S8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

#define BYTES  8192u /* of any tensor here */
#define HEIGHT 7u
#define WIDTH  9u
#define DEPTH  4u

enum { EXPLICIT, SAME, VALID };

struct chain {
    int32_t type;   /* of the image */
    int32_t conv;   /* CONV_2D, DEPTHWISE_CONV_2D or GROUPED_CONV_2D */
    int32_t pad;    /* PAD or PAD_V2 */
    int32_t relu;   /* RELU, RELU1 or RELU6 */
    int32_t scheme; /* of the convolution's own padding */
    bool nchw;
    float padding; /* of PAD_V2, for floats */
    uint32_t more; /* rows of zeros on top */
    uint32_t gone; /* operations that the fast device has no need to run */
};

static struct hy_builder_type image_type(const struct chain *chain, uint32_t height, uint32_t width,
                                         uint32_t depth)
{
    struct hy_builder_type type = {.type = chain->type, .rank = 4};

    if (chain->type != F32) {
        type.scale = 0.5f;
        type.zero_point = chain->type == U8 ? 120 : -9;
    }
    memcpy(type.dims,
           chain->nchw ? (const uint32_t[]){1, depth, height, width}
                       : (const uint32_t[]){1, height, width, depth},
           4 * sizeof *type.dims);
    return type;
}

/* Strides of 2: the sizes of what comes out follow from the scheme. */
static struct hy_builder_type result_type(const struct chain *chain)
{
    return chain->scheme == VALID ? image_type(chain, 3 + chain->more / 2, 5, 8)
                                  : image_type(chain, 4 + chain->more / 2, 6, 8);
}

/* Reals in [-1, 1), or bytes. */
static void fill(int32_t type, uint32_t seed, uint32_t count, void *out)
{
    float numbers[BYTES / sizeof(float)];

    hy_sample_numbers(seed, count, numbers);
    for (uint32_t i = 0; i < count; i++) {
        if (type == F32)
            ((float *)out)[i] = 4 * numbers[i];
        else
            ((uint8_t *)out)[i] = (uint8_t)(int)(numbers[i] * 127);
    }
}

static uint32_t add_weights(struct hy_builder *builder, const struct chain *chain)
{
    const bool is_depthwise = chain->conv == HY_OP_DEPTHWISE_CONV_2D;
    const uint32_t depth = chain->conv == HY_OP_GROUPED_CONV_2D ? DEPTH / 2 : DEPTH;
    struct hy_builder_type type = {.type = chain->type, .rank = 4};
    uint8_t bytes[BYTES];

    memcpy(type.dims,
           is_depthwise ? (const uint32_t[]){1, 3, 3, 8} : (const uint32_t[]){8, 3, 3, depth},
           4 * sizeof *type.dims);
    if (chain->type != F32) {
        type.scale = 0.25f;
        type.zero_point = chain->type == U8 ? 130 : 0;
    }
    const uint32_t count = type.dims[0] * 9 * type.dims[3];
    fill(chain->type, 5, count, bytes);
    return hy_builder_constant(builder, &type, bytes, chain->type == F32 ? 4 * count : count);
}

static uint32_t add_bias(struct hy_builder *builder, const struct chain *chain)
{
    const struct hy_builder_type real = {.type = F32, .rank = 1, .dims = {8}};
    const struct hy_builder_type fixed = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .scale = 0.125f, .rank = 1, .dims = {8}};
    const float via_float[8] = {1, -1, 2, -2, 0.5f, 0, 3, 4};
    const int32_t integers[8] = {100, -100, 20, 0, 999, -3, 1, 7};

    return chain->type == F32 ? hy_builder_constant(builder, &real, via_float, sizeof via_float)
                              : hy_builder_constant(builder, &fixed, integers, sizeof integers);
}

static uint32_t add_pad(struct hy_builder *builder, const struct chain *chain, uint32_t image)
{
    const struct hy_builder_type type = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .rank = 2, .dims = {4, 2}};
    const struct hy_builder_type padded =
        image_type(chain, HEIGHT + 1 + chain->more, WIDTH + 2, DEPTH);
    int32_t pads[8] = {0, 0, 1 + (int32_t)chain->more, 0, 1, 1, 0, 0};

    if (chain->nchw)
        memcpy(pads, (const int32_t[8]){0, 0, 0, 0, 1, 0, 1, 1}, sizeof pads);
    uint32_t inputs[3] = {image, hy_builder_constant(builder, &type, pads, sizeof pads)};
    if (chain->pad == HY_OP_PAD_V2)
        inputs[2] = chain->type == F32 ? hy_builder_float(builder, chain->padding)
                                       : hy_builder_int(builder, padded.zero_point);
    const uint32_t out = hy_builder_temporary(builder, &padded);
    hy_builder_operation(builder, chain->pad, chain->pad == HY_OP_PAD_V2 ? 3 : 2, inputs, 1, &out);
    return out;
}

static uint32_t add_conv(struct hy_builder *builder, const struct chain *chain, uint32_t image)
{
    const struct hy_builder_type type = result_type(chain);
    uint32_t inputs[16], count = 0;

    inputs[count++] = image;
    inputs[count++] = add_weights(builder, chain);
    inputs[count++] = add_bias(builder, chain);
    if (chain->scheme == EXPLICIT)
        for (int32_t i = 0; i < 4; i++) /* left, right, top, bottom */
            inputs[count++] = hy_builder_int(builder, i < 2 ? 1 : i - 2);
    else
        inputs[count++] = hy_builder_int(builder, chain->scheme);
    inputs[count++] = hy_builder_int(builder, 2);
    inputs[count++] = hy_builder_int(builder, 2);
    if (chain->conv != HY_OP_CONV_2D)
        inputs[count++] = hy_builder_int(builder, 2); /* the multiplier, or groups */
    inputs[count++] = hy_builder_int(builder, 0);
    if (chain->nchw || chain->conv == HY_OP_GROUPED_CONV_2D)
        inputs[count++] = hy_builder_bool(builder, chain->nchw);
    const uint32_t out = hy_builder_temporary(builder, &type);
    hy_builder_operation(builder, chain->conv, count, inputs, 1, &out);
    return out;
}

static void build(struct hy_builder *builder, const struct chain *chain)
{
    const struct hy_builder_type in = image_type(chain, HEIGHT, WIDTH, DEPTH);
    const struct hy_builder_type out = result_type(chain);
    const uint32_t image = hy_builder_input(builder, &in);
    const uint32_t filtered = add_conv(builder, chain, add_pad(builder, chain, image));
    const uint32_t result = hy_builder_output(builder, &out);

    hy_builder_operation(builder, chain->relu, 1, &filtered, 1, &result);
}

/* The bytes that come out. */
static uint32_t run(struct hy_runner *runner, const struct chain *chain, uint8_t *out)
{
    const uint32_t size = chain->type == F32 ? 4 : 1;
    const struct hy_builder_type result = result_type(chain);
    const uint32_t *dims = result.dims, count = dims[1] * dims[2] * dims[3] * size;
    static uint8_t in[BYTES];

    fill(chain->type, 77, HEIGHT * WIDTH * DEPTH, in);
    memset(out, 0xaa, BYTES);
    hy_runner_clear(runner);
    hy_runner_input(runner, in, HEIGHT * WIDTH * DEPTH * size, 0, NULL);
    hy_runner_output(runner, out, count, 0, NULL);
    EXPECT_INT(hy_runner_execute(runner), HY_STATUS_OK);
    return count;
}

static bool is_close(const struct chain *chain, const uint8_t *a, const uint8_t *b, uint32_t count)
{
    if (chain->type != F32)
        return memcmp(a, b, count) == 0;
    for (uint32_t i = 0; i < count / 4; i++)
        if (!(fabsf(((const float *)a)[i] - ((const float *)b)[i]) < 1e-4f))
            return false;
    return true;
}

static void check(const struct chain *chain)
{
    _Alignas(float) static uint8_t expected[BYTES], fused[BYTES], restored[BYTES];
    struct hy_cache_fixture fixture;
    uint32_t count = 0;

    hy_cache_fixture_open(&fixture, HY_CACHE_REFERENCE);
    build(&fixture.builder, chain);
    EXPECT_INT(hy_runner_prepare(&fixture.runner, hy_builder_model(&fixture.builder)),
               HY_STATUS_OK);
    if (fixture.runner.prepared) {
        EXPECT_INT(hy_cpu_prepared_stats(fixture.runner.prepared).dropped, 0);
        count = run(&fixture.runner, chain, expected);
    }
    hy_cache_fixture_close(&fixture);

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    build(&fixture.builder, chain);
    const int32_t status = hy_cache_fixture_prepare(&fixture);
    EXPECT_STR(fixture.runner.message, "");
    REQUIRE(status == HY_STATUS_OK);
    EXPECT_INT(hy_cpu_prepared_stats(fixture.runner.prepared).dropped, chain->gone);
    run(&fixture.runner, chain, fused);
    hy_builder_finish(&fixture.builder);
    REQUIRE(hy_cache_host_restore(&fixture.runner) == HY_STATUS_OK);
    EXPECT_INT(hy_cpu_prepared_stats(fixture.runner.prepared).dropped, chain->gone);
    run(&fixture.runner, chain, restored);
    hy_cache_fixture_close(&fixture);

    EXPECT(is_close(chain, fused, expected, count));
    EXPECT(memcmp(fused, restored, count) == 0);
}

TEST(fuse, a_convolution_takes_the_pad_before_it_and_the_activation_behind_it)
{
    static const int32_t types[] = {F32, U8, S8}, pads[] = {HY_OP_PAD, HY_OP_PAD_V2};
    static const int32_t convs[] = {HY_OP_CONV_2D, HY_OP_DEPTHWISE_CONV_2D, HY_OP_GROUPED_CONV_2D};
    static const int32_t relus[] = {HY_OP_RELU, HY_OP_RELU1, HY_OP_RELU6};

    for (uint32_t i = 0; i < 3 * 3 * 3 * 2 * 2; i++) {
        const struct chain chain = {.type = types[i % 3],
                                    .conv = convs[i / 3 % 3],
                                    .scheme = (int32_t)(i / 9 % 3),
                                    .nchw = i / 27 % 2,
                                    .pad = pads[i / 54 % 2],
                                    .relu = relus[(i + i / 3 + i / 9) % 3],
                                    .gone = 2};
        check(&chain);
    }
}

TEST(fuse, other_numbers_than_zero_are_padded_apart)
{
    check(&(struct chain){.type = F32,
                          .conv = HY_OP_CONV_2D,
                          .scheme = VALID,
                          .pad = HY_OP_PAD_V2,
                          .padding = 1,
                          .relu = HY_OP_RELU,
                          .gone = 1});
}

TEST(fuse, more_zeros_than_a_convolution_may_have_are_padded_apart)
{
    for (uint32_t more = 0; more <= 4; more += 2)
        check(&(struct chain){.type = U8,
                              .conv = HY_OP_CONV_2D,
                              .scheme = VALID,
                              .pad = HY_OP_PAD,
                              .relu = HY_OP_RELU,
                              .more = more,
                              .gone = more == 0 ? 2 : 1});
}

/* ---- Activations ----------------------------------------------------------------------------- */

static const struct hy_builder_type vector = {F32, 0, 0, 1, {4}};

/* A prepared model that is run once on the fast device. */
static void expect_vector(struct hy_builder *builder, uint32_t gone, uint32_t outputs,
                          const float expected[][4])
{
    static const float in[4] = {-3, -0.5f, 0.5f, 5};
    float out[2][4] = {{0}};
    struct hy_runner runner;

    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(builder)), HY_STATUS_OK);
    EXPECT_INT(hy_cpu_prepared_stats(runner.prepared).dropped, gone);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    for (uint32_t i = 0; i < outputs; i++)
        hy_runner_output(&runner, out[i], sizeof out[i], 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    for (uint32_t i = 0; i < outputs; i++)
        EXPECT(memcmp(out[i], expected[i], sizeof out[i]) == 0);
    hy_runner_close(&runner);
    hy_builder_finish(builder);
}

TEST(fuse, an_activation_goes_into_the_sum_before_it)
{
    static const float expected[1][4] = {{0, 0, 1, 6}};
    struct hy_builder builder;

    hy_builder_init(&builder);
    const uint32_t x = hy_builder_input(&builder, &vector);
    const uint32_t sum = hy_builder_temporary(&builder, &vector);
    const uint32_t out = hy_builder_output(&builder, &vector);
    const uint32_t none = hy_builder_int(&builder, 0);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){x, x, none}, 1, &sum);
    hy_builder_operation(&builder, HY_OP_RELU6, 1, &sum, 1, &out);
    expect_vector(&builder, 1, 1, expected);
}

TEST(fuse, of_two_activations_in_a_row_the_first_goes)
{
    static const float expected[1][4] = {{0, 0, 1, 1}};
    struct hy_builder builder;

    hy_builder_init(&builder);
    const uint32_t x = hy_builder_input(&builder, &vector);
    const uint32_t sum = hy_builder_temporary(&builder, &vector);
    const uint32_t between = hy_builder_temporary(&builder, &vector);
    const uint32_t out = hy_builder_output(&builder, &vector);
    const uint32_t none = hy_builder_int(&builder, 0);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){x, x, none}, 1, &sum);
    hy_builder_operation(&builder, HY_OP_RELU, 1, &sum, 1, &between);
    hy_builder_operation(&builder, HY_OP_RELU1, 1, &between, 1, &out);
    expect_vector(&builder, 1, 1, expected);
}

TEST(fuse, what_others_read_as_well_stays_as_it_is)
{
    static const float expected[2][4] = {{0, 0, 1, 10}, {-9, -1.5f, 1.5f, 15}};
    struct hy_builder builder;

    hy_builder_init(&builder);
    const uint32_t x = hy_builder_input(&builder, &vector);
    const uint32_t sum = hy_builder_temporary(&builder, &vector);
    const uint32_t cut = hy_builder_output(&builder, &vector);
    const uint32_t more = hy_builder_output(&builder, &vector);
    const uint32_t none = hy_builder_int(&builder, 0);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){x, x, none}, 1, &sum);
    hy_builder_operation(&builder, HY_OP_RELU, 1, &sum, 1, &cut);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){sum, x, none}, 1, &more);
    expect_vector(&builder, 0, 2, expected);
}

TEST(fuse, an_output_of_the_model_stays_as_it_is)
{
    static const float expected[2][4] = {{-6, -1, 1, 10}, {0, 0, 1, 10}};
    struct hy_builder builder;

    hy_builder_init(&builder);
    const uint32_t x = hy_builder_input(&builder, &vector);
    const uint32_t sum = hy_builder_output(&builder, &vector);
    const uint32_t cut = hy_builder_output(&builder, &vector);
    const uint32_t none = hy_builder_int(&builder, 0);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){x, x, none}, 1, &sum);
    hy_builder_operation(&builder, HY_OP_RELU, 1, &sum, 1, &cut);
    expect_vector(&builder, 0, 2, expected);
}
