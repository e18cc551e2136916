#include "libhalyard/lower/families.h"

/* In both formats the inputs of either body follow the two bodies. */
static void push_inputs_from(struct hy_lowering *lowering, uint32_t first)
{
    for (uint32_t i = first; i < lowering->node->input_count; i++)
        hy_push_input(lowering, i);
}

void hy_lower_if(struct hy_lowering *lowering)
{
    const struct hy_attributes_branches *branches = &lowering->node->attributes.branches;

    hy_push_input(lowering, 0);
    hy_push_body(lowering, branches->then_body);
    hy_push_body(lowering, branches->else_body);
    push_inputs_from(lowering, 1);
    hy_emit(lowering, ANEURALNETWORKS_IF);
}

/* Inputs that iterations change come first, as NNAPI requires. */
void hy_lower_while(struct hy_lowering *lowering)
{
    const struct hy_attributes_loop *loop = &lowering->node->attributes.loop;

    hy_push_body(lowering, loop->condition);
    hy_push_body(lowering, loop->body);
    push_inputs_from(lowering, 0);
    hy_emit(lowering, ANEURALNETWORKS_WHILE);
}
