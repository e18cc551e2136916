#include "libhalyard/lower/byte_table.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

#include <math.h>

/*
 * TensorFlow Lite chooses the box with the lower index among those of equal scores. NNAPI exchanges
 * boxes while it chooses, and equal scores, which 8 bits have often, come in another order. Such
 * scores become keys without equals among the boxes: stored value * 2^15 + number of boxes - index,
 * which float32 holds exactly.
 */
enum { KEY_STEP = 1 << 15, MOST_CLASSES = 1 << 20 };

static bool has_keys(const struct hy_graph_tensor *scores)
{
    return hy_is_byte(scores) && scores->rank == 3 && scores->extents[1] > 0 &&
           scores->extents[1] < KEY_STEP;
}

static int32_t least_stored(const struct hy_graph_tensor *scores)
{
    return scores->element == HY_ELEMENT_INT8 ? -128 : 0;
}

/* The part of a key that distinguishes boxes, for all classes. */
static uint32_t box_ranks(struct hy_lowering *lowering, int32_t boxes)
{
    const uint32_t extents[] = {1, (uint32_t)boxes, 1};
    const struct hy_graph_tensor floats = {.element = HY_ELEMENT_FLOAT32};
    float *ranks = hy_scratch_memory(lowering, (uint64_t)boxes, sizeof *ranks);

    if (!ranks)
        return 0;
    for (int32_t i = 0; i < boxes; i++)
        ranks[i] = (float)(boxes - i);
    return hy_constant_operand_like(lowering, &floats, 3, extents, ranks,
                                    (size_t)boxes * sizeof *ranks);
}

static uint32_t keys_operand(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *scores = hy_input(lowering, 1);
    const struct hy_graph_tensor like = hy_real_like(scores);
    const float least = (float)least_stored(scores);

    uint32_t step = hy_stored_values_operand(lowering, 1);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_SUB, step, hy_number_operand(lowering, least),
                          &like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, step,
                          hy_number_operand(lowering, (float)KEY_STEP), &like);
    return hy_emit_binary(lowering, ANEURALNETWORKS_ADD, step,
                          box_ranks(lowering, scores->extents[1]), &like);
}

/* A number that the keys of all scores from the threshold on are above, and no others. */
static float key_threshold(struct hy_lowering *lowering, float threshold)
{
    const struct hy_graph_tensor *scores = hy_input(lowering, 1);
    const int32_t least = least_stored(scores);
    int32_t stored = least;

    while (stored < least + 256 &&
           hy_scale_of(scores) * (float)(stored - hy_byte_zero_point(lowering, scores)) < threshold)
        stored++;
    return (float)(stored - least) * (float)KEY_STEP;
}

/* The scores of keys; a key of 0 marks an unused entry, with score 0. */
static void emit_scores(struct hy_lowering *lowering, uint32_t keys)
{
    const struct hy_graph_tensor *scores = hy_input(lowering, 1), *like = hy_output(lowering, 2);
    const float origin = (float)(hy_byte_zero_point(lowering, scores) - least_stored(scores));
    const uint32_t zero = hy_number_operand(lowering, 0.0f);

    uint32_t step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, keys,
                                   hy_number_operand(lowering, 1.0f / (float)KEY_STEP), like);
    step = hy_emit_unary(lowering, ANEURALNETWORKS_FLOOR, step, like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_SUB, step, hy_number_operand(lowering, origin),
                          like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, step,
                          hy_number_operand(lowering, hy_scale_of(scores)), like);
    const uint32_t used = hy_emit_compare(lowering, ANEURALNETWORKS_GREATER, keys, zero, like);
    const uint32_t nothing = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, keys, zero, like);
    hy_push(lowering, used);
    hy_push(lowering, step);
    hy_push(lowering, nothing);
    hy_emit_to(lowering, ANEURALNETWORKS_SELECT, hy_output_operand(lowering, 2));
}

/* In NNAPI class 0 is the background: scores without a background get a column of zeros. */
static uint32_t with_background(struct hy_lowering *lowering, uint32_t scores, int32_t class_count)
{
    static const int32_t one_before_last[] = {0, 0, 0, 0, 1, 0};
    static const uint32_t extents[] = {3, 2};
    const struct hy_graph_tensor *like = hy_input(lowering, 1);
    const struct hy_graph_tensor numbers = {.element = HY_ELEMENT_INT32};
    struct hy_graph_tensor padded = hy_real_like(like);

    hy_expect(lowering,
              like->rank == 3 && class_count > 0 && class_count < MOST_CLASSES &&
                  (like->extents[2] == class_count || like->extents[2] == class_count + 1),
              "a number of scores other than the number of classes");
    if (lowering->code != HY_OK || like->extents[2] == class_count + 1)
        return scores;
    padded.extents[2]++;
    const uint32_t result = hy_temporary_operand(lowering, &padded);
    hy_push(lowering, scores);
    hy_push(lowering, hy_constant_operand_like(lowering, &numbers, 2, extents, one_before_last,
                                               sizeof one_before_last));
    hy_emit_to(lowering, ANEURALNETWORKS_PAD, result);
    return result;
}

