#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* BITWISE_AND, BITWISE_OR, BITWISE_XOR, LEFT_SHIFT and RIGHT_SHIFT. Only shifts to the right differ
 * between signed and unsigned numbers. */

enum { BITS = 8 * sizeof(HY_T) };

/* Whether a signed amount is below 0. */
#if defined(HY_I8) || defined(HY_I16) || defined(HY_I32) || defined(HY_I64)
#define BELOW_ZERO(x) ((x) < 0)

#define BITWISE(name, op) \
    static HY_T name##_one(const struct hy_binary_params *params, HY_T a, HY_T b) \
    { \
        (void)params; \
        return (HY_T)(a op b); \
    } \
    HY_BINARY_KERNEL(name, HY_T, name##_one)

BITWISE(and, &)
BITWISE(or, |)
BITWISE(xor, ^)

static HY_T left_shift_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return (HY_T)(b < 0 || b >= BITS ? 0 : (HY_WRAP_T)a << b);
}
HY_BINARY_KERNEL(left_shift, HY_T, left_shift_one)
#else
#define BELOW_ZERO(x) false
#endif

static HY_T right_shift_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return (HY_T)(a >> (BELOW_ZERO(b) ? 0 : b < BITS ? b : BITS - 1));
}
HY_BINARY_KERNEL(right_shift, HY_T, right_shift_one)
