/*
 * Where NNAPI defines an operation otherwise than TensorFlow Lite: one small model of each
 * difference, the result of both CPU devices, and TensorFlow Lite's where HALYARD_TFLITE names its
 * library. docs/numerics.md lists these tests by name.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "bench/inference.h"
#include "bench/peers/tflite_peer.h"
#include "tests/kit/test.h"
#include "tests/unit/tools/kit/tflite_builder.h"

enum { MOST_TENSORS = 8, MOST_BYTES = 256 };

static const char *const devices[] = {"halyard-cpu", "nnapi-reference"};

struct tensor {
    enum hy_tflite_type type;
    uint32_t rank;
    int32_t dims[4];
    float scale; /* 0: not quantised */
    int64_t zero_point;
};

struct model {
    struct hy_builder *builder;
    struct hy_builder_operator operator_;
    float scales[MOST_TENSORS];
    int64_t zero_points[MOST_TENSORS];
    uint32_t tensor_count;
    const void *inputs[MOST_TENSORS]; /* data of the model's inputs */
    uint32_t input_count;
    struct tensor output; /* the last one that was added, which is compared */
    uint32_t output_count;
};

static void begin(struct model *model, enum hy_tflite_op op)
{
    *model = (struct model){.builder = hy_builder_create(), .operator_ = {.op = (int)op}};
}

static size_t element_count(const struct tensor *tensor)
{
    size_t count = 1;

    for (uint32_t i = 0; i < tensor->rank; i++)
        count *= (size_t)tensor->dims[i];
    return count;
}

static size_t byte_count(const struct tensor *tensor)
{
    return element_count(tensor) * hy_tflite_type_bits(tensor->type) / 8;
}

static int32_t add(struct model *model, const struct tensor *tensor, const void *constant)
{
    const uint32_t at = model->tensor_count++;
    struct hy_builder_tensor built = {
        .name = "t", .type = (int)tensor->type, .rank = tensor->rank, .data = constant};

    memcpy(built.dims, tensor->dims, sizeof tensor->dims);
    if (constant)
        built.bytes = (uint32_t)byte_count(tensor);
    if (tensor->scale > 0) {
        model->scales[at] = tensor->scale;
        model->zero_points[at] = tensor->zero_point;
        built.scale_count = built.zero_point_count = 1;
        built.scales = &model->scales[at];
        built.zero_points = &model->zero_points[at];
    }
    return hy_builder_tensor(model->builder, &built);
}

static void add_input(struct model *model, struct tensor tensor, const void *data)
{
    const int32_t index = add(model, &tensor, NULL);

    model->operator_.inputs[model->operator_.input_count++] = index;
    hy_builder_input(model->builder, index);
    model->inputs[model->input_count++] = data;
}

static void add_constant(struct model *model, struct tensor tensor, const void *data)
{
    model->operator_.inputs[model->operator_.input_count++] = add(model, &tensor, data);
}

static void add_output(struct model *model, struct tensor tensor)
{
    const int32_t index = add(model, &tensor, NULL);

    model->operator_.outputs[model->operator_.output_count++] = index;
    hy_builder_output(model->builder, index);
    model->output = tensor;
    model->output_count++;
}

static void add_option(struct model *model, enum hy_tflite_options_kind kind, unsigned slot,
                       unsigned size, uint64_t value)
{
    model->operator_.options_kind = kind;
    model->operator_.options[model->operator_.option_count++] =
        (struct hy_fbw_field){slot, size, value};
}

/* ---- Results --------------------------------------------------------------------------------- */

static double element(const struct tensor *tensor, const void *data, size_t index)
{
    switch (tensor->type) {
    case HY_TFLITE_FLOAT32:
        return ((const float *)data)[index];
    case HY_TFLITE_INT32:
        return ((const int32_t *)data)[index];
    case HY_TFLITE_INT8:
        return ((const int8_t *)data)[index];
    default:
        return ((const uint8_t *)data)[index];
    }
}

