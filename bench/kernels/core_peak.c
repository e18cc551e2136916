#include "bench/kernels/core_peak.h"

#include "common/clock.h"

/* The result of a loop, so that the compiler keeps the loop. */
static volatile float sink;

/* ---- Products -------------------------------------------------------------------------------- */

#define CHAINS     12 /* of instructions that wait for each other: more than latency times ports */
#define ITERATIONS 2000

#define ROUNDS 201 /* short rounds, so that other work on the machine disturbs few of them */

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static void multiply_floats_avx512(void)
{
    __m512 sums[CHAINS];
    const __m512 x = _mm512_set1_ps(0.5f);

    for (int i = 0; i < CHAINS; i++)
        sums[i] = x;
    for (int repetition = 0; repetition < ITERATIONS; repetition++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            sums[i] = _mm512_fmadd_ps(sums[i], x, x);
    }
    for (int i = 1; i < CHAINS; i++)
        sums[0] = _mm512_add_ps(sums[0], sums[i]);
    sink = _mm512_cvtss_f32(sums[0]);
}

__attribute__((target("avx2,fma"))) static void multiply_floats_avx2(void)
{
    __m256 sums[CHAINS];
    const __m256 x = _mm256_set1_ps(0.5f);

    for (int i = 0; i < CHAINS; i++)
        sums[i] = x;
    for (int repetition = 0; repetition < ITERATIONS; repetition++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            sums[i] = _mm256_fmadd_ps(sums[i], x, x);
    }
    for (int i = 1; i < CHAINS; i++)
        sums[0] = _mm256_add_ps(sums[0], sums[i]);
    sink = _mm256_cvtss_f32(sums[0]);
}

__attribute__((target("avx512f,avx512vnni"))) static void multiply_bytes_vnni(void)
{
    __m512i sums[CHAINS];
    const __m512i x = _mm512_set1_epi8((char)sink + 1);

    for (int i = 0; i < CHAINS; i++)
        sums[i] = x;
    for (int repetition = 0; repetition < ITERATIONS; repetition++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            sums[i] = _mm512_dpbusd_epi32(sums[i], x, x);
    }
    for (int i = 1; i < CHAINS; i++)
        sums[0] = _mm512_add_epi32(sums[0], sums[i]);
    sink = (float)_mm_cvtsi128_si32(_mm512_castsi512_si128(sums[0]));
}

/* Without VNNI: products of 16 bits, added in pairs. Left to itself gcc has the sums in memory. */
__attribute__((target("avx2"))) static void multiply_bytes_avx2(void)
{
    __m256i sums[CHAINS];
    __m256i x = _mm256_set1_epi16(1);

#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++)
        sums[i] = x;
    for (int repetition = 0; repetition < ITERATIONS; repetition++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) {
            __asm__("" : "+x"(x)); /* a product each, and not one for all */
            sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(x, x));
            __asm__ volatile("" : "+x"(sums[i]));
        }
    }
#pragma GCC unroll 12
    for (int i = 1; i < CHAINS; i++)
        sums[0] = _mm256_add_epi32(sums[0], sums[i]);
    sink = (float)_mm_cvtsi128_si32(_mm256_castsi256_si128(sums[0]));
}
#elif defined(__aarch64__)
#include <arm_neon.h>

static void multiply_floats_neon(void)
{
    float32x4_t sums[CHAINS];
    const float32x4_t x = vdupq_n_f32(0.5f);

    for (int i = 0; i < CHAINS; i++)
        sums[i] = x;
    for (int repetition = 0; repetition < ITERATIONS; repetition++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            sums[i] = vfmaq_f32(sums[i], x, x);
    }
    for (int i = 1; i < CHAINS; i++)
        sums[0] = vaddq_f32(sums[0], sums[i]);
    sink = vgetq_lane_f32(sums[0], 0);
}
#endif

static double best_ns(void (*run)(void))
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t start = hy_clock_now();
        run();
        const double time = (double)(hy_clock_now() - start);
        best = round == 0 || time < best ? time : best;
    }
    return best;
}

static const struct {
    const char *name;
    void (*run)(void);
    unsigned products; /* of one instruction */
} sets[HY_PEAK_SETS] = {
#if defined(__x86_64__)
    [HY_FLOATS_AVX2] = {"float32, AVX2", multiply_floats_avx2, 8},
    [HY_FLOATS_AVX512] = {"float32, AVX-512", multiply_floats_avx512, 16},
    [HY_BYTES_AVX2] = {"int8, AVX2", multiply_bytes_avx2, 16},
    [HY_BYTES_VNNI] = {"int8, AVX-512 VNNI", multiply_bytes_vnni, 64},
#elif defined(__aarch64__)
    [HY_FLOATS_NEON] = {"float32, NEON", multiply_floats_neon, 4},
#endif
};

static bool has(enum hy_peak_set set)
{
#if defined(__x86_64__)
    switch (set) {
    case HY_FLOATS_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case HY_FLOATS_AVX512:
        return __builtin_cpu_supports("avx512f");
    case HY_BYTES_AVX2:
        return __builtin_cpu_supports("avx2");
    case HY_BYTES_VNNI:
        return __builtin_cpu_supports("avx512vnni");
    default:
        return false;
    }
#else
    return sets[set].run != NULL;
#endif
}

const char *hy_peak_set_name(enum hy_peak_set set)
{
    return sets[set].name;
}

double hy_peak_products(enum hy_peak_set set)
{
    return has(set) ? (double)ITERATIONS * CHAINS * sets[set].products / best_ns(sets[set].run) : 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The compiler vectorises the loop; several sums avoid waiting for the previous addition. */
#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static uint64_t
read_all(const uint64_t *words, size_t count)
{
    uint64_t sums[64] = {0};

    for (size_t i = 0; i < count; i += 64) {
        for (size_t k = 0; k < 64; k++)
            sums[k] |= words[i + k];
    }
    for (size_t k = 1; k < 64; k++)
        sums[0] |= sums[k];
    return sums[0];
}

double hy_peak_read(const uint64_t *words, size_t bytes)
{
    const unsigned repeats = bytes < 4u << 20 ? (unsigned)((4u << 20) / bytes) : 1;
    double best = 0;

    for (int round = 0; round < (bytes > 8u << 20 ? 9 : 51); round++) {
        const uint64_t start = hy_clock_now();
        for (unsigned i = 0; i < repeats; i++)
            sink = (float)read_all(words, bytes / sizeof *words);
        const double rate = (double)bytes * repeats / (double)(hy_clock_now() - start);
        best = rate > best ? rate : best;
    }
    return best;
}
