#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_UNARY_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_UNARY_H

#include "cpu_fallback/kernels/types.h"

/**
 * Operations on single elements; out may be in itself.
 *   f32, f16, bf16, f64  all but NOT, by the C library in float32, f64 in double; NaN stays NaN.
 * CLAMP is RELU, RELU1 and RELU6, ELU is x >= 0 ? x : alpha * (exp(x) - 1), HARD_SWISH is x *
 * clamp(x + 3, 0, 6) / 6. Instruction sets have functions of their own for EXP, LOG, LOGISTIC, SIN,
 * TANH and ELU, within 2 ulp of the exact value. i32         ABS and NEG, modulo 2^32: the smallest
 * integer stays itself u8, s8      RSQRT, CLAMP, LOGISTIC, TANH, HARD_SWISH, by a table of all 256
 * results bool        NOT, by a table too
 */
enum hy_unary {
    HY_UNARY_ABS,
    HY_UNARY_CEIL,
    HY_UNARY_EXP,
    HY_UNARY_FLOOR,
    HY_UNARY_LOG,
    HY_UNARY_NEG,
    HY_UNARY_RSQRT,
    HY_UNARY_SIN,
    HY_UNARY_SQRT,
    HY_UNARY_CLAMP,
    HY_UNARY_LOGISTIC,
    HY_UNARY_TANH,
    HY_UNARY_ELU,
    HY_UNARY_HARD_SWISH,
    HY_UNARY_NOT,
    HY_UNARY_COUNT
};

struct hy_unary_params {
    size_t count;
    float alpha;                     /* ELU */
    struct hy_activation activation; /* CLAMP */
    const uint8_t *table;            /* 8-bit types: hy_table_fill */
};

typedef void hy_unary_fn(const struct hy_unary_params *params, const void *in, void *out);

#endif