static void expect_elements(const struct tensor *tensor, const char *who, const void *want,
                            const void *got)
{
    for (size_t i = 0; i < element_count(tensor); i++) {
        const double a = element(tensor, want, i), b = element(tensor, got, i);
        if (a == b || (isnan(a) && isnan(b)))
            hy_test_pass(__FILE__, __LINE__);
        else
            hy_test_fail(__FILE__, __LINE__, "%s: element %zu is %.9g, expected %.9g", who, i, b,
                         a);
    }
}

static void expect_here(const struct model *model, const char *device, const uint8_t *bytes,
                        size_t length, const void *want)
{
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    const struct hy_inference_options options = {.device = device};
    enum hy_code code = hy_inference_create(bytes, length, &options, &inference, &err);

    for (uint32_t i = 0; code == HY_OK && i < model->input_count; i++)
        memcpy(hy_inference_input(inference, i), model->inputs[i],
               hy_inference_input_tensor(inference, i)->bytes);
    if (code == HY_OK)
        code = hy_inference_run(inference, HY_INFERENCE_SYNC, &err);
    if (code == HY_OK)
        expect_elements(&model->output, device, want,
                        hy_inference_output(inference, model->output_count - 1));
    else
        hy_test_fail(__FILE__, __LINE__, "%s: %s", device, err.text);
    hy_inference_destroy(inference);
}

static void expect_there(const struct model *model, const char *library, const uint8_t *bytes,
                         size_t length, const void *want)
{
    struct hy_tflite_peer *peer = NULL;
    struct hy_error err = {0};
    size_t size;
    enum hy_code code =
        hy_tflite_peer_open_bytes(library, bytes, length, HY_TFLITE_BUILT_IN, &peer, &err);

    for (uint32_t i = 0; code == HY_OK && i < model->input_count; i++) {
        void *input = hy_tflite_peer_input(peer, (int)i, &size);
        memcpy(input, model->inputs[i], size);
    }
    if (code == HY_OK)
        code = hy_tflite_peer_run(peer, &err);
    if (code == HY_OK)
        expect_elements(&model->output, "TensorFlow Lite", want,
                        hy_tflite_peer_output(peer, (int)model->output_count - 1, &size));
    else
        hy_test_fail(__FILE__, __LINE__, "TensorFlow Lite: %s", err.text);
    hy_tflite_peer_close(peer);
}

/* Finishes the model and runs it; not there if `there` is NULL. */
static void expect(struct model *model, const void *here, const void *there)
{
    const char *library = getenv("HALYARD_TFLITE");
    size_t length;

    hy_builder_operator(model->builder, &model->operator_);
    uint8_t *bytes = hy_builder_finish(model->builder, &length);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        expect_here(model, devices[i], bytes, length, here);
    if (library && there)
        expect_there(model, library, bytes, length, there);
    free(bytes);
}

/* ---- Models ---------------------------------------------------------------------------------- */

static struct tensor list_of(enum hy_tflite_type type, int32_t count)
{
    return (struct tensor){.type = type, .rank = 1, .dims = {count}};
}

static struct tensor bytes_of(enum hy_tflite_type type, int32_t count, float scale)
{
    struct tensor tensor = list_of(type, count);

    tensor.scale = scale;
    return tensor;
}

static struct tensor image_of(int32_t height, int32_t width, int32_t channels)
{
    return (struct tensor){
        .type = HY_TFLITE_FLOAT32, .rank = 4, .dims = {1, height, width, channels}};
}

static void begin_unary(struct model *model, enum hy_tflite_op op, struct tensor in, const void *x,
                        struct tensor out)
{
    begin(model, op);
    add_input(model, in, x);
    add_output(model, out);
}

static void begin_binary(struct model *model, enum hy_tflite_op op, struct tensor a, const void *x,
                         struct tensor b, const void *y, struct tensor out)
{
    begin(model, op);
    add_input(model, a, x);
    add_input(model, b, y);
    add_output(model, out);
}

static void activate(struct model *model, enum hy_tflite_options_kind kind, unsigned slot,
                     int activation)
{
    add_option(model, kind, slot, 1, (uint64_t)activation);
}

/* ---- Whole numbers --------------------------------------------------------------------------- */

