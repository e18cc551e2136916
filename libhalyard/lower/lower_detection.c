#include "libhalyard/lower/families.h"

#include <math.h>

/* An operand of float32 or int32 with the shape of an output, which CAST or nothing leads to. */
static uint32_t int_like(struct hy_lowering *lowering, const struct hy_graph_tensor *output)
{
    struct hy_graph_tensor like = *output;
    like.element = HY_ELEMENT_INT32;
    return hy_temporary_operand(lowering, &like);
}

/* NNAPI gives scores, boxes, classes and count, the last two as integers. */
void hy_lower_detection_postprocess(struct hy_lowering *lowering)
{
    const struct hy_attributes_detection *attributes = &lowering->node->attributes.detection;
    const uint32_t boxes = hy_real_operand(lowering, 0);
    const uint32_t scores = hy_real_operand(lowering, 1);
    const uint32_t anchors = hy_real_operand(lowering, 2);
    const struct hy_graph_tensor *class_scores = hy_input(lowering, 1);

    hy_expect(lowering,
              class_scores->rank == 3 && class_scores->extents[2] == attributes->class_count + 1,
              "scores without a background");
    const uint32_t classes = int_like(lowering, hy_output(lowering, 1));
    const uint32_t count = int_like(lowering, hy_output(lowering, 3));
    hy_push(lowering, scores);
    hy_push(lowering, boxes);
    hy_push(lowering, anchors);
    hy_push_float(lowering, attributes->y_scale);
    hy_push_float(lowering, attributes->x_scale);
    hy_push_float(lowering, attributes->h_scale);
    hy_push_float(lowering, attributes->w_scale);
    hy_push_bool(lowering, attributes->use_regular_nms);
    hy_push_int(lowering, attributes->max_detections);
    hy_push_int(lowering, attributes->max_classes_per_detection);
    hy_push_int(lowering, attributes->detections_per_class);
    hy_push_float(lowering, fmaxf(attributes->score_threshold, 0)); /* scores are 0 or more */
    hy_push_float(lowering, attributes->iou_threshold);
    hy_push_bool(lowering, false); /* classes without the background */
    const uint32_t outputs[] = {hy_output_operand(lowering, 2), hy_output_operand(lowering, 0),
                                classes, count};
    hy_emit_to_list(lowering, ANEURALNETWORKS_DETECTION_POSTPROCESSING, outputs, 4);
    hy_push(lowering, classes);
    hy_emit_to(lowering, ANEURALNETWORKS_CAST, hy_output_operand(lowering, 1));
    hy_push(lowering, count);
    hy_emit_to(lowering, ANEURALNETWORKS_CAST, hy_output_operand(lowering, 3));
}
