#ifndef HY_COMMON_INFERENCE_INFER_LSTM_H
#define HY_COMMON_INFERENCE_INFER_LSTM_H

#include "common/inference/infer_sequence.h"

/* The gates of a cell, in the order of all their operands. */
enum hy_lstm_gate { HY_GATE_INPUT, HY_GATE_FORGET, HY_GATE_CELL, HY_GATE_OUTPUT, HY_GATE_COUNT };

/*
 * The operands of one cell, as numbers of inputs, and which of them are there. Operands of four
 * gates stand in their order; peepholes are those of the input, forget and output gate.
 */
struct hy_lstm_inputs {
    uint32_t weights;     /* of the input, one per gate; all from here to projection_bias follow */
    uint32_t norm;        /* weights of the layer normalisation, one per gate */
    uint32_t aux_weights; /* one per gate; 0: the operation has none */
    uint32_t units;
    bool cifg; /* coupled gates: there are no operands for the input gate */
    bool peephole, layer_norm, projection, projection_bias;
};

/* The places of a cell's operands, counted from its first. */
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
 * Which operands a cell has, and whether their shapes agree: `inputs` names them, `way` has
 * in_size, aux_size and state; the rest of both is set. Types and values are not looked at.
 */
HY_MUST_CHECK enum hy_code hy_lstm_read_cell(const struct hy_call *call, uint32_t batch,
                                             struct hy_lstm_inputs *inputs,
                                             struct hy_direction *way, struct hy_error *err);

/* A limit to clip at: a float that is 0 or more. */
HY_MUST_CHECK enum hy_code hy_lstm_read_clip(const struct hy_call *call, uint32_t index, float *out,
                                             struct hy_error *err);

#endif
