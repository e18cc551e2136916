#include <math.h>

#include "cpu_fallback/kernels/flush.h"
#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

#if defined(HY_F64)
static HY_T pow_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return pow(a, b);
}
#elif HY_IS_FLOAT
static HY_T pow_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    (void)params;
    return HY_STORE(powf(hy_flush(HY_LOAD(a)), hy_flush(HY_LOAD(b))));
}
#else
/* Squares the base and multiplies for each set bit of the exponent. A negative exponent gives 1 /
 * a^-b rounded towards zero, and 0 for a base of 0. */
static HY_T pow_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
    HY_WRAP_T product = 1, square = (HY_WRAP_T)a;

    (void)params;
    if (b < 0)
        return a == 1 ? 1 : a != -1 ? 0 : b % 2 ? -1 : 1;
    for (HY_WRAP_T rest = (HY_WRAP_T)b; rest > 0; rest /= 2) {
        product *= rest % 2 ? square : 1;
        square *= square;
    }
    return (HY_T)product;
}
#endif
HY_BINARY_KERNEL(pow, HY_T, pow_one)
