#include "driver_kit/fixed_point.h"

#include <assert.h>
#include <string.h>

#define FRACTION_BITS 52 /* mantissa bits of a double; the leading 1 is implicit */

/* Integer arithmetic, because models have one multiplier per channel: m = significand * 2^(exponent
 * - 53). The upper 31 bits are kept, rounded half away from zero. */
struct hy_multiplier hy_multiplier_from_double(double m)
{
    static_assert(sizeof(double) == sizeof(uint64_t), "IEEE 754");
    uint64_t bits;

    if (m < 0)
        return (struct hy_multiplier){0, 0};
    if (!(m < 0x1p30)) /* also NaN */
        return (struct hy_multiplier){INT32_MAX, 30};
    memcpy(&bits, &m, sizeof bits);
    const uint64_t leading = UINT64_C(1) << FRACTION_BITS;
    const uint64_t significand = (bits & (leading - 1)) | leading;
    const int dropped = FRACTION_BITS + 1 - 31;
    int exponent = (int)(bits >> FRACTION_BITS & 0x7ff) - 1022;
    uint64_t mantissa = (significand + (UINT64_C(1) << (dropped - 1))) >> dropped;

    if (mantissa == UINT64_C(1) << 31) {
        mantissa /= 2;
        exponent++;
    }
    if (exponent < -31) /* also zero and subnormal numbers */
        return (struct hy_multiplier){0, 0};
    return (struct hy_multiplier){(int32_t)mantissa, exponent};
}
