/*
 * The operands of LSTM (NNAPI code 16) in float32. The operation is one step of a recurrent network
 * with 23 or 27 inputs. Many inputs are optional, in the model or in a request. Dimensions: B
 * batches, I inputs, U units, O outputs.
 *
 * Outputs: scratch [B, 4 * U] (3 * U without an input gate), output state [B, O], cell state [B,
 * U], output [B, O].
 */
#ifndef HY_DRIVER_KIT_LSTM_H
#define HY_DRIVER_KIT_LSTM_H

#include "driver_kit/model_reader.h"

#define HY_LSTM_INPUTS  27u
#define HY_LSTM_OUTPUTS 4u

enum hy_lstm_form_gate {
    HY_LSTM_INPUT_GATE,
    HY_LSTM_FORGET_GATE,
    HY_LSTM_CELL,
    HY_LSTM_OUTPUT_GATE
};

/* Inputs by their numbers. */
enum hy_lstm_form_input {
    HY_LSTM_INPUT = 0,            /* [B, I] */
    HY_LSTM_WEIGHTS = 1,          /* + gate: [U, I] */
    HY_LSTM_RECURRENT = 5,        /* + gate: [U, O] */
    HY_LSTM_PEEPHOLES = 9,        /* of input, forget and output gate: [U] */
    HY_LSTM_BIASES = 12,          /* + gate: [U] */
    HY_LSTM_PROJECTION = 16,      /* [O, U]; without a projection O = U */
    HY_LSTM_PROJECTION_BIAS = 17, /* [O] */
    HY_LSTM_OUTPUT_STATE = 18,    /* [B, O] */
    HY_LSTM_CELL_STATE = 19,      /* [B, U] */
    HY_LSTM_ACTIVATION = 20,      /* scalars from here on */
    HY_LSTM_CELL_CLIP = 21,
    HY_LSTM_PROJECTION_CLIP = 22,
    HY_LSTM_NORMS = 23, /* + gate: [U], weights of the layer normalisation */
};

struct hy_lstm_form {
    uint32_t batches, inputs, units, outputs;
    uint32_t gates;                   /* gates in the scratch output: 4 or 3 */
    int32_t activation;               /* 0: none, 1: RELU, 3: RELU6, 4: TANH, 6: LOGISTIC */
    float cell_clip, projection_clip; /* 0: none */
    uint32_t present;                 /* bits 1 << number: tensors present in the model */
    uint32_t optional;                /* bits: present tensors that a request may omit */
};

/* Reads and checks all operands. If requests may omit inputs, check each request with
 * hy_lstm_form_is_whole. False: the reader holds the reason. */
bool hy_lstm_form_read(struct hy_model_reader *reader, const struct hy_operation *operation,
                       struct hy_lstm_form *lstm);

/* Returns the rank, and writes the extents, of the tensor input `number`. The model may leave the
 * shape of an optional input unknown. 0: the input is a scalar. */
uint32_t hy_lstm_form_shape(const struct hy_lstm_form *lstm, uint32_t number, uint32_t dims[2]);

/* Whether the tensors in `present` (bits by number) form a complete cell: gates, peepholes and
 * normalisation are each complete or absent. */
bool hy_lstm_form_is_whole(const struct hy_lstm_form *lstm, uint32_t present);

#endif
