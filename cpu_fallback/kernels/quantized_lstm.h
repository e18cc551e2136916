#ifndef HY_CPU_FALLBACK_KERNELS_QUANTIZED_LSTM_H
#define HY_CPU_FALLBACK_KERNELS_QUANTIZED_LSTM_H

#include "cpu_fallback/kernels/fixed_point_16.h"
#include "cpu_fallback/kernels/recurrent.h"

/**
 * QUANTIZED_16BIT_LSTM, NNAPI code 73, feature level 3; gates in the order of the operands.
 *   in      [batch, inputs]  scale 1/128, zero point 128
 *   hidden  [batch, units]   the previous output, quantised alike
 *   state   [batch, units]   the previous cell state, Q4
 * `new_state` and `out` may be `state` and `hidden`. Bit-exact with the published vectors.
 */
struct hy_quantized_16bit_lstm_params {
    size_t batch, inputs, units;
    int32_t weight_zero_point;
    struct hy_multiplier multiplier; /* from a sum of products to a Q3 */
    const uint8_t *weights[HY_LSTM_GATES], *recurrent[HY_LSTM_GATES];
    const int32_t *bias[HY_LSTM_GATES];
    int16_t *gates; /* scratch [HY_LSTM_GATES, units] */
};

void hy_quantized_16bit_lstm(const struct hy_quantized_16bit_lstm_params *params, const uint8_t *in,
                             const uint8_t *hidden, const int16_t *state, int16_t *new_state,
                             uint8_t *out);

/* One gate of QUANTIZED_LSTM; NULL operands are not there. */
struct hy_quantized_gate {
    const int8_t *weights, *recurrent;
    const int16_t *peephole, *norm;
    const int32_t *bias;
    struct hy_multiplier input, hidden, cell; /* from products to the gate's sum */
    struct hy_multiplier normalised;          /* from a normalised sum to a Q3 */
    int32_t least_variance;
};

/**
 * QUANTIZED_LSTM, NNAPI code 95, feature level 4.
 *   in      [batch, inputs]
 *   hidden  [batch, outputs]  the previous output; `out` has its scale and zero point
 *   state   [batch, units]    the previous cell state, scale 2^cell_shift, cell_shift in -15..-9
 * The input gate's operands are NULL where gates are coupled. A clip of 0 does not clip.
 * `new_state` and `out` may be `state` and `hidden`. Bit-exact with the published vectors.
 */
struct hy_quantized_lstm_params {
    size_t batch, inputs, units, outputs;
    struct hy_quantized_gate gates[HY_LSTM_GATES];
    int32_t in_zero_point, out_zero_point, unit_zero_point; /* unit: before the projection */
    int cell_shift;
    int32_t cell_clip, projection_clip;
    struct hy_multiplier unit_multiplier; /* from a product of two Q0 */
    const int8_t *projection;             /* [outputs, units] or NULL */
    const int32_t *projection_bias;
    struct hy_multiplier projection_multiplier;
    int16_t *values;   /* scratch [HY_LSTM_GATES, units] */
    int8_t *projected; /* scratch [units]: what the projection takes */
};

void hy_quantized_lstm(const struct hy_quantized_lstm_params *params, const int8_t *in,
                       const int8_t *hidden, const int16_t *state, int16_t *new_state, int8_t *out);

#endif
