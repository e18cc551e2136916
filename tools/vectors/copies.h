#ifndef HY_TOOLS_VECTORS_COPIES_H
#define HY_TOOLS_VECTORS_COPIES_H

#include "tools/vectors/vector.h"

/* Operations that copy a tensor: CAST to its own type, RESHAPE to its own shape. */

/* True if a CAST can copy the operand. */
bool hy_vector_can_copy(const struct hy_vector_operand *operand);

/* True if an input has a value in every example, and can be copied. */
bool hy_vector_has_elements(const struct hy_vector *test, uint32_t input);

/* True if a RESHAPE can also copy the operand. */
bool hy_vector_can_reshape(const struct hy_vector_operand *operand);

/* The constant second input of the RESHAPE. */
struct hy_vector_operand hy_vector_shape_of(const struct hy_vector_operand *operand);

#endif