/* FLOOR_DIV of a file is the operation DIV; DIV of a file is composed to round towards zero. */
TEST(definitions, div_of_int32_rounds_down)
{
    static const int32_t a[] = {-7, 7, 7, -7, -6}, b[] = {2, -2, 2, -2, 2};
    static const int32_t down[] = {-4, -4, 3, 3, -3}, to_zero[] = {-3, -3, 3, 3, -3};
    const struct tensor list = list_of(HY_TFLITE_INT32, 5);
    struct model model;

    begin_binary(&model, HY_TFLITE_OP_FLOOR_DIV, list, a, list, b, list);
    expect(&model, down, down);
    begin_binary(&model, HY_TFLITE_OP_DIV, list, a, list, b, list);
    activate(&model, HY_TFLITE_OPTIONS_DIV, 0, HY_TFLITE_ACTIVATION_NONE);
    expect(&model, to_zero, to_zero);
}

/* TensorFlow Lite logs an error, divides, and ends with the process. */
TEST(definitions, div_of_int32_by_zero_is_zero)
{
    static const int32_t a[] = {7, -7}, b[] = {0, 2};
    const struct tensor list = list_of(HY_TFLITE_INT32, 2);
    struct model model;

    begin_binary(&model, HY_TFLITE_OP_FLOOR_DIV, list, a, list, b, list);
    expect(&model, (int32_t[]){0, -4}, NULL);
}

static void begin_cast(struct model *model, const float *numbers, int32_t count,
                       enum hy_tflite_type type)
{
    begin_unary(model, HY_TFLITE_OP_CAST, list_of(HY_TFLITE_FLOAT32, count), numbers,
                list_of(type, count));
    add_option(model, HY_TFLITE_OPTIONS_CAST, 0, 1, HY_TFLITE_FLOAT32);
    add_option(model, HY_TFLITE_OPTIONS_CAST, 1, 1, type);
}

/* TensorFlow Lite leaves to the processor what does not fit: these are x86-64's results. */
TEST(definitions, cast_saturates)
{
    static const float numbers[] = {300, -1, 3e9f, INFINITY, -INFINITY, NAN};
    struct model model;

    begin_cast(&model, numbers, 6, HY_TFLITE_UINT8);
    expect(&model, (uint8_t[]){255, 0, 255, 255, 0, 0}, (uint8_t[]){44, 255, 0, 0, 0, 0});
    begin_cast(&model, numbers, 6, HY_TFLITE_INT32);
    expect(&model, (int32_t[]){300, -1, INT32_MAX, INT32_MAX, INT32_MIN, 0},
           (int32_t[]){300, -1, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN});
}

TEST(definitions, quantize_keeps_what_is_too_large_largest)
{
    static const float numbers[] = {100, 3e9f, INFINITY, NAN, -3e9f};
    struct model model;

    begin_unary(&model, HY_TFLITE_OP_QUANTIZE, list_of(HY_TFLITE_FLOAT32, 5), numbers,
                bytes_of(HY_TFLITE_UINT8, 5, 1));
    expect(&model, (uint8_t[]){100, 255, 255, 255, 0}, (uint8_t[]){100, 0, 0, 0, 0});
    begin_unary(&model, HY_TFLITE_OP_QUANTIZE, list_of(HY_TFLITE_FLOAT32, 5), numbers,
                bytes_of(HY_TFLITE_INT8, 5, 1));
    expect(&model, (int8_t[]){100, 127, 127, 127, -128}, (int8_t[]){100, -128, -128, -128, -128});
}

/* ---- Infinity and NaN ------------------------------------------------------------------------ */

static const float largest = 3.40282346638528859812e+38f;

static const struct arithmetic {
    enum hy_tflite_op op;
    enum hy_tflite_options_kind options;
} arithmetic[] = {
    {HY_TFLITE_OP_ADD, HY_TFLITE_OPTIONS_ADD},
    {HY_TFLITE_OP_SUB, HY_TFLITE_OPTIONS_SUB},
    {HY_TFLITE_OP_MUL, HY_TFLITE_OPTIONS_MUL},
    {HY_TFLITE_OP_DIV, HY_TFLITE_OPTIONS_DIV},
};

