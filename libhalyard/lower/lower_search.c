#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

#include "common/operations/operation.h"

/* Searches, suppressions and random numbers, by operations of org.halyard.operations. */

/* TensorFlow Lite looks at what is stored, whatever zero point the bytes have. */
static uint32_t stored_numbers(struct hy_lowering *lowering)
{
    struct hy_graph_tensor like = *hy_input(lowering, 0);

    if (!hy_is_byte(&like) || hy_zero_point_of(&like) == 0)
        return hy_input_operand(lowering, 0);
    like.quantisation.count = 0;
    return hy_emit_unary(lowering, ANEURALNETWORKS_CAST, hy_input_operand(lowering, 0), &like);
}

/* Tensors stored with fewer dimensions would give different indices. */
void hy_lower_where(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *output = hy_output(lowering, 0);

    hy_expect(lowering, output->rank == 2 && output->extents[1] == (int32_t)input->rank,
              "a condition of more than four dimensions");
    hy_push(lowering, stored_numbers(lowering));
    hy_emit(lowering, HY_EXT_WHERE);
}

void hy_lower_bucketize(struct hy_lowering *lowering)
{
    const struct hy_attributes_bucketize *attributes = &lowering->node->attributes.bucketize;
    const struct hy_graph_tensor real = {.element = HY_ELEMENT_FLOAT32};

    hy_expect(lowering, attributes->count > 0, "no boundaries");
    hy_push_input(lowering, 0);
    hy_push(lowering,
            hy_constant_operand_like(lowering, &real, 1, &attributes->count, attributes->boundaries,
                                     attributes->count * sizeof(float)));
    hy_emit(lowering, HY_EXT_BUCKETIZE);
}

/* Boxes, scores, most boxes, overlap, score and, of V5, sigma. */
void hy_lower_suppression(struct hy_lowering *lowering, int32_t type)
{
    const uint32_t inputs = type == HY_EXT_SOFT_NON_MAX_SUPPRESSION ? 6 : 5;

    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    for (uint32_t i = 2; i < inputs; i++)
        hy_push_scalar_input(lowering, i);
    hy_emit(lowering, type);
}

static void push_seeds(struct hy_lowering *lowering)
{
    const struct hy_attributes_random *random = &lowering->node->attributes.random;
    const int32_t seeds[2] = {(int32_t)random->seeds[0], (int32_t)random->seeds[1]};

    hy_expect(lowering, seeds[0] == random->seeds[0] && seeds[1] == random->seeds[1],
              "a seed of more than 32 bits");
    hy_push_ints(lowering, seeds, 2);
}

void hy_lower_multinomial(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_scalar_input(lowering, 1);
    push_seeds(lowering);
    hy_emit(lowering, HY_EXT_MULTINOMIAL);
}

void hy_lower_random_numbers(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    push_seeds(lowering);
    hy_emit(lowering, type);
}
