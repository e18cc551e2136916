#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_REDUCE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_REDUCE_H

#include <stdbool.h>

#include "cpu_fallback/kernels/types.h"

/**
 * MEAN (NNAPI code 31), REDUCE_ALL ... REDUCE_SUM (75 to 80), and the reductions of
 * org.halyard.operations.
 *   in   a tensor, some of whose dimensions are reduced
 *   out  the other dimensions, in their order
 *
 * ALL, ANY   bool MAX, MIN   all types (stored numbers). NaN is ignored; only NaN gives -inf, +inf
 * PROD       floats, in double; 0 times anything is 0; integers modulo 2^n; u8, s8, s16: of the
 *            real numbers, to the nearest step of the output
 * SUM        floats, in double; integers modulo 2^n; u8, s8, s16: as PROD MEAN       floats, in
 * double; integers, and u8, s8 (stored numbers): the sum, divided and
 *            truncated towards zero
 * MEAN_NEAREST
 *            u8: the sum of the stored numbers times `multiplier`, in two roundings, the second
 *            half away from zero, plus `bias`; s8: the mean of the real numbers, in steps of the
 *            output, rounded half away from zero. Bit-exact with TensorFlow Lite for the mean over
 *            height and width of an image
 * MEAN_RESCALED
 *            u8, s8: the mean of the stored numbers, converted to the output's scale in float32 and
 *            rounded half away from zero. Bit-exact with TensorFlow Lite for all other means with
 *            another output scale; s16: of the real numbers, to the nearest step
 */
enum hy_reduce {
    HY_REDUCE_ALL,
    HY_REDUCE_ANY,
    HY_REDUCE_MAX,
    HY_REDUCE_MIN,
    HY_REDUCE_PROD,
    HY_REDUCE_SUM,
    HY_REDUCE_MEAN,
    HY_REDUCE_MEAN_NEAREST,
    HY_REDUCE_MEAN_RESCALED,
    HY_REDUCE_COUNT
};

/* Two nested loops over a tensor, the outer one first; strides in elements. */
struct hy_walk {
    size_t dims[2], strides[2];
};

struct hy_reduce_params {
    struct hy_walk retained, reduced;
    /* MEAN_NEAREST, MEAN_RESCALED, and SUM and PROD of quantised types */
    float in_scale, out_scale;
    float scale_ratio; /* in_scale / out_scale */
    int32_t zero_point, out_zero_point;
    /* MEAN_NEAREST. u8: scale_ratio / (number of elements reduced), computed in float32; s8:
     * scale_ratio, unless scale_ratio is 1 */
    struct hy_multiplier multiplier;
    int32_t bias; /* u8: the contribution of the zero points */
};

typedef void hy_reduce_fn(const struct hy_reduce_params *params, const void *in, void *out);

/*
 * Sets the walks over a tensor of `rank` nonzero dimensions. Bit i of `axes` means dimension i is
 * reduced. Neighbouring dimensions of one kind are merged. False if either walk needs more than two
 * loops, which takes more than four dimensions.
 */
bool hy_reduce_set_walks(struct hy_reduce_params *params, uint32_t rank, const uint32_t *dims,
                         uint32_t axes);

#endif
