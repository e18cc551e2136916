/*
 * Reading the operands of a model that nobody vouches for: each function checks all that it reads,
 * and when something is missing writes the reason into the source and gives NULL or false.
 */
#ifndef SAMPLE_OPERANDS_H
#define SAMPLE_OPERANDS_H

#include "operations.h"

#define SAMPLE_MAX_RANK 4u

/* Writes the reason of a refusal; always false. */
bool sample_refuse(struct sample_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool sample_is_constant(const struct hy_operand *operand);
bool sample_is_quantised(const struct hy_operand *operand);

/* Elements of a checked tensor. */
uint64_t sample_element_count(const struct hy_operand *operand);

/* The bytes of a constant operand, which may be anywhere in memory, and may change at any time if
 * the app misbehaves. */
const uint8_t *sample_constant(struct sample_source *source, const struct hy_operand *operand,
                               uint64_t length);

/* A tensor of this type, of rank 1 to 4 and known shape; a constant one is all there. */
const struct hy_operand *sample_tensor(struct sample_source *source, uint32_t index,
                                       const char *name, int32_t type);

/* Input 0, float32 or signed quant8, from which the type of all else follows. */
const struct hy_operand *sample_first_input(struct sample_source *source,
                                            const struct hy_operation *operation);

/* Output number `number`: of this type, writable, and of exactly this shape. */
const struct hy_operand *sample_output(struct sample_source *source,
                                       const struct hy_operation *operation, uint32_t number,
                                       int32_t type, uint32_t rank, const uint32_t *dims);

/* The bytes of a constant scalar; read once, since nobody promises that they stay the same. */
bool sample_scalar(struct sample_source *source, uint32_t index, const char *name, int32_t type,
                   void *value, size_t size);
bool sample_scalar_i32(struct sample_source *source, uint32_t index, const char *name,
                       int32_t *value);

/* A fused activation, as the range that it leaves to the output. */
bool sample_activation(struct sample_source *source, uint32_t index,
                       const struct hy_operand *output, struct sample_range *range);

#endif
