#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

#include "common/operations/operation.h"
#include "libhalyard/graph/constant.h"
#include "libhalyard/lower/movement.h"
#include "libhalyard/lower/nnapi_operands.h"

/* ---- Reductions ------------------------------------------------------------------------------ */

/* True if NNAPI's operation supports the types; bytes only with the same quantisation for input and
 * output. */
static bool core_reduces(struct hy_lowering *lowering, int32_t type)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const bool is_selection =
        type == ANEURALNETWORKS_REDUCE_MAX || type == ANEURALNETWORKS_REDUCE_MIN;

    if (hy_is_byte(input))
        return is_selection || (type == ANEURALNETWORKS_MEAN &&
                                hy_same_quantisation(input, hy_output(lowering, 0)));
    return input->element == HY_ELEMENT_FLOAT32 || input->element == HY_ELEMENT_FLOAT16 ||
           input->element == HY_ELEMENT_BOOL;
}

static int32_t extension_of(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_MEAN:
        return HY_EXT_REDUCE_MEAN;
    case ANEURALNETWORKS_REDUCE_MAX:
        return HY_EXT_REDUCE_MAX;
    case ANEURALNETWORKS_REDUCE_MIN:
        return HY_EXT_REDUCE_MIN;
    case ANEURALNETWORKS_REDUCE_PROD:
        return HY_EXT_REDUCE_PROD;
    case ANEURALNETWORKS_REDUCE_SUM:
        return HY_EXT_REDUCE_SUM;
    case ANEURALNETWORKS_ARGMAX:
        return HY_EXT_ARG_MAX;
    default:
        return HY_EXT_ARG_MIN;
    }
}

void hy_lower_reduce(struct hy_lowering *lowering, int32_t type)
{
    const bool keep_dimensions = lowering->node->attributes.reduce.keep_dimensions;
    const bool is_core = core_reduces(lowering, type);

    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    if (is_core && type == ANEURALNETWORKS_MEAN)
        hy_push_int(lowering, keep_dimensions);
    else
        hy_push_bool(lowering, keep_dimensions);
    hy_emit(lowering, is_core ? type : extension_of(type));
}

/* ---- Along an axis --------------------------------------------------------------------------- */

/* NNAPI's indices are int32. */
void hy_lower_arg_min_max(struct hy_lowering *lowering, int32_t type)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const bool is_core =
        hy_nnapi_moves(hy_input(lowering, 0), HY_MOVES_INTEGERS) && hy_is_integer(output);
    struct hy_graph_tensor narrow = *output;

    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 1);
    if (!is_core) {
        hy_push_bool(lowering, false); /* the first of equal elements */
        hy_emit(lowering, extension_of(type));
        return;
    }
    if (output->element == HY_ELEMENT_INT32) {
        hy_emit(lowering, type);
        return;
    }
    narrow.element = HY_ELEMENT_INT32;
    const uint32_t index = hy_temporary_operand(lowering, &narrow);
    hy_emit_to(lowering, type, index);
    hy_emit_output_unary(lowering, HY_EXT_CAST, index);
}

void hy_lower_cumsum(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 1);
    hy_push_bool(lowering, lowering->node->attributes.cumsum.exclusive);
    hy_push_bool(lowering, lowering->node->attributes.cumsum.reverse);
    hy_emit(lowering, HY_EXT_CUMSUM);
}

/* NNAPI's operation puts the last of equal elements first, TensorFlow Lite the first one. */
void hy_lower_topk(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *k = hy_input(lowering, 1);

    hy_push_input(lowering, 0);
    if (k->data)
        hy_push_scalar_input(lowering, 1);
    else
        hy_push_input(lowering, 1);
    hy_push_bool(lowering, false); /* the largest */
    hy_emit(lowering, HY_EXT_TOP_K);
}

/* ---- Windows --------------------------------------------------------------------------------- */

static void push_constant_ints(struct hy_lowering *lowering, uint32_t input)
{
    int64_t numbers[HY_GRAPH_MAX_RANK];
    int32_t narrow[HY_GRAPH_MAX_RANK];
    const int64_t count = hy_constant_ints(hy_input(lowering, input), numbers, HY_GRAPH_MAX_RANK);

    hy_expect(lowering, count == (int64_t)hy_input(lowering, 0)->rank,
              "windows known only at run time, or of a rank other than the input's,");
    for (int64_t i = 0; lowering->code == HY_OK && i < count; i++) {
        hy_expect(lowering, numbers[i] > 0 && numbers[i] <= INT32_MAX, "the size of the window");
        narrow[i] = (int32_t)numbers[i];
    }
    if (lowering->code == HY_OK)
        hy_push_ints(lowering, narrow, (uint32_t)count);
}

void hy_lower_reduce_window(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    for (uint32_t i = 2; i < 5; i++)
        push_constant_ints(lowering, i);
    hy_push_int(lowering, lowering->node->attributes.window.function);
    hy_emit(lowering, HY_EXT_REDUCE_WINDOW);
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* The number of segments is known only for constant numbers. */
void hy_lower_segment_sum(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *ids = hy_input(lowering, 1), *output = hy_output(lowering, 0);

    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    if (ids->data && output->rank > 0 && output->extents[0] >= 0) {
        hy_push_int(lowering, output->extents[0]);
        hy_emit(lowering, HY_EXT_UNSORTED_SEGMENT_SUM);
    } else {
        hy_emit(lowering, HY_EXT_SEGMENT_SUM);
    }
}

void hy_lower_unsorted_segment(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_scalar_input(lowering, 2);
    hy_emit(lowering, type);
}
