#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_REFERENCE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_REFERENCE_H

#include "cpu_fallback/kernels/kernels.h"

/* The names of the compiled reference templates, for the templates and the reference table only. */

#define HY_DECLARE_FLOATS(type, name) type hy_##name##_f32, hy_##name##_f16
#define HY_DECLARE_ALL_FLOATS(type, name) \
    HY_DECLARE_FLOATS(type, name); \
    type hy_##name##_bf16, hy_##name##_f64
#define HY_DECLARE_SIGNED(type, name) \
    type hy_##name##_i32, hy_##name##_i8, hy_##name##_i16, hy_##name##_i64
#define HY_DECLARE_UNSIGNED(type, name) \
    type hy_##name##_n8, hy_##name##_n16, hy_##name##_n32, hy_##name##_n64
#define HY_DECLARE_INTEGERS(type, name) \
    HY_DECLARE_SIGNED(type, name); \
    HY_DECLARE_UNSIGNED(type, name)
#define HY_DECLARE_BYTES(type, name) type hy_##name##_u8, hy_##name##_s8
#define HY_DECLARE_QUANTISED(type, name) \
    HY_DECLARE_BYTES(type, name); \
    type hy_##name##_s16
#define HY_DECLARE_ALL_QUANTISED(type, name) \
    HY_DECLARE_QUANTISED(type, name); \
    type hy_##name##_u16
#define HY_DECLARE_NUMBERS(type, name) \
    HY_DECLARE_FLOATS(type, name); \
    HY_DECLARE_BYTES(type, name); \
    type hy_##name##_i32
#define HY_DECLARE_COMPARED(type, name) \
    HY_DECLARE_ALL_FLOATS(type, name); \
    HY_DECLARE_BYTES(type, name); \
    type hy_##name##_i16, hy_##name##_i32, hy_##name##_i64, hy_##name##_n16, hy_##name##_n32, \
        hy_##name##_n64
#define HY_DECLARE_COMPARISON(name) \
    HY_DECLARE_ALL_FLOATS(hy_binary_fn, name); \
    HY_DECLARE_SIGNED(hy_binary_fn, name); \
    HY_DECLARE_UNSIGNED(hy_binary_fn, name); \
    HY_DECLARE_QUANTISED(hy_binary_fn, name); \
    hy_binary_fn hy_##name##_u16, hy_##name##_bool8

HY_DECLARE_ALL_FLOATS(hy_accumulate_fn, accumulate);
hy_accumulate_fn hy_accumulate_bool8, hy_accumulate_size1, hy_accumulate_size2, hy_accumulate_size4,
    hy_accumulate_size8;

HY_DECLARE_ALL_FLOATS(hy_binary_fn, add);
HY_DECLARE_SIGNED(hy_binary_fn, add);
HY_DECLARE_QUANTISED(hy_binary_fn, add);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, sub);
HY_DECLARE_SIGNED(hy_binary_fn, sub);
HY_DECLARE_QUANTISED(hy_binary_fn, sub);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, mul);
HY_DECLARE_SIGNED(hy_binary_fn, mul);
HY_DECLARE_QUANTISED(hy_binary_fn, mul);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, div);
HY_DECLARE_QUANTISED(hy_binary_fn, div);
HY_DECLARE_SIGNED(hy_binary_fn, truncate_div);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, floor_div);
HY_DECLARE_SIGNED(hy_binary_fn, floor_div);
HY_DECLARE_UNSIGNED(hy_binary_fn, floor_div);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, floor_mod);
HY_DECLARE_SIGNED(hy_binary_fn, floor_mod);
HY_DECLARE_UNSIGNED(hy_binary_fn, floor_mod);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, truncate_mod);
HY_DECLARE_SIGNED(hy_binary_fn, truncate_mod);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, maximum);
HY_DECLARE_SIGNED(hy_binary_fn, maximum);
HY_DECLARE_UNSIGNED(hy_binary_fn, maximum);
HY_DECLARE_BYTES(hy_binary_fn, maximum);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, minimum);
HY_DECLARE_SIGNED(hy_binary_fn, minimum);
HY_DECLARE_UNSIGNED(hy_binary_fn, minimum);
HY_DECLARE_BYTES(hy_binary_fn, minimum);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, squared_difference);
HY_DECLARE_SIGNED(hy_binary_fn, squared_difference);
HY_DECLARE_QUANTISED(hy_binary_fn, squared_difference);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, pow);
hy_binary_fn hy_pow_i32, hy_pow_i64;
HY_DECLARE_ALL_FLOATS(hy_binary_fn, atan2);
HY_DECLARE_ALL_FLOATS(hy_binary_fn, prelu);
HY_DECLARE_QUANTISED(hy_binary_fn, prelu);
HY_DECLARE_COMPARISON(equal);
HY_DECLARE_COMPARISON(not_equal);
HY_DECLARE_COMPARISON(less);
HY_DECLARE_COMPARISON(less_equal);
HY_DECLARE_COMPARISON(greater);
HY_DECLARE_COMPARISON(greater_equal);
hy_binary_fn hy_and_bool8, hy_or_bool8, hy_xor_bool8;
HY_DECLARE_SIGNED(hy_binary_fn, and);
HY_DECLARE_SIGNED(hy_binary_fn, or);
HY_DECLARE_SIGNED(hy_binary_fn, xor);
HY_DECLARE_SIGNED(hy_binary_fn, left_shift);
HY_DECLARE_SIGNED(hy_binary_fn, right_shift);
HY_DECLARE_UNSIGNED(hy_binary_fn, right_shift);
hy_cast_fn hy_cast_f16_f32, hy_cast_i32_f32, hy_cast_u8_f32, hy_cast_f32_f16, hy_cast_i32_f16,
    hy_cast_u8_f16, hy_cast_f32_i32, hy_cast_f16_i32, hy_cast_u8_i32, hy_cast_f32_u8,
    hy_cast_f16_u8, hy_cast_i32_u8;
