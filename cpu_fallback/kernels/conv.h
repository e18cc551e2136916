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
 * Element types: f32, f16, u8, s8, u8 with s8 filter, s16 with s8 filter, and hybrid (f32 with an
 * s8 filter). The real value of a hybrid weight is the s8 value times the scale of its output
 * channel. Padded positions stand for real zero. Depthwise output channel o reads input channel o /
 * (out_c / in_c); out_c is a multiple of in_c.
 *
 * If `groups` is above 1, input and output channels are cut into `groups` equal parts, and part g
 * of the output channels reads part g of the input channels. Both channel counts are multiples of
 * `groups`. Only the kernels of GROUPED_CONV_2D and the reference kernels take groups above 1.
 *
 * Transposed: input (y, x) times tap (i, j) is added to output (y * stride_h - pad_top + i, x *
 * stride_w - pad_left + j); products outside the output are dropped. Not dilated.
 *
 * FULLY_CONNECTED of [B, I] with weights [U, I] is the convolution of one row of B pixels of I
 * channels with a 1x1 filter: hy_conv_params_set_fully_connected.
 *
 * Quantised: acc = bias + sum (in - in_zero_point) * (filter - filter_zero_point). The sum is exact
 * in the reference kernels and modulo 2^32 in the others. The result is acc times the multiplier of
 * the output channel, rounded twice, plus out_zero_point, clamped. The second rounding is half up
 * for CONV_2D and half away from zero for depthwise and transposed: bit-exact with TensorFlow Lite.
 * s16 is scaled by the shortened multiplier in one rounding, see fixed_point_wide.h.
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
    size_t out_step; /* elements from one output pixel to the next, for the fast kernels of CONV_2D;
                        0: out_c */
    uint32_t block; /* output channels of a work unit: a multiple of the kernel's `panel`; 0: all */
    struct hy_activation activation;
    /* quantised only */
    int32_t in_zero_point, filter_zero_point, out_zero_point;
    int has_one_multiplier;                  /* nonzero: all multipliers are known to be equal */
    const struct hy_multiplier *multipliers; /* [out_c], all equal when per tensor; packed weights
                                                hold a copy, and `run` reads the copy */
    /* hybrid only */
    const float *filter_scales; /* [out_c]; packed weights hold a copy */
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
 * A part of a FULLY_CONNECTED of several rows, computed by `run_interleaved` next to another
 * product. The part covers `interleaved_rows` rows from `row` on; `row` is a multiple of
 * `interleaved_rows`. The panels of the output channels are cut into `parts` equal ranges, of which
 * the part computes range `part`. With a `width`, only `width` channels from channel `first` on of
 * every `step` channels count. Each thread has a share of its own.
 */
struct hy_conv_partition {
    alignas(64) const struct hy_conv_params *params; /* out_c is a multiple of the panel */
    const void *in, *weights;                        /* packed */
    void *out;
    size_t row;
    uint32_t part, parts;        /* parts 0: nothing to compute */
    uint32_t first, width, step; /* whole panels; width 0: all */
};

struct hy_lstm_kernel; /* recurrent.h */

typedef void hy_conv_run_interleaved_fn(const struct hy_conv_params *params, const void *in,
                                        const void *weights, void *out,
                                        const struct hy_conv_partition *partition);

