#include "cpu_fallback/kernels/byte_table.h"

#include <math.h>

#include "cpu_fallback/kernels/reference/hard_swish.h"
#include "cpu_fallback/kernels/reference/reference.h"

static int32_t stored(const struct hy_byte_quant *quant, int byte)
{
    return quant->is_signed ? (int8_t)byte : byte;
}

/* Converts a rounded value to a byte. NaN gives the largest value. */
static uint8_t to_byte(const struct hy_byte_quant *quant, double steps)
{
    double min = quant->is_signed ? INT8_MIN : 0, max = min + HY_TABLE_SIZE - 1;

    if (!(steps < max))
        return (uint8_t)(int)max;
    return (uint8_t)(int)(steps < min ? min : steps);
}

static float logistic(float x)
{
    return 1 / (1 + expf(-x));
}

static float rsqrt(float x)
{
    return 1 / sqrtf(x);
}

static void fill_real(float (*function)(float), const struct hy_byte_quant *in,
                      const struct hy_byte_quant *out, uint8_t table[HY_TABLE_SIZE])
{
    for (int i = 0; i < HY_TABLE_SIZE; i++) {
        float x = in->scale * (float)(stored(in, i) - in->zero_point);
        table[i] = to_byte(out, roundf(function(x) / out->scale) + (float)out->zero_point);
    }
}

static void fill_hard_swish(const struct hy_byte_quant *in, const struct hy_byte_quant *out,
                            uint8_t table[HY_TABLE_SIZE])
{
    struct hy_hard_swish params;

    if (!hy_hard_swish_init(in->scale, out->scale, &params)) {
        fill_real(hy_hard_swish_real, in, out, table);
        return;
    }
    for (int i = 0; i < HY_TABLE_SIZE; i++) {
        int32_t steps = hy_hard_swish_steps(&params, stored(in, i) - in->zero_point);
        table[i] = to_byte(out, steps + out->zero_point);
    }
}

static void fill_clamp(const struct hy_byte_quant *quant, const struct hy_activation *bounds,
                       uint8_t table[HY_TABLE_SIZE])
{
    for (int i = 0; i < HY_TABLE_SIZE; i++) {
        int32_t q = stored(quant, i);
        table[i] = (uint8_t)(q < bounds->q_min   ? bounds->q_min
                             : q > bounds->q_max ? bounds->q_max
                                                 : q);
    }
}

void hy_table_fill(enum hy_unary op, const struct hy_byte_quant *in,
                   const struct hy_byte_quant *out, const struct hy_activation *bounds,
                   uint8_t table[HY_TABLE_SIZE])
{
    switch (op) {
    case HY_UNARY_CLAMP:
        fill_clamp(in, bounds, table);
        break;
    case HY_UNARY_HARD_SWISH:
        fill_hard_swish(in, out, table);
        break;
    case HY_UNARY_LOGISTIC:
        fill_real(logistic, in, out, table);
        break;
    case HY_UNARY_RSQRT:
        fill_real(rsqrt, in, out, table);
        break;
    case HY_UNARY_TANH:
        fill_real(tanhf, in, out, table);
        break;
    default: /* NOT: the other operations have no 8-bit types */
        for (int i = 0; i < HY_TABLE_SIZE; i++)
            table[i] = i == 0;
    }
}

void hy_table_requantise(const struct hy_byte_quant *in, const struct hy_byte_quant *out,
                         uint8_t table[HY_TABLE_SIZE])
{
    for (int i = 0; i < HY_TABLE_SIZE; i++) {
        double real = (stored(in, i) - in->zero_point) * (double)in->scale;
        table[i] = to_byte(out, round(real / (double)out->scale + out->zero_point));
    }
}

void hy_lookup(const struct hy_unary_params *params, const void *in, void *out)
{
    const uint8_t *values = in;
    uint8_t *results = out;

    for (size_t i = 0; i < params->count; i++)
        results[i] = params->table[values[i]];
}