HY_DECLARE_ALL_FLOATS(hy_widen_fn, widen);
HY_DECLARE_INTEGERS(hy_widen_fn, widen);
hy_widen_fn hy_widen_bool8;
HY_DECLARE_ALL_FLOATS(hy_narrow_fn, narrow_real);
HY_DECLARE_INTEGERS(hy_narrow_fn, narrow_real);
hy_narrow_fn hy_narrow_real_bool8;
HY_DECLARE_ALL_FLOATS(hy_narrow_fn, narrow_signed);
HY_DECLARE_ALL_FLOATS(hy_narrow_fn, narrow_unsigned);
HY_DECLARE_INTEGERS(hy_narrow_fn, narrow_integer);
hy_narrow_fn hy_narrow_integer_bool8;
hy_strided_copy_fn hy_strided_copy_size1, hy_strided_copy_size2, hy_strided_copy_size4,
    hy_strided_copy_size8;
HY_DECLARE_ALL_QUANTISED(hy_quantize_fn, quantize_f32);
HY_DECLARE_ALL_QUANTISED(hy_quantize_fn, quantize_f16);
HY_DECLARE_ALL_QUANTISED(hy_quantize_fn, quantize_f64);
HY_DECLARE_ALL_QUANTISED(hy_quantize_fn, quantize_bf16);
hy_rescale_fn hy_rescale_s16;
HY_DECLARE_FLOATS(hy_resize_fn, resize_bilinear);
HY_DECLARE_BYTES(hy_resize_fn, resize_bilinear);
hy_resize_fn hy_resize_bilinear_s16;
hy_resize_fn hy_resize_nearest_size1, hy_resize_nearest_size2, hy_resize_nearest_size4,
    hy_resize_nearest_size8;
