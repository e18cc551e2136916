#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/reference/reference.h"
#if defined(HY_AMX)
#include "cpu_fallback/kernels/tile_permission.h"
#endif

/*
 * The kernels of one instruction set; a template like the kernels themselves. Speeds are rough
 * values for one thread on large convolutions.
 */
#if defined(HY_AVX512)
#define SET              avx512
#define SET_NAME         "avx512"
#define CONV_FLOATS      60000
#define CONV_BYTES       100000
#define CONV_WIDE        50000
#define MATMUL_WIDE      40000
#define WINOGRAD_WIDE    70000
#define DEPTHWISE_WIDE   20000
#define ROW_BYTES        60000
#define WINOGRAD_BYTES   140000
#define DEPTHWISE_FLOATS 33000
#define DEPTHWISE_BYTES  30000
#elif defined(HY_AVX512VBMI)
#define SET avx512vbmi
#elif defined(HY_AMX)
#define SET        amx
#define SET_NAME   "amx"
#define CONV_BYTES 800000
#elif defined(HY_AVX2)
#define SET              avx2
#define SET_NAME         "avx2"
#define CONV_FLOATS      40000
#define CONV_BYTES       40000
#define CONV_WIDE        35000
#define MATMUL_WIDE      20000
#define WINOGRAD_WIDE    60000
#define DEPTHWISE_WIDE   8000
#define WINOGRAD_BYTES   100000
#define DEPTHWISE_FLOATS 19000
#define DEPTHWISE_BYTES  7000
#elif defined(HY_AVXVNNI) || defined(HY_VNNI256)
#if defined(HY_AVXVNNI)
#define SET avxvnni
#else
#define SET vnni256
#endif
#define SET_NAME        "avxvnni"
#define CONV_BYTES      80000
#define ROW_BYTES       40000
#define WINOGRAD_BYTES  100000
#define DEPTHWISE_BYTES 14000
#elif defined(HY_NEON)
#define SET              neon
#define SET_NAME         "neon"
#define CONV_FLOATS      10000
#define CONV_BYTES       8000
#define CONV_WIDE        8000
#define MATMUL_WIDE      4000
#define DEPTHWISE_WIDE   1500
#define DEPTHWISE_FLOATS 5000
#define DEPTHWISE_BYTES  2000
#elif defined(HY_DOTPROD)
#define SET             dotprod
#define SET_NAME        "dotprod"
#define CONV_BYTES      20000
#define DEPTHWISE_BYTES 2000
#elif defined(HY_I8MM)
#define SET        i8mm
#define SET_NAME   "i8mm"
#define CONV_BYTES 40000
#endif

#define JOIN_(name, set, type) hy_##name##_##set##_##type
#define JOIN(name, set, type)  JOIN_(name, set, type)
#define FAST(name, type)       JOIN(name, SET, type)

#if defined(CONV_BYTES)
#define CONV(type, speed) \
    (struct hy_conv_kernel) \
    { \
        .name = SET_NAME, .products_per_us = (speed), .panel = HY_SET_PANEL, .tile = HY_SET_TILE, \
        .packed_bytes = FAST(conv_packed_bytes, type), .pack = FAST(conv_pack, type), \
        .scratch_bytes = FAST(conv_scratch_bytes, type), .units = FAST(conv_units, type), \
        .run = FAST(conv, type) \
    }

#define ROW_CONV(type, speed) \
    (struct hy_conv_kernel) \
    { \
        .name = SET_NAME " row", .products_per_us = (speed), .panel = HY_SET_PANEL, \
        .reads_filter = 1, .suits = FAST(conv_row_suits, type), \
        .packed_bytes = FAST(conv_row_packed_bytes, type), .pack = FAST(conv_row_pack, type), \
        .scratch_bytes = FAST(conv_row_scratch_bytes, type), .units = FAST(conv_row_units, type), \
        .run = FAST(conv_row, type) \
    }

