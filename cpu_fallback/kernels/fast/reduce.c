#include "cpu_fallback/kernels/element.h"

#include <math.h>

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/doubles.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * MEAN, REDUCE_SUM, REDUCE_MAX and REDUCE_MIN of float32. If the last dimension is kept, lanes are
 * outputs, and sums have the order and the bits of the reference. If the last dimension is reduced,
 * each lane sums a part of a line. Both sum in double.
 */

/* The results of the lanes so far: sums, or extremes. */
struct state {
    vd sum;
    vf extreme;
};

static inline struct state start_of(enum hy_reduce op)
{
    return (struct state){vd_set1(0), vf_set1(op == HY_REDUCE_MAX ? -INFINITY : INFINITY)};
}

/* NaN is ignored by extremes. */
static inline void accumulate(enum hy_reduce op, struct state *state, vf x)
{
    if (op == HY_REDUCE_MAX)
        state->extreme = vf_if_below(state->extreme, x, x, state->extreme);
    else if (op == HY_REDUCE_MIN)
        state->extreme = vf_if_below(x, state->extreme, x, state->extreme);
    else
        state->sum = vd_add(state->sum, vd_widen(x));
}

static inline vf result_of(enum hy_reduce op, const struct state *state, double count)
{
    if (op == HY_REDUCE_MAX || op == HY_REDUCE_MIN)
        return state->extreme;
    return vd_narrow(op == HY_REDUCE_MEAN ? vd_divide(state->sum, vd_set1(count)) : state->sum);
}

static double count_of(const struct hy_walk *walk)
{
    return (double)(walk->dims[0] * walk->dims[1]);
}

/* Reduces to `vectors` whole vectors of neighbouring outputs. */
HY_ALWAYS_INLINE void reduce_block(enum hy_reduce op, const struct hy_walk *walk, const float *in,
                                   size_t vectors, float *out)
{
    struct state states[4];

    HY_UNROLL(4)
    for (size_t v = 0; v < vectors; v++)
        states[v] = start_of(op);
    for (size_t i = 0; i < walk->dims[0]; i++)
        for (size_t j = 0; j < walk->dims[1]; j++) {
            const float *from = in + i * walk->strides[0] + j * walk->strides[1];
            HY_UNROLL(4)
            for (size_t v = 0; v < vectors; v++)
                accumulate(op, &states[v], vf_load(from + v * HY_LANES));
        }
    HY_UNROLL(4)
    for (size_t v = 0; v < vectors; v++)
        vf_store(out + v * HY_LANES, result_of(op, &states[v], count_of(walk)));
}

/* Reduces to the last outputs, fewer than lanes. */
static inline void reduce_rest(enum hy_reduce op, const struct hy_walk *walk, const float *in,
                               size_t rest, float *out)
{
    struct state state = start_of(op);

    for (size_t i = 0; i < walk->dims[0]; i++)
        for (size_t j = 0; j < walk->dims[1]; j++)
            accumulate(op, &state,
                       vf_load_part(in + i * walk->strides[0] + j * walk->strides[1], rest));
    vf_store_part(out, result_of(op, &state, count_of(walk)), rest);
}

static inline void reduce_columns(enum hy_reduce op, const struct hy_walk *walk, const float *in,
                                  size_t count, float *out, struct hy_stop_watch *watch)
{
    const size_t amount = walk->dims[0] * walk->dims[1] * HY_LANES;
    size_t i = 0;

    for (; i + 4 * HY_LANES <= count && !hy_stop_after(watch, 4 * amount); i += 4 * HY_LANES)
        reduce_block(op, walk, in + i, 4, out + i);
    for (; i + 2 * HY_LANES <= count && !hy_stop_after(watch, 2 * amount); i += 2 * HY_LANES)
        reduce_block(op, walk, in + i, 2, out + i);
    for (; i + HY_LANES <= count && !hy_stop_after(watch, amount); i += HY_LANES)
        reduce_block(op, walk, in + i, 1, out + i);
    if (i < count && count - i < HY_LANES && !hy_stop_after(watch, amount))
        reduce_rest(op, walk, in + i, count - i, out + i);
}

/* The result of all lanes together. */
static inline float result_of_line(enum hy_reduce op, const struct state *state, double count)
{
    float lanes[HY_LANES], result;

    if (op == HY_REDUCE_SUM)
        return (float)vd_sum(state->sum);
    if (op == HY_REDUCE_MEAN)
        return (float)(vd_sum(state->sum) / count);
    vf_store(lanes, state->extreme);
    result = lanes[0];
    for (int i = 1; i < HY_LANES; i++)
        if (op == HY_REDUCE_MAX ? lanes[i] > result : lanes[i] < result)
            result = lanes[i];
    return result;
}

