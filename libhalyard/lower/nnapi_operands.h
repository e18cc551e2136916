#ifndef HY_LIBHALYARD_LOWER_NNAPI_OPERANDS_H
#define HY_LIBHALYARD_LOWER_NNAPI_OPERANDS_H

#include "libhalyard/lower/lowering.h"

/*
 * The NNAPI model under construction, for lowering.c and lowering_operands.c. After the first
 * failure of a lowering each function does nothing and returns operand 0 or NULL.
 */

/* Turns a failure of an NNAPI call into the failure of the lowering. */
void hy_lowering_check(struct hy_lowering *lowering, int result);

uint32_t hy_lowering_add_operand(struct hy_lowering *lowering,
                                 const ANeuralNetworksOperandType *type);

/* `data` outlives the model if the value is longer than NNAPI copies. */
void hy_lowering_set_value(struct hy_lowering *lowering, uint32_t operand, const void *data,
                           size_t bytes);

/* Exceeding the operation limit of the graph's budget is the failure HY_BAD_DATA. */
void hy_lowering_add_operation(struct hy_lowering *lowering, int32_t type, uint32_t input_count,
                               const uint32_t *inputs, uint32_t output_count,
                               const uint32_t *outputs);

/* Zeroed memory that lives as long as the model. Exceeding the graph's budget is the failure
 * HY_OUT_OF_MEMORY. */
void *hy_lowering_make_constant(struct hy_lowering *lowering, uint64_t bytes);

/* The default NNAPI type of an element type; -1: none. */
int32_t hy_nnapi_type(enum hy_element element);

/* Whether operands of an NNAPI type need a scale. */
bool hy_nnapi_is_quantised(int32_t type);

/* Sets scale and zero point for the type in `out`. Small integers without a quantisation, for
 * example plain pixels, get scale 1. */
void hy_nnapi_set_quantisation(const struct hy_graph_quantisation *quantisation,
                               ANeuralNetworksOperandType *out);

/* The shape of a tensor in NNAPI: a scalar becomes a vector of one element, an unknown extent
 * becomes 0. */
uint32_t hy_nnapi_rank(const struct hy_graph_tensor *tensor);
void hy_nnapi_extents(const struct hy_graph_tensor *tensor, uint32_t extents[HY_GRAPH_MAX_RANK]);

/* lowering.c: a failure with the name of the tensor and its fault. */
void hy_refuse_tensor(struct hy_lowering *lowering, uint32_t index, const char *what);

/* lowering_operands.c: the operand of a tensor in its default type, made at first use. */
uint32_t hy_lowering_tensor_operand(struct hy_lowering *lowering, uint32_t index);

/* NNAPI's CAST if it supports the types with the results of the file formats, else the extension's
 * CAST. */
int32_t hy_cast_operation(enum hy_element from, enum hy_element to);

#endif
