#ifndef HY_CPU_FALLBACK_KERNELS_CONV_H
#define HY_CPU_FALLBACK_KERNELS_CONV_H

#include <stdalign.h>

#include "cpu_fallback/kernels/types.h"

/**
 * CONV_2D (NNAPI code 3), DEPTHWISE_CONV_2D (4), FULLY_CONNECTED (9), GROUPED_CONV_2D (55) and
 * TRANSPOSE_CONV_2D (91).
 *   in      [batch, in_h, in_w, in_c]
 *   filter  [out_c, filter_h, filter_w, in_c / groups]; depthwise [filter_h, filter_w, out_c]
 *   bias    [out_c]  of the element type; int32_t (zero point 0) for the quantised ones, int64_t
 *                    for s16
 *   out     [batch, out_h, out_w, out_c]
 * f32, f16, u8, s8, u8 with s8 filter, s16 with s8 filter, and hybrid: f32 with an s8 filter, each
 * of whose weights stands for its product with the scale of its output channel. Padded positions
 * stand for real zero. Depthwise output channel o reads input channel o / (out_c / in_c): out_c is
 * a multiple of in_c.
 *
 * With `groups` above 1, the first of as many equal parts of the output channels reads the first of
 * as many parts of the input channels, and so on; both counts are multiples of it. Kernels of
 * GROUPED_CONV_2D and the reference only; else it is 1.
 *
 * Transposed: input (y, x) times tap (i, j) is added to output (y * stride_h - pad_top + i,
 * x * stride_w - pad_left + j), if there is one. Not dilated.
 *
 * FULLY_CONNECTED of [B, I] with weights [U, I] is the convolution of one row of B pixels of I
 * channels with a 1x1 filter: hy_conv_params_set_fully_connected.
 *
 * Quantised: acc = bias + sum (in - in_zero_point) * (filter - filter_zero_point), exact in the
 * reference kernels and modulo 2^32 in the others, then scaled by the multiplier of its output
 * channel in two roundings, plus out_zero_point, clamped. The second rounding is half up, for
 * depthwise half away from zero: bit-exact with TensorFlow Lite. For transposed it is half away
 * from zero too. s16: scaled by the shortened multiplier in one rounding, fixed_point_wide.h.
 *
 * The caller has validated: strides and dilations > 0, every tensor's byte count fits ptrdiff_t,
 * each size and each padded size (in + pad, out * stride + filter * dilation) fits int32_t, zero
 * points lie in the range of their type. batch may be 0.
 */
struct hy_conv_params {
    uint32_t batch, in_h, in_w, in_c;
    uint32_t out_h, out_w, out_c;
    uint32_t filter_h, filter_w;
    uint32_t stride_h, stride_w;
    uint32_t dilation_h, dilation_w;
    uint32_t pad_top, pad_left;
    uint32_t groups;
    size_t out_step; /* of the fast kernels of CONV_2D: elements from an output pixel to the next;
                        0: out_c */
    uint32_t block; /* output channels of a work unit: a multiple of the kernel's `panel`; 0: all */
    struct hy_activation activation;
    /* quantised only */
    int32_t in_zero_point, filter_zero_point, out_zero_point;
    int has_one_multiplier;                  /* all are known to be alike */
    const struct hy_multiplier *multipliers; /* out_c of them, all alike when per tensor; packed
                                                weights have them too: `run` takes theirs */
    /* hybrid only */
    const float *filter_scales; /* out_c of them; as multipliers */
};

/* Sets every shape field (batch 1, one row of `rows` pixels, 1x1 filter); nothing else. */
void hy_conv_params_set_fully_connected(struct hy_conv_params *params, uint32_t rows,
                                        uint32_t inputs, uint32_t units);

typedef int hy_conv_suits_fn(const struct hy_conv_params *params);
typedef int hy_conv_ready_fn(void);
typedef int hy_conv_holds_fn(const struct hy_conv_params *params, const void *filter);
typedef size_t hy_conv_size_fn(const struct hy_conv_params *params);
typedef uint32_t hy_conv_layout_fn(const struct hy_conv_params *params);
typedef void hy_conv_pack_fn(const struct hy_conv_params *params, const void *filter,
                             const void *bias, void *packed);
typedef void hy_conv_run_fn(const struct hy_conv_params *params, const void *in,
                            const void *weights, const void *bias, void *out, void *scratch,
                            size_t first, size_t end);

/*
 * A share of a FULLY_CONNECTED of several rows, for `run_beside`: of the `rows_beside` rows from
 * `row` on (a multiple of as many) the panels of one of `parts` equal parts of the output channels:
 * of all of them, or of the `width` from `first` on of each `step`. Each thread has its own.
 */
