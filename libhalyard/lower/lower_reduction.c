#include "libhalyard/graph/constant.h"
#include "libhalyard/lower/byte_table.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/fixed_point.h"
#include "libhalyard/lower/operations.h"

#include <math.h>

/* ---- One operation --------------------------------------------------------------------------- */

/* NNAPI has no reduction of int32: lower_integer_reduction.c composes one. */
void hy_lower_reduce(struct hy_lowering *lowering, int32_t type)
{
    if (hy_is_integer(hy_input(lowering, 0))) {
        hy_lower_integer_reduce(lowering, type);
        return;
    }
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_bool(lowering, lowering->node->attributes.reduce.keep_dimensions);
    hy_emit(lowering, type);
}

void hy_lower_with_scalar(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 1);
    hy_emit(lowering, type);
}

/* ---- Sums and means of 8 bits ---------------------------------------------------------------- */

static uint32_t push_reduction(struct hy_lowering *lowering, uint32_t from, int32_t type,
                               const struct hy_graph_tensor *like)
{
    const uint32_t result = hy_temporary_operand(lowering, like);
    hy_push(lowering, from);
    hy_push_input(lowering, 1);
    hy_push_bool(lowering, lowering->node->attributes.reduce.keep_dimensions);
    hy_emit_to(lowering, type, result);
    return result;
}

/* How many elements each sum has; 0 where only a run can tell. */
static uint32_t terms(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    int64_t axes[HY_GRAPH_MAX_RANK];
    const int64_t count = hy_constant_ints(hy_input(lowering, 1), axes, HY_GRAPH_MAX_RANK);
    bool is_taken[HY_GRAPH_MAX_RANK] = {false};
    uint64_t product = count >= 0;

    for (int64_t i = 0; i < count; i++) {
        const int64_t axis = axes[i] < 0 ? axes[i] + input->rank : axes[i];
        if (axis < 0 || axis >= input->rank || input->extents[axis] <= 0 ||
            product > UINT32_MAX / (uint32_t)input->extents[axis])
            return 0;
        product *= is_taken[axis] ? 1 : (uint32_t)input->extents[axis];
        is_taken[axis] = true;
    }
    return (uint32_t)product;
}

/* Sums of 65793 stored values and less are exact in float32, and what follows is what TensorFlow
 * Lite computes: for a mean the quotient, then one factor for both scales, and one sum for both
 * zero points. */
static void lower_byte_sum(struct hy_lowering *lowering, bool is_mean)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *output = hy_output(lowering, 0);
    const struct hy_graph_tensor like = hy_real_like(output);
    const uint32_t count = terms(lowering);
    const float factor = hy_scale_of(input) / hy_scale_of(output);
    const float offset = (float)-hy_byte_zero_point(lowering, input) * factor;

    hy_expect(lowering, count > 0, "a sum of elements that only a run can count, or of none");
    uint32_t step = hy_stored_values_operand(lowering, 0);
    step = push_reduction(lowering, step, ANEURALNETWORKS_REDUCE_SUM, &like);
    if (is_mean)
        step = hy_emit_binary(lowering, ANEURALNETWORKS_DIV, step,
                              hy_number_operand(lowering, (float)count), &like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, step, hy_number_operand(lowering, factor),
                          &like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, step,
                          hy_number_operand(lowering, is_mean ? offset : offset * (float)count),
                          &like);
    hy_emit_stored_values(lowering, step);
}

/* Means of whole images that keep their dimensions, [batch, height, width, channels], are integers
 * in TensorFlow Lite. A table has the result for each sum. */
enum {
    MOST_SUMS = 1 << 18,
    MOST_FACTOR = 1 << 12, /* sums in steps of the output fit 32 bits */
};

static bool is_image_mean(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    int64_t axes[HY_GRAPH_MAX_RANK];

    return hy_is_byte(input) && input->rank == 4 &&
           lowering->node->attributes.reduce.keep_dimensions &&
           hy_constant_ints(hy_input(lowering, 1), axes, HY_GRAPH_MAX_RANK) == 2 &&
           ((axes[0] == 1 && axes[1] == 2) || (axes[0] == 2 && axes[1] == 1)) &&
           terms(lowering) > 0 && terms(lowering) < MOST_SUMS / 256 &&
           hy_scale_of(input) / hy_scale_of(hy_output(lowering, 0)) < MOST_FACTOR;
}

struct mean {
    struct hy_multiplier multiplier;
    int32_t count; /* elements of a sum */
    int32_t zero_point, offset;
};

