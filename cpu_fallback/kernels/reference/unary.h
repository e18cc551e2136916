#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_UNARY_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_UNARY_H

#include "cpu_fallback/kernels/types.h"

/**
 * Operations on single elements; out may be in itself.
 *   f32, f16, bf16, f64  all but the bitwise operations, by the C library, f64 in double, the
 * others in float32; NaN stays NaN integers             ABS, NEG, SIGN, SQUARE and BITWISE_NOT,
 * modulo 2^n: the smallest integer is its own magnitude u8, s8, bool         by a table of all 256
 * results
 *
 * CLAMP is RELU, RELU1, RELU6 and RELU_0_TO_1, ELU is x >= 0 ? x : alpha * (exp(x) - 1), HARD_SWISH
 * is x * clamp(x + 3, 0, 6) / 6, LEAKY_RELU is x >= 0 ? x : alpha * x, GELU is x / 2 * erfc(-x /
 * sqrt(2)), GELU_TANH is x / (1 + exp(-2 * u)) with u = sqrt(2 / pi) * (x + 0.044715 * x^3). ROUND
 * rounds ties to even; SIGN keeps zeros. Instruction sets have functions of their own for EXP, LOG,
 * LOGISTIC, SIN, COS, TANH, ELU and ERF, within 2 ulp of the exact value, and for GELU and
 * GELU_TANH.
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
    HY_UNARY_ROUND,
    HY_UNARY_TRUNCATE,
    HY_UNARY_COS,
    HY_UNARY_SQUARE,
    HY_UNARY_SIGN,
    HY_UNARY_ERF,
    HY_UNARY_LEAKY_RELU,
    HY_UNARY_GELU,
    HY_UNARY_GELU_TANH,
    HY_UNARY_BITWISE_NOT,
    HY_UNARY_NOT,
    HY_UNARY_COUNT
};

struct hy_unary_params {
    size_t count;
    float alpha;                     /* ELU, LEAKY_RELU */
    struct hy_activation activation; /* CLAMP */
    const uint8_t *table;            /* 8-bit types */
};

typedef void hy_unary_fn(const struct hy_unary_params *params, const void *in, void *out);

#endif
