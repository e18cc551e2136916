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
                                              uint32_t position, int32_t type,
                                              const struct hy_extent_limits *limits);

/* The output: of this type, writable, and of exactly this shape. */
const struct hy_operand *hy_tensor_read_output(struct hy_model_reader *reader,
                                               const struct hy_operation *operation,
                                               uint32_t position, int32_t type, uint32_t rank,
                                               const uint32_t *dims,
                                               const struct hy_extent_limits *limits);

#endif
