#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_H

#include "cpu_fallback/kernels/kernels.h"

/* The names of the compiled reference templates; only they and the reference table need them. */

hy_add_fn hy_add_f32, hy_add_f16, hy_add_i32, hy_add_u8, hy_add_s8;
hy_pool_fn hy_average_pool_f32, hy_average_pool_f16, hy_average_pool_u8, hy_average_pool_s8;
hy_conv_size_fn hy_conv_rows; /* the reference's units: rows of output pixels */
hy_conv_run_fn hy_conv_f32, hy_conv_f16, hy_conv_u8, hy_conv_s8, hy_conv_u8_s8;
hy_conv_run_fn hy_depthwise_conv_f32, hy_depthwise_conv_f16, hy_depthwise_conv_u8,
    hy_depthwise_conv_s8, hy_depthwise_conv_u8_s8;
hy_dequantize_fn hy_dequantize_u8_f32, hy_dequantize_u8_f16, hy_dequantize_s8_f32,
    hy_dequantize_s8_f16;
hy_softmax_fn hy_softmax_f32, hy_softmax_f16, hy_softmax_u8, hy_softmax_s8;

#endif
