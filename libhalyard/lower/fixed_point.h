#ifndef HY_LIBHALYARD_LOWER_FIXED_POINT_H
#define HY_LIBHALYARD_LOWER_FIXED_POINT_H

#include <stdint.h>

/*
 * Fixed-point arithmetic of quantised kernels, for tables that are computed at compile time. A real
 * factor is mantissa * 2^(shift - 31) with a mantissa of 31 bits, rounded to nearest. A product is
 * rounded twice: first the doubled high half, half away from zero upwards as gemmlowp does, then
 * the division by a power of two, half away from zero.
 */
struct hy_multiplier {
    int32_t mantissa; /* 2^30 to 2^31 - 1, or 0 */
    int shift;        /* a left shift if positive; -31 to 30 */
};

/* `factor` is not negative. Factors below 2^-32 become 0; factors from 2^30 on become the largest
 * multiplier. */
struct hy_multiplier hy_multiplier_of(double factor);

/* The product saturates. */
int32_t hy_multiply(int32_t value, struct hy_multiplier multiplier);

/* The doubled high half of a product, rounded; saturates. */
int32_t hy_doubled_high_product(int32_t a, int32_t b);

/* value / 2^exponent, half away from zero; `exponent`: 0 to 31. */
int32_t hy_divide_by_power(int32_t value, int exponent);

#endif
