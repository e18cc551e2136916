#include "cpu_fallback/kernels/quantized_lstm.h"

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/stop.h"

/* The data type, and the number of its products with a byte whose sum fits 32 bits. */
#if defined(HY_S8)
enum { LEAST = INT8_MIN, MOST = INT8_MAX, MOST_PRODUCTS = 32768 };
#else
enum { LEAST = INT16_MIN, MOST = INT16_MAX, MOST_PRODUCTS = 256 };
#endif

static int64_t bias_at(const struct hy_quantized_lstm_params *p, const void *bias, size_t index)
{
    return p->has_wide_bias ? ((const int64_t *)bias)[index] : ((const int32_t *)bias)[index];
}

/* Multiplies in 16 bits: processors multiply and add pairs of 16-bit numbers. */
static int32_t short_dot(size_t count, const int8_t *row, const HY_T *values, int16_t zero_point)
{
    int32_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (int16_t)row[i] * (int16_t)(values[i] - zero_point);
    return sum;
}

/* start + sum of row * (values - zero_point), modulo 2^64 */
static int64_t dot(int64_t start, size_t count, const int8_t *row, const HY_T *values,
                   int32_t zero_point)
{
    uint64_t sum = (uint64_t)start;

    for (size_t i = 0; i < count; i += MOST_PRODUCTS) {
        const size_t part = count - i < MOST_PRODUCTS ? count - i : MOST_PRODUCTS;
        sum += (uint64_t)(int64_t)short_dot(part, row + i, values + i, (int16_t)zero_point);
    }
    return (int64_t)sum;
}

/* Sums the products of input and previous output for a gate. With a normalisation the bias follows
 * later. */
static void sum_products(const struct hy_quantized_lstm_params *p,
                         const struct hy_quantized_gate *gate, const HY_T *in, const HY_T *hidden,
                         int16_t *values)
{
    for (size_t u = 0; u < p->units; u++) {
        if (hy_stop_after(hy_stop_here(), p->inputs + p->outputs))
            return;
        int64_t bias = gate->norm ? 0 : bias_at(p, gate->bias, u);
        int64_t sum = dot(bias, p->inputs, gate->weights + u * p->inputs, in, p->in_zero_point);
        int16_t value = hy_saturate_16(hy_scale_sum_half_away(sum, gate->input));

        sum = dot(0, p->outputs, gate->recurrent + u * p->outputs, hidden, p->out_zero_point);
        values[u] = hy_saturate_16(value + hy_scale_sum_half_away(sum, gate->hidden));
    }
}

/* Integer mean and variance; the mean in units of 1/1024. */
static int32_t find_mean(size_t count, const int16_t *values, int64_t *variance)
{
    const int64_t unit = INT64_C(1) << 20;
    int64_t sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += (int64_t)values[i] * values[i];
    }
    /* A cell has units. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    int64_t mean = sum * 1024 / (int64_t)count;
    *variance = (squares * (unit / (int64_t)count) - mean * mean) / unit;
    return (int32_t)mean;
}

/* Scales and shifts to mean 0 and variance 1, with weights and bias applied, as a Q3. */
static void normalise(const struct hy_quantized_lstm_params *p,
                      const struct hy_quantized_gate *gate, int16_t *values)
{
    const int64_t most = INT64_C(1) << 62; /* bound of a bias, beyond all products */
    const size_t count = p->units;
    int64_t variance;
    int32_t mean = find_mean(count, values, &variance);
    struct hy_multiplier inverse =
        hy_inverse_sqrt((uint32_t)(variance < 1 ? gate->least_variance : variance));

    for (size_t i = 0; i < count; i++) {
        int64_t value = hy_scale_half_away(1024 * values[i] - mean, inverse);
        int64_t bias = bias_at(p, gate->bias, i);
        bias = bias < -most ? -most : bias > most ? most : bias;
        value = value * gate->norm[i] + bias;
        value = (value > 0 ? value + 512 : value - 512) / 1024;
        values[i] = hy_saturate_16(
            hy_scale_half_away(hy_clamp_int32(value, INT32_MIN, INT32_MAX), gate->normalised));
    }
}

/* Applies peephole, normalisation and activation to the summed products of a gate. */
static void finish_gate(const struct hy_quantized_lstm_params *p, int number, const int16_t *state)
{
    const struct hy_quantized_gate *gate = &p->gates[number];
    int16_t *values = p->values + (size_t)number * p->units;

    for (size_t u = 0; gate->peephole && u < p->units; u++)
        values[u] = hy_saturate_16((int64_t)values[u] +
                                   hy_scale_half_away(gate->peephole[u] * state[u], gate->cell));
    if (gate->norm)
        normalise(p, gate, values);
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

/* The zero point is subtracted here and added again by the projection: the published results define
 * the operation so. */
static HY_T unit_output(const struct hy_quantized_lstm_params *p, int16_t output, int16_t state)
{
    int16_t squashed = hy_tanh_16(state, 15 + p->cell_shift);
    int64_t value = hy_scale_half_away(output * squashed, p->unit_multiplier);

    return (HY_T)hy_clamp_int32(value - p->unit_zero_point, LEAST, MOST);
}

static void project(const struct hy_quantized_lstm_params *p, HY_T *out)
{
    const int32_t zero_point = (int32_t)(0u - (uint32_t)p->unit_zero_point);
    int32_t clip = p->projection_clip;

    for (size_t n = 0; n < p->outputs; n++) {
        int64_t bias = p->projection_bias ? bias_at(p, p->projection_bias, n) : 0;
        int64_t sum = dot(bias, p->units, p->projection + n * p->units, p->projected, zero_point);
        int64_t value = hy_scale_sum_half_away(sum, p->projection_multiplier) + p->out_zero_point;

        out[n] = (HY_T)hy_clamp_int32(value, LEAST, MOST);
        if (clip > 0)
            out[n] = (HY_T)hy_clamp_int32(out[n], -clip, clip);
    }
}

void HY_FN(quantized_lstm_row)(const struct hy_quantized_lstm_params *p, const void *in,
                               const void *hidden, const int16_t *state, int16_t *new_state,
                               void *out)
{
    HY_T *units = p->projection ? p->projected : out;

    for (int gate = 0; gate < HY_LSTM_GATES; gate++)
        if (p->gates[gate].weights)
            sum_products(p, &p->gates[gate], in, hidden, p->values + (size_t)gate * p->units);
    for (int gate = 0; gate < HY_LSTM_OUTPUT; gate++)
        if (p->gates[gate].weights)
            finish_gate(p, gate, state);
    update_state(p, state, new_state);
    finish_gate(p, HY_LSTM_OUTPUT, new_state); /* its peephole reads the new state */
    for (size_t u = 0; u < p->units; u++)
        units[u] = unit_output(p, p->values[HY_LSTM_OUTPUT * p->units + u], new_state[u]);
    if (p->projection)
        project(p, out);
}
