#include "cpu_fallback/kernels/element.h"

#include <math.h>

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/long_sum.h"
#include "cpu_fallback/kernels/fast/simd/exponential.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * SOFTMAX and LOG_SOFTMAX in float32, in three passes: the largest element (ignoring NaN), the sum
 * of the exponentials, the results. If the elements of a softmax are neighbours, the loops run
 * along the softmax; otherwise a vector holds one element of each of HY_LANES softmaxes.
 */

static inline size_t part_of(size_t count, size_t at)
{
    return count - at < HY_LANES ? count - at : HY_LANES;
}

/* The constants of one softmax, for exponents and results. */
struct line {
    vf max, beta;
    vf sum; /* sum of the powers; their logarithm in LOG_SOFTMAX */
};

static inline vf exponent(const struct line *line, vf x)
{
    return vf_multiply(vf_sub(x, line->max), line->beta);
}

/* ---- Along a softmax ------------------------------------------------------------------------- */

static float largest(const float *in, size_t count)
{
    const vf least = vf_set1(-INFINITY);
    vf max = least;

    for (size_t i = 0; i < count; i += HY_LANES) {
        const size_t part = part_of(count, i);
        max = vf_max(vf_first_of(part, vf_load_part(in + i, part), least), max);
    }
    return vf_largest(max);
}

/* Sums the powers in the lanes of a vector. The powers are also stored unless `out` is NULL. */
static vf sum_block(const struct line *line, size_t count, const float *in, float *out)
{
    const vf zero = vf_set1(0);
    vf sum = zero;

    for (size_t i = 0; i < count; i += HY_LANES) {
        const size_t part = part_of(count, i);
        const vf power = vf_exp(exponent(line, vf_load_part(in + i, part)));
        if (out)
            vf_store_part(out + i, power, part);
        sum = vf_add(sum, vf_first_of(part, power, zero));
    }
    return sum;
}

/* Sums the powers of any number of elements to one number. */
static float sum_powers(const struct line *line, size_t count, const float *in, float *out)
{
    const size_t block = (size_t)HY_LONG_SUM_BLOCK * HY_LANES;
    struct vf_long_sum total = {0};

    if (count <= block)
        return vf_sum(sum_block(line, count, in, out));
    for (size_t i = 0; i < count; i += block) {
        const size_t part = count - i < block ? count - i : block;
        vf_long_sum_add(&total, sum_block(line, part, in + i, out ? out + i : NULL));
    }
    return vf_sum(vf_long_sum_round(&total));
}

static void softmax_row(const float *in, float *out, size_t count, float beta)
{
    struct line line = {.max = vf_set1(largest(in, count)), .beta = vf_set1(beta)};

    line.sum = vf_set1(sum_powers(&line, count, in, out));
    for (size_t i = 0; i < count; i += HY_LANES) {
        const size_t part = part_of(count, i);
        vf_store_part(out + i, vf_divide(vf_load_part(out + i, part), line.sum), part);
    }
}

static void log_softmax_row(const float *in, float *out, size_t count, float beta)
{
    struct line line = {.max = vf_set1(largest(in, count)), .beta = vf_set1(beta)};

    line.sum = vf_set1(logf(sum_powers(&line, count, in, NULL)));
    for (size_t i = 0; i < count; i += HY_LANES) {
        const size_t part = part_of(count, i);
        const vf x = exponent(&line, vf_load_part(in + i, part));
        vf_store_part(out + i, vf_sub(x, line.sum), part);
    }
}

/* ---- Side by side: `part` softmaxes whose elements are `step` apart -------------------------- */

static struct line sum_columns(const float *in, size_t part, size_t count, size_t step, float beta)
{
    struct line line = {vf_set1(-INFINITY), vf_set1(beta), vf_set1(0)};
    struct vf_long_sum total = {0};

    for (size_t i = 0; i < count; i++)
        line.max = vf_max(vf_load_part(in + i * step, part), line.max);
    for (size_t first = 0; first < count; first += HY_LONG_SUM_BLOCK) {
        const size_t end = count - first < HY_LONG_SUM_BLOCK ? count : first + HY_LONG_SUM_BLOCK;
        vf sum = vf_set1(0);
        for (size_t i = first; i < end; i++)
            sum = vf_add(sum, vf_exp(exponent(&line, vf_load_part(in + i * step, part))));
        vf_long_sum_add(&total, sum);
    }
    line.sum = vf_long_sum_round(&total);
    return line;
}

static void softmax_columns(const float *in, float *out, size_t part, size_t count, size_t step,
                            float beta)
{
    const struct line line = sum_columns(in, part, count, step, beta);

    for (size_t i = 0; i < count; i++) {
        const vf power = vf_exp(exponent(&line, vf_load_part(in + i * step, part)));
        vf_store_part(out + i * step, vf_divide(power, line.sum), part);
    }
}

static void log_softmax_columns(const float *in, float *out, size_t part, size_t count, size_t step,
                                float beta)
{
    struct line line = sum_columns(in, part, count, step, beta);
    float sums[HY_LANES];

    vf_store(sums, line.sum);
    for (size_t i = 0; i < part; i++)
        sums[i] = logf(sums[i]);
    line.sum = vf_load(sums);
    for (size_t i = 0; i < count; i++) {
        const vf x = exponent(&line, vf_load_part(in + i * step, part));
        vf_store_part(out + i * step, vf_sub(x, line.sum), part);
    }
}

#define SOFTMAX(name) \
    void HY_SIMD_FN(name)(const struct hy_softmax_params *p, const void *in, void *out) \
    { \
        const float *from = in; \
        float *to = out; \
        struct hy_stop_watch *watch = hy_stop_here(); \
\
        for (size_t o = 0; o < p->outer; \
             o++, from += p->count * p->inner, to += p->count * p->inner) { \
            if (hy_stop_after(watch, p->count * p->inner)) \
                return; \
            if (p->inner == 1) \
                name##_row(from, to, p->count, p->beta); \
            for (size_t i = 0; p->inner > 1 && i < p->inner; i += HY_LANES) \
                name##_columns(from + i, to + i, part_of(p->inner, i), p->count, p->inner, \
                               p->beta); \
        } \
    }

SOFTMAX(softmax)
SOFTMAX(log_softmax)
