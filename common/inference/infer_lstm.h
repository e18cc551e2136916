#ifndef HY_COMMON_INFERENCE_INFER_LSTM_H
#define HY_COMMON_INFERENCE_INFER_LSTM_H

#include "common/inference/infer_sequence.h"

/* The gates of a cell, in the order of their operands. */
enum hy_lstm_gate { HY_GATE_INPUT, HY_GATE_FORGET, HY_GATE_CELL, HY_GATE_OUTPUT, HY_GATE_COUNT };

/*
 * The operands of a cell, as input numbers, and their presence. Operands of the four gates are in
 * gate order; peepholes exist for the input, forget and output gate.
 */
struct hy_lstm_inputs {
    uint32_t weights;     /* input weights, per gate; more operands up to projection_bias follow */
    uint32_t norm;        /* weights of the layer normalization, for each gate */
    uint32_t aux_weights; /* for each gate; 0: not in the operation */
    uint32_t units;
    bool cifg; /* coupled gates: no operands for the input gate */
    bool peephole, layer_norm, projection, projection_bias;
};

/* Positions of a cell's operands relative to its first operand. */
enum {
    HY_LSTM_RECURRENT = 4,
    HY_LSTM_PEEPHOLE = 8,
    HY_LSTM_BIAS = 11,
    HY_LSTM_PROJECTION = 15,
    HY_LSTM_PROJECTION_BIAS = 16,
};

/* LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM or BIDIRECTIONAL_SEQUENCE_LSTM, decoded and checked. */
struct hy_lstm {
    struct hy_sequence sequence;
    int32_t activation;
    float cell_clip, projection_clip; /* 0: do not clip */
    struct hy_lstm_inputs inputs[HY_DIRECTIONS];
};

HY_MUST_CHECK enum hy_code hy_lstm_read(const struct hy_call *call, struct hy_lstm *lstm,
                                        struct hy_error *err);

/*
 * Finds the present operands of a cell and checks that their shapes agree. The caller sets the
 * numbers in `inputs`, and in_size, aux_size and state of `way`; the function sets the other
 * members of both. Types and values are not checked.
 */
HY_MUST_CHECK enum hy_code hy_lstm_read_cell(const struct hy_call *call, uint32_t batch,
                                             struct hy_lstm_inputs *inputs,
                                             struct hy_direction *way, struct hy_error *err);

/* Reads a clipping limit: a float of at least 0. */
HY_MUST_CHECK enum hy_code hy_lstm_read_clip(const struct hy_call *call, uint32_t index, float *out,
                                             struct hy_error *err);

#endif
