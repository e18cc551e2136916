#include "libhalyard/lower/recurrent/recurrent.h"

/* ---- Weights --------------------------------------------------------------------------------- */

void hy_push_weights(struct hy_lowering *lowering, uint32_t input)
{
    const enum hy_element element = hy_input(lowering, input)->element;

    if (element == HY_ELEMENT_INT8 || element == HY_ELEMENT_UINT8)
        hy_push(lowering, hy_dequantised_operand(lowering, input));
    else
        hy_push_input(lowering, input);
}

void hy_push_optional_weights(struct hy_lowering *lowering, uint32_t first, uint32_t end,
                              uint32_t rank)
{
    for (uint32_t i = first; i < end; i++) {
        if (hy_has_input(lowering, i))
            hy_push_weights(lowering, i);
        else
            hy_push(lowering, hy_left_out_operand(lowering, rank));
    }
}

void hy_push_cell_activation(struct hy_lowering *lowering, enum hy_activation activation)
{
    const bool known = activation == HY_ACTIVATION_NONE || activation == HY_ACTIVATION_RELU ||
                       activation == HY_ACTIVATION_RELU6 || activation == HY_ACTIVATION_TANH;

    hy_expect(lowering, known, "the activation of a recurrent cell");
    hy_push_int(lowering, activation); /* NNAPI has the same numbers */
}

/* ---- States ---------------------------------------------------------------------------------- */

void hy_state_outputs(struct hy_lowering *lowering, uint32_t own, uint32_t count,
                      const uint32_t *inputs, uint32_t *operands)
{
    const bool has_states = lowering->node->output_count == own + count;

    hy_expect(lowering, has_states | | lowering->node->output_count = = own,
              "the number of outputs or states of a cell");
    for (uint32_t i = 0; i < count; i++)
        operands[i] = has_states ? hy_output_operand(lowering, own + i)
                                 : hy_temporary_operand(lowering, hy_input(lowering, inputs[i]));
}
