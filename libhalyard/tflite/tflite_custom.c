#include "libhalyard/tflite/tflite_custom.h"

#include <string.h>

#include "libhalyard/tflite/tflite_foreign.h"
#include "libhalyard/tflite/tflite_mediapipe.h"

/* The interpreter's defaults: 100 detections per class, and the fast suppression. */
static void detection_postprocess(struct hy_custom_options *options, uint32_t version,
                                  struct hy_graph_node *node)
{
    (void)version;
    hy_custom_open_map(options);
    node->operator_ = HY_OPERATOR_DETECTION_POSTPROCESS;
    node->attributes.detection = (struct hy_attributes_detection){
        .y_scale = hy_custom_real(options, "y_scale"),
        .x_scale = hy_custom_real(options, "x_scale"),
        .h_scale = hy_custom_real(options, "h_scale"),
        .w_scale = hy_custom_real(options, "w_scale"),
        .score_threshold = hy_custom_bound(options, "nms_score_threshold"),
        .iou_threshold = hy_custom_real(options, "nms_iou_threshold"),
        .max_detections = hy_custom_whole(options, "max_detections", 1, INT32_MAX),
        .max_classes_per_detection =
            hy_custom_whole(options, "max_classes_per_detection", 1, INT32_MAX),
        .detections_per_class = hy_custom_has(options, "detections_per_class")
                                    ? hy_custom_whole(options, "detections_per_class", 1, INT32_MAX)
                                    : 100,
        .class_count = hy_custom_whole(options, "num_classes", 1, INT32_MAX),
        .use_regular_nms = hy_custom_has(options, "use_regular_nms") &&
                           hy_custom_whole(options, "use_regular_nms", 0, 1) != 0,
    };
}

static const struct known {
    const char *name;
    uint32_t newest; /* version */
    hy_tflite_translate_custom *translate;
} known[] = {
    {"Convolution2DTransposeBias", 1, hy_tflite_convolution_2d_transpose_bias},
    {"Landmarks2TransformMatrix", 2, hy_tflite_landmarks_to_transform_matrix},
    {"MaxPoolingWithArgmax2D", 1, hy_tflite_max_pooling_with_argmax_2d},
    {"MaxUnpooling2D", 1, hy_tflite_max_unpooling_2d},
    {"TFLite_Detection_PostProcess", 1, detection_postprocess},
    {"TransformLandmarks", 2, hy_tflite_transform_landmarks},
    {"TransformTensorBilinear", 2, hy_tflite_transform_tensor_bilinear},
};

static const struct known *find(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0)
            return &known[i];
    }
    return NULL;
}

static void set_foreign(const struct hy_tflite_operator *operator_, const char *reason,
                        struct hy_graph_node *node)
{
    node->operator_ = HY_OPERATOR_FOREIGN;
    node->attributes.foreign =
        (struct hy_attributes_foreign){.name = operator_->custom_name, .reason = reason};
}

enum hy_code hy_tflite_custom_node(const struct hy_tflite_operator *operator_,
                                   struct hy_graph *graph, struct hy_graph_node *node,
                                   struct hy_error *err)
{
    const struct known *row = find(operator_->custom_name);
    struct hy_custom_options options = hy_custom_options_of(operator_, &graph->arena, err);

    if (!row) {
        set_foreign(operator_, hy_tflite_foreign_reason(operator_->code, operator_->custom_name),
                    node);
        return HY_OK;
    }
    if (operator_->version > row->newest)
        hy_custom_refuse(&options,
                         "version %u of the operator is not known, the newest known is %u",
                         operator_->version, row->newest);
    row->translate(&options, operator_->version, node);
    if (options.code == HY_OK && options.fault)
        set_foreign(operator_, options.fault, node);
    return options.code;
}
