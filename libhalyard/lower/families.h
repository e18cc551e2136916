#ifndef HY_LIBHALYARD_LOWER_FAMILIES_H
#define HY_LIBHALYARD_LOWER_FAMILIES_H

#include "libhalyard/lower/lowering.h"

/* The functions in the rows of operators.def: operators that are more than their inputs in their
 * order; a file per family. A function with a type serves several operators, whose operations have
 * the same operands. */
#define BY(name)                 void hy_lower_##name(struct hy_lowering *lowering);
#define BY_TYPE(name, operation) void hy_lower_##name(struct hy_lowering *lowering, int32_t type);
#define AS_IT_STANDS(operation)
#define BY_EXTENSION(name, operation) BY_TYPE(name, operation)
#define AS_EXTENSION(operation)
#define OPEN(row) row
#define REFUSED(why)
#define NO_FORM
#define OPERATOR(NAME, attributes, lowering) lowering
#include "libhalyard/graph/operators.def"

/* Forms of operators over 8 bits, by tables. */
void hy_lower_byte_div(struct hy_lowering *lowering);
void hy_lower_byte_floor_div(struct hy_lowering *lowering);
void hy_lower_byte_floor_mod(struct hy_lowering *lowering);
void hy_lower_byte_mul(struct hy_lowering *lowering);
void hy_lower_byte_right_shift(struct hy_lowering *lowering);
void hy_lower_byte_squared_difference(struct hy_lowering *lowering);

/* A function of real numbers, of an input of 8 bits, by a table. */
void hy_lower_byte_function(struct hy_lowering *lowering, float (*function)(float x));

/* a / b of int32, towards zero. The operation in hand must be empty. */
void hy_emit_output_integer_div(struct hy_lowering *lowering, uint32_t a, uint32_t b,
                                const struct hy_graph_tensor *a_like,
                                const struct hy_graph_tensor *b_like);

/* Reductions of int32. */
void hy_lower_integer_reduce(struct hy_lowering *lowering, int32_t type);
void hy_lower_integer_mean(struct hy_lowering *lowering);

#endif
