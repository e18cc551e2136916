#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/quantized_lstm.h"
#include "cpu_fallback/kernels/stop.h"

/* Element `d` of the concatenation of two rows. */
static int32_t joined(const uint8_t *first, size_t count, const uint8_t *second, size_t d)
{
    return d < count ? first[d] : second[d - count];
}

/*
 * The sum of one unit of a gate as a Q3. The activations start with the input, the weights with the
 * recurrent weights, and products pair them by index: the published results define the order so.
 */
static int16_t sum_gate(const struct hy_quantized_16bit_lstm_params *p, int gate, size_t unit,
                        const uint8_t *in, const uint8_t *hidden)
{
    const uint8_t *recurrent = p->recurrent[gate] + unit * p->units;
    const uint8_t *weights = p->weights[gate] + unit * p->inputs;
    int64_t sum = p->bias[gate][unit];

    for (size_t d = 0; d < p->inputs + p->units; d++)
        sum += (joined(in, p->inputs, hidden, d) - 128) *
               (joined(recurrent, p->units, weights, d) - p->weight_zero_point);
    return hy_saturate_16(hy_scale_sum_half_away(sum, p->multiplier));
}

static int16_t next_state(int16_t input, int16_t forget, int16_t update, int16_t state)
{
    return hy_saturate_16(hy_round_shift(hy_product_16(input, update), 4) +
                          hy_product_16(forget, state));
}

static uint8_t output_of(int16_t output, int16_t state)
{
    /* Converts a Q4 to a Q3. */
    int16_t value = hy_product_16(output, hy_tanh_16(hy_saturate_16(state * 2), 3));
    return (uint8_t)(128 + hy_clamp_int32(hy_round_shift(value, 8), -128, 127));
}

static void run_row(const struct hy_quantized_16bit_lstm_params *p, const uint8_t *in,
                    const uint8_t *hidden, const int16_t *state, int16_t *new_state, uint8_t *out)
{
    for (int gate = 0; gate < HY_LSTM_GATES; gate++)
        for (size_t u = 0; u < p->units; u++) {
            if (hy_stop_after(hy_stop_here(), p->inputs + p->units))
                return;
            int16_t sum = sum_gate(p, gate, u, in, hidden);
            p->gates[(size_t)gate * p->units + u] =
                gate == HY_LSTM_CELL ? hy_tanh_16(sum, 3) : hy_logistic_16(sum, 3);
        }

    const int16_t *input = p->gates, *forget = input + p->units, *update = forget + p->units;
    const int16_t *output = update + p->units;
    for (size_t u = 0; u < p->units; u++) {
        new_state[u] = next_state(input[u], forget[u], update[u], state[u]);
        out[u] = output_of(output[u], new_state[u]);
    }
}

void hy_quantized_16bit_lstm(const struct hy_quantized_16bit_lstm_params *params, const uint8_t *in,
                             const uint8_t *hidden, const int16_t *state, int16_t *new_state,
                             uint8_t *out)
{
    for (size_t b = 0; b < params->batch && !hy_stop_after(hy_stop_here(), 1); b++)
        run_row(params, in + b * params->inputs, hidden + b * params->units,
                state + b * params->units, new_state + b * params->units, out + b * params->units);
}
