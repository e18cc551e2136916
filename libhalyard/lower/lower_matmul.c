#include "common/operations/operation.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

/* An operand of real numbers with an operand of 8 bits is a hybrid: the constant is dequantised. */
static uint32_t factor_operand(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const bool is_hybrid = hy_is_byte(tensor) && !hy_is_byte(hy_output(lowering, 0));

    hy_expect(lowering, tensor->rank >= 2, "a factor of rank below 2");
    if (lowering->code != HY_OK)
        return 0;
    return is_hybrid ? hy_dequantised_operand(lowering, input) : hy_input_operand(lowering, input);
}

/* An unknown extent of the second operand is 1 or the first operand's extent, unless the first
 * operand is broadcast. */
static bool is_native_batch(int32_t a, int32_t b)
{
    return a == b || b == 1 || (b == HY_UNKNOWN_EXTENT && a > 1);
}

/* NNAPI's operation has at most two batch dimensions, and the second operand alone may have one
 * matrix for several of the first; int16 is of org.halyard.operations only. */
static bool is_native(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *a = hy_input(lowering, 0), *b = hy_input(lowering, 1);

    for (uint32_t i = 0; a->rank == b->rank && i + 2 < a->rank; i++) {
        if (!is_native_batch(a->extents[i], b->extents[i]))
            return false;
    }
    return a->rank == b->rank && a->rank <= 4 && a->element != HY_ELEMENT_INT16;
}

/* The stored numbers of int8 as int32. */
static uint32_t stored_operand(struct hy_lowering *lowering, uint32_t input)
{
    struct hy_graph_tensor like = *hy_input(lowering, input);

    like.element = HY_ELEMENT_INT32;
    like.quantisation = (struct hy_graph_quantisation){0};
    return hy_emit_unary(lowering, HY_EXT_CAST, hy_input_operand(lowering, input), &like);
}

/* TensorFlow Lite multiplies stored values if the product of int8 is int32. */
static bool multiplies_stored(struct hy_lowering *lowering)
{
    return hy_input(lowering, 0)->element == HY_ELEMENT_INT8 &&
           hy_input(lowering, 1)->element == HY_ELEMENT_INT8 &&
           hy_output(lowering, 0)->element == HY_ELEMENT_INT32;
}

void hy_lower_batch_matmul(struct hy_lowering *lowering)
{
    const struct hy_attributes_matmul *attributes = &lowering->node->attributes.matmul;
    const bool is_stored = multiplies_stored(lowering);
    const uint32_t a = is_stored ? stored_operand(lowering, 0) : factor_operand(lowering, 0);
    const uint32_t b = is_stored ? stored_operand(lowering, 1) : factor_operand(lowering, 1);

    hy_push(lowering, a);
    hy_push(lowering, b);
    hy_push_bool(lowering, attributes->adjoint_a);
    hy_push_bool(lowering, attributes->adjoint_b);
    hy_emit(lowering,
            !is_stored && is_native(lowering) ? ANEURALNETWORKS_BATCH_MATMUL : HY_EXT_BATCH_MATMUL);
}
