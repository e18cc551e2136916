#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/float_clamp.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* ADD, SUB and MUL, and DIV of real and quantised numbers. */

#if HY_IS_FLOAT
#ifdef HY_F64
#define ACTIVATE hy_activate_double
#else
#define ACTIVATE hy_activate
#endif

#define ARITHMETIC(name, op) \
    static HY_T name##_one(const struct hy_binary_params *params, HY_T a, HY_T b) \
    { \
        return HY_STORE(ACTIVATE(&params->activation, HY_LOAD(a) op HY_LOAD(b))); \
    } \
    HY_BINARY_KERNEL(name, HY_T, name##_one)

ARITHMETIC(add, +)
ARITHMETIC(sub, -)
ARITHMETIC(mul, *)
ARITHMETIC(div, /)

#elif HY_IS_QUANT
/* Converts a value in units of the output multiplier to the final integer. */
static HY_T finish(const struct hy_binary_params *params, int32_t value)
{
    int64_t scaled = hy_scale_half_away(value, params->out_multiplier);
    return (HY_T)hy_clamp_int32(scaled + params->out_zero_point, params->activation.q_min,
                                params->activation.q_max);
}

#ifdef HY_S16
#define SUM_SHIFT HY_SUM_SHIFT_16
#else
#define SUM_SHIFT HY_SUM_SHIFT
#endif

static uint32_t sum_side(HY_T value, int32_t zero_point, struct hy_multiplier multiplier)
{
    int32_t raw = (value - zero_point) * (1 << SUM_SHIFT);
    return (uint32_t)hy_scale_half_away(raw, multiplier);
}

#define SUM(name, op) \
    static HY_T name##_one(const struct hy_binary_params *p, HY_T a, HY_T b) \
    { \
        uint32_t x = sum_side(a, p->a_zero_point, p->a_multiplier); \
        uint32_t y = sum_side(b, p->b_zero_point, p->b_multiplier); \
        return finish(p, (int32_t)(x op y)); \
    } \
    HY_BINARY_KERNEL(name, HY_T, name##_one)

SUM(add, +)
SUM(sub, -)

static HY_T mul_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    return finish(params, (a - params->a_zero_point) * (b - params->b_zero_point));
}
HY_BINARY_KERNEL(mul, HY_T, mul_one)

/* A quotient by 0 is infinite, with the sign of the dividend; 0 / 0 is 0. Scales may be infinite;
 * results that are NaN become the smallest number. */
static HY_T div_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    const int32_t zero = params->out_zero_point;
    const int32_t low = params->activation.q_min - zero, high = params->activation.q_max - zero;
    const int32_t dividend = a - params->a_zero_point, divisor = b - params->b_zero_point;

    if (divisor == 0 && dividend != 0)
        return (HY_T)((dividend > 0 ? high : low) + zero);
    const double quotient = divisor == 0 ? 0 : (double)dividend / divisor * params->quotient_scale;
    const double steps = quotient > low ? quotient < high ? quotient : high : low;
    const int32_t whole = (int32_t)steps;
    const double rest = steps - whole; /* round() would be a call for each element */
    return (HY_T)(whole + (rest >= 0.5) - (rest <= -0.5) + zero);
}
HY_BINARY_KERNEL(div, HY_T, div_one)

#else
#define ARITHMETIC(name, op) \
    static HY_T name##_one(const struct hy_binary_params *params, HY_T a, HY_T b) \
    { \
        (void)params; \
        HY_WRAP_T x = (HY_WRAP_T)a, y = (HY_WRAP_T)b; \
        return (HY_T)(x op y); \
    } \
    HY_BINARY_KERNEL(name, HY_T, name##_one)

ARITHMETIC(add, +)
ARITHMETIC(sub, -)
ARITHMETIC(mul, *)
#endif
