#include "tests/unit/tools/kit/tflite_samples.h"

#include "tests/unit/tools/kit/flex_writer.h"
#include "tests/unit/tools/kit/tflite_builder.h"

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
    const int32_t condition =
        hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "choice", .type = HY_TFLITE_BOOL});
    const int32_t in = hy_builder_tensor(b, &vector);
    const int32_t out = hy_builder_tensor(b, &vector);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_IF,
                                                         .input_count = 2,
                                                         .inputs = {condition, in},
                                                         .output_count = 1,
                                                         .outputs = {out},
                                                         .options_kind = HY_TFLITE_OPTIONS_IF,
                                                         .option_count = 2,
                                                         .options = {{0, 4, 1}, {1, 4, 2}}});
    hy_builder_input(b, condition);
    hy_builder_input(b, in);
    hy_builder_output(b, out);
    hy_builder_subgraph(b);
    add_unary_body(b, HY_TFLITE_OP_GELU, NULL);
    hy_builder_subgraph(b);
    add_unary_body(b, HY_TFLITE_OP_CUSTOM, "Twice");
    return hy_builder_finish(b, length);
}

/* ---- A loop over a variable ------------------------------------------------------------------ */

static int32_t add_scalar(struct hy_builder *b, int type, const void *data)
{
    return hy_builder_tensor(b,
                             &(struct hy_builder_tensor){
                                 .name = "s", .type = type, .data = data, .bytes = data ? 4 : 0});
}

static int32_t add_handle(struct hy_builder *b)
{
    const int32_t handle = add_scalar(b, HY_TFLITE_RESOURCE, NULL);
    hy_builder_operator(b,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_VAR_HANDLE,
                                                      .output_count = 1,
                                                      .outputs = {handle},
                                                      .options_kind = HY_TFLITE_OPTIONS_VAR_HANDLE,
                                                      .text = "sum"});
    return handle;
}

static int32_t add_read(struct hy_builder *b, int32_t handle)
{
    const int32_t contents = add_scalar(b, HY_TFLITE_FLOAT32, NULL);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_READ_VARIABLE,
                                                         .input_count = 1,
                                                         .inputs = {handle},
                                                         .output_count = 1,
                                                         .outputs = {contents}});
    return contents;
}

static void add_assignment(struct hy_builder *b, int32_t handle, int32_t contents)
{
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ASSIGN_VARIABLE,
                                                         .input_count = 2,
                                                         .inputs = {handle, contents}});
}

static int32_t add_binary(struct hy_builder *b, int op, int32_t left, int32_t right, int type)
{
    const int32_t result = add_scalar(b, type, NULL);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = op,
                                                         .input_count = 2,
                                                         .inputs = {left, right},
                                                         .output_count = 1,
                                                         .outputs = {result}});
    return result;
}

/* A sub-graph of a count, a handle and a number; returns the first of the three. */
static int32_t start_loop_subgraph(struct hy_builder *b)
{
    static const int types[] = {HY_TFLITE_INT32, HY_TFLITE_RESOURCE, HY_TFLITE_FLOAT32};
    int32_t first = 0;
    hy_builder_subgraph(b);
    for (int i = 0; i < 3; i++) {
        const int32_t input = add_scalar(b, types[i], NULL);
        hy_builder_input(b, input);
        first = i == 0 ? input : first;
    }
    return first;
}

static void add_loop_bodies(struct hy_builder *b)
{
    static const int32_t limit = 3, one = 1;
    int32_t count = start_loop_subgraph(b);
    hy_builder_output(b, add_binary(b, HY_TFLITE_OP_LESS, count,
                                    add_scalar(b, HY_TFLITE_INT32, &limit), HY_TFLITE_BOOL));
    count = start_loop_subgraph(b);
    const int32_t handle = count + 1, x = count + 2;
    add_assignment(b, handle,
                   add_binary(b, HY_TFLITE_OP_ADD, add_read(b, handle), x, HY_TFLITE_FLOAT32));
    hy_builder_output(b, add_binary(b, HY_TFLITE_OP_ADD, count,
                                    add_scalar(b, HY_TFLITE_INT32, &one), HY_TFLITE_INT32));
    hy_builder_output(b, handle);
    hy_builder_output(b, x);
}

