#include "cpu_fallback/kernels/kernels.h"
#include "cpu_fallback/kernels/reference/reference.h"

#define REFERENCE_CONV(function) \
    { \
        .name = "reference", .products_per_us = 1500, .units = hy_conv_rows, .run = function \
    }

/* The slots of a template in the types it is compiled for. */
#define FLOATS(name) [HY_ELEMENT_F32] = hy_##name##_f32, [HY_ELEMENT_F16] = hy_##name##_f16
#define ALL_FLOATS(name) \
    FLOATS(name), [HY_ELEMENT_BF16] = hy_##name##_bf16, [HY_ELEMENT_F64] = hy_##name##_f64
#define INTS(name) [HY_ELEMENT_I32] = hy_##name##_i32
#define SIGNED(name) \
    INTS(name), [HY_ELEMENT_I8] = hy_##name##_i8, [HY_ELEMENT_I16] = hy_##name##_i16, \
                [HY_ELEMENT_I64] = hy_##name##_i64
#define UNSIGNED(name) \
    [HY_ELEMENT_N8] = hy_##name##_n8, [HY_ELEMENT_N16] = hy_##name##_n16, \
    [HY_ELEMENT_N32] = hy_##name##_n32, [HY_ELEMENT_N64] = hy_##name##_n64
#define INTEGERS(name) SIGNED(name), UNSIGNED(name)
/* Also for unsigned numbers if the bits of the result are the same. */
#define WHOLE(name) \
    SIGNED(name), [HY_ELEMENT_N8] = hy_##name##_i8, [HY_ELEMENT_N16] = hy_##name##_i16, \
                  [HY_ELEMENT_N32] = hy_##name##_i32, [HY_ELEMENT_N64] = hy_##name##_i64
#define BOOLS(name)         [HY_ELEMENT_BOOL] = hy_##name##_bool8
#define BYTES(name)         [HY_ELEMENT_U8] = hy_##name##_u8, [HY_ELEMENT_S8] = hy_##name##_s8
#define S16S(name)          [HY_ELEMENT_S16] = hy_##name##_s16
#define QUANTISED(name)     BYTES(name), S16S(name)
#define ALL_QUANTISED(name) QUANTISED(name), [HY_ELEMENT_U16] = hy_##name##_u16
/* Quantised elements as the integers they are stored as. */
#define STORED(name) \
    [HY_ELEMENT_U8] = hy_##name##_n8, [HY_ELEMENT_S8] = hy_##name##_i8, \
    [HY_ELEMENT_U16] = hy_##name##_n16, [HY_ELEMENT_S16] = hy_##name##_i16
#define STORED_AS(is_signed, name) \
    [HY_ELEMENT_U8] = hy_##name##_##is_signed##8, [HY_ELEMENT_S8] = hy_##name##_i8, \
    [HY_ELEMENT_S16] = hy_##name##_i16
#define NUMBERS(name) FLOATS(name), INTS(name), BYTES(name)
#define COMPARISON(name) \
    ALL_FLOATS(name), SIGNED(name), UNSIGNED(name), QUANTISED(name), \
        BOOLS(name), [HY_ELEMENT_U16] = hy_##name##_u16
/* Types whose elements are only compared: quantised elements count as integers of their size. */
#define COMPARED(name) \
    ALL_FLOATS(name), INTS(name), \
        BYTES(name), [HY_ELEMENT_I8] = hy_##name##_s8, [HY_ELEMENT_N8] = hy_##name##_u8, \
                     [HY_ELEMENT_I16] = hy_##name##_i16, [HY_ELEMENT_S16] = hy_##name##_i16, \
                     [HY_ELEMENT_N16] = hy_##name##_n16, [HY_ELEMENT_I64] = hy_##name##_i64, \
                     [HY_ELEMENT_N32] = hy_##name##_n32, [HY_ELEMENT_N64] = hy_##name##_n64
#define LOOKUPS [HY_ELEMENT_U8] = hy_lookup, [HY_ELEMENT_S8] = hy_lookup

