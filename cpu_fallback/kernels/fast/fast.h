#ifndef HY_CPU_FALLBACK_KERNELS_FAST_FAST_H
#define HY_CPU_FALLBACK_KERNELS_FAST_FAST_H

#include "cpu_fallback/kernels/kernels.h"

/*
 * The names of the compiled fast templates, per instruction set and element type. Only the
 * templates and the kernel tables use this header. Call the functions only on machines with the
 * instruction set.
 */
#define HY_FAST_CONV(set, type) \
    hy_conv_size_fn hy_conv_units_##set##_##type, hy_conv_packed_bytes_##set##_##type, \
        hy_conv_scratch_bytes_##set##_##type, hy_depthwise_conv_units_##set##_##type, \
        hy_depthwise_conv_packed_bytes_##set##_##type, \
        hy_depthwise_conv_scratch_bytes_##set##_##type; \
    hy_conv_pack_fn hy_conv_pack_##set##_##type, hy_single_channel_pack_##set##_##type, \
        hy_depthwise_conv_pack_##set##_##type; \
    hy_conv_run_fn hy_conv_##set##_##type, hy_conv_half_away_##set##_##type, \
        hy_depthwise_conv_##set##_##type;

#define HY_FAST_TRANSPOSE_CONV(set, type) \
    hy_conv_size_fn hy_transpose_conv_units_##set##_##type, \
        hy_transpose_conv_packed_bytes_##set##_##type, \
        hy_transpose_conv_scratch_bytes_##set##_##type; \
    hy_conv_suits_fn hy_transpose_conv_suits_##set##_##type; \
    hy_conv_layout_fn hy_transpose_conv_layout_##set##_##type; \
    hy_conv_pack_fn hy_transpose_conv_pack_##set##_##type; \
    hy_conv_run_fn hy_transpose_conv_##set##_##type;

#define HY_FAST_GROUPED_CONV(set, type) \
    hy_conv_size_fn hy_grouped_conv_units_##set##_##type, \
        hy_grouped_conv_packed_bytes_##set##_##type, hy_grouped_conv_scratch_bytes_##set##_##type; \
    hy_conv_pack_fn hy_grouped_conv_pack_##set##_##type; \
    hy_conv_run_fn hy_grouped_conv_##set##_##type;

#define HY_FAST_WINOGRAD(set, type) \
    hy_conv_size_fn hy_winograd_units_##set##_##type, hy_winograd_packed_bytes_##set##_##type, \
        hy_winograd_scratch_bytes_##set##_##type; \
    hy_conv_suits_fn hy_winograd_suits_##set##_##type; \
    hy_conv_holds_fn hy_winograd_holds_##set##_##type; \
    hy_conv_pack_fn hy_winograd_pack_##set##_##type; \
    hy_conv_run_fn hy_winograd_##set##_##type;

#define HY_FAST_ROW_CONV(set, type) \
    hy_conv_size_fn hy_conv_row_units_##set##_##type, hy_conv_row_packed_bytes_##set##_##type, \
        hy_conv_row_scratch_bytes_##set##_##type; \
    hy_conv_suits_fn hy_conv_row_suits_##set##_##type; \
    hy_conv_pack_fn hy_conv_row_pack_##set##_##type; \
    hy_conv_run_fn hy_conv_row_##set##_##type;

#define HY_FAST_HYBRID_CONV(set) \
    hy_conv_size_fn hy_hybrid_conv_packed_bytes_##set##_f32, \
        hy_hybrid_conv_scratch_bytes_##set##_f32; \
    hy_conv_pack_fn hy_hybrid_conv_pack_##set##_f32; \
    hy_conv_run_fn hy_hybrid_conv_##set##_f32;

#define HY_FAST_COMPARISONS(set, type) \
    hy_binary_fn hy_equal_##set##_##type, hy_not_equal_##set##_##type, hy_less_##set##_##type, \
        hy_less_equal_##set##_##type, hy_greater_##set##_##type, hy_greater_equal_##set##_##type;

#define HY_FAST_ARITHMETIC(set, type) \
    hy_binary_fn hy_add_##set##_##type, hy_sub_##set##_##type, hy_mul_##set##_##type, \
        hy_div_##set##_##type, hy_maximum_##set##_##type, hy_minimum_##set##_##type, \
        hy_pow_##set##_##type, hy_prelu_##set##_##type, hy_atan2_##set##_##type, \
        hy_floor_mod_##set##_##type, hy_squared_difference_##set##_##type;

#define HY_FAST_UNARY(set, type) \
    hy_unary_fn hy_abs_##set##_##type, hy_clamp_##set##_##type, hy_elu_##set##_##type, \
        hy_exp_##set##_##type, hy_floor_##set##_##type, hy_hard_swish_##set##_##type, \
        hy_log_##set##_##type, hy_logistic_##set##_##type, hy_neg_##set##_##type, \
        hy_rsqrt_##set##_##type, hy_sin_##set##_##type, hy_sqrt_##set##_##type, \
        hy_tanh_##set##_##type;

