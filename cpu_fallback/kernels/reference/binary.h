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
 * Reals are f32, f16, f64 and bf16, whole numbers i32 and those of org.halyard.operations; these
 * compute modulo 2^n and ignore the activation.
 *
 * ADD, SUB, MUL    Reals, whole numbers, u8, s8, s16.
 *                  Quantised sums and differences scale both sides to 2 * max(a_scale, b_scale)
 *                  with 20 fractional bits, those of s16 with 15, then to the output: three
 *                  roundings. Products are
 *                  scaled once. Sums are bit-exact with TensorFlow Lite, and so are products but
 *                  where its float32 quotient of the scales tips a half.
 * DIV              Reals, i32. i32 rounds towards minus infinity, x / 0 is 0, and
 *                  -2^31 / -1 wraps.
 * TRUNCATE_DIV     Reals as DIV, whole numbers towards zero, u8, s8, s16: x / 0 is the largest or
 *                  smallest element, 0 / 0 is 0.
 * FLOOR_DIV        Reals, whole numbers. The quotient rounded down; of whole numbers x / 0 is 0.
 * FLOOR_MOD, TRUNCATE_MOD
 *                  Reals, whole numbers. The remainder with the sign of b, and with the sign of a;
 *                  of whole numbers that by 0 is a.
 * MAXIMUM, MINIMUM Reals, whole numbers, u8, s8, s16, u16. A NaN in a stays, one in b is ignored.
 *                  Bytes are converted to the output by a_table and b_table, then compared; s16 and
 *                  u16 have the quantisation of the output.
 * SQUARED_DIFFERENCE
 *                  Reals, whole numbers, u8, s8, s16. Quantised sides are scaled to
 *                  2 * max(a_scale, b_scale) with 7 fractional bits, their squared difference to
 * the output: three roundings. POW              Reals, i32, i64. a to the power of b. ATAN2 Reals.
 * The angle of the point (b, a). PRELU            Reals, u8, s8, s16. a where a >= 0, else a * b.
 * EQUAL ...        All types to bool. Quantised values are compared as float32 reals, bool8 as
 *                  bytes.
 * AND, OR, XOR     bool, and the bits of whole numbers.
 * LEFT_SHIFT       Whole numbers. 0 where the amount is negative, or n or more.
 * RIGHT_SHIFT      Whole numbers. Of signed ones the sign is shifted in. Negative amounts count as
 *                  0, those of n or more as n - 1.
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
    float a_scale, b_scale; /* comparisons */
    /* ADD, SUB, SQUARED_DIFFERENCE: of each side and of what they become. MUL: out alone. PRELU: a
     * where a >= 0, else out. */
    struct hy_multiplier a_multiplier, b_multiplier, out_multiplier;
    double quotient_scale; /* TRUNCATE_DIV: of a quotient of elements, in steps of the output */
    const struct hy_sum_form *form; /* ADD, SUB: what gives the same at once, or NULL */
    /* MAXIMUM, MINIMUM: hy_table_requantise to the output, or NULL: its quantisation is the same */
    const uint8_t *a_table, *b_table;
    struct hy_broadcast shape; /* last: memory past the loops it uses need not be there */
};

typedef void hy_binary_fn(const struct hy_binary_params *params, const void *a, const void *b,
                          void *out);

/* Left shift of both sides of a quantised sum before they are scaled; of elements of 16 bits. */
#define HY_SUM_SHIFT    20
#define HY_SUM_SHIFT_16 15

/* The same of a SQUARED_DIFFERENCE. */
#define HY_DIFFERENCE_SHIFT 7

/* Fills the multipliers that `op` needs for tensors of these scales. */
void hy_binary_set_scales(struct hy_binary_params *params, enum hy_binary op,
                          enum hy_element element, float a, float b, float out);

#endif
