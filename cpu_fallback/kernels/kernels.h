#ifndef HY_CPU_FALLBACK_KERNELS_KERNELS_H
#define HY_CPU_FALLBACK_KERNELS_KERNELS_H

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/pool.h"
#include "cpu_fallback/kernels/recurrent.h"
#include "cpu_fallback/kernels/reference/accumulate.h"
#include "cpu_fallback/kernels/reference/arg_min_max_top_k.h"
#include "cpu_fallback/kernels/reference/binary.h"
#include "cpu_fallback/kernels/reference/bucketize.h"
#include "cpu_fallback/kernels/reference/cast.h"
#include "cpu_fallback/kernels/reference/conv_3d.h"
#include "cpu_fallback/kernels/reference/cumsum.h"
#include "cpu_fallback/kernels/reference/dequantize.h"
#include "cpu_fallback/kernels/reference/matmul.h"
#include "cpu_fallback/kernels/reference/normalise.h"
#include "cpu_fallback/kernels/reference/quantize.h"
#include "cpu_fallback/kernels/reference/random_multinomial.h"
#include "cpu_fallback/kernels/reference/reduce.h"
#include "cpu_fallback/kernels/reference/reduce_window.h"
#include "cpu_fallback/kernels/reference/rescale.h"
#include "cpu_fallback/kernels/reference/roi.h"
#include "cpu_fallback/kernels/reference/segment.h"
#include "cpu_fallback/kernels/reference/select.h"
#include "cpu_fallback/kernels/reference/softmax.h"
#include "cpu_fallback/kernels/reference/strided_copy.h"
#include "cpu_fallback/kernels/reference/unary.h"
#include "cpu_fallback/kernels/reference/widen.h"
#include "cpu_fallback/kernels/resize.h"
#include "cpu_fallback/kernels/sum_form.h"
#include "cpu_fallback/kernels/types.h"

/*
 * All kernels by family and element type. Kernels get validated shapes and plain pointers, NHWC
 * only. Kernels do not allocate, lock or keep state, so any number of threads may use one table. A
 * family's header describes its slot; a NULL slot (`run` NULL) means the type is not supported.
 *
 * Inputs are read and outputs written exactly within their bounds, whatever the shape: a tensor may
 * end at the end of a page. Zero-sized tensors are allowed; their pointers may be NULL.
 */
struct hy_kernel_table {
    hy_accumulate_fn *accumulate[HY_ELEMENT_COUNT];
    hy_arg_min_max_fn *arg_min_max[HY_ARG_MIN_MAX_COUNT][HY_ELEMENT_COUNT];
    hy_binary_fn *binary[HY_BINARY_COUNT][HY_ELEMENT_COUNT];
    hy_bucketize_fn *bucketize[HY_ELEMENT_COUNT];
    hy_cast_fn *cast[HY_ELEMENT_COUNT][HY_ELEMENT_COUNT]; /* [in][out] */
    struct hy_conv_kernel conv[HY_ELEMENT_COUNT];         /* also FULLY_CONNECTED */
    struct hy_conv_kernel matmul_wide; /* s16: each matrix as a FULLY_CONNECTED with an int16
                                          filter, no bias, one multiplier */
    struct hy_conv_kernel hybrid_conv; /* float32 data with an int8 filter */
    hy_conv_3d_fn *conv_3d[HY_ELEMENT_COUNT];
    struct hy_conv_kernel row_conv[HY_ELEMENT_COUNT]; /* both, of a single pixel: reads_filter */
    struct hy_conv_kernel winograd_conv[HY_ELEMENT_COUNT]; /* CONV_2D, by fewer products */
    struct hy_conv_kernel grouped_conv[HY_ELEMENT_COUNT];  /* any number of groups */
    struct hy_conv_kernel depthwise_conv[HY_ELEMENT_COUNT];
    hy_cumsum_fn *cumsum[HY_ELEMENT_COUNT];
    hy_dequantize_fn *dequantize[HY_ELEMENT_COUNT][HY_ELEMENT_COUNT]; /* [in][out] */
    hy_softmax_fn *log_softmax[HY_ELEMENT_COUNT];
    hy_lstm_row_fn *lstm_row; /* float32 */
    hy_matmul_fn *matmul[HY_ELEMENT_COUNT];
    hy_matvec_fn *matvec[HY_ELEMENT_COUNT]; /* by the type of the matrix */
    hy_strided_copy_fn *strided_copy[HY_ELEMENT_SIZE_COUNT];
    hy_narrow_fn *narrow[HY_WIDE_COUNT][HY_ELEMENT_COUNT]; /* [from][out] */
    hy_normalise_fn *normalise[HY_NORMALISE_COUNT][HY_ELEMENT_COUNT];
    hy_pool_fn *pool[HY_POOLING_COUNT][HY_ELEMENT_COUNT];
    hy_quantize_fn *quantize[HY_ELEMENT_COUNT][HY_ELEMENT_COUNT]; /* [in][out] */
    hy_random_fn *random_multinomial[HY_ELEMENT_COUNT];
    hy_reduce_fn *reduce[HY_REDUCE_COUNT][HY_ELEMENT_COUNT];
    hy_reduce_window_fn *reduce_window[HY_ELEMENT_COUNT];
    hy_rescale_fn *rescale[HY_ELEMENT_COUNT];
    hy_resize_fn *resize_bilinear[HY_ELEMENT_COUNT];
    hy_resize_fn *resize_nearest[HY_ELEMENT_SIZE_COUNT];
    hy_roi_fn *roi[HY_ROI_OP_COUNT][HY_ELEMENT_COUNT];
    hy_segment_fn *segment[HY_ELEMENT_COUNT];
    hy_select_fn *select[HY_ELEMENT_SIZE_COUNT];
    hy_softmax_fn *softmax[HY_ELEMENT_COUNT];
    hy_top_k_fn *top_k[HY_ELEMENT_COUNT];
    struct hy_conv_kernel transpose_conv[HY_ELEMENT_COUNT];
    hy_conv_3d_fn *transpose_conv_3d[HY_ELEMENT_COUNT];
    hy_unary_fn *unary[HY_UNARY_COUNT][HY_ELEMENT_COUNT];
    hy_widen_fn *widen[HY_ELEMENT_COUNT];
};

