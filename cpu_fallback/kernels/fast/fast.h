#ifndef HY_CPU_FALLBACK_KERNELS_FAST_FAST_H
#define HY_CPU_FALLBACK_KERNELS_FAST_FAST_H

#include "cpu_fallback/kernels/kernels.h"

/*
 * The names of the compiled fast templates, per instruction set and element type. Only they and
 * the tables need them; call them on machines that have the set.
 */
#define HY_FAST_CONV(set, type) \
    hy_conv_size_fn hy_conv_units_##set##_##type, hy_conv_packed_bytes_##set##_##type, \
        hy_conv_scratch_bytes_##set##_##type, hy_depthwise_conv_units_##set##_##type, \
        hy_depthwise_conv_packed_bytes_##set##_##type, \
        hy_depthwise_conv_scratch_bytes_##set##_##type; \
    hy_conv_suits_fn hy_depthwise_conv_suits_##set##_##type; \
    hy_conv_pack_fn hy_conv_pack_##set##_##type, hy_single_channel_pack_##set##_##type, \
        hy_depthwise_conv_pack_##set##_##type; \
    hy_conv_run_fn hy_conv_##set##_##type, hy_single_channel_##set##_##type, \
        hy_depthwise_conv_##set##_##type;

/* Output channels that convolutions of a set compute together. */
#define HY_PANEL_AVX2   16
#define HY_PANEL_AVX512 32

#define HY_FAST_SET(set) \
    HY_FAST_CONV(set, f32) \
    HY_FAST_CONV(set, u8) \
    HY_FAST_CONV(set, s8) \
    HY_FAST_CONV(set, u8_s8) \
    hy_binary_fn hy_add_##set##_f32, hy_add_##set##_u8, hy_add_##set##_s8, hy_sub_##set##_f32, \
        hy_sub_##set##_u8, hy_sub_##set##_s8, hy_mul_##set##_f32, hy_mul_##set##_u8, \
        hy_mul_##set##_s8; \
    hy_matvec_fn hy_matvec_##set##_f32, hy_matvec_##set##_f16; \
    hy_pool_fn hy_average_pool_##set##_f32, hy_average_pool_##set##_u8, \
        hy_average_pool_##set##_s8, hy_max_pool_##set##_f32, hy_max_pool_##set##_u8, \
        hy_max_pool_##set##_s8;

HY_FAST_SET(avx2)
HY_FAST_SET(avx512)

/* Puts the kernels of a set over those of a table. */
void hy_kernels_add_avx2(struct hy_kernel_table *table);
void hy_kernels_add_avx512(struct hy_kernel_table *table);

#endif
