#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * Matrix times vectors. ROWS rows of the matrix are multiplied by each vector at a time: each
 * loaded part of the vector serves all rows, and the rows come from memory once.
 */
#define ROWS 8

#if defined(HY_F16)
static inline vf load_weights(const uint16_t *p)
{
    return vf_load_half(p);
}

static inline vf load_weights_part(const uint16_t *p, size_t count)
{
    uint16_t weights[HY_LANES] = {0};
    memcpy(weights, p, count * sizeof *p);
    return vf_load_half(weights);
}
#else
static inline vf load_weights(const float *p)
{
    return vf_load(p);
}

static inline vf load_weights_part(const float *p, size_t count)
{
    return vf_load_part(p, count);
}
#endif

/* Inlined with a constant number of rows, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void
multiply_rows(size_t rows, size_t columns, const HY_T *weights, const float *in, float *out)
{
    size_t whole = columns / HY_LANES * HY_LANES, part = columns - whole;
    vf sums[ROWS];

    HY_UNROLL(8)
    for (size_t r = 0; r < rows; r++)
        sums[r] = vf_set1(0);
    for (size_t c = 0; c < whole; c += HY_LANES) {
        vf x = vf_load(in + c);
        HY_UNROLL(8)
        for (size_t r = 0; r < rows; r++)
            sums[r] = vf_multiply_add(load_weights(weights + r * columns + c), x, sums[r]);
    }
    for (size_t r = 0; part && r < rows; r++)
        sums[r] = vf_multiply_add(load_weights_part(weights + r * columns + whole, part),
                                  vf_load_part(in + whole, part), sums[r]);
    for (size_t r = 0; r < rows; r++)
        out[r] += vf_sum(sums[r]);
}

void HY_SIMD_FN(matvec)(const struct hy_matvec_shape *shape, const void *weights, const float *in,
                        float *out)
{
    size_t rows = shape->rows, columns = shape->columns;
    const HY_T *matrix = weights;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t r = 0, step; r < rows; r += step) {
        step = rows - r >= ROWS ? ROWS : 1;
        if (hy_stop_after(watch, shape->batch * columns))
            return;
        for (size_t b = 0; b < shape->batch; b++) {
            const float *from = in + b * columns;
            float *to = out + b * rows + r;
            if (step == ROWS)
                multiply_rows(ROWS, columns, matrix + r * columns, from, to);
            else
                multiply_rows(1, columns, matrix + r * columns, from, to);
        }
    }
}
