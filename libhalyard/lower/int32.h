#ifndef HY_LIBHALYARD_LOWER_INT32_H
#define HY_LIBHALYARD_LOWER_INT32_H

#include "libhalyard/lower/lowering.h"

/*
 * Arithmetic of TENSOR_INT32 with [rows, columns], by operations of NNAPI that are added to the
 * model. ADD, SUB and MUL wrap around, DIV rounds down. The operation in hand must be empty.
 */
struct hy_int32 {
    uint32_t operand;
    uint32_t extents[2];
};

/* A float32 tensor of whole numbers as int32, and back. */
struct hy_int32 hy_int32_of_float(struct hy_lowering *lowering, uint32_t operand,
                                  const uint32_t extents[2]);
uint32_t hy_int32_as_float(struct hy_lowering *lowering, struct hy_int32 a);

/* `operation` is ADD, SUB, MUL, DIV, MINIMUM or MAXIMUM; `b` has the extents of `a` or one row. */
struct hy_int32 hy_int32_apply(struct hy_lowering *lowering, int32_t operation, struct hy_int32 a,
                               uint32_t b);
struct hy_int32 hy_int32_apply_number(struct hy_lowering *lowering, int32_t operation,
                                      struct hy_int32 a, int32_t b);

/*
 * The product of any int32 and a positive real number, rounded twice as TensorFlow Lite rounds: to
 * a 31-bit multiplier's high product, half up, and by a shift, half away from zero. Products beyond
 * int32 wrap around. A failure where the multiplier is below 2^-31 or not below 2^30.
 */
struct hy_int32 hy_int32_scale(struct hy_lowering *lowering, struct hy_int32 a, double multiplier);

#endif
