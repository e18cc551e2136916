#include <math.h>

#include "cpu_fallback/kernels/reference/normalise_lines.h"
#include "cpu_fallback/kernels/reference/reference.h"

static void l2_line(const struct hy_normalise_params *params, const HY_T *in, HY_T *out)
{
    const size_t count = params->lines.count, step = params->lines.inner;
    const double least = 1e-6;
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const double x = (double)HY_LOAD(in[i * step]);
        sum += x * x;
    }
    const double length = sqrt(sum);
    const HY_REAL divisor = (HY_REAL)(length < least ? least : length); /* NaN is kept */
    for (size_t i = 0; i < count; i++)
        out[i * step] = HY_STORE(HY_LOAD(in[i * step]) / divisor);
}
HY_NORMALISE_KERNEL(l2_normalise, l2_line)