static const struct hy_kernel_table reference = {
    .accumulate = {ALL_FLOATS(accumulate), BOOLS(accumulate), [HY_ELEMENT_I8] = hy_accumulate_size1,
                   [HY_ELEMENT_N8] = hy_accumulate_size1, [HY_ELEMENT_S8] = hy_accumulate_size1,
                   [HY_ELEMENT_U8] = hy_accumulate_size1, [HY_ELEMENT_I16] = hy_accumulate_size2,
                   [HY_ELEMENT_N16] = hy_accumulate_size2, [HY_ELEMENT_S16] = hy_accumulate_size2,
                   [HY_ELEMENT_U16] = hy_accumulate_size2, [HY_ELEMENT_I32] = hy_accumulate_size4,
                   [HY_ELEMENT_N32] = hy_accumulate_size4, [HY_ELEMENT_I64] = hy_accumulate_size8,
                   [HY_ELEMENT_N64] = hy_accumulate_size8},
    .arg_min_max = {[HY_ARG_MAX] = {COMPARED(arg_max), BOOLS(arg_max)},
                    [HY_ARG_MIN] = {COMPARED(arg_min), BOOLS(arg_min)},
                    [HY_ARG_MAX_LAST] = {COMPARED(arg_max_last), BOOLS(arg_max_last)},
                    [HY_ARG_MIN_LAST] = {COMPARED(arg_min_last), BOOLS(arg_min_last)}},
    .binary =
        {[HY_BINARY_ADD] = {ALL_FLOATS(add), WHOLE(add), QUANTISED(add)},
         [HY_BINARY_SUB] = {ALL_FLOATS(sub), WHOLE(sub), QUANTISED(sub)},
         [HY_BINARY_MUL] = {ALL_FLOATS(mul), WHOLE(mul), QUANTISED(mul)},
         [HY_BINARY_DIV] = {FLOATS(div), INTS(floor_div)},
         [HY_BINARY_TRUNCATE_DIV] = {ALL_FLOATS(div), SIGNED(truncate_div), UNSIGNED(floor_div),
                                     QUANTISED(div)},
         [HY_BINARY_FLOOR_DIV] = {ALL_FLOATS(floor_div), SIGNED(floor_div), UNSIGNED(floor_div),
                                  STORED_AS(n, floor_div)},
         [HY_BINARY_FLOOR_MOD] = {ALL_FLOATS(floor_mod), SIGNED(floor_mod), UNSIGNED(floor_mod),
                                  STORED_AS(n, floor_mod)},
         [HY_BINARY_TRUNCATE_MOD] = {ALL_FLOATS(truncate_mod), SIGNED(truncate_mod),
                                     UNSIGNED(floor_mod)},
         [HY_BINARY_MAXIMUM] =
             {ALL_FLOATS(maximum), SIGNED(maximum), UNSIGNED(maximum),
              BYTES(maximum), [HY_ELEMENT_S16] = hy_maximum_i16, [HY_ELEMENT_U16] = hy_maximum_n16},
         [HY_BINARY_MINIMUM] =
             {ALL_FLOATS(minimum), SIGNED(minimum), UNSIGNED(minimum),
              BYTES(minimum), [HY_ELEMENT_S16] = hy_minimum_i16, [HY_ELEMENT_U16] = hy_minimum_n16},
         [HY_BINARY_SQUARED_DIFFERENCE] = {ALL_FLOATS(squared_difference),
                                           WHOLE(squared_difference),
                                           QUANTISED(squared_difference)},
         [HY_BINARY_POW] = {ALL_FLOATS(pow), INTS(pow), [HY_ELEMENT_I64] = hy_pow_i64},
         [HY_BINARY_ATAN2] = {ALL_FLOATS(atan2)},
         [HY_BINARY_PRELU] = {ALL_FLOATS(prelu), QUANTISED(prelu)},
         [HY_BINARY_EQUAL] = {COMPARISON(equal)},
         [HY_BINARY_NOT_EQUAL] = {COMPARISON(not_equal)},
         [HY_BINARY_LESS] = {COMPARISON(less)},
         [HY_BINARY_LESS_EQUAL] = {COMPARISON(less_equal)},
         [HY_BINARY_GREATER] = {COMPARISON(greater)},
         [HY_BINARY_GREATER_EQUAL] = {COMPARISON(greater_equal)},
         [HY_BINARY_AND] = {BOOLS(and), WHOLE(and), STORED_AS(i, and)},
         [HY_BINARY_OR] = {BOOLS(or), WHOLE(or), STORED_AS(i, or)},
         [HY_BINARY_XOR] = {BOOLS(xor), WHOLE(xor), STORED_AS(i, xor)},
         [HY_BINARY_LEFT_SHIFT] = {WHOLE(left_shift), STORED_AS(i, left_shift)},
         [HY_BINARY_RIGHT_SHIFT] = {SIGNED(right_shift), UNSIGNED(right_shift),
                                    STORED_AS(n, right_shift)}},
    .bucketize = {ALL_FLOATS(bucketize), INTEGERS(bucketize)},
    .cast = {[HY_ELEMENT_F32] = {[HY_ELEMENT_F16] = hy_cast_f32_f16,
                                 [HY_ELEMENT_I32] = hy_cast_f32_i32,
                                 [HY_ELEMENT_U8] = hy_cast_f32_u8},
             [HY_ELEMENT_F16] = {[HY_ELEMENT_F32] = hy_cast_f16_f32,
                                 [HY_ELEMENT_I32] = hy_cast_f16_i32,
                                 [HY_ELEMENT_U8] = hy_cast_f16_u8},
             [HY_ELEMENT_I32] = {FLOATS(cast_i32), [HY_ELEMENT_U8] = hy_cast_i32_u8},
             [HY_ELEMENT_U8] = {FLOATS(cast_u8), INTS(cast_u8)}},
    .conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_conv_f32),
             [HY_ELEMENT_F16] = REFERENCE_CONV(hy_conv_f16),
             [HY_ELEMENT_U8] = REFERENCE_CONV(hy_conv_u8),
             [HY_ELEMENT_S8] = REFERENCE_CONV(hy_conv_s8),
             [HY_ELEMENT_U8_S8] = REFERENCE_CONV(hy_conv_u8_s8),
             [HY_ELEMENT_S16] = REFERENCE_CONV(hy_conv_s16)},
    .conv_3d = {FLOATS(conv_3d)},
    .transpose_conv_3d = {FLOATS(transpose_conv_3d)},
    .grouped_conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_conv_f32),
                     [HY_ELEMENT_F16] = REFERENCE_CONV(hy_conv_f16),
                     [HY_ELEMENT_U8] = REFERENCE_CONV(hy_conv_u8),
                     [HY_ELEMENT_S8] = REFERENCE_CONV(hy_conv_s8),
                     [HY_ELEMENT_U8_S8] = REFERENCE_CONV(hy_conv_u8_s8),
                     [HY_ELEMENT_S16] = REFERENCE_CONV(hy_conv_s16)},
    .depthwise_conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_depthwise_conv_f32),
                       [HY_ELEMENT_F16] = REFERENCE_CONV(hy_depthwise_conv_f16),
                       [HY_ELEMENT_U8] = REFERENCE_CONV(hy_depthwise_conv_u8),
                       [HY_ELEMENT_S8] = REFERENCE_CONV(hy_depthwise_conv_s8),
                       [HY_ELEMENT_U8_S8] = REFERENCE_CONV(hy_depthwise_conv_u8_s8),
                       [HY_ELEMENT_S16] = REFERENCE_CONV(hy_depthwise_conv_s16)},
    .cumsum = {ALL_FLOATS(cumsum), WHOLE(cumsum)},
    .dequantize = {[HY_ELEMENT_U8] = {ALL_FLOATS(dequantize_u8)},
                   [HY_ELEMENT_S8] = {ALL_FLOATS(dequantize_s8)},
                   [HY_ELEMENT_U16] = {ALL_FLOATS(dequantize_u16)},
                   [HY_ELEMENT_S16] = {ALL_FLOATS(dequantize_s16)},
                   [HY_ELEMENT_I32] = {ALL_FLOATS(dequantize_i32)}},
    .log_softmax = {ALL_FLOATS(log_softmax)},
    .lstm_row = hy_lstm_row,
    .matmul = {ALL_FLOATS(matmul),
               INTS(matmul), [HY_ELEMENT_S8] = hy_matmul_s8, [HY_ELEMENT_S16] = hy_matmul_s16},
    .matvec = {[HY_ELEMENT_F32] = hy_matvec_f32, [HY_ELEMENT_F16] = hy_matvec_f16},
    .strided_copy = {hy_strided_copy_size1, hy_strided_copy_size2, hy_strided_copy_size4,
                     hy_strided_copy_size8},
    .normalise = {[HY_NORMALISE_L2] = {ALL_FLOATS(l2_normalise), BYTES(l2_normalise)},
                  [HY_NORMALISE_LOCAL] = {FLOATS(local_normalise)},
                  [HY_NORMALISE_INSTANCE] = {FLOATS(instance_normalise)}},
    .pool = {[HY_POOLING_AVERAGE] = {FLOATS(average_pool), QUANTISED(average_pool)},
             [HY_POOLING_L2] = {FLOATS(l2_pool)},
             [HY_POOLING_MAX] = {FLOATS(max_pool), QUANTISED(max_pool)}},
    .narrow = {[HY_WIDE_REAL] = {ALL_FLOATS(narrow_real), INTEGERS(narrow_real), BOOLS(narrow_real),
                                 STORED(narrow_real)},
               [HY_WIDE_SIGNED] = {ALL_FLOATS(narrow_signed), INTEGERS(narrow_integer),
                                   BOOLS(narrow_integer), STORED(narrow_integer)},
               [HY_WIDE_UNSIGNED] = {ALL_FLOATS(narrow_unsigned), INTEGERS(narrow_integer),
                                     BOOLS(narrow_integer), STORED(narrow_integer)}},
    .quantize = {[HY_ELEMENT_F32] = {ALL_QUANTISED(quantize_f32)},
                 [HY_ELEMENT_F16] = {ALL_QUANTISED(quantize_f16)},
                 [HY_ELEMENT_F64] = {ALL_QUANTISED(quantize_f64)},
                 [HY_ELEMENT_BF16] = {ALL_QUANTISED(quantize_bf16)}},
    .random_multinomial = {FLOATS(random_multinomial)},
    .reduce = {[HY_REDUCE_ALL] = {BOOLS(reduce_all)},
               [HY_REDUCE_ANY] = {BOOLS(reduce_any)},
               [HY_REDUCE_MAX] = {ALL_FLOATS(reduce_max), INTEGERS(reduce_max), BYTES(reduce_max),
                                  S16S(reduce_max)},
               [HY_REDUCE_MIN] = {ALL_FLOATS(reduce_min), INTEGERS(reduce_min), BYTES(reduce_min),
                                  S16S(reduce_min)},
               [HY_REDUCE_PROD] = {ALL_FLOATS(reduce_prod), WHOLE(reduce_prod), BYTES(reduce_prod),
                                   S16S(reduce_prod)},
               [HY_REDUCE_SUM] = {ALL_FLOATS(reduce_sum), WHOLE(reduce_sum), BYTES(reduce_sum),
                                  S16S(reduce_sum)},
               [HY_REDUCE_MEAN] = {ALL_FLOATS(reduce_mean), INTEGERS(reduce_mean),
                                   BYTES(reduce_mean)},
               [HY_REDUCE_MEAN_NEAREST] = {BYTES(reduce_mean_nearest)},
               [HY_REDUCE_MEAN_RESCALED] = {BYTES(reduce_mean_rescaled),
                                            S16S(reduce_mean_rescaled)}},
    .reduce_window = {ALL_FLOATS(reduce_window), INTEGERS(reduce_window), BOOLS(reduce_window)},
    .rescale = {[HY_ELEMENT_S16] = hy_rescale_s16},
    .resize_bilinear = {FLOATS(resize_bilinear), QUANTISED(resize_bilinear)},
    .resize_nearest = {hy_resize_nearest_size1, hy_resize_nearest_size2, hy_resize_nearest_size4,
                       hy_resize_nearest_size8},
    .roi = {[HY_ROI_ALIGN] = {FLOATS(roi_align), BYTES(roi_align)},
            [HY_ROI_POOLING] = {FLOATS(roi_pooling), BYTES(roi_pooling)}},
    .segment = {ALL_FLOATS(segment), INTEGERS(segment)},
    .select = {hy_select_size1, hy_select_size2, hy_select_size4, hy_select_size8},
    .softmax = {ALL_FLOATS(softmax), BYTES(softmax)},
    .top_k = {COMPARED(top_k)},
    .transpose_conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_transpose_conv_f32),
                       [HY_ELEMENT_F16] = REFERENCE_CONV(hy_transpose_conv_f16),
                       [HY_ELEMENT_U8] = REFERENCE_CONV(hy_transpose_conv_u8),
                       [HY_ELEMENT_S8] = REFERENCE_CONV(hy_transpose_conv_s8),
                       [HY_ELEMENT_U8_S8] = REFERENCE_CONV(hy_transpose_conv_u8_s8),
                       [HY_ELEMENT_S16] = REFERENCE_CONV(hy_transpose_conv_s16)},
    .unary = {[HY_UNARY_ABS] = {ALL_FLOATS(abs), INTEGERS(abs), LOOKUPS},
              [HY_UNARY_CEIL] = {ALL_FLOATS(ceil)},
              [HY_UNARY_EXP] = {ALL_FLOATS(exp), LOOKUPS},
              [HY_UNARY_FLOOR] = {ALL_FLOATS(floor)},
              [HY_UNARY_LOG] = {ALL_FLOATS(log), LOOKUPS},
              [HY_UNARY_NEG] = {ALL_FLOATS(neg), INTEGERS(neg), LOOKUPS},
              [HY_UNARY_RSQRT] = {ALL_FLOATS(rsqrt), LOOKUPS},
              [HY_UNARY_SIN] = {ALL_FLOATS(sin), LOOKUPS},
              [HY_UNARY_SQRT] = {ALL_FLOATS(sqrt), LOOKUPS},
              [HY_UNARY_CLAMP] = {ALL_FLOATS(clamp), LOOKUPS},
              [HY_UNARY_LOGISTIC] = {ALL_FLOATS(logistic), LOOKUPS},
              [HY_UNARY_TANH] = {ALL_FLOATS(tanh), LOOKUPS},
              [HY_UNARY_ELU] = {ALL_FLOATS(elu), LOOKUPS},
              [HY_UNARY_HARD_SWISH] = {ALL_FLOATS(hard_swish), LOOKUPS},
              [HY_UNARY_ROUND] = {ALL_FLOATS(round)},
              [HY_UNARY_TRUNCATE] = {ALL_FLOATS(truncate)},
              [HY_UNARY_COS] = {ALL_FLOATS(cos), LOOKUPS},
              [HY_UNARY_SQUARE] = {ALL_FLOATS(square), INTEGERS(square), LOOKUPS},
              [HY_UNARY_SIGN] = {ALL_FLOATS(sign), INTEGERS(sign), LOOKUPS},
              [HY_UNARY_ERF] = {ALL_FLOATS(erf), LOOKUPS},
              [HY_UNARY_LEAKY_RELU] = {ALL_FLOATS(leaky_relu), LOOKUPS},
              [HY_UNARY_GELU] = {ALL_FLOATS(gelu), LOOKUPS},
              [HY_UNARY_GELU_TANH] = {ALL_FLOATS(gelu_tanh), LOOKUPS},
              [HY_UNARY_BITWISE_NOT] = {INTEGERS(bitwise_not)},
              [HY_UNARY_NOT] = {[HY_ELEMENT_BOOL] = hy_lookup}},
    .widen = {ALL_FLOATS(widen), INTEGERS(widen), BOOLS(widen), STORED(widen)},
};

size_t hy_conv_rows(const struct hy_conv_params *params)
{
    return (size_t)params->batch * params->out_h;
}

const struct hy_kernel_table *hy_kernels_reference(void)
{
    return &reference;
}
