#include "libhalyard/tflite/tflite_custom.h"

#include <string.h>

#include "libhalyard/tflite/flatbuffer.h"
#include "libhalyard/tflite/metadata/flexbuffer.h"
#include "libhalyard/tflite/tflite_foreign.h"

static enum hy_code foreign(const struct hy_tflite_operator *operator_, struct hy_graph_node *node)
{
    node->operator_ = HY_OPERATOR_FOREIGN;
    node->attributes.foreign = (struct hy_attributes_foreign){
        .name = operator_->custom_name,
        .reason = hy_tflite_foreign_reason(operator_->code, operator_->custom_name)};
    return HY_OK;
}

/* MediaPipe's TRANSPOSE_CONV, which tells its output's shape by its window. Options: the numbers of
 * TensorFlow Lite's TfLitePadding (1: SAME, 2: VALID), stride along the width, along the height. */
static enum hy_code convolution_2d_transpose_bias(const struct hy_tflite_operator *operator_,
                                                  struct hy_graph *graph,
                                                  struct hy_graph_node *node, struct hy_error *err)
{
    const uint8_t *options = operator_->custom_options;
    if (operator_->custom_bytes < 12 || node->input_count < 3)
        return foreign(operator_, node);

    uint32_t *inputs = hy_arena_alloc(&graph->arena, 4 * sizeof *inputs);
    if (!inputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "inputs of operator %u", node->origin);
    inputs[0] = HY_NO_TENSOR;
    inputs[1] = node->inputs[1];
    inputs[2] = node->inputs[0];
    inputs[3] = node->inputs[2];
    node->inputs = inputs;
    node->input_count = 4;
    node->operator_ = HY_OPERATOR_TRANSPOSE_CONV_2D;
    node->attributes.conv = (struct hy_attributes_conv){
        .padding = hy_load_u32(options) == 1 ? HY_PADDING_SAME : HY_PADDING_VALID,
        .stride_width = (int32_t)hy_load_u32(options + 4),
        .stride_height = (int32_t)hy_load_u32(options + 8),
        .dilation_width = 1,
        .dilation_height = 1,
    };
    return HY_OK;
}

static int32_t whole(const struct hy_flex_map *map, const char *key, int32_t absent)
{
    const double number = hy_flex_map_number(map, key, absent);
    return number >= INT32_MIN && number <= INT32_MAX ? (int32_t)number : absent;
}

static float real(const struct hy_flex_map *map, const char *key)
{
    return (float)hy_flex_map_number(map, key, 0);
}

static enum hy_code detection_postprocess(const struct hy_tflite_operator *operator_,
                                          struct hy_graph *graph, struct hy_graph_node *node,
                                          struct hy_error *err)
{
    struct hy_flex_map map;
    (void)graph;
    (void)err;
    if (!operator_->custom_options ||
        !hy_flex_map_open(operator_->custom_options, operator_->custom_bytes, &map))
        return foreign(operator_, node);
    node->operator_ = HY_OPERATOR_DETECTION_POSTPROCESS;
    node->attributes.detection = (struct hy_attributes_detection){
        .y_scale = real(&map, "y_scale"),
        .x_scale = real(&map, "x_scale"),
        .h_scale = real(&map, "h_scale"),
        .w_scale = real(&map, "w_scale"),
        .score_threshold = real(&map, "nms_score_threshold"),
        .iou_threshold = real(&map, "nms_iou_threshold"),
        .max_detections = whole(&map, "max_detections", 0),
        .max_classes_per_detection = whole(&map, "max_classes_per_detection", 0),
        .detections_per_class = whole(&map, "detections_per_class", 100),
        .class_count = whole(&map, "num_classes", 0),
        .use_regular_nms = hy_flex_map_number(&map, "use_regular_nms", 0) != 0,
    };
    return HY_OK;
}

enum hy_code hy_tflite_custom_node(const struct hy_tflite_operator *operator_,
                                   struct hy_graph *graph, struct hy_graph_node *node,
                                   struct hy_error *err)
{
    static const struct {
        const char *name;
        enum hy_code (*translate)(const struct hy_tflite_operator *operator_,
                                  struct hy_graph *graph, struct hy_graph_node *node,
                                  struct hy_error *err);
    } known[] = {
        {"Convolution2DTransposeBias", convolution_2d_transpose_bias},
        {"TFLite_Detection_PostProcess", detection_postprocess},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(operator_->custom_name, known[i].name) == 0)
            return known[i].translate(operator_, graph, node, err);
    }
    return foreign(operator_, node);
}
