#include "common/operations/operation.h"
#include "libhalyard/graph/constant.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

/* Reductions of int32, which NNAPI has not: a dimension is halved, and the halves are combined
 * element by element, until one slice is left. Integers wrap around, so that the order of sums and
 * products does not matter. */

static int32_t combining(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_REDUCE_MAX:
        return ANEURALNETWORKS_MAXIMUM;
    case ANEURALNETWORKS_REDUCE_MIN:
        return ANEURALNETWORKS_MINIMUM;
    case ANEURALNETWORKS_REDUCE_PROD:
        return ANEURALNETWORKS_MUL;
    default:
        return ANEURALNETWORKS_ADD;
    }
}

static uint32_t slice(struct hy_lowering *lowering, uint32_t from, uint32_t axis, int32_t begin,
                      int32_t count, struct hy_graph_tensor *like)
{
    int32_t begins[HY_GRAPH_MAX_RANK] = {0};
    begins[axis] = begin;
    like->extents[axis] = count;
    return hy_emit_slice(lowering, from, begins, like);
}

/* One dimension; `shape` is that of `from`, then that of the result. The slice in the middle of an
 * odd number of slices is kept for the end. */
static uint32_t reduce_dimension(struct hy_lowering *lowering, uint32_t from, int32_t operation,
                                 uint32_t axis, struct hy_graph_tensor *shape)
{
    uint32_t left_over = HY_NO_TENSOR;

    for (int32_t count = shape->extents[axis]; count > 1; count /= 2) {
        const int32_t half = count / 2;
        if (count % 2) {
            const uint32_t middle = slice(lowering, from, axis, half, 1, shape);
            left_over = left_over == HY_NO_TENSOR
                            ? middle
                            : hy_emit_binary(lowering, operation, left_over, middle, shape);
        }
        const uint32_t first = slice(lowering, from, axis, 0, half, shape);
        const uint32_t second = slice(lowering, from, axis, count - half, half, shape);
        from = hy_emit_binary(lowering, operation, first, second, shape);
    }
    if (left_over != HY_NO_TENSOR)
        from = hy_emit_binary(lowering, operation, from, left_over, shape);
    return from;
}

/* All dimensions that the constant input 1 names, which stay with an extent of 1. */
static uint32_t reduce(struct hy_lowering *lowering, int32_t type)
{
    struct hy_graph_tensor shape = *hy_input(lowering, 0);
    int64_t axes[HY_GRAPH_MAX_RANK];
    const int64_t count = hy_constant_ints(hy_input(lowering, 1), axes, HY_GRAPH_MAX_RANK);
    uint32_t result = hy_input_operand(lowering, 0);
    uint64_t elements = 0;

    hy_expect(lowering, count >= 0, "axes that are known only at run time");
    hy_expect(lowering, hy_graph_tensor_elements(&shape, &elements) && elements > 0,
              "a reduction of a shape that is empty or known only at run time");
    for (int64_t i = 0; lowering->code == HY_OK && i < count; i++) {
        const int64_t axis = axes[i] < 0 ? axes[i] + shape.rank : axes[i];
        hy_expect(lowering, axis >= 0 && axis < shape.rank, "an axis beyond the rank");
        if (lowering->code == HY_OK)
            result = reduce_dimension(lowering, result, combining(type), (uint32_t)axis, &shape);
    }
    return result;
}

void hy_lower_integer_reduce(struct hy_lowering *lowering, int32_t type)
{
    hy_emit_output_reshape(lowering, reduce(lowering, type));
}

/* The quotient is rounded towards zero. */
void hy_lower_integer_mean(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    uint64_t from = 0, to = 1;
    const uint32_t sum = reduce(lowering, ANEURALNETWORKS_REDUCE_SUM);

    if (!hy_graph_tensor_elements(hy_input(lowering, 0), &from) ||
        !hy_graph_tensor_elements(output, &to) || to == 0 || from / to > INT32_MAX)
        hy_expect(lowering, false,
                  "a mean of a shape that is empty, too large, or known only at run time");
    if (lowering->code != HY_OK)
        return;
    const uint32_t shaped = hy_emit_reshape(lowering, sum, output);
    hy_emit_output_binary(lowering, HY_EXT_DIV, shaped,
                          hy_integer_operand(lowering, (int32_t)(from / to)));
}
