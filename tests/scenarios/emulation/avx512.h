#ifndef HY_TESTS_EMULATED_AVX512_H
#define HY_TESTS_EMULATED_AVX512_H

/*
 * The AVX-512 intrinsics of the kernels on top of AVX2. SIMDe provides most intrinsics; this file
 * adds the missing ones from Intel's manual. Included before a kernel (-include), so the kernel
 * runs on any machine with AVX2.
 */
#include <immintrin.h>
#include <math.h>
#include <simde/x86/avx512/abs.h>
#include <simde/x86/avx512/add.h>
#include <simde/x86/avx512/and.h>
#include <simde/x86/avx512/blend.h>
#include <simde/x86/avx512/broadcast.h>
#include <simde/x86/avx512/cast.h>
#include <simde/x86/avx512/cmp.h>
#include <simde/x86/avx512/cvt.h>
#include <simde/x86/avx512/div.h>
#include <simde/x86/avx512/dpbusd.h>
#include <simde/x86/avx512/dpwssd.h>
#include <simde/x86/avx512/extract.h>
#include <simde/x86/avx512/fmadd.h>
#include <simde/x86/avx512/fnmadd.h>
#include <simde/x86/avx512/insert.h>
#include <simde/x86/avx512/loadu.h>
#include <simde/x86/avx512/max.h>
#include <simde/x86/avx512/min.h>
#include <simde/x86/avx512/mov_mask.h>
#include <simde/x86/avx512/mul.h>
#include <simde/x86/avx512/mullo.h>
#include <simde/x86/avx512/packs.h>
#include <simde/x86/avx512/packus.h>
#include <simde/x86/avx512/permutex2var.h>
#include <simde/x86/avx512/permutexvar.h>
#include <simde/x86/avx512/roundscale.h>
#include <simde/x86/avx512/set1.h>
#include <simde/x86/avx512/setr.h>
#include <simde/x86/avx512/shuffle.h>
#include <simde/x86/avx512/slli.h>
#include <simde/x86/avx512/sllv.h>
#include <simde/x86/avx512/sqrt.h>
#include <simde/x86/avx512/srli.h>
#include <simde/x86/avx512/storeu.h>
#include <simde/x86/avx512/sub.h>
#include <simde/x86/avx512/ternarylogic.h>
#include <simde/x86/avx512/test.h>
#include <simde/x86/avx512/unpackhi.h>
#include <simde/x86/avx512/unpacklo.h>
#include <simde/x86/avx512/xor.h>
#include <stdint.h>
#include <string.h>

/* Convert between a vector and an array of its lanes. */
#define FROM(vector, type, array) \
    type array[sizeof(vector) / sizeof(type)]; \
    memcpy(array, &(vector), sizeof(vector))
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define INTO(vector_type, array) \
    ({ \
        vector_type vector_; \
        _Static_assert(sizeof vector_ == sizeof(array), "lanes"); \
        memcpy(&vector_, array, sizeof vector_); \
        vector_; \
    })

#define WIDEN(name, from_vector, from, to, count) \
    static inline simde__m512i name(from_vector a) \
    { \
        FROM(a, from, x); \
        to r[count]; \
        for (unsigned i = 0; i < count; i++) \
            r[i] = x[i]; \
        return INTO(simde__m512i, r); \
    }
WIDEN(emu_cvtepi8_epi32, __m128i, int8_t, int32_t, 16)
WIDEN(emu_cvtepu8_epi32, __m128i, uint8_t, int32_t, 16)
WIDEN(emu_cvtepu8_epi16, __m256i, uint8_t, int16_t, 32)
WIDEN(emu_cvtepi16_epi32, __m256i, int16_t, int32_t, 16)
WIDEN(emu_cvtepu16_epi32, __m256i, uint16_t, int32_t, 16)

static inline simde__m512i emu_cvtepi32_epi64(__m256i a)
{
    FROM(a, int32_t, x);
    int64_t r[8];
    for (unsigned i = 0; i < 8; i++)
        r[i] = x[i];
    return INTO(simde__m512i, r);
}

