#ifndef HY_LIBHALYARD_LOWER_OPERATIONS_H
#define HY_LIBHALYARD_LOWER_OPERATIONS_H

#include "libhalyard/lower/lowering.h"

/*
 * Steps of operators that become several operations. A step adds one operation and returns the
 * operand of its result, which has the type, quantisation and shape of `like`. The operation in
 * hand must be empty.
 */
uint32_t hy_step_unary(struct hy_lowering *lowering, int32_t type, uint32_t from,
                       const struct hy_graph_tensor *like);

/* ADD, SUB, MUL and DIV have no fused activation. */
uint32_t hy_step_binary(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b,
                        const struct hy_graph_tensor *like);

/* A comparison; the result is BOOL8 with the shape of `like`. */
uint32_t hy_step_compare(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b,
                         const struct hy_graph_tensor *like);

/* SELECT: `a` where the condition holds, else `b`; all of the shape of `like`. */
uint32_t hy_step_select(struct hy_lowering *lowering, uint32_t condition, uint32_t a, uint32_t b,
                        const struct hy_graph_tensor *like);

/* The elements of `from` in the shape of `like`. */
uint32_t hy_step_reshape(struct hy_lowering *lowering, uint32_t from,
                         const struct hy_graph_tensor *like);

/* The part of `from` that starts at `begin` and has the shape of `like`. */
uint32_t hy_step_slice(struct hy_lowering *lowering, uint32_t from, const int32_t *begin,
                       const struct hy_graph_tensor *like);

/* coefficients[0] + z (coefficients[1] + z (...)) */
uint32_t hy_step_polynomial(struct hy_lowering *lowering, uint32_t z, const float *coefficients,
                            uint32_t count, const struct hy_graph_tensor *like);

/* The last step, whose result is output 0 of the node. */
void hy_last_unary(struct hy_lowering *lowering, int32_t type, uint32_t from);
void hy_last_binary(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b);
void hy_last_reshape(struct hy_lowering *lowering, uint32_t from);

/* The bytes of an input in the quantisation of output 0, for operators that TensorFlow Lite
 * computes on bytes whatever their quantisations are; other types as they are. */
uint32_t hy_same_bytes_operand(struct hy_lowering *lowering, uint32_t input);

/* A tensor of float32 with the shape of `like`, without a quantisation. */
struct hy_graph_tensor hy_real_like(const struct hy_graph_tensor *like);

/* A constant vector of one number, which broadcasts. */
uint32_t hy_number_operand(struct hy_lowering *lowering, float number);
uint32_t hy_integer_operand(struct hy_lowering *lowering, int32_t number);

#endif
