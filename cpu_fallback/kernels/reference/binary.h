#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_H

#include "cpu_fallback/kernels/reference/broadcast.h"
#include "cpu_fallback/kernels/types.h"

/**
 * Operations on pairs of elements.
 *   a, b  any shapes that broadcast, every tensor with its own quantisation
 *   out   the broadcast shape, dense; may be a or b themselves where that one is not repeated and
 *         elements keep their type
 *
 * ADD, SUB, MUL    f32, f16, i32, u8, s8. i32 is modulo 2^32 and ignores the activation.
 *                  Quantised sums and differences scale both sides to 2 * max(a_scale, b_scale)
 *                  with 20 fractional bits, then to the output: three roundings. Products are
 *                  scaled once. Sums are bit-exact with TensorFlow Lite, and so are products but
 *                  where its float32 quotient of the scales tips a half.
 * DIV              f32, f16, i32. i32 rounds towards minus infinity, x / 0 is 0, and
 *                  -2^31 / -1 wraps.
 * MAXIMUM, MINIMUM f32, f16, i32, u8, s8. A NaN in a stays, one in b is ignored. Quantised values
 *                  are converted to the output by a_table and b_table, then compared.
 * POW              f32, f16. a to the power of b.
 * PRELU            f32, f16, u8, s8. a where a >= 0, else a * b.
 * EQUAL ...        f32, f16, i32, u8, s8, bool to bool. Quantised values are compared as float32
 *                  reals, bool8 as bytes.
 * AND, OR          bool.
 */
enum hy_binary {
    HY_BINARY_ADD,
    HY_BINARY_SUB,
    HY_BINARY_MUL,
    HY_BINARY_DIV,
    HY_BINARY_MAXIMUM,
    HY_BINARY_MINIMUM,
    HY_BINARY_POW,
    HY_BINARY_PRELU,
    HY_BINARY_EQUAL,
    HY_BINARY_NOT_EQUAL,
    HY_BINARY_LESS,
    HY_BINARY_LESS_EQUAL,
    HY_BINARY_GREATER,
    HY_BINARY_GREATER_EQUAL,
    HY_BINARY_AND,
    HY_BINARY_OR,
    HY_BINARY_COUNT
};

struct hy_sum_form;

struct hy_binary_params {
    struct hy_activation activation; /* ADD, SUB, MUL, DIV; quantised PRELU: bounds of the type */
    /* quantised only */
    int32_t a_zero_point, b_zero_point, out_zero_point;
    float a_scale, b_scale; /* comparisons */
    /* ADD, SUB: of each side and of their sum. MUL: out alone. PRELU: a where a >= 0, else out. */
    struct hy_multiplier a_multiplier, b_multiplier, out_multiplier;
    const struct hy_sum_form *form; /* ADD, SUB: what gives the same at once, or NULL */
    /* MAXIMUM, MINIMUM: hy_table_requantise to the output, or NULL: its quantisation is the same */
    const uint8_t *a_table, *b_table;
    struct hy_broadcast shape; /* last: memory past the loops it uses need not be there */
};

typedef void hy_binary_fn(const struct hy_binary_params *params, const void *a, const void *b,
                          void *out);

/* Left shift of both sides of a quantised sum before they are scaled. */
#define HY_SUM_SHIFT 20

/* Fills the multipliers that `op` needs for tensors of these scales. */
void hy_binary_set_scales(struct hy_binary_params *params, enum hy_binary op, float a, float b,
                          float out);

#endif
