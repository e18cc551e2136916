/*
 * LSTM, NNAPI code 16, float32: one step of a recurrent network. B batches, I inputs, U units, O
 * outputs; an input marked * may be left out, in the model or in a request.
 *
 *   0       input [B, I]
 *   1*..4   weights of the input gate, forget gate, cell and output gate [U, I]
 *   5*..8   recurrent weights of the same [U, O]
 *   9*..11* peephole weights of the input, forget and output gate [U]
 *   12*..15 biases of the four gates [U]
 *   16*,17* projection weights [O, U] and bias [O]; without them O = U
 *   18, 19  output state [B, O], cell state [B, U]
 *   20..22  activation, cell clip, projection clip: scalars
 *   23*..26* layer normalisation weights of the four gates [U]; all four may be missing at the end
 *
 * Outputs: scratch [B, 4 * U] (3 * U without an input gate) of any content, output state, cell
 * state, output. The states come and go in columns (kernels.h), as do input and output.
 */
#ifndef SAMPLE_LSTM_H
#define SAMPLE_LSTM_H

#include "operations.h"

#define SAMPLE_LEFT_OUT UINT8_MAX /* in sample_lstm.places */

/* Works the operation out: see sample_step_make. */
bool sample_lstm_make(struct hy_model_reader *reader, const struct hy_operation *operation,
                      const struct hy_operand *input, struct sample_step *step);

/* Rank and extents of the step's input number `input`, which the model may leave open where it is
 * an optional one. */
uint32_t sample_lstm_shape(const struct sample_lstm *lstm, uint32_t input, uint32_t dims[2]);

/* Whether the inputs that are there, all but NULL, make a whole cell. */
bool sample_lstm_is_whole(const struct sample_lstm *lstm, const uint8_t *const *inputs);

/* The inputs make a whole cell. */
sample_kernel sample_lstm_run;
uint64_t sample_lstm_work_bytes(const struct sample_lstm *lstm);

/* ---- Operands by their numbers --------------------------------------------------------------- */

enum sample_lstm_operand {
    SAMPLE_LSTM_INPUT = 0,
    SAMPLE_LSTM_WEIGHTS = 1,   /* + gate */
    SAMPLE_LSTM_RECURRENT = 5, /* + gate */
    SAMPLE_LSTM_PEEPHOLES = 9, /* of input, forget and output gate */
    SAMPLE_LSTM_BIASES = 12,   /* + gate */
    SAMPLE_LSTM_PROJECTION = 16,
    SAMPLE_LSTM_PROJECTION_BIAS = 17,
    SAMPLE_LSTM_OUTPUT_STATE = 18,
    SAMPLE_LSTM_CELL_STATE = 19,
    SAMPLE_LSTM_ACTIVATION = 20,
    SAMPLE_LSTM_CELL_CLIP = 21,
    SAMPLE_LSTM_PROJECTION_CLIP = 22,
    SAMPLE_LSTM_NORMS = 23, /* + gate */
};

enum sample_lstm_gate {
    SAMPLE_INPUT_GATE,
    SAMPLE_FORGET_GATE,
    SAMPLE_CELL,
    SAMPLE_OUTPUT_GATE,
    SAMPLE_GATES
};

#endif
