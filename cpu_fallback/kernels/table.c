#include <pthread.h>
#include <stdbool.h>

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/reference.h"

#define REFERENCE_CONV(function) \
    { \
        .name = "reference", .units = hy_conv_rows, .run = function \
    }

static const struct hy_kernel_table reference = {
    .add = {[HY_ELEMENT_F32] = hy_add_f32,
            [HY_ELEMENT_F16] = hy_add_f16,
            [HY_ELEMENT_I32] = hy_add_i32,
            [HY_ELEMENT_U8] = hy_add_u8,
            [HY_ELEMENT_S8] = hy_add_s8},
    .average_pool = {[HY_ELEMENT_F32] = hy_average_pool_f32,
                     [HY_ELEMENT_F16] = hy_average_pool_f16,
                     [HY_ELEMENT_U8] = hy_average_pool_u8,
                     [HY_ELEMENT_S8] = hy_average_pool_s8},
    .conv = {[HY_ELEMENT_F32] = REFERENCE_CONV(hy_conv_f32),
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
    .softmax = {[HY_ELEMENT_F32] = hy_softmax_f32,
                [HY_ELEMENT_F16] = hy_softmax_f16,
                [HY_ELEMENT_U8] = hy_softmax_u8,
                [HY_ELEMENT_S8] = hy_softmax_s8},
};

size_t hy_conv_rows(const struct hy_conv_params *params)
{
    return (size_t)params->batch * params->out_h;
}

const struct hy_kernel_table *hy_kernels_reference(void)
{
    return &reference;
}

#if defined(HY_KERNELS_X86)
static bool machine_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool machine_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
}

/* Each level needs those below it. */
static const struct {
    bool (*machine_has)(void);
    void (*add_kernels)(struct hy_kernel_table *table);
} levels[HY_KERNEL_LEVEL_COUNT] = {
    [HY_KERNEL_AVX2] = {machine_has_avx2, hy_kernels_add_avx2},
    [HY_KERNEL_AVX512] = {machine_has_avx512, hy_kernels_add_avx512},
};

static struct hy_kernel_table tables[HY_KERNEL_LEVEL_COUNT];
static int best; /* the highest level with a table */

static void build_tables(void)
{
    tables[HY_KERNEL_REFERENCE] = reference;
    for (int level = 1; level < HY_KERNEL_LEVEL_COUNT && levels[level].machine_has(); level++) {
        tables[level] = tables[level - 1];
        levels[level].add_kernels(&tables[level]);
        best = level;
    }
}

static int best_level(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_tables);
    return best;
}

const struct hy_kernel_table *hy_kernels_at(enum hy_kernel_level level)
{
    return (int)level <= best_level() ? &tables[level] : NULL;
}

const struct hy_kernel_table *hy_kernels_fast(void)
{
    return &tables[best_level()];
}
#else
const struct hy_kernel_table *hy_kernels_at(enum hy_kernel_level level)
{
    return level == HY_KERNEL_REFERENCE ? &reference : NULL;
}

const struct hy_kernel_table *hy_kernels_fast(void)
{
    return &reference;
}
#endif

const char *hy_kernel_level_name(enum hy_kernel_level level)
{
    static const char *const names[HY_KERNEL_LEVEL_COUNT] = {"reference", "avx2", "avx512"};
    return names[level];
}
