#include "cpu_fallback/kernels/quantized_lstm.h"

#include <stdbool.h>

#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/stop.h"

/* So many products of bytes fit 32 bits. */
enum { MOST_PRODUCTS = 32768 };

/* In 16 bits, of which processors multiply and add pairs. */
static int32_t short_dot(size_t count, const int8_t *row, const int8_t *values, int16_t zero_point)
{
    int32_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (int16_t)row[i] * (int16_t)(values[i] - zero_point);
    return sum;
}

/* start + sum of row * (values - zero_point), modulo 2^64 */
static int64_t dot(int32_t start, size_t count, const int8_t *row, const int8_t *values,
                   int32_t zero_point)
{
    uint64_t sum = (uint64_t)start;

    for (size_t i = 0; i < count; i += MOST_PRODUCTS) {
        const size_t part = count - i < MOST_PRODUCTS ? count - i : MOST_PRODUCTS;
        sum += (uint64_t)(int64_t)short_dot(part, row + i, values + i, (int16_t)zero_point);
    }
    return (int64_t)sum;
}

/* What input and previous output bring to a gate. Under a normalisation the bias comes later. */
static void sum_products(const struct hy_quantized_lstm_params *p,
                         const struct hy_quantized_gate *gate, const int8_t *in,
                         const int8_t *hidden, int16_t *values)
{
    for (size_t u = 0; u < p->units; u++) {
        if (hy_stop_after(hy_stop_here(), p->inputs + p->outputs))
            return;
        int32_t bias = gate->norm ? 0 : gate->bias[u];
        int64_t sum = dot(bias, p->inputs, gate->weights + u * p->inputs, in, p->in_zero_point);
        int16_t value = hy_saturate_16(hy_scale_sum_half_away(sum, gate->input));

        sum = dot(0, p->outputs, gate->recurrent + u * p->outputs, hidden, p->out_zero_point);
        values[u] = hy_saturate_16(value + hy_scale_sum_half_away(sum, gate->hidden));
    }
}

/* Integer mean and variance; the mean in 1/1024. */
static int32_t find_mean(size_t count, const int16_t *values, int64_t *variance)
{
    const int64_t unit = INT64_C(1) << 20;
    int64_t sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += (int64_t)values[i] * values[i];
    }
    int64_t mean = sum * 1024 / (int64_t)count;
    *variance = (squares * (unit / (int64_t)count) - mean * mean) / unit;
    return (int32_t)mean;
}

/* To mean 0 and variance 1, weights and bias applied, as a Q3. */
static void normalise(const struct hy_quantized_gate *gate, size_t count, int16_t *values)
{
    int64_t variance;
    int32_t mean = find_mean(count, values, &variance);
    struct hy_multiplier inverse =
        hy_inverse_sqrt((uint32_t)(variance < 1 ? gate->least_variance : variance));

    for (size_t i = 0; i < count; i++) {
        int64_t value = hy_scale_half_away(1024 * values[i] - mean, inverse);
        value = value * gate->norm[i] + gate->bias[i];
        value = (value > 0 ? value + 512 : value - 512) / 1024;
        values[i] = hy_saturate_16(
            hy_scale_half_away(hy_clamp_int32(value, INT32_MIN, INT32_MAX), gate->normalised));
    }
}

/* Peephole, normalisation and activation of a gate whose products are summed. */
static void finish_gate(const struct hy_quantized_lstm_params *p, int number, const int16_t *state)
{
    const struct hy_quantized_gate *gate = &p->gates[number];
    int16_t *values = p->values + (size_t)number * p->units;

    for (size_t u = 0; gate->peephole && u < p->units; u++)
        values[u] = hy_saturate_16((int64_t)values[u] +
                                   hy_scale_half_away(gate->peephole[u] * state[u], gate->cell));
    if (gate->norm)
        normalise(gate, p->units, values);
    for (size_t u = 0; u < p->units; u++)
        values[u] =
            number == HY_LSTM_CELL ? hy_tanh_16(values[u], 3) : hy_logistic_16(values[u], 3);
}

static void update_state(const struct hy_quantized_lstm_params *p, const int16_t *state,
                         int16_t *new_state)
{
    bool coupled = !p->gates[HY_LSTM_INPUT].weights;
    const int16_t *input = p->values, *forget = input + p->units, *update = forget + p->units;
    int32_t clip = p->cell_clip;

    for (size_t u = 0; u < p->units; u++) {
        int32_t gate = coupled ? INT16_MAX - forget[u] : input[u];
        int16_t value = hy_saturate_16((int64_t)hy_round_shift(forget[u] * state[u], 15) +
                                       hy_round_shift(gate * update[u], 30 + p->cell_shift));
        new_state[u] = (int16_t)(clip > 0 ? hy_clamp_int32(value, -clip, clip) : value);
    }
}

/* The zero point is taken off here and put back by the projection: so it is defined. */
static int8_t unit_output(const struct hy_quantized_lstm_params *p, int16_t output, int16_t state)
{
    int16_t squashed = hy_tanh_16(state, 15 + p->cell_shift);
    int64_t value = hy_scale_half_away(output * squashed, p->unit_multiplier);

    return (int8_t)hy_clamp_int32(value - p->unit_zero_point, INT8_MIN, INT8_MAX);
}

static void project(const struct hy_quantized_lstm_params *p, int8_t *out)
{
    int32_t clip = p->projection_clip;

    for (size_t n = 0; n < p->outputs; n++) {
        int32_t bias = p->projection_bias ? p->projection_bias[n] : 0;
        int64_t sum =
            dot(bias, p->units, p->projection + n * p->units, p->projected, -p->unit_zero_point);
        int64_t value = hy_scale_sum_half_away(sum, p->projection_multiplier) + p->out_zero_point;

        out[n] = (int8_t)hy_clamp_int32(value, INT8_MIN, INT8_MAX);
        if (clip > 0)
            out[n] = (int8_t)hy_clamp_int32(out[n], -clip, clip);
    }
}

static void run_row(const struct hy_quantized_lstm_params *p, const int8_t *in,
                    const int8_t *hidden, const int16_t *state, int16_t *new_state, int8_t *out)
{
    int8_t *units = p->projection ? p->projected : out;

    for (int gate = 0; gate < HY_LSTM_GATES; gate++)
        if (p->gates[gate].weights)
            sum_products(p, &p->gates[gate], in, hidden, p->values + (size_t)gate * p->units);
    for (int gate = 0; gate < HY_LSTM_OUTPUT; gate++)
        if (p->gates[gate].weights)
            finish_gate(p, gate, state);
    update_state(p, state, new_state);
    finish_gate(p, HY_LSTM_OUTPUT, new_state); /* its peephole looks at the new state */
    for (size_t u = 0; u < p->units; u++)
        units[u] = unit_output(p, p->values[HY_LSTM_OUTPUT * p->units + u], new_state[u]);
    if (p->projection)
        project(p, out);
}

void hy_quantized_lstm(const struct hy_quantized_lstm_params *params, const int8_t *in,
                       const int8_t *hidden, const int16_t *state, int16_t *new_state, int8_t *out)
{
    for (size_t b = 0; b < params->batch; b++)
        run_row(params, in + b * params->inputs, hidden + b * params->outputs,
                state + b * params->units, new_state + b * params->units,
                out + b * params->outputs);
}
