#include "libhalyard/lower/families.h"

#include "common/operations/operation.h"

/* Operators that find elements by indices, which NNAPI lacks. */

void hy_lower_gather_nd(struct hy_lowering *lowering)
{
    hy_push_inputs(lowering);
    hy_push_int(lowering, 0);
    hy_emit(lowering, HY_EXT_GATHER_ND);
}

/* A single index is a vector of one element, and the output is too. */
void hy_lower_one_hot(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const bool is_lone = hy_input(lowering, 0)->rank == 0;
    const int32_t axis = lowering->node->attributes.axis.axis;
    const uint32_t extents[2] = {1, output->extents[0] < 0 ? 0 : (uint32_t)output->extents[0]};

    for (uint32_t i = 0; i < 4; i++)
        hy_push_input(lowering, i);
    hy_push_int(lowering, is_lone ? -1 : axis);
    if (!is_lone) {
        hy_emit(lowering, HY_EXT_ONE_HOT);
        return;
    }
    const uint32_t row = hy_temporary_operand_of(lowering, output, 2, extents);
    hy_emit_to(lowering, HY_EXT_ONE_HOT, row);
    hy_push(lowering, row);
    hy_push_shape(lowering, output);
    hy_emit(lowering, HY_EXT_RESHAPE);
}

void hy_lower_reverse_sequence(struct hy_lowering *lowering)
{
    const struct hy_attributes_sequence *attributes = &lowering->node->attributes.sequence;

    hy_push_inputs(lowering);
    hy_push_int(lowering, attributes->time_axis);
    hy_push_int(lowering, attributes->batch_axis);
    hy_emit(lowering, HY_EXT_REVERSE_SEQUENCE);
}
