#ifndef HY_CPU_FALLBACK_KERNELS_QUANTIZED_LSTM_H
#define HY_CPU_FALLBACK_KERNELS_QUANTIZED_LSTM_H

#include <stdbool.h>

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

/* One gate of QUANTIZED_LSTM; absent operands are NULL. */
struct hy_quantized_gate {
    const int8_t *weights, *recurrent;
    const int16_t *peephole, *norm;
    const void *bias;                         /* int64_t if `has_wide_bias`, otherwise int32_t */
    struct hy_multiplier input, hidden, cell; /* from products to the gate's sum */
    struct hy_multiplier normalised;          /* from a normalised sum to a Q3 */
    int32_t least_variance;
};

/**
 * A row of QUANTIZED_LSTM, NNAPI code 95, feature level 4; and of LSTM and
 * UNIDIRECTIONAL_SEQUENCE_LSTM of org.halyard.operations, with data of 8 or 16 bits.
 *   in      [inputs]
 *   hidden  [outputs]  the previous output; `out` has its scale and zero point
 *   state   [units]    the previous cell state, scale 2^cell_shift, cell_shift in -15..-9
 * The input gate's operands are NULL if gates are coupled. A clip of 0 does not clip. `new_state`
 * and `out` may be `state` and `hidden`. Data of 16 bits has zero points of 0. Bit-exact with the
 * published vectors.
 */
struct hy_quantized_lstm_params {
    size_t inputs, units, outputs;
    bool has_wide_bias;
    struct hy_quantized_gate gates[HY_LSTM_GATES];
    int32_t in_zero_point, out_zero_point, unit_zero_point; /* unit: before the projection */
    int cell_shift;
    int32_t cell_clip, projection_clip;
    struct hy_multiplier unit_multiplier; /* from a product of two Q0 */
    const int8_t *projection;             /* [outputs, units] or NULL */
    const void *projection_bias;          /* of the same type as the gate biases */
    struct hy_multiplier projection_multiplier;
    int16_t *values; /* scratch [HY_LSTM_GATES, units] */
    void *projected; /* scratch [units], of the data type: input of the projection */
};

typedef void hy_quantized_lstm_row_fn(const struct hy_quantized_lstm_params *params, const void *in,
                                      const void *hidden, const int16_t *state, int16_t *new_state,
                                      void *out);

hy_quantized_lstm_row_fn hy_quantized_lstm_row_s8;
hy_quantized_lstm_row_fn hy_quantized_lstm_row_s16;

#endif