/* The results of the lanes for alternate vectors. */
struct pair {
    struct state even, odd;
};

/* Adds `length` neighbouring elements. */
HY_ALWAYS_INLINE void accumulate_run(enum hy_reduce op, struct pair *pair, const float *run,
                                     size_t length)
{
    const bool is_extreme = op == HY_REDUCE_MAX || op == HY_REDUCE_MIN;
    const vf idle = is_extreme ? start_of(op).extreme : vf_set1(0);
    const size_t rest = length % HY_LANES, whole = length - rest;
    size_t i = 0;

    for (; i + 2 * HY_LANES <= whole; i += 2 * HY_LANES) {
        accumulate(op, &pair->even, vf_load(run + i));
        accumulate(op, &pair->odd, vf_load(run + i + HY_LANES));
    }
    if (i < whole)
        accumulate(op, &pair->even, vf_load(run + i));
    if (rest > 0)
        accumulate(op, &pair->odd, vf_first_of(rest, vf_load_part(run + whole, rest), idle));
}

/* Reduces the elements of one or more runs. */
static inline float reduce_line(enum hy_reduce op, const struct hy_walk *walk, const float *in,
                                struct hy_stop_watch *watch)
{
    struct pair pair = {start_of(op), start_of(op)};

    for (size_t i = 0; i < walk->dims[0] && !hy_stop_after(watch, walk->dims[1]); i++)
        accumulate_run(op, &pair, in + i * walk->strides[0], walk->dims[1]);
    pair.even.sum = vd_add(pair.even.sum, pair.odd.sum);
    if (op == HY_REDUCE_MAX || op == HY_REDUCE_MIN)
        accumulate(op, &pair.even, pair.odd.extreme);
    return result_of_line(op, &pair.even, count_of(walk));
}

/* In lines of one run up to this length, adding the lanes takes longer than adding the elements. */
#define SHORT_LINE 1024

/* Sums HY_LANES short lines, `step` apart, and adds the lanes of all lines side by side. */
static inline void sum_lines(enum hy_reduce op, size_t length, const float *in, size_t step,
                             float *out)
{
    vd sums[HY_LANES];

    for (size_t i = 0; i < HY_LANES; i++) {
        struct pair pair = {start_of(op), start_of(op)};
        accumulate_run(op, &pair, in + i * step, length);
        sums[i] = vd_add(pair.even.sum, pair.odd.sum);
    }
    const struct state state = {.sum = vd_sum_each(sums)};
    vf_store(out, result_of(op, &state, (double)length));
}

/* Reduces `count` lines, `step` apart. */
static inline void reduce_lines(enum hy_reduce op, const struct hy_walk *walk, const float *in,
                                size_t step, size_t count, float *out, struct hy_stop_watch *watch)
{
    const bool is_sum = op == HY_REDUCE_MEAN || op == HY_REDUCE_SUM;
    const size_t length = walk->dims[1];
    size_t i = 0;

    if (is_sum && walk->dims[0] == 1 && length <= SHORT_LINE)
        for (; i + HY_LANES <= count && !hy_stop_after(watch, length * HY_LANES); i += HY_LANES)
            sum_lines(op, length, in + i * step, step, out + i);
    for (; i < count && !hy_stop_after(watch, 1); i++)
        out[i] = reduce_line(op, walk, in + i * step, watch);
}

/* Every caller passes a constant operation, so the compiler makes one copy per operation. */
static inline void run(enum hy_reduce op, const struct hy_reduce_params *params, const float *in,
                       float *out)
{
    const struct hy_walk *retained = &params->retained;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < retained->dims[0]; i++, out += retained->dims[1]) {
        const float *from = in + i * retained->strides[0];
        if (hy_stop_after(watch, 1))
            return;
        if (retained->strides[1] == 1)
            reduce_columns(op, &params->reduced, from, retained->dims[1], out, watch);
        else
            reduce_lines(op, &params->reduced, from, retained->strides[1], retained->dims[1], out,
                         watch);
    }
}

/* The kernel hy_reduce_<name>_<set>_f32. */
#define REDUCE(name, op) \
    void HY_SIMD_FN(reduce_##name)(const struct hy_reduce_params *params, const void *in, \
                                   void *out) \
    { \
        run(op, params, in, out); \
    }

REDUCE(max, HY_REDUCE_MAX)
REDUCE(mean, HY_REDUCE_MEAN)
REDUCE(min, HY_REDUCE_MIN)
REDUCE(sum, HY_REDUCE_SUM)