#define GROUPED_CONV(type, speed) \
    (struct hy_conv_kernel) \
    { \
        .name = SET_NAME, .products_per_us = (speed), \
        .packed_bytes = FAST(grouped_conv_packed_bytes, type), \
        .pack = FAST(grouped_conv_pack, type), \
        .scratch_bytes = FAST(grouped_conv_scratch_bytes, type), \
        .units = FAST(grouped_conv_units, type), .run = FAST(grouped_conv, type) \
    }

#define DEPTHWISE_CONV(type, speed) \
    (struct hy_conv_kernel) \
    { \
        .name = SET_NAME, .products_per_us = (speed), .tile = HY_SET_TILE, \
        .packed_bytes = FAST(depthwise_conv_packed_bytes, type), \
        .pack = FAST(depthwise_conv_pack, type), \
        .scratch_bytes = FAST(depthwise_conv_scratch_bytes, type), \
        .units = FAST(depthwise_conv_units, type), .run = FAST(depthwise_conv, type) \
    }

#define TRANSPOSE_CONV(type, speed) \
    (struct hy_conv_kernel) \
    { \
        .name = SET_NAME, .products_per_us = (speed), .panel = HY_SET_PANEL, \
        .suits = FAST(transpose_conv_suits, type), \
        .packed_bytes = FAST(transpose_conv_packed_bytes, type), \
        .layout = FAST(transpose_conv_layout, type), .pack = FAST(transpose_conv_pack, type), \
        .scratch_bytes = FAST(transpose_conv_scratch_bytes, type), \
        .units = FAST(transpose_conv_units, type), .run = FAST(transpose_conv, type) \
    }

/* In direct products per microsecond: 4 products replace 9, and the transforms take the rest. */
#define WINOGRAD_FLOATS (CONV_FLOATS / 4 * 7)

#define WINOGRAD_CONV(type, speed) \
    (struct hy_conv_kernel) \
    { \
        .name = SET_NAME " winograd", .products_per_us = (speed), \
        .suits = FAST(winograd_suits, type), .packed_bytes = FAST(winograd_packed_bytes, type), \
        .pack = FAST(winograd_pack, type), .scratch_bytes = FAST(winograd_scratch_bytes, type), \
        .units = FAST(winograd_units, type), .run = FAST(winograd, type) \
    }

#endif

#if defined(CONV_FLOATS) || defined(HY_AVX512VBMI)
/* Sets the lookup for all operations for which the reference uses byte tables. */
static void set_lookup(struct hy_kernel_table *table, hy_unary_fn *lookup)
{
    const struct hy_kernel_table *reference = hy_kernels_reference();

    for (int op = 0; op < HY_UNARY_COUNT; op++)
        for (int element = 0; element < HY_ELEMENT_COUNT; element++)
            if (reference->unary[op][element] == hy_lookup)
                table->unary[op][element] = lookup;
}
#endif

#if defined(CONV_FLOATS)
static void set_arithmetic(struct hy_kernel_table *table, enum hy_binary op, hy_binary_fn *u8,
                           hy_binary_fn *s8)
{
    table->binary[op][HY_ELEMENT_U8] = u8;
    table->binary[op][HY_ELEMENT_S8] = s8;
}

static void set_arg_min_max(struct hy_kernel_table *table, enum hy_arg_min_max op,
                            hy_arg_min_max_fn *f32, hy_arg_min_max_fn *u8, hy_arg_min_max_fn *s8)
{
    table->arg_min_max[op][HY_ELEMENT_F32] = f32;
    table->arg_min_max[op][HY_ELEMENT_U8] = u8;
    table->arg_min_max[op][HY_ELEMENT_S8] = s8;
}

static void set_pool(struct hy_kernel_table *table, enum hy_pooling op, hy_pool_fn *f32,
                     hy_pool_fn *u8, hy_pool_fn *s8)
{
    table->pool[op][HY_ELEMENT_F32] = f32;
    table->pool[op][HY_ELEMENT_U8] = u8;
    table->pool[op][HY_ELEMENT_S8] = s8;
}

