#ifndef HY_COMMON_INFERENCE_INFER_QUANTIZED_LSTM_H
#define HY_COMMON_INFERENCE_INFER_QUANTIZED_LSTM_H

#include "common/inference/infer_lstm.h"

/* QUANTIZED_16BIT_LSTM. */
struct hy_quantized_16bit_lstm {
    uint32_t batch, inputs, units;
};

/* Checks that shapes agree, all weights have the same scale and zero point, and the scale of the
 * biases matches. */
HY_MUST_CHECK enum hy_code hy_quantized_16bit_lstm_read(const struct hy_call *call,
                                                        struct hy_quantized_16bit_lstm *lstm,
                                                        struct hy_error *err);

/* QUANTIZED_LSTM, and LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM of org.halyard.operations. */
struct hy_quantized_lstm {
    struct hy_sequence sequence; /* with one direction */
    struct hy_lstm_inputs inputs;
    float cell_clip, projection_clip; /* 0: do not clip */
    float gate_scales[HY_GATE_COUNT]; /* of the sums before the activation */
    float hidden_scale;               /* of the output before the projection */
    int32_t hidden_zero_point;
    int32_t cell_shift; /* the cell state has scale 2^cell_shift, -15..-9 */
};

HY_MUST_CHECK enum hy_code hy_quantized_lstm_read(const struct hy_call *call,
                                                  struct hy_quantized_lstm *lstm,
                                                  struct hy_error *err);

#endif
