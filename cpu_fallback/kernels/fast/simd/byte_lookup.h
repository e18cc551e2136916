#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_BYTE_LOOKUP_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_BYTE_LOOKUP_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Lookups in tables of 256 bytes (byte_table.h): vb_lookup gives the entries of a vector of bytes.
 *
 * Few instruction sets can look up in a whole table. AVX2 and AVX-512 without VBMI look up the
 * lower half of a byte in each of 16 rows. The four bits of the upper half then choose the row,
 * from the lowest bit to the highest.
 */
#if defined(HY_AVX512VBMI)
struct vb_table {
    vi rows[4];
};

static inline struct vb_table vb_table_of(const uint8_t *entries)
{
    return (struct vb_table){
        {vi_load(entries), vi_load(entries + 64), vi_load(entries + 128), vi_load(entries + 192)}};
}

/* A lookup in two rows takes seven bits of the index; the eighth bit selects between two
 * lookups. */
static inline vi vb_lookup(const struct vb_table *table, vi x)
{
    const vi low = _mm512_permutex2var_epi8(table->rows[0], x, table->rows[1]);
    const vi high = _mm512_permutex2var_epi8(table->rows[2], x, table->rows[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
}
#elif defined(HY_NEON)
struct vb_table {
    uint8x16x4_t rows[4];
};

static inline struct vb_table vb_table_of(const uint8_t *entries)
{
    return (struct vb_table){{vld1q_u8_x4(entries), vld1q_u8_x4(entries + 64),
                              vld1q_u8_x4(entries + 128), vld1q_u8_x4(entries + 192)}};
}

/* An index of 64 or more finds nothing in a row and leaves the result of the previous row. */
static inline int32x4_t look_up_sixteen(const struct vb_table *table, int32x4_t bytes)
{
    const uint8x16_t x = vreinterpretq_u8_s32(bytes), row = vdupq_n_u8(64);
    const uint8x16_t x1 = vsubq_u8(x, row), x2 = vsubq_u8(x1, row), x3 = vsubq_u8(x2, row);
    uint8x16_t found = vqtbl4q_u8(table->rows[0], x);

    found = vqtbx4q_u8(found, table->rows[1], x1);
    found = vqtbx4q_u8(found, table->rows[2], x2);
    found = vqtbx4q_u8(found, table->rows[3], x3);
    return vreinterpretq_s32_u8(found);
}

static inline vi vb_lookup(const struct vb_table *table, vi x)
{
    return (vi){look_up_sixteen(table, x.low), look_up_sixteen(table, x.high)};
}
#else
struct vb_table {
    const uint8_t *entries;
};

static inline struct vb_table vb_table_of(const uint8_t *entries)
{
    return (struct vb_table){entries};
}

#if defined(HY_AVX512)
/* For each byte: whether bit 4, 5, 6 or 7 is set. */
struct row_bits {
    __mmask64 of[4];
};

static inline struct row_bits row_bits_of(vi x)
{
    return (struct row_bits){
        {_mm512_movepi8_mask(_mm512_slli_epi16(x, 3)), _mm512_movepi8_mask(_mm512_slli_epi16(x, 2)),
         _mm512_movepi8_mask(_mm512_slli_epi16(x, 1)), _mm512_movepi8_mask(x)}};
}

static inline vi choose_row(__mmask64 bit, vi clear, vi set)
{
    return _mm512_mask_blend_epi8(bit, clear, set);
}

static inline vi lower_halves(vi x)
{
    return _mm512_and_si512(x, vb_set1(0x0f));
}

static inline vi look_up_in_row(const uint8_t *row, vi lower)
{
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const void *)row)), lower);
}
#else
/* Each bit in the highest bit of a byte, with other bits below. */
struct row_bits {
    vi of[4];
};

static inline struct row_bits row_bits_of(vi x)
{
    return (struct row_bits){
        {_mm256_slli_epi16(x, 3), _mm256_slli_epi16(x, 2), _mm256_slli_epi16(x, 1), x}};
}

static inline vi choose_row(vi bit, vi clear, vi set)
{
    return _mm256_blendv_epi8(clear, set, bit);
}

static inline vi lower_halves(vi x)
{
    return _mm256_and_si256(x, vb_set1(0x0f));
}

static inline vi look_up_in_row(const uint8_t *row, vi lower)
{
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)row)),
                               lower);
}
#endif

static inline vi look_up_in_two(const uint8_t *rows, vi lower, const struct row_bits *bits)
{
    return choose_row(bits->of[0], look_up_in_row(rows, lower), look_up_in_row(rows + 16, lower));
}

static inline vi look_up_in_four(const uint8_t *rows, vi lower, const struct row_bits *bits)
{
    return choose_row(bits->of[1], look_up_in_two(rows, lower, bits),
                      look_up_in_two(rows + 32, lower, bits));
}

static inline vi look_up_in_eight(const uint8_t *rows, vi lower, const struct row_bits *bits)
{
    return choose_row(bits->of[2], look_up_in_four(rows, lower, bits),
                      look_up_in_four(rows + 64, lower, bits));
}

static inline vi vb_lookup(const struct vb_table *table, vi x)
{
    const struct row_bits bits = row_bits_of(x);
    const vi lower = lower_halves(x);
    return choose_row(bits.of[3], look_up_in_eight(table->entries, lower, &bits),
                      look_up_in_eight(table->entries + 128, lower, &bits));
}
#endif

#endif