#define SET_ARITHMETIC(type, element) \
    do { \
        table->binary[HY_BINARY_ADD][element] = FAST(add, type); \
        table->binary[HY_BINARY_SUB][element] = FAST(sub, type); \
        table->binary[HY_BINARY_MUL][element] = FAST(mul, type); \
        table->binary[HY_BINARY_DIV][element] = FAST(div, type); \
        table->binary[HY_BINARY_TRUNCATE_DIV][element] = FAST(div, type); \
        table->binary[HY_BINARY_MAXIMUM][element] = FAST(maximum, type); \
        table->binary[HY_BINARY_MINIMUM][element] = FAST(minimum, type); \
        table->binary[HY_BINARY_SQUARED_DIFFERENCE][element] = FAST(squared_difference, type); \
        table->binary[HY_BINARY_POW][element] = FAST(pow, type); \
        table->binary[HY_BINARY_ATAN2][element] = FAST(atan2, type); \
        table->binary[HY_BINARY_FLOOR_MOD][element] = FAST(floor_mod, type); \
        table->binary[HY_BINARY_PRELU][element] = FAST(prelu, type); \
    } while (false)

#define SET_COMPARISONS(type, element) \
    do { \
        table->binary[HY_BINARY_EQUAL][element] = FAST(equal, type); \
        table->binary[HY_BINARY_NOT_EQUAL][element] = FAST(not_equal, type); \
        table->binary[HY_BINARY_LESS][element] = FAST(less, type); \
        table->binary[HY_BINARY_LESS_EQUAL][element] = FAST(less_equal, type); \
        table->binary[HY_BINARY_GREATER][element] = FAST(greater, type); \
        table->binary[HY_BINARY_GREATER_EQUAL][element] = FAST(greater_equal, type); \
    } while (false)

