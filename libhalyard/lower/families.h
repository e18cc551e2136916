#ifndef HY_LIBHALYARD_LOWER_FAMILIES_H
#define HY_LIBHALYARD_LOWER_FAMILIES_H

#include "libhalyard/lower/lowering.h"

/* How operators are lowered that are more than their inputs in their order; a file per family. A
 * function with a type serves several operators, whose operations have the same operands. */

/* lower_arithmetic.c */
void hy_lower_arithmetic(struct hy_lowering *lowering, int32_t type);
void hy_lower_extreme(struct hy_lowering *lowering, int32_t type);
void hy_lower_mul(struct hy_lowering *lowering);
void hy_lower_div(struct hy_lowering *lowering);
void hy_lower_floor_div(struct hy_lowering *lowering);
void hy_lower_leaky_relu(struct hy_lowering *lowering);
void hy_lower_ceil(struct hy_lowering *lowering);
void hy_lower_square(struct hy_lowering *lowering);
void hy_lower_squared_difference(struct hy_lowering *lowering);

/* lower_atan2.c */
void hy_lower_atan2(struct hy_lowering *lowering);

/* lower_byte_binary.c */
void hy_lower_bitwise_xor(struct hy_lowering *lowering);
void hy_lower_byte_div(struct hy_lowering *lowering);
void hy_lower_byte_floor_div(struct hy_lowering *lowering);
void hy_lower_byte_floor_mod(struct hy_lowering *lowering);
void hy_lower_byte_mul(struct hy_lowering *lowering);
void hy_lower_byte_right_shift(struct hy_lowering *lowering);
void hy_lower_byte_squared_difference(struct hy_lowering *lowering);
void hy_lower_compare(struct hy_lowering *lowering, int32_t type);

/* lower_byte_unary.c */
void hy_lower_abs(struct hy_lowering *lowering);
void hy_lower_rectifier(struct hy_lowering *lowering, int32_t type);
void hy_lower_relu_0_to_1(struct hy_lowering *lowering);
void hy_lower_rsqrt(struct hy_lowering *lowering);
void hy_lower_real_function(struct hy_lowering *lowering, int32_t type);

/* A function of real numbers, of an input of 8 bits, by a table. */
void hy_lower_byte_function(struct hy_lowering *lowering, float (*function)(float x));

/* lower_cumsum.c */
void hy_lower_cumsum(struct hy_lowering *lowering);

/* lower_functions.c */
void hy_lower_cos(struct hy_lowering *lowering);
void hy_lower_elu(struct hy_lowering *lowering);
void hy_lower_fake_quant(struct hy_lowering *lowering);
void hy_lower_gelu(struct hy_lowering *lowering);
void hy_lower_round(struct hy_lowering *lowering);
void hy_lower_sign(struct hy_lowering *lowering);

/* lower_integers.c */
void hy_lower_add_n(struct hy_lowering *lowering);
void hy_lower_floor_mod(struct hy_lowering *lowering);
void hy_lower_pow(struct hy_lowering *lowering);
void hy_lower_right_shift(struct hy_lowering *lowering);

/* a / b of int32, towards zero. The operation in hand must be empty. */
void hy_emit_output_integer_div(struct hy_lowering *lowering, uint32_t a, uint32_t b,
                                const struct hy_graph_tensor *a_like,
                                const struct hy_graph_tensor *b_like);

/* lower_normalise.c */
void hy_lower_softmax(struct hy_lowering *lowering);
void hy_lower_log_softmax(struct hy_lowering *lowering);
void hy_lower_local_response_normalization(struct hy_lowering *lowering);
void hy_lower_l2_normalization(struct hy_lowering *lowering);

/* lower_weighted.c */
void hy_lower_conv_2d(struct hy_lowering *lowering);
void hy_lower_depthwise_conv_2d(struct hy_lowering *lowering);
void hy_lower_transpose_conv_2d(struct hy_lowering *lowering);
void hy_lower_fully_connected(struct hy_lowering *lowering);

/* lower_matmul.c */
void hy_lower_batch_matmul(struct hy_lowering *lowering);

/* lower_flow.c */
void hy_lower_if(struct hy_lowering *lowering);
void hy_lower_while(struct hy_lowering *lowering);

/* lower_image.c */
void hy_lower_resize(struct hy_lowering *lowering, int32_t type);
void hy_lower_pool(struct hy_lowering *lowering, int32_t type);
void hy_lower_block(struct hy_lowering *lowering, int32_t type);
void hy_lower_batch_to_space_nd(struct hy_lowering *lowering);

/* lower_movement.c */
void hy_lower_concatenation(struct hy_lowering *lowering);
void hy_lower_expand_dims(struct hy_lowering *lowering);
void hy_lower_fill(struct hy_lowering *lowering);
void hy_lower_gather(struct hy_lowering *lowering);
void hy_lower_mirror_pad(struct hy_lowering *lowering);
void hy_lower_pack(struct hy_lowering *lowering);
void hy_lower_pad_v2(struct hy_lowering *lowering);
void hy_lower_reshape(struct hy_lowering *lowering);
void hy_lower_unpack(struct hy_lowering *lowering);
void hy_lower_split(struct hy_lowering *lowering);
void hy_lower_strided_slice(struct hy_lowering *lowering);

/* lower_reduction.c */
void hy_lower_with_scalar(struct hy_lowering *lowering, int32_t type);
void hy_lower_reduce(struct hy_lowering *lowering, int32_t type);
void hy_lower_mean(struct hy_lowering *lowering);
void hy_lower_prod(struct hy_lowering *lowering);
void hy_lower_sum(struct hy_lowering *lowering);

/* lower_integer_reduction.c */
void hy_lower_integer_reduce(struct hy_lowering *lowering, int32_t type);
void hy_lower_integer_mean(struct hy_lowering *lowering);

/* lower_detection.c */
void hy_lower_detection_postprocess(struct hy_lowering *lowering);

/* lower_quantize.c */
void hy_lower_quantize(struct hy_lowering *lowering);

/* lower_lstm.c */
void hy_lower_lstm(struct hy_lowering *lowering);
void hy_lower_unidirectional_sequence_lstm(struct hy_lowering *lowering);
void hy_lower_bidirectional_sequence_lstm(struct hy_lowering *lowering);

/* lower_rnn.c */
void hy_lower_rnn(struct hy_lowering *lowering);
void hy_lower_unidirectional_sequence_rnn(struct hy_lowering *lowering);
void hy_lower_bidirectional_sequence_rnn(struct hy_lowering *lowering);

/* lower_svdf.c */
void hy_lower_svdf(struct hy_lowering *lowering);

#endif
