#include "cpu_fallback/kernels/element.h"

#include <math.h>

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/doubles.h"
#include "cpu_fallback/kernels/fast/simd/log_sin_pow.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * L2_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION of float32 along the last dimension, and
 * INSTANCE_NORMALIZATION along other dimensions, with elements of HY_LANES lines in a vector. The
 * reference computes the other cases.
 */

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
    const vf divisor = vf_set1((float)(length < least ? least : length)); /* NaN is kept */
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

/* HY_LANES elements of a line of `count`, from index `begin` on; zeros behind either end of the
 * line. */
static inline vf load_within(const float *line, size_t count, ptrdiff_t begin)
{
    float elements[HY_LANES] = {0};

    if (begin >= (ptrdiff_t)count || begin <= -HY_LANES)
        return vf_set1(0);
    if (begin >= 0) {
        const size_t left = count - (size_t)begin;
        return vf_load_part(line + begin, left < HY_LANES ? left : HY_LANES);
    }
    const size_t before = (size_t)-begin, capacity = HY_LANES - before;
    memcpy(elements + before, line, (count < capacity ? count : capacity) * sizeof *line);
    return vf_load(elements);
}

/* Squares are added in the reference's order; zeros behind the ends change no sum. */
static inline void scale_line(const struct hy_normalise_params *params, const float *in, float *out)
{
    const size_t count = params->lines.count;
    const ptrdiff_t radius = (ptrdiff_t)(params->radius < count ? params->radius : count);
    const vf bias = vf_set1(params->bias), alpha = vf_set1(params->alpha);
    const vf exponent = vf_set1(-params->beta);
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < count; i += HY_LANES) {
        const size_t part = count - i < HY_LANES ? count - i : HY_LANES;
        vd sum = vd_set1(0);
        if (hy_stop_after(watch, (size_t)radius * part))
            return;
        for (ptrdiff_t d = -radius; d <= radius; d++)
            sum = add_squares(sum, load_within(in, count, (ptrdiff_t)i + d));
        const vf base = vf_add(bias, vf_multiply(alpha, vd_narrow(sum)));
        const vf x = vf_load_part(in + i, part);
        vf_store_part(out + i, vf_multiply(x, vf_pow(base, exponent)), part);
    }
}

void HY_SIMD_FN(local_normalise)(const struct hy_normalise_params *params, const void *in,
                                 void *out)
{
    const struct hy_lines *lines = &params->lines;
    struct hy_stop_watch *watch = hy_stop_here();

    if (lines->inner != 1) {
        hy_local_normalise_f32(params, in, out);
        return;
    }
    for (size_t i = 0; i < lines->outer && !hy_stop_after(watch, lines->count); i++) {
        const size_t begin = i * lines->count;
        scale_line(params, (const float *)in + begin, (float *)out + begin);
    }
}

/* Computes HY_LANES lines side by side, or `part` of them, in the reference's order: the same
 * bits. */
static inline void instance_lines(const struct hy_normalise_params *params, const float *in,
                                  size_t part, float *out)
{
    const size_t count = params->lines.count, step = params->lines.inner;
    const vd number = vd_set1((double)count), beta = vd_set1((double)params->beta);
    vd sum = vd_set1(0), squares = vd_set1(0);

    for (size_t i = 0; i < count; i++)
        sum = vd_add(sum, vd_widen(vf_load_part(in + i * step, part)));
    const vd mean = vd_divide(sum, number);
    for (size_t i = 0; i < count; i++) {
        const vd x = vd_sub(vd_widen(vf_load_part(in + i * step, part)), mean);
        squares = vd_add(squares, vd_multiply(x, x));
    }
    const vd variance = vd_add(vd_divide(squares, number), vd_set1((double)params->epsilon));
    const vd scale = vd_divide(vd_set1((double)params->gamma), vd_sqrt(variance));
    for (size_t i = 0; i < count; i++) {
        const vd x = vd_sub(vd_widen(vf_load_part(in + i * step, part)), mean);
        vf_store_part(out + i * step, vd_narrow(vd_add(vd_multiply(x, scale), beta)), part);
    }
}

void HY_SIMD_FN(instance_normalise)(const struct hy_normalise_params *params, const void *in,
                                    void *out)
{
    const struct hy_lines *lines = &params->lines;
    struct hy_stop_watch *watch = hy_stop_here();

    if (lines->inner == 1) {
        hy_instance_normalise_f32(params, in, out);
        return;
    }
    for (size_t i = 0; i < lines->outer; i++) {
        for (size_t line = 0; line < lines->inner; line += HY_LANES) {
            const size_t left = lines->inner - line, part = left < HY_LANES ? left : HY_LANES;
            const size_t begin = i * lines->count * lines->inner + line;
            if (hy_stop_after(watch, lines->count * part))
                return;
            instance_lines(params, (const float *)in + begin, part, (float *)out + begin);
        }
    }
}
