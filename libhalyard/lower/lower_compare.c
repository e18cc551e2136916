#include "libhalyard/lower/byte_table.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/fixed_point.h"
#include "libhalyard/lower/operations.h"
#include "libhalyard/lower/pairs.h"

enum { COMPARISON_SHIFT = 8 }; /* bits below 1 */

struct steps {
    int32_t zero_point;
    struct hy_multiplier multiplier;
};

static int64_t compared(const void *context, int32_t stored)
{
    const struct steps *steps = context;
    return hy_multiply((stored - steps->zero_point) * (1 << COMPARISON_SHIFT), steps->multiplier);
}

/* An input in steps of 2^-8, rounded. */
static uint32_t compared_operand(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const struct steps steps = {.zero_point = hy_byte_zero_point(lowering, tensor),
                                .multiplier = hy_multiplier_of((double)hy_scale_of(tensor))};
    return hy_byte_integers_operand(lowering, input, compared, &steps);
}

/* NNAPI compares 8 bits of different scales as real numbers, TensorFlow Lite in steps of 2^-8. */
void hy_lower_compare(struct hy_lowering *lowering, int32_t type)
{
    const struct hy_graph_tensor *a = hy_input(lowering, 0), *b = hy_input(lowering, 1);
    uint32_t operands[2];

    for (uint32_t i = 0; i < 2; i++)
        operands[i] = hy_is_byte(a) && hy_is_byte(b) && !hy_same_quantisation(a, b)
                          ? compared_operand(lowering, i)
                          : hy_input_operand(lowering, i);
    hy_emit_output_binary(lowering, hy_pair_operation(a, type), operands[0], operands[1]);
}
