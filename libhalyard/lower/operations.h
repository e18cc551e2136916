#ifndef HY_LIBHALYARD_LOWER_OPERATIONS_H
#define HY_LIBHALYARD_LOWER_OPERATIONS_H

#include "libhalyard/lower/lowering.h"

/*
 * Whole operations, for operators of several operations. Each function adds one operation and
 * returns the operand of the result, with the type, quantisation and shape of `like`. The current
 * operation must be empty. `type` is an ANEURALNETWORKS_ operation.
 */
uint32_t hy_emit_unary(struct hy_lowering *lowering, int32_t type, uint32_t from,
                       const struct hy_graph_tensor *like);

/* ADD, SUB, MUL and DIV have no fused activation. */
uint32_t hy_emit_binary(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b,
                        const struct hy_graph_tensor *like);

/* A comparison; the result is BOOL8 with the shape of `like`. */
uint32_t hy_emit_compare(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b,
                         const struct hy_graph_tensor *like);

/* The elements of `from` in the shape of `like`. */
uint32_t hy_emit_reshape(struct hy_lowering *lowering, uint32_t from,
                         const struct hy_graph_tensor *like);

/* The same operations with output 0 of the node as the result. */
void hy_emit_output_unary(struct hy_lowering *lowering, int32_t type, uint32_t from);
void hy_emit_output_binary(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b);
void hy_emit_output_reshape(struct hy_lowering *lowering, uint32_t from);

/* The bytes of an input with the quantisation of output 0, for operators that TensorFlow Lite
 * computes on bytes without regard to quantisations; other types are unchanged. */
uint32_t hy_same_bytes_operand(struct hy_lowering *lowering, uint32_t input);

/* A tensor of float32 with the shape of `like`, without a quantisation. */
struct hy_graph_tensor hy_real_like(const struct hy_graph_tensor *like);

/* A constant vector of one number for broadcasts. */
uint32_t hy_number_operand(struct hy_lowering *lowering, float number);
uint32_t hy_integer_operand(struct hy_lowering *lowering, int32_t number);
uint32_t hy_wide_integer_operand(struct hy_lowering *lowering, int64_t number); /* int64 */

#endif
