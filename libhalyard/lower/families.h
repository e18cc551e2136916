#ifndef HY_LIBHALYARD_LOWER_FAMILIES_H
#define HY_LIBHALYARD_LOWER_FAMILIES_H

#include "libhalyard/lower/lowering.h"

/* The functions in the rows of operators.def, for operators whose operation does not simply list
 * the inputs in order; a file per family. A function with a type serves several operators with the
 * same operands. */
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

#endif
