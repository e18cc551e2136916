/*
 * Reads tensors for a driver with fixed shapes: a given type and a known shape within the limits.
 * On failure the reader holds the reason, and the result is NULL.
 */
#ifndef HY_DRIVER_KIT_TENSOR_H
#define HY_DRIVER_KIT_TENSOR_H

#include "driver_kit/model_reader.h"

/* The size in bytes of an element of `type` (OperandCode). 0: not a tensor type. */
uint32_t hy_tensor_element_size(int32_t type);

/* The product of the extents, all of which must be known. */
uint64_t hy_tensor_elements(const struct hy_operand *operand);

/* Returns an input with type `type` and a known shape. The length of a constant must match. */
const struct hy_operand *hy_tensor_read_input(struct hy_model_reader *reader,
                                              const struct hy_operation *operation,
                                              uint32_t position, int32_t type);

/* Same as hy_tensor_read_input, with exactly the given shape. */
const struct hy_operand *hy_tensor_read_shaped(struct hy_model_reader *reader,
                                               const struct hy_operation *operation,
                                               uint32_t position, int32_t type, uint32_t rank,
                                               const uint32_t *dims);

/*
 * Same as hy_tensor_read_shaped, for an optional input. If the model omits the input, `*operand` is
 * NULL. An input of the model may have an unknown rank and unknown extents, because a request may
 * omit the input. False: the input does not match; the reader holds the reason.
 */
bool hy_tensor_read_optional(struct hy_model_reader *reader, const struct hy_operation *operation,
                             uint32_t position, int32_t type, uint32_t rank, const uint32_t *dims,
                             const struct hy_operand **operand);

/* Returns a writable output with type `type` and exactly the given shape. */
const struct hy_operand *hy_tensor_read_output(struct hy_model_reader *reader,
                                               const struct hy_operation *operation,
                                               uint32_t position, int32_t type, uint32_t rank,
                                               const uint32_t *dims);

/* Computes the broadcast shape of two shapes, at most HY_MAX_RANK extents. Extents are aligned at
 * the last dimension. A missing extent or an extent of 1 takes the value of the other shape. False:
 * the shapes do not match; the reader holds the reason. */
bool hy_broadcast(struct hy_model_reader *reader, uint32_t a_rank, const uint32_t *a_dims,
                  uint32_t b_rank, const uint32_t *b_dims, uint32_t *rank, uint32_t *dims);

#endif