/* Instruction sets with kernels of their own, worst first. Each level builds on another or on
 * none. */
enum hy_kernel_isa_level {
    HY_KERNEL_REFERENCE, /* scalar: the definition of right results */
    HY_KERNEL_AVX2,      /* AVX2, FMA and F16C */
    HY_KERNEL_AVXVNNI,   /* AVX2, and VNNI in vectors of 256 bits */
    HY_KERNEL_AVX512, /* AVX2, and AVX-512 F, BW, VL, DQ and VNNI; VBMI if the processor has VBMI */
    HY_KERNEL_AMX,    /* AVX-512, and tiles of 8-bit matrices, if the system permits tiles */
    HY_KERNEL_NEON,   /* arm64 */
    HY_KERNEL_DOTPROD, /* NEON with the dot product */
    HY_KERNEL_I8MM,    /* dot product, and products of 8-bit matrices */
    HY_KERNEL_ISA_LEVEL_COUNT
};

/* Sets of levels: 1 << level each. The reference level is always included. */
#define HY_KERNEL_ONLY_REFERENCE (1u << HY_KERNEL_REFERENCE)
#define HY_KERNEL_ALL_ISA_LEVELS UINT32_MAX

/*
 * The kernels of a level. If the level has no kernel of its own for a slot, the slot has the kernel
 * of the level below. NULL if this machine (or this build) cannot run the level; the reference
 * always exists. The table is constant for the life of the process.
 */
const struct hy_kernel_table *hy_kernels_at(enum hy_kernel_isa_level level);

/* The kernels of the best level in `allowed` on this machine. Never NULL. */
const struct hy_kernel_table *hy_kernels_within(uint32_t allowed);

/* The scalar kernels, and the kernels of the best level of this machine. Never NULL. */
const struct hy_kernel_table *hy_kernels_reference(void);
const struct hy_kernel_table *hy_kernels_fast(void);

/* "reference", "avx2", "avxvnni", "avx512", "amx", "neon", "dotprod", "i8mm" */
const char *hy_kernel_isa_level_name(enum hy_kernel_isa_level level);

/* The level name of a table from this header's functions; "other" for any other table. */
const char *hy_kernels_name(const struct hy_kernel_table *table);

/* The set of the level called `name` and all levels below it; 0 for an unknown name. */
uint32_t hy_kernel_isa_levels_of(const char *name, size_t length);

#endif
