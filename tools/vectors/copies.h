#ifndef HY_TOOLS_VECTORS_COPIES_H
#define HY_TOOLS_VECTORS_COPIES_H

#include "tools/vectors/vector.h"

/* Operations that give a tensor as it is: CAST to the type it has, RESHAPE to the shape it has. */

/* By a CAST. */
bool hy_vector_can_copy(const struct hy_vector_operand *operand);

/* Whether an input, to be copied, has a value in every example. */
bool hy_vector_has_elements(const struct hy_vector *test, uint32_t input);

/* By a RESHAPE as well. */
bool hy_vector_can_reshape(const struct hy_vector_operand *operand);

/* The constant second input of that RESHAPE. */
struct hy_vector_operand hy_vector_shape_of(const struct hy_vector_operand *operand);

#endif