/* uint8: the sum of the stored values times one factor, and one offset, are rounded. */
static struct mean unsigned_mean(struct hy_lowering *lowering, const struct hy_graph_tensor *input,
                                 const struct hy_graph_tensor *output, uint32_t count)
{
    const float in_scale = hy_scale_of(input), out_scale = hy_scale_of(output);
    const float zero = (float)hy_byte_zero_point(lowering, input) * in_scale / out_scale;

    return (struct mean){.multiplier =
                             hy_multiplier_of((double)(in_scale / ((float)count * out_scale))),
                         .count = 1,
                         .offset = hy_byte_zero_point(lowering, output) - (int32_t)roundf(zero)};
}

/* int8: the sum in steps of the output is rounded, then the quotient. */
static struct mean signed_mean(struct hy_lowering *lowering, const struct hy_graph_tensor *input,
                               const struct hy_graph_tensor *output, uint32_t count)
{
    return (struct mean){
        .multiplier = hy_multiplier_of((double)hy_scale_of(input) / (double)hy_scale_of(output)),
        .count = (int32_t)count,
        .zero_point = hy_byte_zero_point(lowering, input),
        .offset = hy_byte_zero_point(lowering, output)};
}

static void fill_means(struct hy_lowering *lowering, uint32_t count, uint8_t *table)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *output = hy_output(lowering, 0);
    const bool is_signed = input->element == HY_ELEMENT_INT8;
    const struct mean mean = is_signed ? signed_mean(lowering, input, output, count)
                                       : unsigned_mean(lowering, input, output, count);
    const int32_t least = is_signed ? -128 * (int32_t)count : 0;

    for (int32_t i = 0; i <= 255 * (int32_t)count; i++) {
        const int32_t sum = i + least - mean.count * mean.zero_point;
        const int32_t steps = hy_multiply(sum, mean.multiplier);
        const int32_t half = steps > 0 ? mean.count / 2 : -(mean.count / 2);
        table[i] = hy_stored_byte(output, (steps + half) / mean.count + mean.offset);
    }
}

static void lower_image_mean(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *output = hy_output(lowering, 0);
    const uint32_t count = terms(lowering), sums = 255 * count + 1;
    const float least = input->element == HY_ELEMENT_INT8 ? -128.0f : 0.0f;
    struct hy_graph_tensor like = hy_real_like(output);
    uint8_t *table = hy_scratch_memory(lowering, sums, sizeof *table);

    if (!table)
        return;
    fill_means(lowering, count, table);
    uint32_t step = hy_stored_values_operand(lowering, 0);
    step = push_reduction(lowering, step, ANEURALNETWORKS_REDUCE_SUM, &like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_SUB, step,
                          hy_number_operand(lowering, least * (float)count), &like);
    like.element = HY_ELEMENT_INT32;
    step = hy_emit_unary(lowering, ANEURALNETWORKS_CAST, step, &like);
    hy_push(lowering, hy_constant_operand_like(lowering, output, 1, &sums, table, sums));
    hy_push_int(lowering, 0);
    hy_push(lowering, step);
    hy_emit(lowering, ANEURALNETWORKS_GATHER);
}

/* NNAPI's MEAN keeps the quantisation. */
void hy_lower_mean(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);

    if (hy_is_integer(input)) {
        hy_lower_integer_mean(lowering);
    } else if (hy_is_byte(input) && !hy_same_quantisation(input, hy_output(lowering, 0))) {
        if (is_image_mean(lowering))
            lower_image_mean(lowering);
        else
            lower_byte_sum(lowering, true);
    } else {
        hy_push_input(lowering, 0);
        hy_push_input(lowering, 1);
        hy_push_int(lowering, lowering->node->attributes.reduce.keep_dimensions);
        hy_emit(lowering, ANEURALNETWORKS_MEAN);
    }
}

void hy_lower_sum(struct hy_lowering *lowering)
{
    if (hy_is_byte(hy_input(lowering, 0)))
        lower_byte_sum(lowering, false);
    else
        hy_lower_reduce(lowering, ANEURALNETWORKS_REDUCE_SUM);
}

/* Of 8 bits the product of the real numbers. */
void hy_lower_prod(struct hy_lowering *lowering)
{
    if (!hy_is_byte(hy_input(lowering, 0))) {
        hy_lower_reduce(lowering, ANEURALNETWORKS_REDUCE_PROD);
        return;
    }
    const struct hy_graph_tensor like = hy_real_like(hy_output(lowering, 0));
    const uint32_t real = hy_real_operand(lowering, 0);
    hy_emit_output_unary(lowering, ANEURALNETWORKS_QUANTIZE,
                         push_reduction(lowering, real, ANEURALNETWORKS_REDUCE_PROD, &like));
}