/*
 * One convolution kernel. `run` computes the work units [first, end) of `units(params)`. Units are
 * independent: several threads may share the work of one call, each with its own scratch. A caller
 * alone runs [0, units).
 *
 * Kernels with a `pack` read weights in a private order. The caller packs once, at compile time (or
 * before each run when the filter is not constant), into `packed_bytes` bytes, and passes the
 * packed block as `weights` with `bias` NULL. The block holds no pointers and may be stored and
 * mapped elsewhere. The block serves any batch, image size, stride and padding with the same filter
 * sizes, channels, zero points, multipliers and `layout`, and only a kernel of the same `name`.
 * Damaged bytes in the block give wrong numbers and nothing worse. Kernels with pack NULL take
 * filter and bias unpacked.
 *
 * Kernels with `pack` and `reads_filter` pack everything but the filter and read the filter from
 * the caller's memory: the caller passes the packed block as `weights` and the filter as `bias`.
 *
 * A kernel with a `lesser` kernel is quicker than the lesser kernel if `pays` returns nonzero. The
 * kernel must compute other calls too, because a program may hold only the packed weights and no
 * filter. hy_conv_kernel_for() chooses. `ready` asks the system once in a process for permission to
 * run the kernel; a kernel without permission must not run.
 *
 * `suits` (NULL: always) returns whether the kernel supports the shapes; if not, use the reference
 * slot. `holds` returns whether the sums of this filter fit the kernel's arithmetic for any input.
 * `in`, `weights` and `out` do not overlap.
 *
 * With a `panel` the caller chooses the blocking: a unit is a few pixels with `block` output
 * channels, and the units of one block go through all pixels before the next block starts. Weights
 * too large for a cache are then read once per block instead of once per few pixels. The block
 * changes the order of units and never the order of a sum: results are the same to the bit.
 *
 * With a `tile` the kernel also computes some lines of the output as an image of their own. The
 * bits are the same if the pixels before the lines make whole tiles. Depthwise kernels with several
 * input channels take any lines.
 *
 * `run_interleaved` computes a whole FULLY_CONNECTED of one row whose output channels are whole
 * panels. In the time in which the row waits for its weights, `run_interleaved` also computes a
 * share of another product. Both results are the same to the bit as those of `run`.
 *
 * `lstm` computes steps of an LSTM and a share of another product, as `run_interleaved` does.
 */
struct hy_conv_kernel {
    const char *name;         /* "reference", "avx2", "avx512", ...: for reports and cache tokens */
    uint32_t products_per_us; /* roughly, on one thread; decides the number of threads */
    uint32_t panel;   /* output channels computed together; 0: the kernel chooses the blocking */
    uint32_t tile;    /* output pixels computed together; 0: whole images only */
    int reads_filter; /* nonzero: reads the unpacked filter besides the packed block */
    const struct hy_conv_kernel *lesser; /* kernel of the level below, or NULL */
    hy_conv_suits_fn *pays;              /* set if and only if `lesser` is, like `ready` */
    hy_conv_ready_fn *ready;
    hy_conv_suits_fn *suits;
    hy_conv_holds_fn *holds; /* NULL: every filter is accepted */
    hy_conv_size_fn *packed_bytes;
    hy_conv_layout_fn *layout; /* NULL: in_c; see hy_conv_layout() */
    hy_conv_pack_fn *pack;
    hy_conv_pack_fn *pack_transposed; /* for a filter [depth, out_c]; NULL: not supported */
    hy_conv_size_fn *scratch_bytes;   /* NULL: no scratch */
    hy_conv_size_fn *units;
    hy_conv_run_fn *run;
    uint32_t interleaved_rows;                   /* 0: no run_interleaved */
    hy_conv_run_interleaved_fn *run_interleaved; /* float32 only */
    const struct hy_lstm_kernel *lstm;           /* float32 only; NULL: none */
};

/* Returns `kernel`, or the first kernel of its `lesser` chain that is ready and pays. */
static inline const struct hy_conv_kernel *hy_conv_kernel_for(const struct hy_conv_kernel *kernel,
                                                              const struct hy_conv_params *params)
{
    while (kernel->lesser && !(kernel->pays(params) && kernel->ready()))
        kernel = kernel->lesser;
    return kernel;
}

/* Returns a number that differs if the kernel would pack the same filter in another order. */
static inline uint32_t hy_conv_layout(const struct hy_conv_kernel *kernel,
                                      const struct hy_conv_params *params)
{
    return kernel->layout ? kernel->layout(params) : params->in_c;
}

#endif