static inline simde__m512i emu_max_epi64(simde__m512i a, simde__m512i b)
{
    FROM(a, int64_t, x);
    FROM(b, int64_t, y);
    for (unsigned i = 0; i < 8; i++)
        x[i] = x[i] > y[i] ? x[i] : y[i];
    return INTO(simde__m512i, x);
}

static inline simde__m512i emu_mullo_epi64(simde__m512i a, simde__m512i b)
{
    FROM(a, uint64_t, x);
    FROM(b, uint64_t, y);
    for (unsigned i = 0; i < 8; i++)
        x[i] *= y[i];
    return INTO(simde__m512i, x);
}

static inline void emu_mask_cvtepi64_storeu_epi16(void *p, uint8_t mask, simde__m512i a)
{
    int16_t *to = p;
    FROM(a, int64_t, x);
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1)
            to[i] = (int16_t)x[i];
}

static inline __m256i emu_cvtepi32_epi16(simde__m512i a)
{
    FROM(a, int32_t, x);
    int16_t r[16];
    for (unsigned i = 0; i < 16; i++)
        r[i] = (int16_t)x[i];
    return INTO(__m256i, r);
}

static inline __m128i emu_cvtepi32_epi8(simde__m512i a)
{
    FROM(a, int32_t, x);
    int8_t r[16];
    for (unsigned i = 0; i < 16; i++)
        r[i] = (int8_t)x[i];
    return INTO(__m128i, r);
}

static inline simde__m512 emu_cvtepi32_ps(simde__m512i a)
{
    FROM(a, int32_t, x);
    float r[16];
    for (unsigned i = 0; i < 16; i++)
        r[i] = (float)x[i];
    return INTO(simde__m512, r);
}

static inline simde__m512 emu_cvtph_ps(__m256i a)
{
    FROM(a, __m128i, x);
    const __m256 r[] = {_mm256_cvtph_ps(x[0]), _mm256_cvtph_ps(x[1])};
    return INTO(simde__m512, r);
}

static inline __m256i emu_cvtps_ph(simde__m512 a)
{
    FROM(a, __m256, x);
    const __m128i r[] = {_mm256_cvtps_ph(x[0], _MM_FROUND_TO_NEAREST_INT),
                         _mm256_cvtps_ph(x[1], _MM_FROUND_TO_NEAREST_INT)};
    return INTO(__m256i, r);
}

static inline simde__m512i emu_cvtps_epi32(simde__m512 a)
{
    FROM(a, __m256, x);
    const __m256i r[] = {_mm256_cvtps_epi32(x[0]), _mm256_cvtps_epi32(x[1])};
    return INTO(simde__m512i, r);
}

/* Always rounds towards minus infinity, the only mode in use. */
static inline simde__m512 emu_fmadd_down(simde__m512 a, simde__m512 b, simde__m512 c)
{
    FROM(a, __m256, x);
    FROM(b, __m256, y);
    FROM(c, __m256, r);
    const unsigned before = _mm_getcsr(), down = (before & ~0x6000u) | 0x2000u;
    __asm__ volatile(
        "vldmxcsr %4\n\tvfmadd231ps %2, %3, %0\n\tvfmadd231ps %5, %6, %1\n\tvldmxcsr %7"
        : "+&x"(r[0]), "+&x"(r[1])
        : "x"(x[0]), "x"(y[0]), "m"(down), "x"(x[1]), "x"(y[1]), "m"(before));
    return INTO(simde__m512, r);
}

static inline simde__m512i emu_cvt_down(simde__m512 a)
{
    FROM(a, __m256, x);
    const __m256i r[] = {_mm256_cvtps_epi32(_mm256_floor_ps(x[0])),
                         _mm256_cvtps_epi32(_mm256_floor_ps(x[1]))};
    return INTO(simde__m512i, r);
}

/* SIMDe multiplies by a power of two, and the power can overflow even if the product is finite. */
static inline simde__m512 emu_scalef_ps(simde__m512 a, simde__m512 b)
{
    FROM(a, float, x);
    FROM(b, float, n);
    for (unsigned i = 0; i < 16; i++)
        x[i] = isnan(n[i]) ? n[i] : scalbnf(x[i], (int)fmaxf(fminf(floorf(n[i]), 4096), -4096));
    return INTO(simde__m512, x);
}

