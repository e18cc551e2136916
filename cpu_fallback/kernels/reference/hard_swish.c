#include "cpu_fallback/kernels/reference/hard_swish.h"

#include "cpu_fallback/kernels/fixed_point.h"

static struct hy_multiplier narrow_multiplier(double m)
{
    struct hy_multiplier multiplier = hy_multiplier_from_double(m);
    int64_t mantissa = ((int64_t)multiplier.mantissa + (1 << 15)) >> 16;

    multiplier.mantissa = hy_clamp_int32(mantissa, 0, INT16_MAX);
    return multiplier;
}

bool hy_hard_swish_init(float in_scale, float out_scale, struct hy_hard_swish *params)
{
    float fine_scale = in_scale / 128;

    params->to_output = narrow_multiplier((double)(fine_scale / out_scale));
    params->to_gate = narrow_multiplier((double)(fine_scale / (3.0f / 32768)));
    return params->to_output.exponent <= 0;
}

static int32_t shift_left(int32_t value, int shift)
{
    return hy_clamp_int32(value * (INT64_C(1) << shift), INT16_MIN, INT16_MAX);
}

/* Shifts right, rounding half away from zero. */
static int32_t shift_right(int32_t value, int shift)
{
    int32_t half = shift > 0 ? (1 << (shift - 1)) - (value < 0) : 0;
    return (value + half) >> shift;
}

/* value * mantissa / 2^15, half away from zero */
static int32_t multiply(int32_t value, int32_t mantissa)
{
    int32_t product = value * mantissa;
    return (product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15);
}

int32_t hy_hard_swish_steps(const struct hy_hard_swish *params, int32_t value)
{
    const struct hy_multiplier *gate_scale = &params->to_gate;
    int32_t fine = value * 128, gate = fine;
    int32_t scaled = multiply(fine, params->to_output.mantissa);

    if (gate_scale->exponent > 0)
        gate = shift_left(gate, gate_scale->exponent - 1);
    gate = multiply(gate, gate_scale->mantissa);
    if (gate_scale->exponent > 0)
        gate = shift_left(gate, 1);
    else
        gate = shift_right(gate, -gate_scale->exponent);
    gate = (gate + (1 << 15)) >> 1; /* clamp(x + 3, 0, 6) / 6, in units of 2^-15 */
    return shift_right(gate * scaled / (1 << 15), -params->to_output.exponent);
}