/* float32 only: files with float16 in these functions are rare. */
#define HY_FAST_FUNCTIONS(set) \
    hy_unary_fn hy_ceil_##set##_f32, hy_cos_##set##_f32, hy_erf_##set##_f32, hy_gelu_##set##_f32, \
        hy_gelu_tanh_##set##_f32, hy_leaky_relu_##set##_f32, hy_round_##set##_f32, \
        hy_sign_##set##_f32, hy_square_##set##_f32, hy_truncate_##set##_f32;

/* Output channels and pixels computed together by the convolutions of the set. */
#if defined(HY_AVX512)
#define HY_SET_PANEL        32
#define HY_SET_TILE         8
#define HY_INTERLEAVED_ROWS 8
#elif defined(HY_AMX)
#define HY_SET_PANEL 64 /* with one tile of pixels */
#define HY_SET_TILE  1  /* sums are exact, so tiles may start anywhere */
#else
#define HY_SET_PANEL 16
#define HY_SET_TILE  6
#endif

#define HY_FAST_WIDE_MATMUL(set) \
    hy_conv_size_fn hy_matmul_units_##set##_s16, hy_matmul_packed_bytes_##set##_s16, \
        hy_matmul_scratch_bytes_##set##_s16; \
    hy_conv_suits_fn hy_matmul_suits_##set##_s16; \
    hy_conv_pack_fn hy_matmul_pack_##set##_s16, hy_matmul_pack_transposed_##set##_s16; \
    hy_conv_run_fn hy_matmul_##set##_s16;

/* Kernels of a set that differs from another set in the dot product alone. */
#define HY_FAST_DOT(set) \
    HY_FAST_CONV(set, u8) \
    HY_FAST_CONV(set, s8) \
    HY_FAST_CONV(set, u8_s8) \
    HY_FAST_CONV(set, s16) \
    HY_FAST_ROW_CONV(set, u8) \
    HY_FAST_ROW_CONV(set, s8) \
    HY_FAST_ROW_CONV(set, u8_s8) \
    HY_FAST_GROUPED_CONV(set, u8) \
    HY_FAST_GROUPED_CONV(set, s8) \
    HY_FAST_GROUPED_CONV(set, u8_s8) \
    HY_FAST_GROUPED_CONV(set, s16) \
    HY_FAST_TRANSPOSE_CONV(set, u8) \
    HY_FAST_TRANSPOSE_CONV(set, s8) \
    HY_FAST_TRANSPOSE_CONV(set, u8_s8) \
    HY_FAST_TRANSPOSE_CONV(set, s16) \
    hy_conv_suits_fn hy_depthwise_conv_suits_##set##_s16; \
    HY_FAST_WINOGRAD(set, u8) \
    HY_FAST_WINOGRAD(set, s8) \
    HY_FAST_WINOGRAD(set, u8_s8) \
    HY_FAST_WINOGRAD(set, s16)

/* AMX tiles multiply bytes only. */
#define HY_FAST_TILES(set, type) \
    HY_FAST_CONV(set, type) \
    HY_FAST_GROUPED_CONV(set, type) \
    HY_FAST_TRANSPOSE_CONV(set, type)