#define SHIFT(name, type, distance) \
    static inline simde__m512i name(simde__m512i a, simde__m512i b) \
    { \
        FROM(a, type, x); \
        FROM(b, uint##distance##_t, n); \
        for (unsigned i = 0; i < COUNT(x); i++) \
            x[i] >>= n[i] < distance ? n[i] : distance - 1; \
        return INTO(simde__m512i, x); \
    }
SHIFT(emu_srav_epi32, int32_t, 32)
SHIFT(emu_srav_epi64, int64_t, 64)

static inline simde__m512i emu_srai_epi16(simde__m512i a, unsigned n)
{
    FROM(a, int16_t, x);
    for (unsigned i = 0; i < COUNT(x); i++)
        x[i] = (int16_t)(x[i] >> (n < 16 ? n : 15));
    return INTO(simde__m512i, x);
}

static inline simde__m512i emu_mulhi_epu16(simde__m512i a, simde__m512i b)
{
    FROM(a, uint16_t, x);
    FROM(b, uint16_t, y);
    for (unsigned i = 0; i < COUNT(x); i++)
        x[i] = (uint16_t)((uint32_t)x[i] * y[i] >> 16);
    return INTO(simde__m512i, x);
}

static inline simde__m512i emu_maskz_sllv_epi64(uint8_t mask, simde__m512i a, simde__m512i b)
{
    FROM(a, uint64_t, x);
    FROM(b, uint64_t, n);
    for (unsigned i = 0; i < 8; i++)
        x[i] = mask >> i & 1 && n[i] < 64 ? x[i] << n[i] : 0;
    return INTO(simde__m512i, x);
}

static inline uint16_t emu_cmplt_epi32_mask(simde__m512i a, simde__m512i b)
{
    FROM(a, int32_t, x);
    FROM(b, int32_t, y);
    unsigned mask = 0;
    for (unsigned i = 0; i < 16; i++)
        mask |= (unsigned)(x[i] < y[i]) << i;
    return (uint16_t)mask;
}

/* Doubles. */
static inline simde__m512d emu_cvtps_pd(__m256 a)
{
    FROM(a, float, x);
    double r[8];
    for (unsigned i = 0; i < 8; i++)
        r[i] = (double)x[i];
    return INTO(simde__m512d, r);
}

static inline __m256 emu_cvtpd_ps(simde__m512d a)
{
    FROM(a, double, x);
    float r[8];
    for (unsigned i = 0; i < 8; i++)
        r[i] = (float)x[i];
    return INTO(__m256, r);
}

static inline simde__m512d emu_shuffle_f64x2(simde__m512d a, simde__m512d b, int order)
{
    FROM(a, double, x);
    FROM(b, double, y);
    double r[8];
    for (int i = 0; i < 8; i++)
        r[i] = (i < 4 ? x : y)[(order >> i / 2 * 2 & 3) * 2 + i % 2];
    return INTO(simde__m512d, r);
}

/* Lane pairs: the lower lane of a, then of b; with `at` 1 the upper lanes. */
static inline simde__m512d emu_unpack_pd(simde__m512d a, simde__m512d b, int at)
{
    FROM(a, double, x);
    FROM(b, double, y);
    double r[8];
    for (int i = 0; i < 8; i++)
        r[i] = (i % 2 ? y : x)[i / 2 * 2 + at];
    return INTO(simde__m512d, r);
}

static inline simde__m512d emu_cvtepi32_pd(__m256i a)
{
    FROM(a, int32_t, x);
    double r[8];
    for (unsigned i = 0; i < 8; i++)
        r[i] = x[i];
    return INTO(simde__m512d, r);
}

/* Always rounds down, the only mode in use. */
static inline __m256i emu_floor_pd_epi32(simde__m512d a)
{
    FROM(a, double, x);
    int32_t r[8];
    for (unsigned i = 0; i < 8; i++)
        r[i] = floor(x[i]) >= -0x1p31 && floor(x[i]) < 0x1p31 ? (int32_t)floor(x[i]) : INT32_MIN;
    return INTO(__m256i, r);
}

static inline double emu_reduce_add_pd(simde__m512d a)
{
    FROM(a, double, x);
    for (unsigned half = 4; half > 0; half /= 2)
        for (unsigned i = 0; i < half; i++)
            x[i] += x[i + half];
    return x[0];
}

static inline __m256 emu_extractf32x8_ps(simde__m512 a, int half)
{
    FROM(a, __m256, x);
    return x[half];
}

/* Clears the sign of -0, too; -0 is not below 0. */
static inline simde__m512 emu_abs_ps(simde__m512 a)
{
    return simde_mm512_castsi512_ps(
        simde_mm512_and_si512(simde_mm512_castps_si512(a), simde_mm512_set1_epi32(INT32_MAX)));
}

/* Combines halves, quarters and so on, in the order of compiled code. */
static inline float emu_reduce_add_ps(simde__m512 a)
{
    FROM(a, float, x);
    for (unsigned half = 8; half > 0; half /= 2)
        for (unsigned i = 0; i < half; i++)
            x[i] += x[i + half];
    return x[0];
}

static inline float emu_reduce_max_ps(simde__m512 a)
{
    FROM(a, float, x);
    for (unsigned half = 8; half > 0; half /= 2)
        for (unsigned i = 0; i < half; i++)
            x[i] = x[i] > x[i + half] ? x[i] : x[i + half];
    return x[0];
}

/* Masked lanes are not accessed. */
#define LOAD(name, vector, type, mask_type) \
    static inline vector name(mask_type mask, const void *p) \
    { \
        const type *from = p; \
        type r[sizeof(vector) / sizeof(type)]; \
        for (unsigned i = 0; i < COUNT(r); i++) \
            r[i] = mask >> i & 1 ? from[i] : 0; \
        return INTO(vector, r); \
    }
LOAD(emu_512_maskz_loadu_ps, simde__m512, float, uint16_t)
LOAD(emu_512_maskz_loadu_epi8, simde__m512i, uint8_t, uint64_t)
LOAD(emu_256_maskz_loadu_epi8, __m256i, uint8_t, uint32_t)
LOAD(emu_256_maskz_loadu_epi16, __m256i, uint16_t, uint16_t)
LOAD(emu_128_maskz_loadu_epi8, __m128i, uint8_t, uint16_t)

#define STORE(name, vector, type, mask_type) \
    static inline void name(void *p, mask_type mask, vector a) \
    { \
        type *to = p; \
        FROM(a, type, x); \
        for (unsigned i = 0; i < COUNT(x); i++) \
            if (mask >> i & 1) \
                to[i] = x[i]; \
    }
STORE(emu_512_mask_storeu_ps, simde__m512, float, uint16_t)
STORE(emu_512_mask_storeu_epi8, simde__m512i, uint8_t, uint64_t)
STORE(emu_256_mask_storeu_epi8, __m256i, uint8_t, uint32_t)
STORE(emu_256_mask_storeu_epi16, __m256i, uint16_t, uint16_t)
STORE(emu_128_mask_storeu_epi8, __m128i, uint8_t, uint16_t)

#define __m512  simde__m512
#define __m512i simde__m512i
#define __m512d simde__m512d

#undef _mm256_maskz_loadu_epi8
#define _mm256_maskz_loadu_epi8 emu_256_maskz_loadu_epi8
#undef _mm256_maskz_loadu_epi16
#define _mm256_maskz_loadu_epi16 emu_256_maskz_loadu_epi16
#undef _mm256_mask_storeu_epi16
#define _mm256_mask_storeu_epi16 emu_256_mask_storeu_epi16
#undef _mm512_cvtepi16_epi32
#define _mm512_cvtepi16_epi32 emu_cvtepi16_epi32
#undef _mm512_cvtepu16_epi32
#define _mm512_cvtepu16_epi32 emu_cvtepu16_epi32
#undef _mm512_cvtepi32_epi64
#define _mm512_cvtepi32_epi64 emu_cvtepi32_epi64
#undef _mm512_max_epi64
#define _mm512_max_epi64 emu_max_epi64
#undef _mm512_mullo_epi64
#define _mm512_mullo_epi64 emu_mullo_epi64
#undef _mm512_mask_cvtepi64_storeu_epi16
#define _mm512_mask_cvtepi64_storeu_epi16 emu_mask_cvtepi64_storeu_epi16
#undef _mm512_setzero_si512
#define _mm512_setzero_si512 simde_mm512_setzero_si512
#undef _mm512_cvtepi32_epi16
#define _mm512_cvtepi32_epi16 emu_cvtepi32_epi16
#undef _mm256_mask_storeu_epi8
#define _mm256_mask_storeu_epi8 emu_256_mask_storeu_epi8
#undef _mm512_cmplt_epi32_mask
#define _mm512_cmplt_epi32_mask emu_cmplt_epi32_mask
#undef _mm512_cvtepi32_epi8
#define _mm512_cvtepi32_epi8 emu_cvtepi32_epi8
#undef _mm512_cvtepi32_ps
#define _mm512_cvtepi32_ps emu_cvtepi32_ps
#undef _mm512_cvtepi8_epi32
#define _mm512_cvtepi8_epi32 emu_cvtepi8_epi32
#undef _mm512_cvtepu8_epi16
#define _mm512_cvtepu8_epi16 emu_cvtepu8_epi16
#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32 emu_cvtepu8_epi32
#undef _mm512_cvtps_epi32
#define _mm512_cvtps_epi32 emu_cvtps_epi32
#undef _mm512_cvtps_ph
#define _mm512_cvtps_ph(a, rounding) emu_cvtps_ph(a)
#undef _mm512_cvtph_ps
#define _mm512_cvtph_ps emu_cvtph_ps
#undef _mm512_mask_storeu_epi8
#define _mm512_mask_storeu_epi8 emu_512_mask_storeu_epi8
#undef _mm512_mask_storeu_ps
#define _mm512_mask_storeu_ps emu_512_mask_storeu_ps
#undef _mm512_maskz_loadu_epi8
#define _mm512_maskz_loadu_epi8 emu_512_maskz_loadu_epi8
#undef _mm512_maskz_loadu_ps
#define _mm512_maskz_loadu_ps emu_512_maskz_loadu_ps
#undef _mm512_maskz_sllv_epi64
#define _mm512_maskz_sllv_epi64 emu_maskz_sllv_epi64
#undef _mm512_abs_ps
#define _mm512_abs_ps emu_abs_ps
#undef _mm512_reduce_add_ps
#define _mm512_reduce_add_ps emu_reduce_add_ps
#undef _mm512_reduce_max_ps
#define _mm512_reduce_max_ps emu_reduce_max_ps
#undef _mm512_srav_epi32
#define _mm512_srav_epi32 emu_srav_epi32
#undef _mm512_srav_epi64
#define _mm512_srav_epi64 emu_srav_epi64
#undef _mm_mask_storeu_epi8
#define _mm_mask_storeu_epi8 emu_128_mask_storeu_epi8
#undef _mm_maskz_loadu_epi8
#define _mm_maskz_loadu_epi8 emu_128_maskz_loadu_epi8
#undef _mm512_fmadd_round_ps
#define _mm512_fmadd_round_ps(a, b, c, rounding) emu_fmadd_down(a, b, c)
#undef _mm512_cvt_roundps_epi32
#define _mm512_cvt_roundps_epi32(a, rounding) emu_cvt_down(a)
#undef _mm512_srai_epi16
#define _mm512_srai_epi16 emu_srai_epi16
#undef _mm512_mulhi_epu16
#define _mm512_mulhi_epu16 emu_mulhi_epu16
#undef _mm512_srai_epi32
#define _mm512_srai_epi32(a, n) emu_srav_epi32(a, simde_mm512_set1_epi32(n))
#undef _mm512_srai_epi64
#define _mm512_srai_epi64(a, n) emu_srav_epi64(a, simde_mm512_set1_epi64(n))
#undef _mm256_dpbusd_epi32
#define _mm256_dpbusd_epi32 simde_mm256_dpbusd_epi32
#undef _mm256_dpwssd_epi32
#define _mm256_dpwssd_epi32 simde_mm256_dpwssd_epi32
#undef _mm512_add_epi16
#define _mm512_add_epi16 simde_mm512_add_epi16
#undef _mm512_add_epi32
#define _mm512_add_epi32 simde_mm512_add_epi32
#undef _mm512_add_epi64
#define _mm512_add_epi64 simde_mm512_add_epi64
#undef _mm512_add_epi8
#define _mm512_add_epi8 simde_mm512_add_epi8
#undef _mm512_add_ps
#define _mm512_add_ps simde_mm512_add_ps
#undef _mm512_and_si512
#define _mm512_and_si512 simde_mm512_and_si512
#undef _mm512_broadcast_i32x4
#define _mm512_broadcast_i32x4 simde_mm512_broadcast_i32x4
#undef _mm512_castps256_ps512
#define _mm512_castps256_ps512 simde_mm512_castps256_ps512
#undef _mm512_castps512_ps256
#define _mm512_castps512_ps256 simde_mm512_castps512_ps256
#undef _mm512_castps_si512
#define _mm512_castps_si512 simde_mm512_castps_si512
#undef _mm512_castsi128_si512
#define _mm512_castsi128_si512 simde_mm512_castsi128_si512
#undef _mm512_castsi256_si512
#define _mm512_castsi256_si512 simde_mm512_castsi256_si512
#undef _mm512_castsi512_ps
#define _mm512_castsi512_ps simde_mm512_castsi512_ps
#undef _mm512_castsi512_si128
#define _mm512_castsi512_si128 simde_mm512_castsi512_si128
#undef _mm512_castsi512_si256
#define _mm512_castsi512_si256 simde_mm512_castsi512_si256
#undef _mm512_cmp_ps_mask
#define _mm512_cmp_ps_mask simde_mm512_cmp_ps_mask
#undef _mm512_fnmadd_ps
#define _mm512_fnmadd_ps simde_mm512_fnmadd_ps
#undef _mm512_sqrt_ps
#define _mm512_sqrt_ps simde_mm512_sqrt_ps
#undef _mm512_add_pd
#define _mm512_add_pd simde_mm512_add_pd
#undef _mm512_mul_pd
#define _mm512_mul_pd simde_mm512_mul_pd
#undef _mm512_sqrt_pd
#define _mm512_sqrt_pd simde_mm512_sqrt_pd
#undef _mm512_sub_pd
#define _mm512_sub_pd simde_mm512_sub_pd
#undef _mm512_div_pd
#define _mm512_div_pd simde_mm512_div_pd
#undef _mm512_fmadd_pd
#define _mm512_fmadd_pd simde_mm512_fmadd_pd
#undef _mm512_set1_pd
#define _mm512_set1_pd simde_mm512_set1_pd
#undef _mm512_insertf32x8
#define _mm512_insertf32x8 simde_mm512_insertf32x8
#undef _mm512_cvtpd_ps
#define _mm512_cvtpd_ps emu_cvtpd_ps
#undef _mm512_cvtepi32_pd
#define _mm512_cvtepi32_pd emu_cvtepi32_pd
#undef _mm512_cvt_roundpd_epi32
#define _mm512_cvt_roundpd_epi32(a, mode) emu_floor_pd_epi32(a)
#undef _mm512_inserti64x4
#define _mm512_inserti64x4 simde_mm512_inserti64x4
#undef _mm512_cvtps_pd
#define _mm512_cvtps_pd emu_cvtps_pd
#undef _mm512_extractf32x8_ps
#define _mm512_extractf32x8_ps emu_extractf32x8_ps
#undef _mm512_shuffle_f64x2
#define _mm512_shuffle_f64x2 emu_shuffle_f64x2
#undef _mm512_unpackhi_pd
#define _mm512_unpackhi_pd(a, b) emu_unpack_pd(a, b, 1)
#undef _mm512_unpacklo_pd
#define _mm512_unpacklo_pd(a, b) emu_unpack_pd(a, b, 0)
#undef _mm512_reduce_add_pd
#define _mm512_reduce_add_pd emu_reduce_add_pd
#undef _mm512_cvtepi8_epi16
#define _mm512_cvtepi8_epi16 simde_mm512_cvtepi8_epi16
#undef _mm512_div_ps
#define _mm512_div_ps simde_mm512_div_ps
#undef _mm512_dpbusd_epi32
#define _mm512_dpbusd_epi32 simde_mm512_dpbusd_epi32
#undef _mm512_dpwssd_epi32
#define _mm512_dpwssd_epi32 simde_mm512_dpwssd_epi32
#undef _mm512_extracti64x4_epi64
#define _mm512_extracti64x4_epi64 simde_mm512_extracti64x4_epi64
#undef _mm512_fmadd_ps
#define _mm512_fmadd_ps simde_mm512_fmadd_ps
#undef _mm512_inserti32x4
#define _mm512_inserti32x4 simde_mm512_inserti32x4
#undef _mm512_loadu_ps
#define _mm512_loadu_ps simde_mm512_loadu_ps
#undef _mm512_loadu_si512
#define _mm512_loadu_si512 simde_mm512_loadu_si512
#undef _mm512_mask_blend_epi16
#define _mm512_mask_blend_epi16 simde_mm512_mask_blend_epi16
#undef _mm512_mask_blend_epi32
#define _mm512_mask_blend_epi32 simde_mm512_mask_blend_epi32
#undef _mm512_mask_blend_epi8
#define _mm512_mask_blend_epi8 simde_mm512_mask_blend_epi8
#undef _mm512_mask_blend_epi64
#define _mm512_mask_blend_epi64 simde_mm512_mask_blend_epi64
#undef _mm512_mask_blend_ps
#define _mm512_mask_blend_ps simde_mm512_mask_blend_ps
#undef _mm512_mask_sub_epi64
#define _mm512_mask_sub_epi64 simde_mm512_mask_sub_epi64
#undef _mm512_max_epi16
#define _mm512_max_epi16 simde_mm512_max_epi16
#undef _mm512_max_epi32
#define _mm512_max_epi32 simde_mm512_max_epi32
#undef _mm512_max_epi8
#define _mm512_max_epi8 simde_mm512_max_epi8
#undef _mm512_max_epu8
#define _mm512_max_epu8 simde_mm512_max_epu8
#undef _mm512_max_ps
#define _mm512_max_ps simde_mm512_max_ps
#undef _mm512_min_epi16
#define _mm512_min_epi16 simde_mm512_min_epi16
#undef _mm512_min_epi32
#define _mm512_min_epi32 simde_mm512_min_epi32
#undef _mm512_min_epi64
#define _mm512_min_epi64 simde_mm512_min_epi64
#undef _mm512_min_epi8
#define _mm512_min_epi8 simde_mm512_min_epi8
#undef _mm512_min_epu16
#define _mm512_min_epu16 simde_mm512_min_epu16
#undef _mm512_min_epu32
#define _mm512_min_epu32 simde_mm512_min_epu32
#undef _mm512_min_epu8
#define _mm512_min_epu8 simde_mm512_min_epu8
#undef _mm512_min_ps
#define _mm512_min_ps simde_mm512_min_ps
#undef _mm512_movepi8_mask
#define _mm512_movepi8_mask simde_mm512_movepi8_mask
#undef _mm512_movepi64_mask
#define _mm512_movepi64_mask simde_mm512_movepi64_mask
#undef _mm512_mul_epi32
#define _mm512_mul_epi32 simde_mm512_mul_epi32
#undef _mm512_mul_ps
#define _mm512_mul_ps simde_mm512_mul_ps
#undef _mm512_mullo_epi32
#define _mm512_mullo_epi32 simde_mm512_mullo_epi32
#undef _mm512_packs_epi16
#define _mm512_packs_epi16 simde_mm512_packs_epi16
#undef _mm512_packs_epi32
#define _mm512_packs_epi32 simde_mm512_packs_epi32
#undef _mm512_packus_epi16
#define _mm512_packus_epi16 simde_mm512_packus_epi16
#undef _mm512_permutex2var_epi16
#define _mm512_permutex2var_epi16 simde_mm512_permutex2var_epi16
#undef _mm512_permutexvar_epi64
#define _mm512_permutexvar_epi64 simde_mm512_permutexvar_epi64
#undef _mm512_permutexvar_epi32
#define _mm512_permutexvar_epi32 simde_mm512_permutexvar_epi32
#undef _mm512_roundscale_ps
#define _mm512_roundscale_ps simde_mm512_roundscale_ps
#undef _mm512_scalef_ps
#define _mm512_scalef_ps emu_scalef_ps
#undef _mm512_set1_epi16
#define _mm512_set1_epi16 simde_mm512_set1_epi16
#undef _mm512_set1_epi32
#define _mm512_set1_epi32 simde_mm512_set1_epi32
#undef _mm512_set1_epi64
#define _mm512_set1_epi64 simde_mm512_set1_epi64
#undef _mm512_set1_epi8
#define _mm512_set1_epi8 simde_mm512_set1_epi8
#undef _mm512_set1_ps
#define _mm512_set1_ps simde_mm512_set1_ps
#undef _mm512_setr_epi64
#define _mm512_setr_epi64 simde_mm512_setr_epi64
#undef _mm512_setr_epi32
#define _mm512_setr_epi32 simde_mm512_setr_epi32
#undef _mm512_shuffle_epi8
#define _mm512_shuffle_epi8 simde_mm512_shuffle_epi8
#undef _mm512_shuffle_i32x4
#define _mm512_shuffle_i32x4 simde_mm512_shuffle_i32x4
#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2 simde_mm512_shuffle_i64x2
#undef _mm512_slli_epi16
#define _mm512_slli_epi16 simde_mm512_slli_epi16
#undef _mm512_slli_epi32
#define _mm512_slli_epi32 simde_mm512_slli_epi32
#undef _mm512_slli_epi64
#define _mm512_slli_epi64 simde_mm512_slli_epi64
#undef _mm512_sllv_epi32
#define _mm512_sllv_epi32 simde_mm512_sllv_epi32
#undef _mm512_sllv_epi64
#define _mm512_sllv_epi64 simde_mm512_sllv_epi64
#undef _mm512_srli_epi32
#define _mm512_srli_epi32 simde_mm512_srli_epi32
#undef _mm512_srli_epi64
#define _mm512_srli_epi64 simde_mm512_srli_epi64
#undef _mm512_storeu_ps
#define _mm512_storeu_ps simde_mm512_storeu_ps
#undef _mm512_storeu_si512
#define _mm512_storeu_si512 simde_mm512_storeu_si512
#undef _mm512_sub_epi16
#define _mm512_sub_epi16 simde_mm512_sub_epi16
#undef _mm512_sub_epi32
#define _mm512_sub_epi32 simde_mm512_sub_epi32
#undef _mm512_sub_epi64
#define _mm512_sub_epi64 simde_mm512_sub_epi64
#undef _mm512_sub_ps
#define _mm512_sub_ps simde_mm512_sub_ps
#undef _mm512_ternarylogic_epi32
#define _mm512_ternarylogic_epi32 simde_mm512_ternarylogic_epi32
#undef _mm512_test_epi8_mask
#define _mm512_test_epi8_mask simde_mm512_test_epi8_mask
#undef _mm512_test_epi32_mask
#define _mm512_test_epi32_mask simde_mm512_test_epi32_mask
#undef _mm512_unpackhi_epi16
#define _mm512_unpackhi_epi16 simde_mm512_unpackhi_epi16
#undef _mm512_unpackhi_epi32
#define _mm512_unpackhi_epi32 simde_mm512_unpackhi_epi32
#undef _mm512_unpackhi_epi64
#define _mm512_unpackhi_epi64 simde_mm512_unpackhi_epi64
#undef _mm512_unpackhi_epi8
#define _mm512_unpackhi_epi8 simde_mm512_unpackhi_epi8
#undef _mm512_unpacklo_epi16
#define _mm512_unpacklo_epi16 simde_mm512_unpacklo_epi16
#undef _mm512_unpacklo_epi32
#define _mm512_unpacklo_epi32 simde_mm512_unpacklo_epi32
#undef _mm512_unpacklo_epi64
#define _mm512_unpacklo_epi64 simde_mm512_unpacklo_epi64
#undef _mm512_unpacklo_epi8
#define _mm512_unpacklo_epi8 simde_mm512_unpacklo_epi8
#undef _mm512_xor_si512
#define _mm512_xor_si512 simde_mm512_xor_si512

/* Emulated vectors live in memory, so register constraints of a kernel cannot work. */
#define __asm__(...) ((void)0)

#endif
