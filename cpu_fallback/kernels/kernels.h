#ifndef HY_CPU_FALLBACK_KERNELS_KERNELS_H
#define HY_CPU_FALLBACK_KERNELS_KERNELS_H

#include "cpu_fallback/kernels/add.h"
#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/dequantize.h"
#include "cpu_fallback/kernels/pool.h"
#include "cpu_fallback/kernels/softmax.h"
#include "cpu_fallback/kernels/types.h"

/*
 * All kernels by family and element type. Kernels get validated shapes and plain pointers, NHWC
 * only; they do not allocate, lock or keep state, so one table serves any number of threads. A
 * family's header describes its slot; a NULL slot (`run` NULL) means no such type.
 *
 * Inputs are read and outputs written exactly within their bounds, whatever the shape: a tensor may
 * end where its page does. Zero-sized tensors are fine, their pointers may then be NULL.
 */
struct hy_kernel_table {
    hy_add_fn *add[HY_ELEMENT_COUNT];
    hy_pool_fn *average_pool[HY_ELEMENT_COUNT];
    struct hy_conv_kernel conv[HY_ELEMENT_COUNT]; /* also FULLY_CONNECTED */
    struct hy_conv_kernel depthwise_conv[HY_ELEMENT_COUNT];
    hy_dequantize_fn *dequantize[HY_ELEMENT_COUNT][HY_ELEMENT_COUNT]; /* [in][out] */
    hy_softmax_fn *softmax[HY_ELEMENT_COUNT];
};

/* Instruction sets with kernels of their own; each contains those before it. */
enum hy_kernel_level {
    HY_KERNEL_REFERENCE, /* scalar: the oracle */
    HY_KERNEL_AVX2,      /* AVX2 and FMA */
    HY_KERNEL_AVX512,    /* AVX-512 F, BW, VL, DQ and VNNI */
    HY_KERNEL_LEVEL_COUNT
};

/*
 * The kernels of a level: its own where it has any, those of the levels below elsewhere. NULL when
 * this machine (or this build) cannot run that level; the reference always exists. Constant for
 * the life of the process.
 */
const struct hy_kernel_table *hy_kernels_at(enum hy_kernel_level level);

/* The scalar kernels, and the best this machine runs. Never NULL. */
const struct hy_kernel_table *hy_kernels_reference(void);
const struct hy_kernel_table *hy_kernels_fast(void);

/* "reference", "avx2", "avx512" */
const char *hy_kernel_level_name(enum hy_kernel_level level);

#endif
