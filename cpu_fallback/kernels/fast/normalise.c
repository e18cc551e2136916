#include "cpu_fallback/kernels/element.h"

#include <math.h>

#include "cpu_fallback/kernels/fast/doubles.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/reference.h"
#include "cpu_fallback/kernels/stop.h"

/* L2_NORMALIZATION of float32 along the last dimension; the reference has the other ones. */

static inline vd add_squares(vd sum, vf x)
{
    const vd wide = vd_widen(x);
    return vd_multiply_add(wide, wide, sum); /* the square is exact in double */
}

static inline void normalise_line(const float *in, size_t count, float *out)
{
    const size_t rest = count % HY_LANES, whole = count - rest;
    const double least = 1e-6;
    vd sum = vd_set1(0);

    for (size_t i = 0; i < whole; i += HY_LANES)
        sum = add_squares(sum, vf_load(in + i));
    if (rest > 0)
        sum = add_squares(sum, vf_load_part(in + whole, rest));

    const double length = sqrt(vd_sum(sum));
    const vf divisor = vf_set1((float)(length < least ? least : length)); /* NaN stays */
    for (size_t i = 0; i < whole; i += HY_LANES)
        vf_store(out + i, vf_divide(vf_load(in + i), divisor));
    if (rest > 0)
        vf_store_part(out + whole, vf_divide(vf_load_part(in + whole, rest), divisor), rest);
}

void HY_SIMD_FN(l2_normalise)(const struct hy_normalise_params *params, const void *in, void *out)
{
    const struct hy_lines *lines = &params->lines;
    struct hy_stop_watch *watch = hy_stop_here();

    if (lines->inner != 1) {
        hy_l2_normalise_f32(params, in, out);
        return;
    }
    for (size_t i = 0; i < lines->outer && !hy_stop_after(watch, lines->count); i++) {
        const size_t begin = i * lines->count;
        normalise_line((const float *)in + begin, lines->count, (float *)out + begin);
    }
}
