/* Tensors as the sample device wants them. What is wrong is the reason of `source->reader`, and the
 * result is NULL or false. */
#ifndef SAMPLE_OPERANDS_H
#define SAMPLE_OPERANDS_H

#include "driver_kit/tensor.h"
#include "operations.h"

#define SAMPLE_MAX_RANK 4u

bool sample_is_quantised(const struct hy_operand *operand);

/* An input of this type, of rank 1 to 4 and known shape; a constant one is all there. */
const struct hy_operand *sample_input(struct sample_source *source,
                                      const struct hy_operation *operation, uint32_t position,
                                      int32_t type);

/* Input 0, float32 or signed quant8, from which the type of all else follows. */
const struct hy_operand *sample_first_input(struct sample_source *source,
                                            const struct hy_operation *operation);

/* Output `position`: of this type, writable, and of exactly this shape. */
const struct hy_operand *sample_output(struct sample_source *source,
                                       const struct hy_operation *operation, uint32_t position,
                                       int32_t type, uint32_t rank, const uint32_t *dims);

/* A fused activation, as the range that it leaves to the output. */
bool sample_activation(struct sample_source *source, const struct hy_operation *operation,
                       uint32_t position, const struct hy_operand *output,
                       struct hy_value_range *range);

#endif
