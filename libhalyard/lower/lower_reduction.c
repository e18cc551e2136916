#include "libhalyard/lower/byte_table.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/steps.h"

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

/* How many elements each sum has. */
static uint32_t terms(struct hy_lowering *lowering)
{
    uint64_t from = 0, to = 0;
    const bool known = hy_graph_tensor_elements(hy_input(lowering, 0), &from) &&
                       hy_graph_tensor_elements(hy_output(lowering, 0), &to) && to > 0 &&
                       from / to > 0 && from / to < 1 << 16;

    hy_expect(lowering, known, "a sum of no elements, or of more than 65535");
    return known ? (uint32_t)(from / to) : 1;
}

/* Sums of stored values are exact in float32, and what follows is what TensorFlow Lite computes:
 * for a mean the quotient, then one factor for both scales, and one sum for both zero points. */
static void lower_byte_sum(struct hy_lowering *lowering, bool is_mean)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *output = hy_output(lowering, 0);
    const struct hy_graph_tensor like = hy_real_like(output);
    const uint32_t count = terms(lowering);
    const float factor = hy_scale_of(input) / hy_scale_of(output);
    const float offset = (float)-hy_zero_point_of(input) * factor;

    uint32_t step = hy_stored_values_operand(lowering, 0);
    step = push_reduction(lowering, step, ANEURALNETWORKS_REDUCE_SUM, &like);
    if (is_mean)
        step = hy_step_binary(lowering, ANEURALNETWORKS_DIV, step,
                              hy_number_operand(lowering, (float)count), &like);
    step = hy_step_binary(lowering, ANEURALNETWORKS_MUL, step, hy_number_operand(lowering, factor),
                          &like);
    step = hy_step_binary(lowering, ANEURALNETWORKS_ADD, step,
                          hy_number_operand(lowering, is_mean ? offset : offset * (float)count),
                          &like);
    hy_emit_stored_values(lowering, step);
}

/* NNAPI's MEAN keeps the quantisation. */
void hy_lower_mean(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);

    if (hy_is_integer(input)) {
        hy_lower_integer_mean(lowering);
    } else if (hy_is_byte(input) && !hy_same_quantisation(input, hy_output(lowering, 0))) {
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
    hy_last_unary(lowering, ANEURALNETWORKS_QUANTIZE,
                  push_reduction(lowering, real, ANEURALNETWORKS_REDUCE_PROD, &like));
}