/* NNAPI keeps scores above the threshold and drops overlaps from theirs on, TensorFlow Lite keeps
 * scores from the threshold on and drops overlaps above theirs: the next floats make up for it. */
static void push_options(struct hy_lowering *lowering, bool keyed)
{
    const struct hy_attributes_detection *attributes = &lowering->node->attributes.detection;
    const float threshold = fmaxf(attributes->score_threshold, 0.0f);

    hy_push_float(lowering, attributes->y_scale);
    hy_push_float(lowering, attributes->x_scale);
    hy_push_float(lowering, attributes->h_scale);
    hy_push_float(lowering, attributes->w_scale);
    hy_push_bool(lowering, attributes->use_regular_nms);
    hy_push_int(lowering, attributes->max_detections);
    hy_push_int(lowering, attributes->max_classes_per_detection);
    hy_push_int(lowering, attributes->detections_per_class);
    hy_push_float(lowering, keyed ? key_threshold(lowering, attributes->score_threshold)
                                  : nextafterf(threshold, 0.0f));
    hy_push_float(lowering, nextafterf(attributes->iou_threshold, INFINITY));
    hy_push_bool(lowering, false); /* classes without the background */
}

static void expect_options(struct hy_lowering *lowering)
{
    const struct hy_attributes_detection *attributes = &lowering->node->attributes.detection;

    hy_expect(lowering, !attributes->use_regular_nms || attributes->max_classes_per_detection == 1,
              "regular suppression with several classes per detection");
    hy_expect(lowering, attributes->max_classes_per_detection <= attributes->class_count,
              "a number of classes per detection above the number of classes");
}

/* TensorFlow Lite counts boxes, NNAPI a box once for each of its classes. */
static void emit_count(struct hy_lowering *lowering, uint32_t count,
                       const struct hy_graph_tensor *like)
{
    const int32_t each = lowering->node->attributes.detection.max_classes_per_detection;

    if (each > 1)
        count = hy_emit_binary(lowering, ANEURALNETWORKS_DIV, count,
                               hy_integer_operand(lowering, each), like);
    hy_push(lowering, count);
    hy_emit_to(lowering, ANEURALNETWORKS_CAST, hy_output_operand(lowering, 3));
}

/* NNAPI gives scores, boxes, classes and count, the last two as integers. */
void hy_lower_detection_postprocess(struct hy_lowering *lowering)
{
    const bool keyed = has_keys(hy_input(lowering, 1));
    const uint32_t boxes = hy_real_operand(lowering, 0);
    const uint32_t anchors = hy_real_operand(lowering, 2);
    uint32_t scores = keyed ? keys_operand(lowering) : hy_real_operand(lowering, 1);
    struct hy_graph_tensor classes_like = *hy_output(lowering, 1);
    struct hy_graph_tensor count_like = *hy_output(lowering, 3);

    expect_options(lowering);
    scores = with_background(lowering, scores, lowering->node->attributes.detection.class_count);
    classes_like.element = count_like.element = HY_ELEMENT_INT32;
    const uint32_t found = keyed ? hy_temporary_operand(lowering, hy_output(lowering, 2))
                                 : hy_output_operand(lowering, 2);
    const uint32_t outputs[] = {found, hy_output_operand(lowering, 0),
                                hy_temporary_operand(lowering, &classes_like),
                                hy_temporary_operand(lowering, &count_like)};
    hy_push(lowering, scores);
    hy_push(lowering, boxes);
    hy_push(lowering, anchors);
    push_options(lowering, keyed);
    hy_emit_to_list(lowering, ANEURALNETWORKS_DETECTION_POSTPROCESSING, outputs, 4);
    if (keyed)
        emit_scores(lowering, found);
    hy_push(lowering, outputs[2]);
    hy_emit_to(lowering, ANEURALNETWORKS_CAST, hy_output_operand(lowering, 1));
    emit_count(lowering, outputs[3], &count_like);
}
