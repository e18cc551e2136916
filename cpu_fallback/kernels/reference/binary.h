#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_H

#include "cpu_fallback/kernels/reference/broadcast.h"
#include "cpu_fallback/kernels/types.h"

/**
 * Operations on pairs of elements.
 *   a, b  any shapes that broadcast, every tensor with its own quantisation
 *   out   the broadcast shape, dense; may be a or b if the side is not repeated and the element
 * type of the output is the same
 *
 * Reals are f32, f16, f64 and bf16. Whole numbers are i32 and the integer types of
 * org.halyard.operations. Integer types of org.halyard.operations compute modulo 2^n and ignore the
 * activation.
 *
 * ADD, SUB, MUL    Reals, whole numbers, u8, s8, s16.
 *                  Quantised sums and differences scale both sides to 2 * max(a_scale, b_scale)
 *                  with 20 fractional bits (s16: 15), then scale the sum to the output: three
 *                  roundings. Products are scaled once. Sums are bit-exact with TensorFlow Lite.
 *                  Products are too, unless TensorFlow Lite's float32 quotient of the scales
 *                  turns a tie.
 * DIV              Reals, i32. i32 rounds towards minus infinity, x / 0 is 0, and
 *                  -2^31 / -1 wraps.
 * TRUNCATE_DIV     Reals as DIV, whole numbers towards zero, u8, s8, s16: x / 0 is the largest or
 *                  smallest element, 0 / 0 is 0.
 * FLOOR_DIV        Reals, whole numbers. The quotient rounded down; for whole numbers x / 0 is 0.
 * FLOOR_MOD, TRUNCATE_MOD
 *                  Reals, whole numbers. The remainder with the sign of b, or with the sign of a.
 *                  For whole numbers the remainder of a by 0 is a.
 * MAXIMUM, MINIMUM Reals, whole numbers, u8, s8, s16, u16. A NaN in a is kept, a NaN in b is
 *                  ignored. Bytes are converted to the output by a_table and b_table, then
 * compared; s16 and u16 have the quantisation of the output. SQUARED_DIFFERENCE Reals, whole
 * numbers, u8, s8, s16. Quantised sides are scaled to 2 * max(a_scale, b_scale) with 7 fractional
 * bits, and the squared difference to the output: three roundings. POW              Reals, i32,
 * i64. a to the power of b. ATAN2            Reals. The angle of the point (b, a). PRELU Reals, u8,
 * s8, s16. a where a >= 0, else a * b. EQUAL ... All types to bool. Quantised values are compared
 * as float32 reals, bool8 as bytes. AND, OR, XOR     bool, and the bits of whole numbers.
 * LEFT_SHIFT       Whole numbers. 0 where the amount is negative, or n or more. RIGHT_SHIFT Whole
 * numbers. Signed numbers shift in the sign. Negative amounts count as 0, and amounts of n or more
 * as n - 1.
 */
enum hy_binary {
    HY_BINARY_ADD,
    HY_BINARY_SUB,
    HY_BINARY_MUL,
    HY_BINARY_DIV,
    HY_BINARY_TRUNCATE_DIV,
    HY_BINARY_FLOOR_DIV,
    HY_BINARY_FLOOR_MOD,
    HY_BINARY_TRUNCATE_MOD,
    HY_BINARY_MAXIMUM,
    HY_BINARY_MINIMUM,
    HY_BINARY_SQUARED_DIFFERENCE,
    HY_BINARY_POW,
    HY_BINARY_ATAN2,
    HY_BINARY_PRELU,
    HY_BINARY_EQUAL,
    HY_BINARY_NOT_EQUAL,
    HY_BINARY_LESS,
    HY_BINARY_LESS_EQUAL,
    HY_BINARY_GREATER,
    HY_BINARY_GREATER_EQUAL,
    HY_BINARY_AND,
    HY_BINARY_OR,
    HY_BINARY_XOR,
    HY_BINARY_LEFT_SHIFT,
    HY_BINARY_RIGHT_SHIFT,
    HY_BINARY_COUNT
};

struct hy_sum_form;

struct hy_binary_params {
    struct hy_activation activation; /* ADD, SUB, MUL, DIV; quantised PRELU: bounds of the type */
    /* quantised only */
    int32_t a_zero_point, b_zero_point, out_zero_point;
    float a_scale, b_scale; /* used by comparisons */
    /* ADD, SUB, SQUARED_DIFFERENCE: multipliers of each side and of the result. MUL: out_multiplier
     * only. PRELU: a_multiplier where a >= 0, else out_multiplier. */
    struct hy_multiplier a_multiplier, b_multiplier, out_multiplier;
    double quotient_scale; /* TRUNCATE_DIV: output steps per unit of the quotient of elements */
    const struct hy_sum_form *form; /* ADD, SUB: a linear form with the same results, or NULL */
    /* MAXIMUM, MINIMUM: hy_table_requantise to the output, or NULL if the quantisation is the
     * same */
    const uint8_t *a_table, *b_table;
    struct hy_broadcast shape; /* last member: memory behind the used loops may be missing */
};

typedef void hy_binary_fn(const struct hy_binary_params *params, const void *a, const void *b,
                          void *out);

/* Left shift of both sides of a quantised sum before scaling; HY_SUM_SHIFT_16 is for 16-bit
 * elements. */
#define HY_SUM_SHIFT    20
#define HY_SUM_SHIFT_16 15

/* Left shift of both sides of a quantised SQUARED_DIFFERENCE. */
#define HY_DIFFERENCE_SHIFT 7

/* Sets the multipliers of `op` for tensors of these scales. */
void hy_binary_set_scales(struct hy_binary_params *params, enum hy_binary op,
                          enum hy_element element, float a, float b, float out);

#endif