#define HY_FAST_SET(set) \
    HY_FAST_CONV(set, f32) \
    HY_FAST_GROUPED_CONV(set, f32) \
    HY_FAST_TRANSPOSE_CONV(set, f32) \
    HY_FAST_HYBRID_CONV(set) \
    HY_FAST_WIDE_MATMUL(set) \
    HY_FAST_DOT(set) \
    HY_FAST_WINOGRAD(set, f32) \
    hy_arg_min_max_fn hy_arg_max_##set##_f32, hy_arg_max_##set##_u8, hy_arg_max_##set##_s8, \
        hy_arg_min_##set##_f32, hy_arg_min_##set##_u8, hy_arg_min_##set##_s8; \
    HY_FAST_ARITHMETIC(set, f32) \
    HY_FAST_ARITHMETIC(set, f16) \
    hy_binary_fn hy_add_##set##_i32, hy_add_##set##_u8, hy_add_##set##_s8, hy_sub_##set##_i32, \
        hy_sub_##set##_u8, hy_sub_##set##_s8, hy_mul_##set##_i32, hy_div_##set##_i32, \
        hy_mul_##set##_u8, hy_mul_##set##_s8, hy_prelu_##set##_u8, hy_prelu_##set##_s8, \
        hy_maximum_##set##_i32, hy_maximum_##set##_u8, hy_maximum_##set##_s8, \
        hy_minimum_##set##_i32, hy_minimum_##set##_u8, hy_minimum_##set##_s8, hy_add_##set##_s16, \
        hy_sub_##set##_s16, hy_mul_##set##_s16, hy_squared_difference_##set##_u8, \
        hy_squared_difference_##set##_s8; \
    HY_FAST_COMPARISONS(set, f32) \
    HY_FAST_COMPARISONS(set, f16) \
    HY_FAST_COMPARISONS(set, i32) \
    HY_FAST_COMPARISONS(set, u8) \
    HY_FAST_COMPARISONS(set, s8) \
    hy_cast_fn hy_cast_f16_##set##_f32, hy_cast_i32_##set##_f32, hy_cast_u8_##set##_f32, \
        hy_cast_f32_##set##_f16, hy_cast_i32_##set##_f16, hy_cast_u8_##set##_f16, \
        hy_cast_f32_##set##_i32, hy_cast_f16_##set##_i32, hy_cast_u8_##set##_i32, \
        hy_cast_f32_##set##_u8, hy_cast_f16_##set##_u8, hy_cast_i32_##set##_u8; \
    hy_select_fn hy_select_##set##_size1, hy_select_##set##_size2, hy_select_##set##_size4; \
    hy_dequantize_fn hy_dequantize_##set##_u8, hy_dequantize_##set##_s8, \
        hy_dequantize_##set##_u16, hy_dequantize_##set##_s16; \
    hy_matvec_fn hy_matvec_##set##_f32, hy_matvec_##set##_f16; \
    hy_strided_copy_fn hy_strided_copy_##set##_size1, hy_strided_copy_##set##_size2, \
        hy_strided_copy_##set##_size4; \
    hy_pool_fn hy_average_pool_##set##_f32, hy_average_pool_##set##_u8, \
        hy_average_pool_##set##_s8, hy_average_pool_##set##_s16, hy_max_pool_##set##_s16, \
        hy_l2_pool_##set##_f32, hy_max_pool_##set##_f32, hy_max_pool_##set##_u8, \
        hy_max_pool_##set##_s8; \
    hy_normalise_fn hy_instance_normalise_##set##_f32, hy_l2_normalise_##set##_f32, \
        hy_local_normalise_##set##_f32; \
    hy_reduce_fn hy_reduce_max_##set##_f32, hy_reduce_mean_##set##_f32, hy_reduce_min_##set##_f32, \
        hy_reduce_sum_##set##_f32, hy_reduce_all_##set##_bool8, hy_reduce_any_##set##_bool8, \
        hy_reduce_max_##set##_u8, hy_reduce_max_##set##_s8, hy_reduce_min_##set##_u8, \
        hy_reduce_min_##set##_s8, hy_reduce_mean_##set##_u8, hy_reduce_mean_##set##_s8, \
        hy_reduce_mean_nearest_##set##_u8, hy_reduce_mean_nearest_##set##_s8, \
        hy_reduce_mean_rescaled_##set##_u8, hy_reduce_mean_rescaled_##set##_s8, \
        hy_reduce_mean_rescaled_##set##_s16; \
    hy_quantize_fn hy_quantize_f32_##set##_u8, hy_quantize_f32_##set##_s8, \
        hy_quantize_f32_##set##_u16, hy_quantize_f32_##set##_s16; \
    hy_rescale_fn hy_rescale_##set##_s16; \
    hy_resize_fn hy_resize_bilinear_##set##_f32, hy_resize_bilinear_##set##_u8, \
        hy_resize_bilinear_##set##_s8; \
    hy_resize_fn hy_resize_nearest_##set##_size1, hy_resize_nearest_##set##_size2, \
        hy_resize_nearest_##set##_size4; \
    HY_FAST_UNARY(set, f32) \
    HY_FAST_UNARY(set, f16) \
    HY_FAST_FUNCTIONS(set) \
    hy_unary_fn hy_abs_##set##_i32, hy_neg_##set##_i32, hy_lookup_##set##_size1; \
    hy_softmax_fn hy_softmax_##set##_f32, hy_softmax_##set##_u8, hy_softmax_##set##_s8, \
        hy_log_softmax_##set##_f32; \
    hy_lstm_row_fn hy_lstm_row_##set##_f32; \
    hy_lstm_packed_bytes_fn hy_lstm_packed_bytes_##set##_f32; \
    hy_lstm_pack_fn hy_lstm_pack_##set##_f32; \
    hy_lstm_half_fn hy_lstm_half_##set##_f32; \
    hy_lstm_units_fn hy_lstm_units_##set##_f32;

HY_FAST_SET(avx2)
HY_FAST_DOT(avxvnni)
HY_FAST_DOT(vnni256)
HY_FAST_SET(avx512)
hy_unary_fn hy_lookup_avx512vbmi_size1;
hy_conv_run_interleaved_fn hy_conv_interleaved_avx512_f32;
HY_FAST_TILES(amx, u8)
HY_FAST_TILES(amx, s8)
HY_FAST_TILES(amx, u8_s8)
HY_FAST_SET(neon)
HY_FAST_DOT(dotprod)
HY_FAST_DOT(i8mm)

/* Replaces kernels of a table by those of the set. */
void hy_kernels_add_avx2(struct hy_kernel_table *table);
void hy_kernels_add_avxvnni(struct hy_kernel_table *table);
void hy_kernels_add_vnni256(struct hy_kernel_table *table);
void hy_kernels_add_avx512(struct hy_kernel_table *table);
void hy_kernels_add_avx512vbmi(struct hy_kernel_table *table);
void hy_kernels_add_amx(struct hy_kernel_table *table);
void hy_kernels_add_neon(struct hy_kernel_table *table);
void hy_kernels_add_dotprod(struct hy_kernel_table *table);
void hy_kernels_add_i8mm(struct hy_kernel_table *table);

#endif