#define SET_CAST(from, from_element, to, to_element) \
    table->cast[HY_ELEMENT_##from_element][HY_ELEMENT_##to_element] = FAST(cast_##from, to)

#define SET_UNARY(type, element) \
    do { \
        table->unary[HY_UNARY_ABS][element] = FAST(abs, type); \
        table->unary[HY_UNARY_CLAMP][element] = FAST(clamp, type); \
        table->unary[HY_UNARY_ELU][element] = FAST(elu, type); \
        table->unary[HY_UNARY_EXP][element] = FAST(exp, type); \
        table->unary[HY_UNARY_FLOOR][element] = FAST(floor, type); \
        table->unary[HY_UNARY_HARD_SWISH][element] = FAST(hard_swish, type); \
        table->unary[HY_UNARY_LOG][element] = FAST(log, type); \
        table->unary[HY_UNARY_LOGISTIC][element] = FAST(logistic, type); \
        table->unary[HY_UNARY_NEG][element] = FAST(neg, type); \
        table->unary[HY_UNARY_RSQRT][element] = FAST(rsqrt, type); \
        table->unary[HY_UNARY_SIN][element] = FAST(sin, type); \
        table->unary[HY_UNARY_SQRT][element] = FAST(sqrt, type); \
        table->unary[HY_UNARY_TANH][element] = FAST(tanh, type); \
    } while (false)

static void set_functions(struct hy_kernel_table *table)
{
    table->unary[HY_UNARY_CEIL][HY_ELEMENT_F32] = FAST(ceil, f32);
    table->unary[HY_UNARY_COS][HY_ELEMENT_F32] = FAST(cos, f32);
    table->unary[HY_UNARY_ERF][HY_ELEMENT_F32] = FAST(erf, f32);
    table->unary[HY_UNARY_GELU][HY_ELEMENT_F32] = FAST(gelu, f32);
    table->unary[HY_UNARY_GELU_TANH][HY_ELEMENT_F32] = FAST(gelu_tanh, f32);
    table->unary[HY_UNARY_LEAKY_RELU][HY_ELEMENT_F32] = FAST(leaky_relu, f32);
    table->unary[HY_UNARY_ROUND][HY_ELEMENT_F32] = FAST(round, f32);
    table->unary[HY_UNARY_SIGN][HY_ELEMENT_F32] = FAST(sign, f32);
    table->unary[HY_UNARY_SQUARE][HY_ELEMENT_F32] = FAST(square, f32);
    table->unary[HY_UNARY_TRUNCATE][HY_ELEMENT_F32] = FAST(truncate, f32);
}

static const struct hy_lstm_kernel lstm = {
    .packed_bytes = FAST(lstm_packed_bytes, f32),
    .pack = FAST(lstm_pack, f32),
    .half = FAST(lstm_half, f32),
    .units = FAST(lstm_units, f32),
};

#define SET_REDUCTION(table, op, name) \
    do { \
        (table)->reduce[op][HY_ELEMENT_U8] = FAST(reduce_##name, u8); \
        (table)->reduce[op][HY_ELEMENT_S8] = FAST(reduce_##name, s8); \
    } while (0)

static void add_reductions_of_integers(struct hy_kernel_table *table)
{
    SET_REDUCTION(table, HY_REDUCE_MAX, max);
    SET_REDUCTION(table, HY_REDUCE_MIN, min);
    SET_REDUCTION(table, HY_REDUCE_MEAN, mean);
    SET_REDUCTION(table, HY_REDUCE_MEAN_NEAREST, mean_nearest);
    SET_REDUCTION(table, HY_REDUCE_MEAN_RESCALED, mean_rescaled);
    table->reduce[HY_REDUCE_MEAN_RESCALED][HY_ELEMENT_S16] = FAST(reduce_mean_rescaled, s16);
    table->reduce[HY_REDUCE_ALL][HY_ELEMENT_BOOL] = FAST(reduce_all, bool8);
    table->reduce[HY_REDUCE_ANY][HY_ELEMENT_BOOL] = FAST(reduce_any, bool8);
}

static void add_floats_and_elements(struct hy_kernel_table *table)
{
    set_arg_min_max(table, HY_ARG_MAX, FAST(arg_max, f32), FAST(arg_max, u8), FAST(arg_max, s8));
    set_arg_min_max(table, HY_ARG_MIN, FAST(arg_min, f32), FAST(arg_min, u8), FAST(arg_min, s8));

    add_reductions_of_integers(table);
    set_lookup(table, FAST(lookup, size1));

    SET_ARITHMETIC(f32, HY_ELEMENT_F32);
    SET_ARITHMETIC(f16, HY_ELEMENT_F16);
    table->binary[HY_BINARY_ADD][HY_ELEMENT_I32] = FAST(add, i32);
    table->binary[HY_BINARY_SUB][HY_ELEMENT_I32] = FAST(sub, i32);
    table->binary[HY_BINARY_MUL][HY_ELEMENT_I32] = FAST(mul, i32);
    table->binary[HY_BINARY_DIV][HY_ELEMENT_I32] = FAST(div, i32);
    table->binary[HY_BINARY_FLOOR_DIV][HY_ELEMENT_I32] = FAST(div, i32);
    table->binary[HY_BINARY_MAXIMUM][HY_ELEMENT_I32] = FAST(maximum, i32);
    table->binary[HY_BINARY_MINIMUM][HY_ELEMENT_I32] = FAST(minimum, i32);
    table->binary[HY_BINARY_ADD][HY_ELEMENT_S16] = FAST(add, s16);
    table->binary[HY_BINARY_SUB][HY_ELEMENT_S16] = FAST(sub, s16);
    table->binary[HY_BINARY_MUL][HY_ELEMENT_S16] = FAST(mul, s16);
    set_arithmetic(table, HY_BINARY_ADD, FAST(add, u8), FAST(add, s8));
    set_arithmetic(table, HY_BINARY_SUB, FAST(sub, u8), FAST(sub, s8));
    set_arithmetic(table, HY_BINARY_MUL, FAST(mul, u8), FAST(mul, s8));
    set_arithmetic(table, HY_BINARY_PRELU, FAST(prelu, u8), FAST(prelu, s8));
    set_arithmetic(table, HY_BINARY_SQUARED_DIFFERENCE, FAST(squared_difference, u8),
                   FAST(squared_difference, s8));
    set_arithmetic(table, HY_BINARY_MAXIMUM, FAST(maximum, u8), FAST(maximum, s8));
    set_arithmetic(table, HY_BINARY_MINIMUM, FAST(minimum, u8), FAST(minimum, s8));

    SET_COMPARISONS(f32, HY_ELEMENT_F32);
    SET_COMPARISONS(f16, HY_ELEMENT_F16);
    SET_COMPARISONS(i32, HY_ELEMENT_I32);
    SET_COMPARISONS(u8, HY_ELEMENT_U8);
    SET_COMPARISONS(s8, HY_ELEMENT_S8);

    SET_CAST(f16, F16, f32, F32);
    SET_CAST(i32, I32, f32, F32);
    SET_CAST(u8, U8, f32, F32);
    SET_CAST(f32, F32, f16, F16);
    SET_CAST(i32, I32, f16, F16);
    SET_CAST(u8, U8, f16, F16);
    SET_CAST(f32, F32, i32, I32);
    SET_CAST(f16, F16, i32, I32);
    SET_CAST(u8, U8, i32, I32);
    SET_CAST(f32, F32, u8, U8);
    SET_CAST(f16, F16, u8, U8);
    SET_CAST(i32, I32, u8, U8);
    table->select[HY_ELEMENT_SIZE1] = FAST(select, size1);
    table->select[HY_ELEMENT_SIZE2] = FAST(select, size2);
    table->select[HY_ELEMENT_SIZE4] = FAST(select, size4);

    table->dequantize[HY_ELEMENT_U8][HY_ELEMENT_F32] = FAST(dequantize, u8);
    table->dequantize[HY_ELEMENT_S8][HY_ELEMENT_F32] = FAST(dequantize, s8);
    table->dequantize[HY_ELEMENT_U16][HY_ELEMENT_F32] = FAST(dequantize, u16);
    table->dequantize[HY_ELEMENT_S16][HY_ELEMENT_F32] = FAST(dequantize, s16);
    table->quantize[HY_ELEMENT_F32][HY_ELEMENT_U16] = FAST(quantize_f32, u16);
    table->quantize[HY_ELEMENT_F32][HY_ELEMENT_S16] = FAST(quantize_f32, s16);
    table->quantize[HY_ELEMENT_F32][HY_ELEMENT_U8] = FAST(quantize_f32, u8);
    table->quantize[HY_ELEMENT_F32][HY_ELEMENT_S8] = FAST(quantize_f32, s8);

    table->matvec[HY_ELEMENT_F32] = FAST(matvec, f32);
    table->matvec[HY_ELEMENT_F16] = FAST(matvec, f16);

    table->strided_copy[HY_ELEMENT_SIZE1] = FAST(strided_copy, size1);
    table->strided_copy[HY_ELEMENT_SIZE2] = FAST(strided_copy, size2);
    table->strided_copy[HY_ELEMENT_SIZE4] = FAST(strided_copy, size4);

    set_pool(table, HY_POOLING_AVERAGE, FAST(average_pool, f32), FAST(average_pool, u8),
             FAST(average_pool, s8));
    table->pool[HY_POOLING_AVERAGE][HY_ELEMENT_S16] = FAST(average_pool, s16);
    table->pool[HY_POOLING_MAX][HY_ELEMENT_S16] = FAST(max_pool, s16);
    table->pool[HY_POOLING_L2][HY_ELEMENT_F32] = FAST(l2_pool, f32);
    set_pool(table, HY_POOLING_MAX, FAST(max_pool, f32), FAST(max_pool, u8), FAST(max_pool, s8));

    table->normalise[HY_NORMALISE_INSTANCE][HY_ELEMENT_F32] = FAST(instance_normalise, f32);
    table->normalise[HY_NORMALISE_L2][HY_ELEMENT_F32] = FAST(l2_normalise, f32);
    table->normalise[HY_NORMALISE_LOCAL][HY_ELEMENT_F32] = FAST(local_normalise, f32);
    table->reduce[HY_REDUCE_MAX][HY_ELEMENT_F32] = FAST(reduce_max, f32);
    table->reduce[HY_REDUCE_MEAN][HY_ELEMENT_F32] = FAST(reduce_mean, f32);
    table->reduce[HY_REDUCE_MIN][HY_ELEMENT_F32] = FAST(reduce_min, f32);
    table->reduce[HY_REDUCE_SUM][HY_ELEMENT_F32] = FAST(reduce_sum, f32);
    table->rescale[HY_ELEMENT_S16] = FAST(rescale, s16);
    table->resize_bilinear[HY_ELEMENT_F32] = FAST(resize_bilinear, f32);
    table->resize_bilinear[HY_ELEMENT_U8] = FAST(resize_bilinear, u8);
    table->resize_bilinear[HY_ELEMENT_S8] = FAST(resize_bilinear, s8);
    table->resize_nearest[HY_ELEMENT_SIZE1] = FAST(resize_nearest, size1);
    table->resize_nearest[HY_ELEMENT_SIZE2] = FAST(resize_nearest, size2);
    table->resize_nearest[HY_ELEMENT_SIZE4] = FAST(resize_nearest, size4);

    SET_UNARY(f32, HY_ELEMENT_F32);
    SET_UNARY(f16, HY_ELEMENT_F16);
    set_functions(table);
    table->unary[HY_UNARY_ABS][HY_ELEMENT_I32] = FAST(abs, i32);
    table->unary[HY_UNARY_NEG][HY_ELEMENT_I32] = FAST(neg, i32);
    table->softmax[HY_ELEMENT_F32] = FAST(softmax, f32);
    table->softmax[HY_ELEMENT_U8] = FAST(softmax, u8);
    table->softmax[HY_ELEMENT_S8] = FAST(softmax, s8);
    table->log_softmax[HY_ELEMENT_F32] = FAST(log_softmax, f32);
    table->lstm_row = FAST(lstm_row, f32);

    table->conv[HY_ELEMENT_F32] = CONV(f32, CONV_FLOATS);
    table->conv[HY_ELEMENT_F32].pack_transposed = FAST(single_channel_pack, f32);
    table->conv[HY_ELEMENT_F32].lstm = &lstm;
#if defined(HY_INTERLEAVED_ROWS)
    table->conv[HY_ELEMENT_F32].interleaved_rows = HY_INTERLEAVED_ROWS;
    table->conv[HY_ELEMENT_F32].run_interleaved = FAST(conv_interleaved, f32);
#endif
    table->hybrid_conv = CONV(f32, CONV_FLOATS);
    table->hybrid_conv.name = SET_NAME " hybrid";
    table->hybrid_conv.packed_bytes = FAST(hybrid_conv_packed_bytes, f32);
    table->hybrid_conv.pack = FAST(hybrid_conv_pack, f32);
    table->hybrid_conv.scratch_bytes = FAST(hybrid_conv_scratch_bytes, f32);
    table->hybrid_conv.run = FAST(hybrid_conv, f32);
    table->grouped_conv[HY_ELEMENT_F32] = GROUPED_CONV(f32, CONV_FLOATS);
    table->transpose_conv[HY_ELEMENT_F32] = TRANSPOSE_CONV(f32, CONV_FLOATS);
    table->winograd_conv[HY_ELEMENT_F32] = WINOGRAD_CONV(f32, WINOGRAD_FLOATS);
    table->depthwise_conv[HY_ELEMENT_F32] = DEPTHWISE_CONV(f32, DEPTHWISE_FLOATS);
}
#elif defined(HY_AVX512VBMI)
static void add_floats_and_elements(struct hy_kernel_table *table)
{
    set_lookup(table, FAST(lookup, size1));
}
#else
static void add_floats_and_elements(struct hy_kernel_table *table)
{
    (void)table; /* kernels of the set below are enough */
}
#endif

#if defined(CONV_WIDE)
static void add_wide_products(struct hy_kernel_table *table)
{
    const enum hy_element s16 = HY_ELEMENT_S16;

    table->conv[s16] = CONV(s16, CONV_WIDE);
    table->grouped_conv[s16] = GROUPED_CONV(s16, CONV_WIDE);
    table->transpose_conv[s16] = TRANSPOSE_CONV(s16, CONV_WIDE);
    table->depthwise_conv[s16] = (struct hy_conv_kernel){
        .name = SET_NAME,
        .products_per_us = DEPTHWISE_WIDE,
        .tile = HY_SET_TILE,
        .suits = FAST(depthwise_conv_suits, s16),
        .packed_bytes = FAST(depthwise_conv_packed_bytes, s16),
        .pack = FAST(depthwise_conv_pack, s16),
        .scratch_bytes = FAST(depthwise_conv_scratch_bytes, s16),
        .units = FAST(depthwise_conv_units, s16),
        .run = FAST(depthwise_conv, s16),
    };
    table->matmul_wide = (struct hy_conv_kernel){
        .name = SET_NAME,
        .products_per_us = MATMUL_WIDE,
        .suits = FAST(matmul_suits, s16),
        .packed_bytes = FAST(matmul_packed_bytes, s16),
        .pack = FAST(matmul_pack, s16),
        .pack_transposed = FAST(matmul_pack_transposed, s16),
        .scratch_bytes = FAST(matmul_scratch_bytes, s16),
        .units = FAST(matmul_units, s16),
        .run = FAST(matmul, s16),
    };
#if defined(WINOGRAD_WIDE)
    table->winograd_conv[s16] = WINOGRAD_CONV(s16, WINOGRAD_WIDE);
    table->winograd_conv[s16].holds = FAST(winograd_holds, s16);
#endif
}
#endif

#if defined(WINOGRAD_BYTES)
static void add_winograd(struct hy_kernel_table *table)
{
    struct hy_conv_kernel *kernels = table->winograd_conv;

    kernels[HY_ELEMENT_U8] = WINOGRAD_CONV(u8, WINOGRAD_BYTES);
    kernels[HY_ELEMENT_S8] = WINOGRAD_CONV(s8, WINOGRAD_BYTES);
    kernels[HY_ELEMENT_U8_S8] = WINOGRAD_CONV(u8_s8, WINOGRAD_BYTES);
    kernels[HY_ELEMENT_U8].holds = FAST(winograd_holds, u8);
    kernels[HY_ELEMENT_S8].holds = FAST(winograd_holds, s8);
    kernels[HY_ELEMENT_U8_S8].holds = FAST(winograd_holds, u8_s8);
}
#endif

#if defined(HY_AMX)
/*
 * Limits below which products of vectors are quicker than products of tiles: tiles of few rows or
 * of a short depth cost as much as whole tiles. Few input channels, as in the first layer of a
 * network, would need copies to patches.
 */
#define LEAST_PIXELS   8
#define LEAST_DEPTH    32
#define LEAST_CHANNELS 8

static int pays(uint64_t pixels, uint64_t taps, uint32_t channels)
{
    return pixels >= LEAST_PIXELS && taps * channels >= LEAST_DEPTH && channels >= LEAST_CHANNELS;
}

static int conv_pays(const struct hy_conv_params *p)
{
    const uint32_t groups = p->groups > 0 ? p->groups : 1;

    return pays((uint64_t)p->batch * p->out_h * p->out_w, (uint64_t)p->filter_h * p->filter_w,
                p->in_c / groups);
}

/* Lines of one phase are multiplied at once. */
static int transpose_conv_pays(const struct hy_conv_params *p)
{
    return pays(p->out_w / p->stride_w,
                (uint64_t)(p->filter_h / p->stride_h) * (p->filter_w / p->stride_w), p->in_c);
}

static void set_pays(struct hy_conv_kernel *kernels, hy_conv_suits_fn *pays_for)
{
    static const enum hy_element elements[] = {HY_ELEMENT_U8, HY_ELEMENT_S8, HY_ELEMENT_U8_S8};

    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        kernels[elements[i]].pays = pays_for;
        kernels[elements[i]].ready = hy_tiles_ask;
    }
}

/* isa_levels.c adds the lesser kernels. */
static void set_all_pays(struct hy_kernel_table *table)
{
    set_pays(table->conv, conv_pays);
    set_pays(table->grouped_conv, conv_pays);
    set_pays(table->transpose_conv, transpose_conv_pays);
}
#endif

#if defined(CONV_BYTES)
static void add_quantised_convolutions(struct hy_kernel_table *table)
{
    table->conv[HY_ELEMENT_U8] = CONV(u8, CONV_BYTES);
    table->conv[HY_ELEMENT_S8] = CONV(s8, CONV_BYTES);
    table->conv[HY_ELEMENT_U8_S8] = CONV(u8_s8, CONV_BYTES);
#if defined(ROW_BYTES)
    table->row_conv[HY_ELEMENT_U8] = ROW_CONV(u8, ROW_BYTES);
    table->row_conv[HY_ELEMENT_S8] = ROW_CONV(s8, ROW_BYTES);
    table->row_conv[HY_ELEMENT_U8_S8] = ROW_CONV(u8_s8, ROW_BYTES);
#endif
    table->grouped_conv[HY_ELEMENT_U8] = GROUPED_CONV(u8, CONV_BYTES);
    table->grouped_conv[HY_ELEMENT_S8] = GROUPED_CONV(s8, CONV_BYTES);
    table->grouped_conv[HY_ELEMENT_U8_S8] = GROUPED_CONV(u8_s8, CONV_BYTES);
    table->transpose_conv[HY_ELEMENT_U8] = TRANSPOSE_CONV(u8, CONV_BYTES);
    table->transpose_conv[HY_ELEMENT_S8] = TRANSPOSE_CONV(s8, CONV_BYTES);
    table->transpose_conv[HY_ELEMENT_U8_S8] = TRANSPOSE_CONV(u8_s8, CONV_BYTES);

#if defined(CONV_WIDE)
    add_wide_products(table);
#endif
#if defined(WINOGRAD_BYTES)
    add_winograd(table);
#endif

#if defined(DEPTHWISE_BYTES)
    table->depthwise_conv[HY_ELEMENT_U8] = DEPTHWISE_CONV(u8, DEPTHWISE_BYTES);
    table->depthwise_conv[HY_ELEMENT_S8] = DEPTHWISE_CONV(s8, DEPTHWISE_BYTES);
    table->depthwise_conv[HY_ELEMENT_U8_S8] = DEPTHWISE_CONV(u8_s8, DEPTHWISE_BYTES);
#endif
#if defined(HY_AMX)
    set_all_pays(table);
#endif
}
#else
static void add_quantised_convolutions(struct hy_kernel_table *table)
{
    (void)table; /* kernels of the set below are enough */
}
#endif

#define ADD_KERNELS_(set) hy_kernels_add_##set
#define ADD_KERNELS(set)  ADD_KERNELS_(set)

void ADD_KERNELS(SET)(struct hy_kernel_table *table)
{
    add_floats_and_elements(table);
    add_quantised_convolutions(table);
}