struct hy_conv_share {
    alignas(64) const struct hy_conv_params *params; /* output channels: whole panels */
    const void *in, *weights;                        /* packed */
    void *out;
    size_t row;
    uint32_t part, parts;        /* parts 0: nothing */
    uint32_t first, width, step; /* whole panels; width 0: all */
};

struct hy_lstm_kernel; /* recurrent.h */

typedef void hy_conv_run_beside_fn(const struct hy_conv_params *params, const void *in,
                                   const void *weights, void *out,
                                   const struct hy_conv_share *share);

/*
 * One convolution kernel. `run` computes the work units [first, end) of `units(params)`: units are
 * independent, so several threads may share one call's work, each with scratch of its own. A caller
 * alone runs [0, units).
 *
 * Kernels with a `pack` read weights in an order of their own: pack once, at compile time (or
 * before each run when the filter is not constant), into `packed_bytes` bytes, and pass that block
 * as `weights` with `bias` NULL. The block holds no pointers: it may be stored and mapped
 * elsewhere, and serves any batch, image size, stride and padding that agree in filter sizes,
 * channels, zero points, multipliers and `layout`; damaged bytes in it give wrong numbers and
 * nothing worse. It is good for the same `name` only. Kernels with pack NULL take filter and bias
 * as they are.
 *
 * Kernels that have `pack` and `reads_filter` pack all but the filter, which they read where it is:
 * it is passed in the place of `bias`, with the packed block as `weights`.
 *
 * A kernel with a `lesser` kernel is quicker than the lesser kernel on the calls that `pays` names.
 * The kernel computes other calls, too, since its packed weights may be all that is left of a
 * filter: hy_conv_kernel_for() chooses. `ready` asks the system once in a process for permission to
 * run the kernel; a kernel that is refused cannot run.
 *
 * `suits` (NULL: always) tells whether this kernel takes these shapes; if not, use the reference
 * slot. `holds` tells whether it has room for the sums of this filter too. `in`, `weights` and
 * `out` do not overlap.
 *
 * With a `panel` the caller chooses how the work is cut: a unit is a few pixels with `block` output
 * channels, and units go through all pixels for one block before the next. So weights that do not
 * fit a cache together are read once, and not again for every few pixels. The block changes the
 * order of units and never the order of a sum: results are the same to the bit.
 *
 * With a `tile` the kernel also takes some lines of the output as an image of its own, and gives
 * them the same bits, if there are pixels for whole tiles before them. Depthwise ones with several
 * input channels take any lines.
 *
 * `run_beside` computes all of a FULLY_CONNECTED of one row, whose output channels are whole
 * panels, as `run` does, and a share of another in the time that the first waits for its weights:
 * as `run` does, too, to the bit.
 *
 * `lstm` computes steps of an LSTM, beside the same products.
 */
struct hy_conv_kernel {
    const char *name;         /* "reference", "avx2", "avx512", ...: for reports and cache tokens */
    uint32_t products_per_us; /* roughly, on one thread: to tell what is worth several */
    uint32_t panel;           /* output channels computed together; 0: the kernel cuts by itself */
    uint32_t tile;            /* output pixels computed together, from the first on; 0: it cannot be
                                 given a part of an image */
    int reads_filter;         /* beside what it has packed */
    const struct hy_conv_kernel *lesser; /* of the level below, or NULL */
    hy_conv_suits_fn *pays;              /* with `lesser` only, like `ready` */
    hy_conv_ready_fn *ready;
    hy_conv_suits_fn *suits;
    hy_conv_holds_fn *holds; /* NULL: whatever the filter is */
    hy_conv_size_fn *packed_bytes;
    hy_conv_layout_fn *layout; /* NULL: in_c; see hy_conv_layout() */
    hy_conv_pack_fn *pack;
    hy_conv_pack_fn *pack_turned;   /* of a filter [depth, out_c]; NULL: there is none */
    hy_conv_size_fn *scratch_bytes; /* NULL: needs none */
    hy_conv_size_fn *units;
    hy_conv_run_fn *run;
    uint32_t rows_beside;              /* 0: there is no run_beside */
    hy_conv_run_beside_fn *run_beside; /* float32 only */
    const struct hy_lstm_kernel *lstm; /* float32 only; NULL: none */
};

/* The kernel itself, or the first of the lesser ones that is ready and pays. */
static inline const struct hy_conv_kernel *hy_conv_kernel_for(const struct hy_conv_kernel *kernel,
                                                              const struct hy_conv_params *params)
{
    while (kernel->lesser && !(kernel->pays(params) && kernel->ready()))
        kernel = kernel->lesser;
    return kernel;
}

/* Tells orders apart in which the kernel packs the same filter, if it was found in one. */
static inline uint32_t hy_conv_layout(const struct hy_conv_kernel *kernel,
                                      const struct hy_conv_params *params)
{
    return kernel->layout ? kernel->layout(params) : params->in_c;
}

#endif
