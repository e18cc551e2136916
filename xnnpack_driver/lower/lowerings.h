/*
 * One function for each family of operations. The function checks the operation and adds its nodes
 * to the program. False: not supported; build->reader has the reason. Views and folded constants
 * are only created after the last check. The table in lower.c has already checked the number of
 * operands.
 */
#ifndef XD_LOWERINGS_H
#define XD_LOWERINGS_H

#include "xnnpack_driver/xd_operands.h"

typedef bool xd_lowering(struct xd_build *build, const struct hy_operation *operation);

xd_lowering xd_lower_convolution; /* CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D */
xd_lowering xd_lower_transpose_convolution;
xd_lowering xd_lower_fully_connected;
xd_lowering xd_lower_pool; /* AVERAGE_POOL_2D, MAX_POOL_2D */
xd_lowering xd_lower_mean;
xd_lowering xd_lower_pair;  /* ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM */
xd_lowering xd_lower_unary; /* ABS, FLOOR, NEG, SQRT, HARD_SWISH, LOGISTIC, TANH */
xd_lowering xd_lower_relu;  /* RELU, RELU1, RELU6 */
xd_lowering xd_lower_elu;
xd_lowering xd_lower_prelu;
xd_lowering xd_lower_softmax;
xd_lowering xd_lower_quantize;
xd_lowering xd_lower_dequantize;
xd_lowering xd_lower_cast;
xd_lowering xd_lower_reshape;
xd_lowering xd_lower_squeeze;
xd_lowering xd_lower_expand_dims;
xd_lowering xd_lower_concatenation;
xd_lowering xd_lower_split;
xd_lowering xd_lower_pad; /* PAD, PAD_V2 */
xd_lowering xd_lower_resize_bilinear;
xd_lowering xd_lower_depth_to_space;
xd_lowering xd_lower_channel_shuffle;

#endif
