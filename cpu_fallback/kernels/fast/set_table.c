#include "cpu_fallback/kernels/fast/fast.h"

/* The kernels of one instruction set; a template like the kernels themselves. */
#if defined(HY_AVX512)
#define SET      avx512
#define SET_NAME "avx512"
#else
#define SET      avx2
#define SET_NAME "avx2"
#endif

#define JOIN_(name, set, type) hy_##name##_##set##_##type
#define JOIN(name, set, type)  JOIN_(name, set, type)
#define FAST(name, type)       JOIN(name, SET, type)

#define CONV(type) \
    (struct hy_conv_kernel) \
    { \
        .name = SET_NAME, .packed_bytes = FAST(conv_packed_bytes, type), \
        .pack = FAST(conv_pack, type), .scratch_bytes = FAST(conv_scratch_bytes, type), \
        .units = FAST(conv_units, type), .run = FAST(conv, type) \
    }

#define DEPTHWISE_CONV(type) \
    (struct hy_conv_kernel) \
    { \
        .name = SET_NAME, .suits = FAST(depthwise_conv_suits, type), \
        .packed_bytes = FAST(depthwise_conv_packed_bytes, type), \
        .pack = FAST(depthwise_conv_pack, type), \
        .scratch_bytes = FAST(depthwise_conv_scratch_bytes, type), \
        .units = FAST(depthwise_conv_units, type), .run = FAST(depthwise_conv, type) \
    }

static void add_kernels(struct hy_kernel_table *table)
{
    table->add[HY_ELEMENT_F32] = FAST(add, f32);
    table->add[HY_ELEMENT_U8] = FAST(add, u8);
    table->add[HY_ELEMENT_S8] = FAST(add, s8);

    table->average_pool[HY_ELEMENT_F32] = FAST(average_pool, f32);
    table->average_pool[HY_ELEMENT_U8] = FAST(average_pool, u8);
    table->average_pool[HY_ELEMENT_S8] = FAST(average_pool, s8);

    table->conv[HY_ELEMENT_F32] = CONV(f32);
    table->conv[HY_ELEMENT_U8] = CONV(u8);
    table->conv[HY_ELEMENT_S8] = CONV(s8);
    table->conv[HY_ELEMENT_U8_S8] = CONV(u8_s8);

    table->depthwise_conv[HY_ELEMENT_F32] = DEPTHWISE_CONV(f32);
    table->depthwise_conv[HY_ELEMENT_U8] = DEPTHWISE_CONV(u8);
    table->depthwise_conv[HY_ELEMENT_S8] = DEPTHWISE_CONV(s8);
    table->depthwise_conv[HY_ELEMENT_U8_S8] = DEPTHWISE_CONV(u8_s8);
}

#if defined(HY_AVX512)
void hy_kernels_add_avx512(struct hy_kernel_table *table)
{
    add_kernels(table);
}
#else
void hy_kernels_add_avx2(struct hy_kernel_table *table)
{
    add_kernels(table);
}
#endif