TEST(definitions, arithmetic_without_an_activation_keeps_infinities)
{
    static const float a[] = {INFINITY, -INFINITY}, b[] = {2, 2};
    const struct tensor list = list_of(HY_TFLITE_FLOAT32, 2);
    struct model model;

    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
        begin_binary(&model, arithmetic[i].op, list, a, list, b, list);
        activate(&model, arithmetic[i].options, 0, HY_TFLITE_ACTIVATION_NONE);
        expect(&model, a, (float[]){largest, -largest});
    }
}

TEST(definitions, pools_without_an_activation_keep_infinities)
{
    static const enum hy_tflite_op ops[] = {HY_TFLITE_OP_AVERAGE_POOL_2D, HY_TFLITE_OP_L2_POOL_2D,
                                            HY_TFLITE_OP_MAX_POOL_2D};
    static const float in[] = {INFINITY};
    struct model model;

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        begin_unary(&model, ops[i], image_of(1, 1, 1), in, image_of(1, 1, 1));
        for (unsigned slot = 1; slot <= 4; slot++)
            add_option(&model, HY_TFLITE_OPTIONS_POOL_2D, slot, 4, 1);
        activate(&model, HY_TFLITE_OPTIONS_POOL_2D, 5, HY_TFLITE_ACTIVATION_NONE);
        expect(&model, in, &largest);
    }
}

static void begin_conv(struct model *model, bool is_depthwise, const float *in, int activation)
{
    static const float one[] = {1}, zero[] = {0};

    begin(model, is_depthwise ? HY_TFLITE_OP_DEPTHWISE_CONV_2D : HY_TFLITE_OP_CONV_2D);
    add_input(model, image_of(1, 1, 1), in);
    add_constant(model, image_of(1, 1, 1), one);
    add_constant(model, list_of(HY_TFLITE_FLOAT32, 1), zero);
    add_output(model, image_of(1, 1, 1));
    const enum hy_tflite_options_kind kind =
        is_depthwise ? HY_TFLITE_OPTIONS_DEPTHWISE_CONV_2D : HY_TFLITE_OPTIONS_CONV_2D;
    add_option(model, kind, 1, 4, 1);
    add_option(model, kind, 2, 4, 1);
    if (is_depthwise)
        add_option(model, kind, 3, 4, 1);
    activate(model, kind, is_depthwise ? 4 : 3, activation);
}

static void begin_fully_connected(struct model *model, const float *in)
{
    static const float one[] = {1}, zero[] = {0};
    const struct tensor matrix = {.type = HY_TFLITE_FLOAT32, .rank = 2, .dims = {1, 1}};

    begin(model, HY_TFLITE_OP_FULLY_CONNECTED);
    add_input(model, matrix, in);
    add_constant(model, matrix, one);
    add_constant(model, list_of(HY_TFLITE_FLOAT32, 1), zero);
    add_output(model, matrix);
    activate(model, HY_TFLITE_OPTIONS_FULLY_CONNECTED, 0, HY_TFLITE_ACTIVATION_NONE);
}

TEST(definitions, sums_of_products_without_an_activation_keep_infinities)
{
    static const float in[] = {INFINITY};
    struct model model;

    begin_conv(&model, false, in, HY_TFLITE_ACTIVATION_NONE);
    expect(&model, in, &largest);
    begin_conv(&model, true, in, HY_TFLITE_ACTIVATION_NONE);
    expect(&model, in, &largest);
    begin_fully_connected(&model, in);
    expect(&model, in, &largest);
}

TEST(definitions, relu6_keeps_nan)
{
    static const float in[] = {NAN};
    const struct tensor list = list_of(HY_TFLITE_FLOAT32, 1);
    struct model model;

    begin_unary(&model, HY_TFLITE_OP_RELU6, list, in, list);
    expect(&model, in, (float[]){0});
}

TEST(definitions, depthwise_convolution_keeps_nan)
{
    static const float in[] = {NAN};
    struct model model;

    begin_conv(&model, true, in, HY_TFLITE_ACTIVATION_RELU6);
    expect(&model, in, (float[]){6});
}

TEST(definitions, maximum_and_minimum_keep_nan_of_the_first_and_ignore_that_of_the_second)
{
    static const float a[] = {NAN, 1}, b[] = {1, NAN};
    const struct tensor list = list_of(HY_TFLITE_FLOAT32, 2);
    struct model model;

    begin_binary(&model, HY_TFLITE_OP_MAXIMUM, list, a, list, b, list);
    expect(&model, a, b);
    begin_binary(&model, HY_TFLITE_OP_MINIMUM, list, a, list, b, list);
    expect(&model, a, b);
}

