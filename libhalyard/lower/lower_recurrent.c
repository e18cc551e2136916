#include "libhalyard/lower/families.h"

/* Inputs of UNIDIRECTIONAL_SEQUENCE_LSTM. */
enum {
    INPUT_WEIGHTS = 1,     /* into the gates input, forget, cell and output */
    RECURRENT_WEIGHTS = 5, /* the same */
    PEEPHOLES = 9,         /* from the cell to input, forget and output */
    BIASES = 12,           /* of the four gates */
    PROJECTION = 16,       /* weights, bias */
    STATES = 18,           /* output, cell */
    LAYER_NORM = 20,       /* of the four gates; older files end before */
    LAYER_NORM_END = 24,
};

/* An input that may be left out, then as a tensor of this rank. */
static void push_optional(struct hy_lowering *lowering, uint32_t input, uint32_t rank)
{
    if (hy_has_input(lowering, input))
        hy_push_input(lowering, input);
    else
        hy_push(lowering, hy_left_out_operand(lowering, rank));
}

static void push_optionals(struct hy_lowering *lowering, uint32_t first, uint32_t end,
                           uint32_t rank)
{
    for (uint32_t i = first; i < end; i++)
        push_optional(lowering, i, rank);
}

/* Outputs: of all steps, and the states after the last step. */
void hy_lower_unidirectional_sequence_lstm(struct hy_lowering *lowering)
{
    const struct hy_attributes_sequence_lstm *attributes =
        &lowering->node->attributes.sequence_lstm;

    hy_expect(lowering, hy_input(lowering, 0)->element == HY_ELEMENT_FLOAT32, "this type of input");
    hy_expect(lowering, !attributes->diagonal_recurrent, "a diagonal of recurrent weights");
    hy_push_input(lowering, 0);
    push_optionals(lowering, INPUT_WEIGHTS, PEEPHOLES, 2);
    push_optionals(lowering, PEEPHOLES, PROJECTION, 1);
    push_optional(lowering, PROJECTION, 2);
    push_optional(lowering, PROJECTION + 1, 1);
    hy_push_input(lowering, STATES);
    hy_push_input(lowering, STATES + 1);
    hy_push_int(lowering, attributes->activation); /* RELU, RELU6 and TANH have the same numbers */
    hy_push_float(lowering, attributes->cell_clip);
    hy_push_float(lowering, attributes->projection_clip);
    hy_push_bool(lowering, attributes->time_major);
    push_optionals(lowering, LAYER_NORM, LAYER_NORM_END, 1);
    hy_emit(lowering, ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM);
}
