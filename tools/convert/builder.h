#ifndef HY_TOOLS_CONVERT_BUILDER_H
#define HY_TOOLS_CONVERT_BUILDER_H

#include "tools/convert/convert.h"

/*
 * The NNAPI model under construction, and which operand stands for which tensor. The functions here
 * are the words in which the operators of convert_operators.c are written. Each adds operands and
 * gives their index; all fail with the words of the API.
 */
struct hy_model_builder;

enum { HY_CONVERT_MAX_RANK = 8 };

HY_MUST_CHECK enum hy_code hy_model_builder_create(const struct hy_tflite_subgraph *subgraph,
                                                   struct hy_model_builder **out,
                                                   struct hy_error *err);
void hy_model_builder_destroy(struct hy_model_builder *builder); /* takes NULL */

const struct hy_tflite_subgraph *hy_model_builder_subgraph(const struct hy_model_builder *builder);

/* Operations added from now on come from this operator of the file. */
void hy_model_builder_set_operator(struct hy_model_builder *builder, uint32_t operator_index);

/* The operand of a tensor in its everyday type, constant or not; made at first use. */
HY_MUST_CHECK enum hy_code hy_model_builder_tensor(struct hy_model_builder *builder, int32_t tensor,
                                                   uint32_t *operand, struct hy_error *err);

/* An int8 constant as the filter of an int8 operation: with a scale per channel where the file has
 * several (along `channel_dim`), else one scale for all. */
HY_MUST_CHECK enum hy_code hy_model_builder_quant_filter(struct hy_model_builder *builder,
                                                         int32_t tensor, uint32_t channel_dim,
                                                         uint32_t *operand, struct hy_error *err);

/* An int8 constant turned into float by a DEQUANTIZE of its own. */
HY_MUST_CHECK enum hy_code hy_model_builder_dequantised(struct hy_model_builder *builder,
                                                        int32_t tensor, uint32_t *operand,
                                                        struct hy_error *err);

/* A bias of `count` elements: the tensor's, or zeros where `tensor` is -1. `scale` is for int32. */
HY_MUST_CHECK enum hy_code hy_model_builder_bias(struct hy_model_builder *builder, int32_t tensor,
                                                 int32_t type, uint32_t count, float scale,
                                                 uint32_t *operand, struct hy_error *err);

HY_MUST_CHECK enum hy_code hy_model_builder_int32(struct hy_model_builder *builder, int32_t value,
                                                  uint32_t *operand, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_model_builder_bool(struct hy_model_builder *builder, bool value,
                                                 uint32_t *operand, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_model_builder_float32(struct hy_model_builder *builder, float value,
                                                    uint32_t *operand, struct hy_error *err);
/* A constant TENSOR_INT32 of shape {count}; the values are copied. */
HY_MUST_CHECK enum hy_code hy_model_builder_int32s(struct hy_model_builder *builder,
                                                   const int32_t *values, uint32_t count,
                                                   uint32_t *operand, struct hy_error *err);

/* A float tensor that is left out: of `rank` dimensions, without a value. */
HY_MUST_CHECK enum hy_code hy_model_builder_left_out(struct hy_model_builder *builder,
                                                     uint32_t rank, uint32_t *operand,
                                                     struct hy_error *err);

/* A tensor that the file keeps from one run to the next, as it is before the first: zeros. */
HY_MUST_CHECK enum hy_code hy_model_builder_first_state(struct hy_model_builder *builder,
                                                        int32_t tensor, uint32_t *operand,
                                                        struct hy_error *err);

/* A value between two operations that has no tensor in the file: `like` in type and quantisation.
 */
HY_MUST_CHECK enum hy_code hy_model_builder_temporary(struct hy_model_builder *builder,
                                                      int32_t like, uint32_t rank,
                                                      const uint32_t *dims, uint32_t *operand,
                                                      struct hy_error *err);

/* A scalar of the same element type as a constant tensor of one element, with its value. */
HY_MUST_CHECK enum hy_code hy_model_builder_scalar_of(struct hy_model_builder *builder,
                                                      int32_t tensor, uint32_t *operand,
                                                      struct hy_error *err);

HY_MUST_CHECK enum hy_code hy_model_builder_operation(struct hy_model_builder *builder,
                                                      int32_t type, uint32_t input_count,
                                                      const uint32_t *inputs, uint32_t output_count,
                                                      const uint32_t *outputs,
                                                      struct hy_error *err);

/* Names inputs and outputs and finishes. On success `*out` takes over all that the builder had. */
HY_MUST_CHECK enum hy_code hy_model_builder_finish(struct hy_model_builder *builder,
                                                   struct hy_converted_model **out,
                                                   struct hy_error *err);

#endif