HY_DECLARE_FLOATS(hy_roi_fn, roi_align);
HY_DECLARE_BYTES(hy_roi_fn, roi_align);
HY_DECLARE_FLOATS(hy_roi_fn, roi_pooling);
HY_DECLARE_BYTES(hy_roi_fn, roi_pooling);
hy_select_fn hy_select_size1, hy_select_size2, hy_select_size4, hy_select_size8;
HY_DECLARE_ALL_FLOATS(hy_unary_fn, abs);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, ceil);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, exp);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, floor);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, log);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, neg);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, rsqrt);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, sin);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, sqrt);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, clamp);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, logistic);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, tanh);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, elu);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, hard_swish);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, round);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, truncate);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, cos);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, square);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, sign);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, erf);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, leaky_relu);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, gelu);
HY_DECLARE_ALL_FLOATS(hy_unary_fn, gelu_tanh);
HY_DECLARE_INTEGERS(hy_unary_fn, abs);
HY_DECLARE_INTEGERS(hy_unary_fn, neg);
HY_DECLARE_INTEGERS(hy_unary_fn, sign);
HY_DECLARE_INTEGERS(hy_unary_fn, square);
HY_DECLARE_INTEGERS(hy_unary_fn, bitwise_not);
hy_unary_fn hy_lookup;
HY_DECLARE_COMPARED(hy_arg_min_max_fn, arg_max);
HY_DECLARE_COMPARED(hy_arg_min_max_fn, arg_min);
HY_DECLARE_COMPARED(hy_arg_min_max_fn, arg_max_last);
HY_DECLARE_COMPARED(hy_arg_min_max_fn, arg_min_last);
hy_arg_min_max_fn hy_arg_max_bool8, hy_arg_min_bool8, hy_arg_max_last_bool8, hy_arg_min_last_bool8;
HY_DECLARE_ALL_FLOATS(hy_bucketize_fn, bucketize);
HY_DECLARE_INTEGERS(hy_bucketize_fn, bucketize);
HY_DECLARE_ALL_FLOATS(hy_cumsum_fn, cumsum);
hy_cumsum_fn hy_cumsum_i8, hy_cumsum_i16, hy_cumsum_i32, hy_cumsum_i64;
HY_DECLARE_ALL_FLOATS(hy_matmul_fn, matmul);
hy_matmul_fn hy_matmul_i32, hy_matmul_s8, hy_matmul_s16;
HY_DECLARE_ALL_FLOATS(hy_normalise_fn, l2_normalise);
HY_DECLARE_BYTES(hy_normalise_fn, l2_normalise);
HY_DECLARE_FLOATS(hy_normalise_fn, local_normalise);
HY_DECLARE_FLOATS(hy_normalise_fn, instance_normalise);
HY_DECLARE_FLOATS(hy_pool_fn, average_pool);
hy_pool_fn hy_average_pool_s16, hy_max_pool_s16;
HY_DECLARE_BYTES(hy_pool_fn, average_pool);
HY_DECLARE_FLOATS(hy_pool_fn, l2_pool);
HY_DECLARE_FLOATS(hy_pool_fn, max_pool);
HY_DECLARE_BYTES(hy_pool_fn, max_pool);
HY_DECLARE_FLOATS(hy_random_fn, random_multinomial);
hy_reduce_fn hy_reduce_all_bool8, hy_reduce_any_bool8;
HY_DECLARE_ALL_FLOATS(hy_reduce_fn, reduce_max);
HY_DECLARE_INTEGERS(hy_reduce_fn, reduce_max);
HY_DECLARE_BYTES(hy_reduce_fn, reduce_max);
HY_DECLARE_ALL_FLOATS(hy_reduce_fn, reduce_min);
HY_DECLARE_INTEGERS(hy_reduce_fn, reduce_min);
HY_DECLARE_BYTES(hy_reduce_fn, reduce_min);
HY_DECLARE_ALL_FLOATS(hy_reduce_fn, reduce_prod);
hy_reduce_fn hy_reduce_prod_i8, hy_reduce_prod_i16, hy_reduce_prod_i32, hy_reduce_prod_i64;
HY_DECLARE_BYTES(hy_reduce_fn, reduce_prod);
HY_DECLARE_ALL_FLOATS(hy_reduce_fn, reduce_sum);
hy_reduce_fn hy_reduce_sum_i8, hy_reduce_sum_i16, hy_reduce_sum_i32, hy_reduce_sum_i64;
HY_DECLARE_BYTES(hy_reduce_fn, reduce_sum);
HY_DECLARE_ALL_FLOATS(hy_reduce_fn, reduce_mean);
HY_DECLARE_INTEGERS(hy_reduce_fn, reduce_mean);
HY_DECLARE_BYTES(hy_reduce_fn, reduce_mean);
HY_DECLARE_BYTES(hy_reduce_fn, reduce_mean_nearest);
HY_DECLARE_BYTES(hy_reduce_fn, reduce_mean_rescaled);
hy_reduce_fn hy_reduce_max_s16, hy_reduce_min_s16, hy_reduce_prod_s16, hy_reduce_sum_s16,
    hy_reduce_mean_rescaled_s16;
HY_DECLARE_ALL_FLOATS(hy_reduce_window_fn, reduce_window);
HY_DECLARE_INTEGERS(hy_reduce_window_fn, reduce_window);
hy_reduce_window_fn hy_reduce_window_bool8;
HY_DECLARE_ALL_FLOATS(hy_segment_fn, segment);
HY_DECLARE_INTEGERS(hy_segment_fn, segment);
HY_DECLARE_COMPARED(hy_top_k_fn, top_k);
HY_DECLARE_FLOATS(hy_conv_3d_fn, conv_3d);
HY_DECLARE_FLOATS(hy_conv_3d_fn, transpose_conv_3d);
hy_conv_size_fn hy_conv_rows; /* units of the reference kernels: rows of output pixels */
hy_conv_run_fn hy_conv_f32, hy_conv_f16, hy_conv_u8, hy_conv_s8, hy_conv_u8_s8, hy_conv_s16;
hy_conv_run_fn hy_depthwise_conv_f32, hy_depthwise_conv_f16, hy_depthwise_conv_u8,
    hy_depthwise_conv_s8, hy_depthwise_conv_u8_s8, hy_depthwise_conv_s16;
HY_DECLARE_ALL_FLOATS(hy_dequantize_fn, dequantize_u8);
HY_DECLARE_ALL_FLOATS(hy_dequantize_fn, dequantize_s8);
HY_DECLARE_ALL_FLOATS(hy_dequantize_fn, dequantize_u16);
HY_DECLARE_ALL_FLOATS(hy_dequantize_fn, dequantize_s16);
HY_DECLARE_ALL_FLOATS(hy_dequantize_fn, dequantize_i32);
hy_lstm_row_fn hy_lstm_row;
hy_matvec_fn hy_matvec_f32, hy_matvec_f16;
hy_conv_run_fn hy_transpose_conv_f32, hy_transpose_conv_f16, hy_transpose_conv_u8,
    hy_transpose_conv_s8, hy_transpose_conv_u8_s8, hy_transpose_conv_s16;
HY_DECLARE_ALL_FLOATS(hy_softmax_fn, log_softmax);
HY_DECLARE_ALL_FLOATS(hy_softmax_fn, softmax);
HY_DECLARE_BYTES(hy_softmax_fn, softmax);

#endif