static void begin_reduction(struct model *model, enum hy_tflite_op op, const float *in,
                            int32_t count)
{
    static const int32_t axis[] = {1};

    begin(model, op);
    add_input(model, (struct tensor){.type = HY_TFLITE_FLOAT32, .rank = 2, .dims = {1, count}}, in);
    add_constant(model, list_of(HY_TFLITE_INT32, 1), axis);
    add_output(model, list_of(HY_TFLITE_FLOAT32, 1));
    add_option(model, HY_TFLITE_OPTIONS_REDUCER, 0, 1, false);
}

TEST(definitions, reduce_max_and_reduce_min_of_infinities_are_infinite)
{
    static const float low[] = {-INFINITY, -INFINITY}, high[] = {INFINITY, INFINITY};
    struct model model;

    begin_reduction(&model, HY_TFLITE_OP_REDUCE_MAX, low, 2);
    expect(&model, low, (float[]){-largest});
    begin_reduction(&model, HY_TFLITE_OP_REDUCE_MIN, high, 2);
    expect(&model, high, &largest);
}

TEST(definitions, reduce_prod_takes_zero_times_anything_for_zero)
{
    static const float infinite[] = {0, INFINITY}, none[] = {NAN, 0};
    struct model model;

    begin_reduction(&model, HY_TFLITE_OP_REDUCE_PROD, infinite, 2);
    expect(&model, (float[]){0}, (float[]){NAN});
    begin_reduction(&model, HY_TFLITE_OP_REDUCE_PROD, none, 2);
    expect(&model, (float[]){0}, (float[]){NAN});
}

/* ---- Sums and products in double ------------------------------------------------------------- */

TEST(definitions, reduce_prod_may_pass_the_largest_float_on_its_way)
{
    static const float numbers[] = {0x1p100f, 0x1p100f, 0x1p-100f};
    struct model model;

    begin_reduction(&model, HY_TFLITE_OP_REDUCE_PROD, numbers, 3);
    expect(&model, numbers, (float[]){INFINITY});
}

TEST(definitions, l2_normalization_holds_squares_beyond_the_largest_float)
{
    static const float numbers[] = {-0x1p100f, 0};
    struct model model;

    begin_unary(&model, HY_TFLITE_OP_L2_NORMALIZATION, image_of(1, 1, 2), numbers,
                image_of(1, 1, 2));
    activate(&model, HY_TFLITE_OPTIONS_L2_NORM, 0, HY_TFLITE_ACTIVATION_NONE);
    expect(&model, (float[]){-1, 0}, (float[]){0, 0});
}

static uint64_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* TensorFlow Lite adds what enters the window and subtracts what leaves it. */
TEST(definitions, local_response_normalization_sums_each_window_anew)
{
    static const float numbers[] = {0x1p40f, 1, 1, 1};
    struct model model;

    begin_unary(&model, HY_TFLITE_OP_LOCAL_RESPONSE_NORMALIZATION, image_of(1, 1, 4), numbers,
                image_of(1, 1, 4));
    add_option(&model, HY_TFLITE_OPTIONS_LOCAL_RESPONSE_NORMALIZATION, 0, 4, 1);
    add_option(&model, HY_TFLITE_OPTIONS_LOCAL_RESPONSE_NORMALIZATION, 1, 4, bits_of(1));
    add_option(&model, HY_TFLITE_OPTIONS_LOCAL_RESPONSE_NORMALIZATION, 2, 4, bits_of(1));
    add_option(&model, HY_TFLITE_OPTIONS_LOCAL_RESPONSE_NORMALIZATION, 3, 4, bits_of(1));
    expect(&model, (float[]){0x1p-40f, 0x1p-80f, 0.25f, 1 / 3.0f},
           (float[]){0x1p-40f, 0x1p-80f, 0.5f, 1});
}

