/*
 * Tensors as a driver with fixed shapes wants them: of one type, of a known shape within limits.
 * What is wrong is the reason of the reader, and the result is NULL.
 */
#ifndef HY_DRIVER_KIT_TENSOR_H
#define HY_DRIVER_KIT_TENSOR_H

#include "driver_kit/model_reader.h"

/* Bytes of an element of a tensor type (OperandCode); 0: no type of tensors. */
uint32_t hy_tensor_element_size(int32_t type);

/* The product of the extents, which are known. */
uint64_t hy_tensor_elements(const struct hy_operand *operand);

/* The input, of this type and of known shape; a constant one has all its bytes. */
const struct hy_operand *hy_tensor_read_input(struct hy_model_reader *reader,
                                              const struct hy_operation *operation,
                                              uint32_t position, int32_t type);

/* The same, and of exactly this shape. */
const struct hy_operand *hy_tensor_read_shaped(struct hy_model_reader *reader,
                                               const struct hy_operation *operation,
                                               uint32_t position, int32_t type, uint32_t rank,
                                               const uint32_t *dims);

/*
 * The same for an input that may be left out, in the model (`*operand` is NULL), or in a request:
 * an input of the model may have an unknown rank and unknown extents, as whoever means to leave it
 * out has none to tell. False, with a reason: the input does not fit.
 */
bool hy_tensor_read_optional(struct hy_model_reader *reader, const struct hy_operation *operation,
                             uint32_t position, int32_t type, uint32_t rank, const uint32_t *dims,
                             const struct hy_operand **operand);

/* The output: of this type, writable, and of exactly this shape. */
const struct hy_operand *hy_tensor_read_output(struct hy_model_reader *reader,
                                               const struct hy_operation *operation,
                                               uint32_t position, int32_t type, uint32_t rank,
                                               const uint32_t *dims);

/* The shape that two shapes are broadcast to, of at most HY_MAX_RANK extents: extents go together
 * from the last one on, and an extent of 1, or one that is missing, becomes that of the other. */
bool hy_broadcast(struct hy_model_reader *reader, uint32_t a_rank, const uint32_t *a_dims,
                  uint32_t b_rank, const uint32_t *b_dims, uint32_t *rank, uint32_t *dims);

#endif
