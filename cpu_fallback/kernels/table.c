#include "cpu_fallback/kernels/kernels.h"
#include "cpu_fallback/kernels/reference/reference.h"

#define REFERENCE_CONV(function) \
    { \
        .name = "reference", .products_per_us = 1500, .units = hy_conv_rows, .run = function \
    }

/* The slots of a template in the types it is compiled for. */
#define REALS(name) [HY_ELEMENT_F32] = hy_##name##_f32, [HY_ELEMENT_F16] = hy_##name##_f16
#define ALL_REALS(name) \
    REALS(name), [HY_ELEMENT_BF16] = hy_##name##_bf16, [HY_ELEMENT_F64] = hy_##name##_f64
#define BYTES(name)   [HY_ELEMENT_U8] = hy_##name##_u8, [HY_ELEMENT_S8] = hy_##name##_s8
#define INTS(name)    [HY_ELEMENT_I32] = hy_##name##_i32
#define BOOLS(name)   [HY_ELEMENT_BOOL] = hy_##name##_bool8
#define NUMBERS(name) REALS(name), INTS(name), BYTES(name)
#define LOOKUPS       [HY_ELEMENT_U8] = hy_lookup, [HY_ELEMENT_S8] = hy_lookup

static const struct hy_kernel_table reference = {
    .arg_extreme = {[HY_ARG_MAX] = {NUMBERS(arg_max)}, [HY_ARG_MIN] = {NUMBERS(arg_min)}},
    .binary = {[HY_BINARY_ADD] = {NUMBERS(add)},
               [HY_BINARY_SUB] = {NUMBERS(sub)},
               [HY_BINARY_MUL] = {NUMBERS(mul)},
               [HY_BINARY_DIV] = {REALS(div), INTS(div)},
               [HY_BINARY_MAXIMUM] = {NUMBERS(maximum)},
               [HY_BINARY_MINIMUM] = {NUMBERS(minimum)},
               [HY_BINARY_POW] = {REALS(pow)},
               [HY_BINARY_PRELU] = {REALS(prelu), BYTES(prelu)},
               [HY_BINARY_EQUAL] = {NUMBERS(equal), BOOLS(equal)},
               [HY_BINARY_NOT_EQUAL] = {NUMBERS(not_equal), BOOLS(not_equal)},
               [HY_BINARY_LESS] = {NUMBERS(less), BOOLS(less)},
               [HY_BINARY_LESS_EQUAL] = {NUMBERS(less_equal), BOOLS(less_equal)},
               [HY_BINARY_GREATER] = {NUMBERS(greater), BOOLS(greater)},
               [HY_BINARY_GREATER_EQUAL] = {NUMBERS(greater_equal), BOOLS(greater_equal)},
               [HY_BINARY_AND] = {BOOLS(and)},
               [HY_BINARY_OR] = {BOOLS(or)}},
    .cast = {[HY_ELEMENT_F32] = {[HY_ELEMENT_F16] = hy_cast_f32_f16,
                                 [HY_ELEMENT_I32] = hy_cast_f32_i32,
                                 [HY_ELEMENT_U8] = hy_cast_f32_u8},
             [HY_ELEMENT_F16] = {[HY_ELEMENT_F32] = hy_cast_f16_f32,
                                 [HY_ELEMENT_I32] = hy_cast_f16_i32,
                                 [HY_ELEMENT_U8] = hy_cast_f16_u8},
             [HY_ELEMENT_I32] = {REALS(cast_i32), [HY_ELEMENT_U8] = hy_cast_i32_u8},
             [HY_ELEMENT_U8] = {REALS(cast_u8), INTS(cast_u8)}},
    .conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_conv_f32),
             [HY_ELEMENT_F16] = REFERENCE_CONV(hy_conv_f16),
             [HY_ELEMENT_U8] = REFERENCE_CONV(hy_conv_u8),
             [HY_ELEMENT_S8] = REFERENCE_CONV(hy_conv_s8),
             [HY_ELEMENT_U8_S8] = REFERENCE_CONV(hy_conv_u8_s8)},
    .grouped_conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_conv_f32),
                     [HY_ELEMENT_F16] = REFERENCE_CONV(hy_conv_f16),
                     [HY_ELEMENT_U8] = REFERENCE_CONV(hy_conv_u8),
                     [HY_ELEMENT_S8] = REFERENCE_CONV(hy_conv_s8),
                     [HY_ELEMENT_U8_S8] = REFERENCE_CONV(hy_conv_u8_s8)},
    .depthwise_conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_depthwise_conv_f32),
                       [HY_ELEMENT_F16] = REFERENCE_CONV(hy_depthwise_conv_f16),
                       [HY_ELEMENT_U8] = REFERENCE_CONV(hy_depthwise_conv_u8),
                       [HY_ELEMENT_S8] = REFERENCE_CONV(hy_depthwise_conv_s8),
                       [HY_ELEMENT_U8_S8] = REFERENCE_CONV(hy_depthwise_conv_u8_s8)},
    .dequantize =
        {[HY_ELEMENT_U8] =
             {[HY_ELEMENT_F32] = hy_dequantize_u8_f32, [HY_ELEMENT_F16] = hy_dequantize_u8_f16},
         [HY_ELEMENT_S8] =
             {[HY_ELEMENT_F32] = hy_dequantize_s8_f32, [HY_ELEMENT_F16] = hy_dequantize_s8_f16}},
    .log_softmax = {REALS(log_softmax)},
    .lstm_row = hy_lstm_row,
    .matmul = {REALS(matmul), INTS(matmul), [HY_ELEMENT_S8] = hy_matmul_s8},
    .matvec = {[HY_ELEMENT_F32] = hy_matvec_f32, [HY_ELEMENT_F16] = hy_matvec_f16},
    .move = {hy_move_size1, hy_move_size2, hy_move_size4, hy_move_size8},
    .normalise = {[HY_NORMALISE_L2] = {REALS(l2_normalise), BYTES(l2_normalise)},
                  [HY_NORMALISE_LOCAL] = {REALS(local_normalise)},
                  [HY_NORMALISE_INSTANCE] = {REALS(instance_normalise)}},
    .pool = {[HY_POOLING_AVERAGE] = {REALS(average_pool), BYTES(average_pool)},
             [HY_POOLING_L2] = {REALS(l2_pool)},
             [HY_POOLING_MAX] = {REALS(max_pool), BYTES(max_pool)}},
    .quantize =
        {[HY_ELEMENT_F32] = {BYTES(quantize_f32)}, [HY_ELEMENT_F16] = {BYTES(quantize_f16)}},
    .random_multinomial = {REALS(random_multinomial)},
    .reduce = {[HY_REDUCE_ALL] = {BOOLS(reduce_all)},
               [HY_REDUCE_ANY] = {BOOLS(reduce_any)},
               [HY_REDUCE_MAX] = {REALS(reduce_max), BYTES(reduce_max)},
               [HY_REDUCE_MIN] = {REALS(reduce_min), BYTES(reduce_min)},
               [HY_REDUCE_PROD] = {REALS(reduce_prod)},
               [HY_REDUCE_SUM] = {REALS(reduce_sum)},
               [HY_REDUCE_MEAN] = {REALS(reduce_mean), BYTES(reduce_mean)},
               [HY_REDUCE_MEAN_NEAREST] = {BYTES(reduce_mean_nearest)},
               [HY_REDUCE_MEAN_RESCALED] = {BYTES(reduce_mean_rescaled)}},
    .resize_bilinear = {REALS(resize_bilinear), BYTES(resize_bilinear)},
    .resize_nearest = {hy_resize_nearest_size1, hy_resize_nearest_size2, hy_resize_nearest_size4,
                       hy_resize_nearest_size8},
    .roi = {[HY_ROI_ALIGN] = {REALS(roi_align), BYTES(roi_align)},
            [HY_ROI_POOLING] = {REALS(roi_pooling), BYTES(roi_pooling)}},
    .select = {hy_select_size1, hy_select_size2, hy_select_size4, hy_select_size8},
    .softmax = {[HY_ELEMENT_F32] = hy_softmax_f32,
                [HY_ELEMENT_F16] = hy_softmax_f16,
                [HY_ELEMENT_U8] = hy_softmax_u8,
                [HY_ELEMENT_S8] = hy_softmax_s8},
    .top_k = {NUMBERS(top_k)},
    .transpose_conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_transpose_conv_f32),
                       [HY_ELEMENT_F16] = REFERENCE_CONV(hy_transpose_conv_f16),
                       [HY_ELEMENT_U8] = REFERENCE_CONV(hy_transpose_conv_u8),
                       [HY_ELEMENT_S8] = REFERENCE_CONV(hy_transpose_conv_s8),
                       [HY_ELEMENT_U8_S8] = REFERENCE_CONV(hy_transpose_conv_u8_s8)},
    .unary = {[HY_UNARY_ABS] = {ALL_REALS(abs), INTS(abs)},
              [HY_UNARY_CEIL] = {ALL_REALS(ceil)},
              [HY_UNARY_EXP] = {ALL_REALS(exp)},
              [HY_UNARY_FLOOR] = {ALL_REALS(floor)},
              [HY_UNARY_LOG] = {ALL_REALS(log)},
              [HY_UNARY_NEG] = {ALL_REALS(neg), INTS(neg)},
              [HY_UNARY_RSQRT] = {ALL_REALS(rsqrt), LOOKUPS},
              [HY_UNARY_SIN] = {ALL_REALS(sin)},
              [HY_UNARY_SQRT] = {ALL_REALS(sqrt)},
              [HY_UNARY_CLAMP] = {ALL_REALS(clamp), LOOKUPS},
              [HY_UNARY_LOGISTIC] = {ALL_REALS(logistic), LOOKUPS},
              [HY_UNARY_TANH] = {ALL_REALS(tanh), LOOKUPS},
              [HY_UNARY_ELU] = {ALL_REALS(elu)},
              [HY_UNARY_HARD_SWISH] = {ALL_REALS(hard_swish), LOOKUPS},
              [HY_UNARY_NOT] = {[HY_ELEMENT_BOOL] = hy_lookup}},
};

size_t hy_conv_rows(const struct hy_conv_params *params)
{
    return (size_t)params->batch * params->out_h;
}

const struct hy_kernel_table *hy_kernels_reference(void)
{
    return &reference;
}
