#include "libhalyard/tflite/tflite_mediapipe.h"

/* ---- Structs of TensorFlow Lite -------------------------------------------------------------- */

/* Numbers of TensorFlow Lite's TfLitePadding, and of TfLiteFusedActivation up to RELU6. */
enum { PADDING_SAME = 1, PADDING_VALID = 2, LAST_ACTIVATION = 3 };

static enum hy_padding padding_at(struct hy_custom_options *options, uint32_t index)
{
    const int32_t padding = hy_custom_field(options, index, "padding", PADDING_SAME, PADDING_VALID);
    return padding == PADDING_SAME ? HY_PADDING_SAME : HY_PADDING_VALID;
}

static int32_t size_at(struct hy_custom_options *options, uint32_t index, const char *name)
{
    return hy_custom_field(options, index, name, 1, INT32_MAX);
}

/* A TRANSPOSE_CONV whose output shape is derived from its window. Options: padding, strides. */
void hy_tflite_convolution_2d_transpose_bias(struct hy_custom_options *options, uint32_t version,
                                             struct hy_graph_node *node)
{
    (void)version;
    const struct hy_attributes_conv conv = {
        .padding = padding_at(options, 0),
        .stride_width = size_at(options, 1, "stride_width"),
        .stride_height = size_at(options, 2, "stride_height"),
        .dilation_width = 1,
        .dilation_height = 1,
    };
    if (node->input_count < 3) {
        hy_custom_refuse(options, "%u inputs, needs 3", node->input_count);
        return;
    }
    const uint32_t inputs[] = {HY_NO_TENSOR, node->inputs[1], node->inputs[0], node->inputs[2]};
    node->inputs = hy_custom_copy(options, inputs, 4);
    node->input_count = 4;
    node->operator_ = HY_OPERATOR_TRANSPOSE_CONV_2D;
    node->attributes.conv = conv;
}

/* TfLitePoolParams: padding, strides, filter, activation, and private members of the
 * interpreter. */
static struct hy_attributes_pool windows_of(struct hy_custom_options *options)
{
    return (struct hy_attributes_pool){
        .padding = padding_at(options, 0),
        .stride_width = size_at(options, 1, "stride_width"),
        .stride_height = size_at(options, 2, "stride_height"),
        .filter_width = size_at(options, 3, "filter_width"),
        .filter_height = size_at(options, 4, "filter_height"),
    };
}

void hy_tflite_max_pooling_with_argmax_2d(struct hy_custom_options *options, uint32_t version,
                                          struct hy_graph_node *node)
{
    static const enum hy_activation activations[] = {HY_ACTIVATION_NONE, HY_ACTIVATION_RELU,
                                                     HY_ACTIVATION_RELU1, HY_ACTIVATION_RELU6};

    (void)version;
    node->operator_ = HY_OPERATOR_MAX_POOL_WITH_ARGMAX_2D;
    node->attributes.pool = windows_of(options);
    node->attributes.pool.activation =
        activations[hy_custom_field(options, 5, "activation", 0, LAST_ACTIVATION)];
}

/* Neither padding nor activation changes the result. */
void hy_tflite_max_unpooling_2d(struct hy_custom_options *options, uint32_t version,
                                struct hy_graph_node *node)
{
    (void)version;
    node->operator_ = HY_OPERATOR_MAX_UNPOOL_2D;
    node->attributes.pool = windows_of(options);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

static int32_t size_of(struct hy_custom_options *options, const char *key)
{
    return hy_custom_whole(options, key, 1, INT32_MAX);
}

/* A factor of the size of a box. */
static float factor_of(struct hy_custom_options *options, const char *key)
{
    const float factor = hy_custom_real(options, key);

    if (!(factor > 0))
        hy_custom_refuse(options, "option %s is %g, must be above 0", key, (double)factor);
    return factor;
}

void hy_tflite_landmarks_to_transform_matrix(struct hy_custom_options *options, uint32_t version,
                                             struct hy_graph_node *node)
{
    struct hy_attributes_landmarks_matrix *matrix = &node->attributes.landmarks_matrix;

    if (version < 2)
        hy_custom_refuse(
            options, "version 1 of the operator has other options: only version 2 is supported");
    hy_custom_open_map(options);
    node->operator_ = HY_OPERATOR_LANDMARKS_TO_TRANSFORM_MATRIX;
    *matrix = (struct hy_attributes_landmarks_matrix){
        .left = hy_custom_whole(options, "left_rotation_idx", 0, INT32_MAX),
        .right = hy_custom_whole(options, "right_rotation_idx", 0, INT32_MAX),
        .rotation = hy_custom_real(options, "target_rotation_radians"),
        .width = size_of(options, "output_width"),
        .height = size_of(options, "output_height"),
        .scale_x = factor_of(options, "scale_x"),
        .scale_y = factor_of(options, "scale_y"),
    };
    matrix->count = hy_custom_wholes(options, "subset_idxs", 0, INT32_MAX, &matrix->subset);
}

/* Version 1 has options, version 2 landmarks of the last extent alone. */
void hy_tflite_transform_landmarks(struct hy_custom_options *options, uint32_t version,
                                   struct hy_graph_node *node)
{
    struct hy_attributes_transform_landmarks *transform = &node->attributes.transform_landmarks;

    node->operator_ = HY_OPERATOR_TRANSFORM_LANDMARKS;
    *transform = (struct hy_attributes_transform_landmarks){.scale = 1.0f};
    if (version > 1)
        return;
    hy_custom_open_map(options);
    transform->dimensions =
        hy_custom_has(options, "dimensions") ? hy_custom_whole(options, "dimensions", 2, 3) : 3;
    if (hy_custom_has(options, "scale"))
        transform->scale = hy_custom_real(options, "scale");
    if (transform->scale == 0)
        hy_custom_refuse(options, "option scale is 0");
}

/* Version 1 counts from the corners of pixels. */
void hy_tflite_transform_tensor_bilinear(struct hy_custom_options *options, uint32_t version,
                                         struct hy_graph_node *node)
{
    struct hy_attributes_transform_tensor *transform = &node->attributes.transform_tensor;
    const int32_t *size;

    hy_custom_open_map(options);
    node->operator_ = HY_OPERATOR_TRANSFORM_TENSOR_BILINEAR;
    *transform = (struct hy_attributes_transform_tensor){.half_pixel_centers = version > 1};
    if (version > 1) {
        transform->height = size_of(options, "output_height");
        transform->width = size_of(options, "output_width");
        return;
    }
    if (hy_custom_has(options, "mode"))
        hy_custom_expect_text(options, "mode", "bilinear");
    const uint32_t count = hy_custom_wholes(options, "output_size", 1, INT32_MAX, &size);
    if (count != 2) {
        hy_custom_refuse(options, "option output_size has %u numbers, needs 2", count);
        return;
    }
    transform->height = size[0];
    transform->width = size[1];
}
