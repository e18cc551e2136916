#include "tests/tools/tflite_samples.h"

#include "tests/tools/tflite_builder.h"

static const int8_t filter[2 * 3 * 3 * 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4, -5, -6};
static const int32_t bias[2] = {10, -10};
static const int8_t weights[3 * 8] = {3, 1, 4, 1, 5, 9, 2, 6};
static const float channel_scales[2] = {0.5F, 0.25F};
static const float half = 0.5F;
static const float unit = 1.0F / 256;
static const int64_t zeros[2];
static const int64_t lowest = -128;

static int32_t add_quantised(struct hy_builder *b, const char *name, const float *scale,
                             const int64_t *zero_point, struct hy_builder_tensor tensor)
{
    tensor.name = name;
    tensor.type = HY_TFLITE_INT8;
    tensor.scale_count = tensor.zero_point_count = 1;
    tensor.scales = scale;
    tensor.zero_points = zero_point;
    return hy_builder_tensor(b, &tensor);
}

static int32_t add_convolution(struct hy_builder *b, int32_t in)
{
    const int32_t filters =
        hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "conv/filter",
                                                         .type = HY_TFLITE_INT8,
                                                         .rank = 4,
                                                         .dims = {2, 3, 3, 1},
                                                         .data = filter,
                                                         .bytes = sizeof filter,
                                                         .scale_count = 2,
                                                         .scales = channel_scales,
                                                         .zero_point_count = 2,
                                                         .zero_points = zeros});
    const int32_t biases = hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "conv/bias",
                                                                            .type = HY_TFLITE_INT32,
                                                                            .rank = 1,
                                                                            .dims = {2},
                                                                            .data = bias,
                                                                            .bytes = sizeof bias});
    const int32_t out = add_quantised(b, "conv", &half, zeros,
                                      (struct hy_builder_tensor){.rank = 4, .dims = {1, 2, 2, 2}});
    hy_builder_operator(
        b, &(struct hy_builder_operator){
               .op = HY_TFLITE_OP_CONV_2D,
               .input_count = 3,
               .inputs = {in, filters, biases},
               .output_count = 1,
               .outputs = {out},
               .options_kind = HY_TFLITE_OPTIONS_CONV_2D,
               .option_count = 4,
               .options = {{0, 1, HY_TFLITE_PADDING_VALID}, {1, 4, 1}, {2, 4, 2}, {3, 1, 3}}});
    return out;
}

static int32_t add_reshape(struct hy_builder *b, int32_t in)
{
    static const int32_t shape[] = {1, 8};
    const int32_t out = add_quantised(b, "flat", &half, zeros,
                                      (struct hy_builder_tensor){.rank = 2, .dims = {1, 8}});
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RESHAPE,
                                                         .input_count = 1,
                                                         .inputs = {in},
                                                         .output_count = 1,
                                                         .outputs = {out},
                                                         .options_kind = HY_TFLITE_OPTIONS_RESHAPE,
                                                         .int_count = 2,
                                                         .ints = shape});
    return out;
}

static int32_t add_classifier(struct hy_builder *b, int32_t in)
{
    const struct hy_builder_tensor logits = {.rank = 2, .dims = {1, 3}};
    const int32_t matrix =
        add_quantised(b, "fc/weights", &half, zeros,
                      (struct hy_builder_tensor){
                          .rank = 2, .dims = {3, 8}, .data = weights, .bytes = sizeof weights});
    const int32_t fc = add_quantised(b, "fc", &half, zeros, logits);
    const int32_t out = add_quantised(b, "scores", &unit, &lowest, logits);
    hy_builder_operator(
        b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_FULLY_CONNECTED,
                                         .input_count = 3,
                                         .inputs = {in, matrix, -1},
                                         .output_count = 1,
                                         .outputs = {fc},
                                         .options_kind = HY_TFLITE_OPTIONS_FULLY_CONNECTED});
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_SOFTMAX,
                                                         .input_count = 1,
                                                         .inputs = {fc},
                                                         .output_count = 1,
                                                         .outputs = {out},
                                                         .options_kind = HY_TFLITE_OPTIONS_SOFTMAX,
                                                         .option_count = 1,
                                                         .options = {{0, 4, 0x3f800000}}});
    return out;
}

uint8_t *hy_sample_convolution(size_t *length)
{
    struct hy_builder *b = hy_builder_create();
    const int32_t in = add_quantised(b, "image", &half, &lowest,
                                     (struct hy_builder_tensor){.rank = 4, .dims = {1, 4, 6, 1}});
    hy_builder_input(b, in);
    hy_builder_output(b, add_classifier(b, add_reshape(b, add_convolution(b, in))));
    return hy_builder_finish(b, length);
}

/* A sub-graph of one operator from one float vector to another. */
static void add_unary_body(struct hy_builder *b, int op, const char *custom_name)
{
    const struct hy_builder_tensor vector = {
        .name = "v", .rank = 1, .dims = {1}, .signature_rank = 1, .signature = {-1}};
    const int32_t in = hy_builder_tensor(b, &vector);
    const int32_t out = hy_builder_tensor(b, &vector);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = op,
                                                         .custom_name = custom_name,
                                                         .input_count = 1,
                                                         .inputs = {in},
                                                         .output_count = 1,
                                                         .outputs = {out}});
    hy_builder_input(b, in);
    hy_builder_output(b, out);
}

uint8_t *hy_sample_branches(size_t *length)
{
    const struct hy_builder_tensor vector = {
        .name = "x", .rank = 1, .dims = {1}, .signature_rank = 1, .signature = {-1}};
    struct hy_builder *b = hy_builder_create();
    const int32_t choice =
        hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "choice", .type = HY_TFLITE_BOOL});
    const int32_t in = hy_builder_tensor(b, &vector);
    const int32_t out = hy_builder_tensor(b, &vector);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_IF,
                                                         .input_count = 2,
                                                         .inputs = {choice, in},
                                                         .output_count = 1,
                                                         .outputs = {out},
                                                         .options_kind = HY_TFLITE_OPTIONS_IF,
                                                         .option_count = 2,
                                                         .options = {{0, 4, 1}, {1, 4, 2}}});
    hy_builder_input(b, choice);
    hy_builder_input(b, in);
    hy_builder_output(b, out);
    hy_builder_subgraph(b);
    add_unary_body(b, HY_TFLITE_OP_GELU, NULL);
    hy_builder_subgraph(b);
    add_unary_body(b, HY_TFLITE_OP_CUSTOM, "Twice");
    return hy_builder_finish(b, length);
}
