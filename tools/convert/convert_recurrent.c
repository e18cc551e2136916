#include "tools/convert/convert_recurrent.h"

/* Inputs of the operator in the file. */
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
static void take_optional(struct hy_arguments *args, uint32_t input, uint32_t rank)
{
    uint32_t operand = 0;
    if (hy_input(args, input) >= 0) {
        hy_take(args, input);
        return;
    }
    if (args->code != HY_OK)
        return;
    enum hy_code code = hy_model_builder_left_out(args->builder, rank, &operand, args->err);
    hy_take_operand(args, code, operand);
}

static void take_optionals(struct hy_arguments *args, uint32_t first, uint32_t end, uint32_t rank)
{
    for (uint32_t i = first; i < end; i++)
        take_optional(args, i, rank);
}

static void take_state(struct hy_arguments *args, uint32_t input)
{
    uint32_t operand = 0;
    if (!hy_input_tensor(args, input) || args->code != HY_OK)
        return;
    enum hy_code code =
        hy_model_builder_first_state(args->builder, hy_input(args, input), &operand, args->err);
    hy_take_operand(args, code, operand);
}

enum hy_code hy_convert_unidirectional_sequence_lstm(struct hy_arguments *args)
{
    const struct hy_tflite_unidirectional_sequence_lstm_options *options =
        &args->operator_->options.unidirectional_sequence_lstm;
    const struct hy_tflite_tensor *input = hy_input_tensor(args, 0);

    hy_expect(args, args->code == HY_OK && input->type == HY_TFLITE_FLOAT32, "this type of input");
    hy_expect(args, !options->diagonal_recurrent_tensors, "a diagonal of recurrent weights");
    hy_take(args, 0);
    take_optionals(args, INPUT_WEIGHTS, PEEPHOLES, 2);
    take_optionals(args, PEEPHOLES, PROJECTION, 1);
    take_optional(args, PROJECTION, 2);
    take_optional(args, PROJECTION + 1, 1);
    take_state(args, STATES);
    take_state(args, STATES + 1);
    hy_take_int(args, options->activation);
    hy_take_float(args, options->cell_clip);
    hy_take_float(args, options->proj_clip);
    hy_take_bool(args, options->time_major);
    take_optionals(args, LAYER_NORM, LAYER_NORM_END, 1);
    return hy_give(args, ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM);
}