TEST(definitions, pow_takes_an_exponent_as_it_is)
{
    static const float base[] = {1024, 1024}, exponent[] = {2.000005f};
    const struct tensor list = list_of(HY_TFLITE_FLOAT32, 2), one = list_of(HY_TFLITE_FLOAT32, 1);
    const float power = powf(1024, 2.000005f);
    struct model model;

    begin_binary(&model, HY_TFLITE_OP_POW, list, base, one, exponent, list);
    expect(&model, (float[]){power, power}, (float[]){0x1p20f, 0x1p20f});
}

/* ---- 8 bits ---------------------------------------------------------------------------------- */

static const enum hy_tflite_type byte_types[] = {HY_TFLITE_UINT8, HY_TFLITE_INT8};

enum { BYTE_TYPES = 2 };

/* The quotient of product and output's scale: in double here, in float32 there. */
TEST(definitions, mul_and_prelu_of_bytes_divide_scales_in_double)
{
    static const uint8_t u8_a[] = {94}, u8_b[] = {111}, s8_x[] = {(uint8_t)-94};
    static const uint8_t u8_slope[] = {0}, s8_slope[] = {(uint8_t)-111};
    static const float a_scale = 0x1.2063b6p-5f, b_scale = 0x1.05cff4p-4f;
    static const float out_scale = 0x1.270204p-2f;
    struct model model;

    for (int i = 0; i < BYTE_TYPES; i++) {
        const bool is_signed = byte_types[i] == HY_TFLITE_INT8;
        struct tensor a = bytes_of(byte_types[i], 1, a_scale);
        struct tensor b = bytes_of(byte_types[i], 1, b_scale);
        const struct tensor out = bytes_of(byte_types[i], 1, out_scale);
        begin_binary(&model, HY_TFLITE_OP_MUL, a, u8_a, b, u8_b, out);
        activate(&model, HY_TFLITE_OPTIONS_MUL, 0, HY_TFLITE_ACTIVATION_NONE);
        expect(&model, (uint8_t[]){82}, (uint8_t[]){81});

        /* -94 times -111 */
        a.zero_point = is_signed ? 0 : 94;
        b.zero_point = is_signed ? 0 : 111;
        begin(&model, HY_TFLITE_OP_PRELU);
        add_input(&model, a, is_signed ? s8_x : u8_slope);
        add_constant(&model, b, is_signed ? s8_slope : u8_slope);
        add_output(&model, out);
        expect(&model, (uint8_t[]){82}, (uint8_t[]){81});
    }
}

/* 128 * 7 / sqrt(410) is 44.25; half of it is rounded first: 89 halves. */
TEST(definitions, l2_normalization_of_int8_rounds_twice)
{
    static const int8_t numbers[] = {7, 19};
    struct tensor in = image_of(1, 1, 2), out = in;
    struct model model;

    in.type = out.type = HY_TFLITE_INT8;
    in.scale = 1;
    out.scale = 1 / 128.0f;
    begin_unary(&model, HY_TFLITE_OP_L2_NORMALIZATION, in, numbers, out);
    activate(&model, HY_TFLITE_OPTIONS_L2_NORM, 0, HY_TFLITE_ACTIVATION_NONE);
    expect(&model, (int8_t[]){45, 120}, (int8_t[]){44, 120});
}

/* Weights have 24 bits here, 10 bits there. */
TEST(definitions, resize_bilinear_of_int8_is_the_nearest_step)
{
    static const int8_t numbers[] = {-128, 127, -128, 127, -128};
    static const int32_t size[] = {1, 11};
    struct tensor in = image_of(1, 5, 1), out = image_of(1, 11, 1);
    struct model model;

    in.type = out.type = HY_TFLITE_INT8;
    in.scale = out.scale = 1;
    begin(&model, HY_TFLITE_OP_RESIZE_BILINEAR);
    add_input(&model, in, numbers);
    add_constant(&model, list_of(HY_TFLITE_INT32, 2), size);
    add_output(&model, out);
    add_option(&model, HY_TFLITE_OPTIONS_RESIZE_BILINEAR, 2, 1, false);
    expect(&model, (int8_t[]){-128, -12, 104, 34, -82, -58, 57, 81, -35, -128, -128},
           (int8_t[]){-128, -12, 104, 35, -81, -59, 57, 81, -34, -128, -128});
}