static void add_loop(struct hy_builder *b)
{
    static const int32_t zero = 0;
    const int32_t x = add_scalar(b, HY_TFLITE_FLOAT32, NULL);
    hy_builder_operator(b, &(struct hy_builder_operator){
                               .op = HY_TFLITE_OP_CALL_ONCE,
                               .options_kind = HY_TFLITE_OPTIONS_CALL_ONCE,
                               .option_count = 1,
                               .options = {{0, 4, 3}},
                           });
    const int32_t handle = add_handle(b), start = add_scalar(b, HY_TFLITE_INT32, &zero);
    const int32_t count = add_scalar(b, HY_TFLITE_INT32, NULL),
                  same = add_scalar(b, HY_TFLITE_RESOURCE, NULL),
                  after = add_scalar(b, HY_TFLITE_FLOAT32, NULL);
    hy_builder_operator(b, &(struct hy_builder_operator){
                               .op = HY_TFLITE_OP_WHILE,
                               .input_count = 3,
                               .inputs = {start, handle, x},
                               .output_count = 3,
                               .outputs = {count, same, after},
                               .options_kind = HY_TFLITE_OPTIONS_WHILE,
                               .option_count = 2,
                               .options = {{0, 4, 1}, {1, 4, 2}},
                           });
    hy_builder_input(b, x);
    hy_builder_output(b, add_read(b, same));
    hy_builder_signature(b, &(struct hy_builder_signature){.key = "add",
                                                           .input_names = {"x"},
                                                           .inputs = {(uint32_t)x},
                                                           .output_names = {"count"},
                                                           .outputs = {(uint32_t)count}});
    hy_builder_signature(b, &(struct hy_builder_signature){.key = "begin", .subgraph = 3});
}

uint8_t *hy_sample_loop(size_t *length)
{
    struct hy_builder *b = hy_builder_create();
    add_loop(b);
    add_loop_bodies(b);
    hy_builder_subgraph(b);
    add_assignment(b, add_handle(b), add_scalar(b, HY_TFLITE_FLOAT32, &half));
    return hy_builder_finish(b, length);
}

static void add_custom(struct hy_builder *b, const char *name, const void *options, uint32_t bytes,
                       int32_t first, int32_t second, int32_t out)
{
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_CUSTOM,
                                                         .version = 2,
                                                         .custom_name = name,
                                                         .custom_options = options,
                                                         .custom_bytes = bytes,
                                                         .input_count = second < 0 ? 1 : 2,
                                                         .inputs = {first, second},
                                                         .output_count = 1,
                                                         .outputs = {out}});
}

uint8_t *hy_sample_landmarks(size_t *length)
{
    static const int32_t subset[] = {0, 2, 3};
    static const struct hy_flex_option box[] = {
        {.key = "left_rotation_idx", .kind = HY_FLEX_WHOLE, .number = 0},
        {.key = "output_height", .kind = HY_FLEX_WHOLE, .number = 4},
        {.key = "output_width", .kind = HY_FLEX_WHOLE, .number = 6},
        {.key = "right_rotation_idx", .kind = HY_FLEX_WHOLE, .number = 1},
        {.key = "scale_x", .kind = HY_FLEX_REAL, .number = 1.5},
        {.key = "scale_y", .kind = HY_FLEX_REAL, .number = 1.5},
        {.key = "subset_idxs", .kind = HY_FLEX_INTS, .count = 3, .ints = subset},
        {.key = "target_rotation_radians", .kind = HY_FLEX_REAL, .number = 0},
    };
    uint8_t options[512];
    const uint32_t bytes = hy_flex_write(options, sizeof options, box, 8);
    const struct hy_builder_tensor points = {.name = "points", .rank = 3, .dims = {1, 4, 3}};
    struct hy_builder *b = hy_builder_create();
    const int32_t image = hy_builder_tensor(
        b, &(struct hy_builder_tensor){.name = "image", .rank = 4, .dims = {1, 9, 9, 2}});
    const int32_t landmarks = hy_builder_tensor(b, &points), moved = hy_builder_tensor(b, &points);
    const int32_t matrix = hy_builder_tensor(
        b, &(struct hy_builder_tensor){.name = "matrix", .rank = 3, .dims = {1, 4, 4}});
    const int32_t crop = hy_builder_tensor(
        b, &(struct hy_builder_tensor){.name = "crop", .rank = 4, .dims = {1, 4, 6, 2}});

    add_custom(b, "Landmarks2TransformMatrix", options, bytes, landmarks, -1, matrix);
    add_custom(b, "TransformTensorBilinear", options, bytes, image, matrix, crop);
    add_custom(b, "TransformLandmarks", NULL, 0, landmarks, matrix, moved);
    hy_builder_input(b, image);
    hy_builder_input(b, landmarks);
    hy_builder_output(b, crop);
    hy_builder_output(b, moved);
    return hy_builder_finish(b, length);
}
