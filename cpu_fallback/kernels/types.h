#ifndef HY_CPU_FALLBACK_KERNELS_TYPES_H
#define HY_CPU_FALLBACK_KERNELS_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "driver_kit/fixed_point.h"

/*
 * Types of every kernel family: the variants of kernel templates, and plain values for quantisation
 * and activation in kernel parameters.
 */

/*
 * The variants of kernel templates, which index the slots of the kernel table. A slot without a
 * kernel is NULL: the operation does not exist in the type.
 */
enum hy_element {
    HY_ELEMENT_F32,
    HY_ELEMENT_F16, /* stored as uint16_t, computed in float, narrowed once, ties to even */
    HY_ELEMENT_I32,
    HY_ELEMENT_U8,    /* QUANT8_ASYMM */
    HY_ELEMENT_S8,    /* QUANT8_ASYMM_SIGNED, QUANT8_SYMM, QUANT8_SYMM_PER_CHANNEL */
    HY_ELEMENT_BOOL,  /* BOOL8: 0 is false, anything else true; results are 0 or 1 */
    HY_ELEMENT_S16,   /* QUANT16_SYMM */
    HY_ELEMENT_U16,   /* QUANT16_ASYMM */
    HY_ELEMENT_U8_S8, /* uint8 activations with int8 (per-channel) filter; convolutions only */
    /* The types of org.halyard.operations; N is for natural numbers. */
    HY_ELEMENT_I8,
    HY_ELEMENT_I16,
    HY_ELEMENT_I64,
    HY_ELEMENT_N8,
    HY_ELEMENT_N16,
    HY_ELEMENT_N32,
    HY_ELEMENT_N64,
    HY_ELEMENT_F64,
    HY_ELEMENT_BF16, /* stored as uint16_t, computed in float, narrowed once, ties to even */
    HY_ELEMENT_COUNT
};

/* The variants of kernels that move elements without looking at values. */
enum hy_element_size {
    HY_ELEMENT_SIZE1,
    HY_ELEMENT_SIZE2,
    HY_ELEMENT_SIZE4,
    HY_ELEMENT_SIZE8,
    HY_ELEMENT_SIZE_COUNT
};

/* Packed weights and scratch memory start on this boundary; tensors on their element size. */
#define HY_KERNEL_ALIGNMENT 64

/* scale_a * scale_b / scale_out: the product of the input scales is rounded to float32, the
 * quotient is a double. */
struct hy_multiplier hy_multiplier_for_product(float scale_a, float scale_b, float scale_out);

/* scale_a * scale_b / scale_out, all in double. */
struct hy_multiplier hy_multiplier_for_double_product(float scale_a, float scale_b,
                                                      float scale_out);

/*
 * Bounds of the fused activation. Float kernels clamp to [min, max] and let NaN through. Quantised
 * kernels clamp the final integer to [q_min, q_max], a range inside the range of the type.
 */
struct hy_activation {
    float min, max;
    int32_t q_min, q_max;
};

/*
 * Bounds of fused activation `code`: 0 NONE, 1 RELU, 2 RELU1, 3 RELU6. Other codes act as NONE;
 * validators refuse such codes earlier. `scale` and `zero_point` describe the output and are used
 * for quantised elements only.
 */
struct hy_activation hy_activation_bounds(int32_t code, enum hy_element element, float scale,
                                          int32_t zero_point);

#endif
