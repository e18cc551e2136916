#include "tests/unit/tools/kit/flex_writer.h"
#include "tests/unit/tools/operators/op_builder.h"

/* TFLite_Detection_PostProcess: boxes around anchors, with scores of few values where they have 8
 * bits, so that many are equal. */

enum { OPTION_COUNT = 11, OPTION_CAPACITY = 512 };

static struct hy_flex_option whole(const char *key, int32_t value)
{
    return (struct hy_flex_option){.key = key, .kind = HY_FLEX_WHOLE, .number = value};
}

static struct hy_flex_option real(const char *key, float value)
{
    return (struct hy_flex_option){.key = key, .kind = HY_FLEX_REAL, .number = (double)value};
}

/* TensorFlow Lite leaves what is not used unwritten: there are more boxes than it may find. Classes
 * of equal scores, of one box or of all boxes after regular suppression, have no order that is a
 * definition: 8 bits have one class per box. */
void hy_op_detection(struct hy_op_builder *op_builder)
{
    const int32_t boxes = hy_op_between(op_builder, 40, 60),
                  classes = hy_op_between(op_builder, 1, 4);
    const int32_t most = hy_op_between(op_builder, 1, 5);
    const bool has_equals = op_builder->type != HY_TFLITE_FLOAT32;
    const bool regular = !has_equals && hy_op_pick(op_builder, 2);
    const int32_t each = has_equals || regular ? 1 : hy_op_between(op_builder, 1, classes);
    const int32_t detections = most * each;
    const struct hy_flex_option options[OPTION_COUNT] = {
        whole("detections_per_class", hy_op_between(op_builder, 5, 12)),
        real("h_scale", 5.0f),
        whole("max_classes_per_detection", each),
        whole("max_detections", most),
        real("nms_iou_threshold", hy_op_real(op_builder, 0.6f, 0.95f)),
        real("nms_score_threshold", hy_op_real(op_builder, -0.5f, 0.1f)),
        whole("num_classes", classes),
        {.key = "use_regular_nms", .kind = HY_FLEX_BOOL, .number = regular},
        real("w_scale", 5.0f),
        real("x_scale", 10.0f),
        real("y_scale", 10.0f),
    };
    struct hy_op_tensor codes =
        hy_op_of(op_builder, HY_TFLITE_FLOAT32, 3, (const int32_t[]){1, boxes, 4});
    struct hy_op_tensor scores =
        hy_op_of(op_builder, op_builder->type, 3, (const int32_t[]){1, boxes, classes + 1});
    struct hy_op_tensor anchors =
        hy_op_of(op_builder, HY_TFLITE_FLOAT32, 2, (const int32_t[]){boxes, 4});
    uint8_t *map = hy_op_memory(op_builder, OPTION_CAPACITY);

    codes.low = -2.0f;
    codes.high = 2.0f;
    scores = hy_op_scaled(&scores, 1.0f / 16, 0);
    scores.low = 0.01f;
    scores.high = scores.type == HY_TFLITE_FLOAT32 ? 1.0f : 15.0f;
    anchors.low = 0.2f;
    anchors.high = 0.8f;
    hy_op_input(op_builder, &codes);
    hy_op_input(op_builder, &scores);
    hy_op_constant(op_builder, &anchors);
    hy_op_custom(op_builder, "TFLite_Detection_PostProcess", map,
                 hy_flex_write(map, OPTION_CAPACITY, options, OPTION_COUNT));
    codes = hy_op_shaped(&codes, 3, (const int32_t[]){1, detections, 4});
    hy_op_output(op_builder, &codes);
    codes = hy_op_shaped(&codes, 2, (const int32_t[]){1, detections});
    hy_op_output(op_builder, &codes);
    hy_op_output(op_builder, &codes);
    codes = hy_op_shaped(&codes, 1, (const int32_t[]){1});
    hy_op_output(op_builder, &codes);
}
