#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { IN_SLOT, OUT_SLOT, WANT_SLOT };

/* Every stored value of every channel, with scales of different sizes. */
static void check(enum hy_element from, enum hy_element to, size_t channels, int32_t zero_point)
{
    static const float scales[3] = {0.5f, 0.0123f, 3.0f};
    struct hy_dequantize_params params = {
        .outer = 4, .channels = channels, .inner = 64, .scales = scales, .zero_point = zero_point};
    size_t count = params.outer * channels * params.inner;
    uint8_t *in = tensor_blank(IN_SLOT, from, count);
    void *out = tensor_blank(OUT_SLOT, to, count);

    for (size_t i = 0; i < count; i++)
        in[i] = (uint8_t)(i / params.inner / channels * params.inner + i % params.inner);
    hy_kernels_reference()->dequantize[from][to](&params, in, out);

    for (size_t i = 0; i < count; i++) {
        double scale = (double)scales[i / params.inner % channels];
        double want = scale * (tensor_at(from, in, i) - zero_point), got = tensor_at(to, out, i);
        double tolerance = fabs(want) * (to == HY_ELEMENT_F32 ? 0x1p-24 : 0x1p-11 + 0x1p-23);
        if (fabs(want - got) > tolerance)
            hy_test_fail(__FILE__, __LINE__, "%d to %d: index %zu is %.9g, expected %.9g",
                         (int)from, (int)to, i, got, want);
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_dequantize, every_value_per_tensor_and_per_channel)
{
    for (int to = HY_ELEMENT_F32; to <= HY_ELEMENT_F16; to++) {
        check(HY_ELEMENT_U8, (enum hy_element)to, 1, 128);
        check(HY_ELEMENT_S8, (enum hy_element)to, 1, -7);
        check(HY_ELEMENT_S8, (enum hy_element)to, 3, 0);
    }
}

static void expect_same(enum hy_kernel_isa_level level, enum hy_element element, const void *want,
                        const void *got, size_t count)
{
    const size_t i = tensor_first_difference(element, want, got, count);

    if (i < count)
        hy_test_fail(__FILE__, __LINE__, "%s element %d: index %zu of %zu is %.9g, expected %.9g",
                     hy_kernel_isa_level_name(level), (int)element, i, count,
                     tensor_at(element, got, i), tensor_at(element, want, i));
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

/* Counts of all tails; channels in the middle and last. */
static void compare_dequantised(enum hy_kernel_isa_level level, enum hy_element from, uint64_t seed)
{
    struct hy_random r = {seed};
    float scales[40];
    const struct hy_dequantize_params params = {
        .outer = (size_t)hy_random_between(&r, 0, 3),
        .channels = (size_t)hy_random_between(&r, 1, 40),
        .inner = hy_random_one_in(&r, 2) ? 1 : (size_t)hy_random_between(&r, 0, 70),
        .scales = scales,
        .zero_point = hy_random_between(&r, tensor_min(from), tensor_max(from))};
    const size_t count = params.outer * params.channels * params.inner;

    for (int i = 0; i < 40; i++)
        scales[i] = 0.01f + fabsf(hy_random_real(&r, -1, 1));
    const void *in = tensor_random(&r, IN_SLOT, from, count);
    void *want = tensor_blank(WANT_SLOT, HY_ELEMENT_F32, count);
    void *got = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, count);
    hy_kernels_reference()->dequantize[from][HY_ELEMENT_F32](&params, in, want);
    tested_kernels_at(level)->dequantize[from][HY_ELEMENT_F32](&params, in, got);
    expect_same(level, HY_ELEMENT_F32, want, got, count);
}

/* A third of the values lie on halves of a step, a few are far away, infinite or NaN. */
static void set_steps(struct hy_random *r, const struct hy_quantize_params *params, int most,
                      float *in)
{
    static const float special[] = {INFINITY, -INFINITY, NAN, 1e30f, -1e30f, 0, -0.0f};

    for (size_t i = 0; i < params->count; i++) {
        const float steps = (float)hy_random_between(r, -5 * most / 2, 5 * most / 2) / 2;
        in[i] = steps * params->scale;
        if (hy_random_one_in(r, 3))
            in[i] = nextafterf(in[i], hy_random_one_in(r, 2) ? 0 : INFINITY);
        else if (hy_random_one_in(r, 3))
            in[i] = hy_random_real(r, -1, 1) * (float)most * params->scale;
        else if (hy_random_one_in(r, 20))
            in[i] = special[hy_random_between(r, 0, 6)];
    }
}

static void compare_quantised(enum hy_kernel_isa_level level, enum hy_element to, uint64_t seed)
{
    struct hy_random r = {seed};
    const struct hy_quantize_params params = {
        .count = (size_t)hy_random_between(&r, 0, 300),
        .scale = hy_random_one_in(&r, 2) ? 0.25f : 0.001f + fabsf(hy_random_real(&r, -1, 1)),
        .zero_point = hy_random_between(&r, tensor_min(to), tensor_max(to))};
    float *in = tensor_blank(IN_SLOT, HY_ELEMENT_F32, params.count);
    void *want = tensor_blank(WANT_SLOT, to, params.count);
    void *got = tensor_blank(OUT_SLOT, to, params.count);

    set_steps(&r, &params, tensor_max(to), in);
    hy_kernels_reference()->quantize[HY_ELEMENT_F32][to](&params, in, want);
    tested_kernels_at(level)->quantize[HY_ELEMENT_F32][to](&params, in, got);
    expect_same(level, to, want, got, params.count);
}

TEST(kernels_dequantize, every_level_is_as_the_reference_and_so_is_quantize)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 400 && tested_kernels_at(level); seed++) {
            static const enum hy_element elements[] = {HY_ELEMENT_U8, HY_ELEMENT_S8, HY_ELEMENT_U16,
                                                       HY_ELEMENT_S16};
            compare_dequantised((enum hy_kernel_isa_level)level, elements[seed % 4], seed);
            compare_quantised((enum hy_kernel_isa_level)level, elements[seed % 4], seed);
        }
}

/*
 * Kernels that multiply by the inverse of the scale divide where the product is close to a half of
 * a step. One element of each vector comes as close as a few hundred floats to it. The elements
 * begin at any place of a vector's boundary.
 */
static void compare_close_to_halves(enum hy_kernel_isa_level level, enum hy_element to,
                                    uint64_t seed)
{
    enum { COUNT = 1 << 14, BESIDES = 64 };
    struct hy_random r = {seed};
    const struct hy_quantize_params params = {
        .count = COUNT - seed % 17,
        .scale = 0.001f + fabsf(hy_random_real(&r, -1, 1)),
        .zero_point = hy_random_between(&r, tensor_min(to), tensor_max(to))};
    float *in = tensor_blank(IN_SLOT, HY_ELEMENT_F32, params.count);
    void *want = tensor_blank(WANT_SLOT, to, params.count);
    void *got = tensor_blank(OUT_SLOT, to, params.count);

    for (size_t i = 0; i < params.count; i++) {
        const float fraction = (float)hy_random_between(&r, -40, 40) * 0x1p-17f;
        const float steps = (float)hy_random_between(&r, -300, 300);
        in[i] = (steps + (i % BESIDES == 0 ? 0.5f + fraction : 0)) * params.scale;
    }
    hy_kernels_reference()->quantize[HY_ELEMENT_F32][to](&params, in, want);
    tested_kernels_at(level)->quantize[HY_ELEMENT_F32][to](&params, in, got);
    expect_same(level, to, want, got, params.count);
}

TEST(kernels_dequantize, quantize_rounds_as_the_reference_close_to_halves_of_a_step)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 40 && tested_kernels_at(level); seed++)
            compare_close_to_halves((enum hy_kernel_isa_level)level,
                                    seed % 2 ? HY_ELEMENT_U8 : HY_ELEMENT_S8, seed);
}

TEST(kernels_dequantize, quantize_takes_scales_without_a_usable_inverse)
{
    static const float scales[] = {0x1p-126f, 0x1p-101f, 0x1p101f, 0x1p127f};
    enum { COUNT = 64 };
    float in[COUNT];
    uint8_t want[COUNT], got[COUNT];

    for (int s = 0; s < 4; s++) {
        const struct hy_quantize_params params = {
            .count = COUNT, .scale = scales[s], .zero_point = 100};
        for (int i = 0; i < COUNT; i++)
            in[i] = (float)(i - 32) * 0.5f * scales[s];
        hy_kernels_reference()->quantize[HY_ELEMENT_F32][HY_ELEMENT_U8](&params, in, want);
        for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
            if (tested_kernels_at(level)) {
                tested_kernels_at(level)->quantize[HY_ELEMENT_F32][HY_ELEMENT_U8](&params, in, got);
                EXPECT(memcmp(want, got, COUNT) == 0);
            }
    }
}

static void compare_rescaled(enum hy_kernel_isa_level level, uint64_t seed)
{
    struct hy_random r = {seed};
    struct hy_rescale_params params = {
        .count = (size_t)hy_random_between(&r, 0, 100),
        .above = hy_multiplier_from_double(
            ldexp(1 + (double)hy_random_real(&r, -1, 1), hy_random_between(&r, -20, 4))),
        .below = hy_multiplier_from_double(1 + (double)hy_random_real(&r, -1, 1)),
        .negates_below = hy_random_one_in(&r, 2),
        .min = hy_random_one_in(&r, 2) ? INT16_MIN : -100,
        .max = hy_random_one_in(&r, 2) ? INT16_MAX : 1000};
    const void *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_S16, params.count);
    void *want = tensor_blank(WANT_SLOT, HY_ELEMENT_S16, params.count);
    void *got = tensor_blank(OUT_SLOT, HY_ELEMENT_S16, params.count);

    if (hy_random_one_in(&r, 3)) {
        params.negates_below = false;
        params.below = params.above;
    }
    hy_kernels_reference()->rescale[HY_ELEMENT_S16](&params, in, want);
    tested_kernels_at(level)->rescale[HY_ELEMENT_S16](&params, in, got);
    expect_same(level, HY_ELEMENT_S16, want, got, params.count);
}

TEST(kernels_dequantize, every_level_rescales_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 400 && tested_kernels_at(level); seed++)
            compare_rescaled((enum hy_kernel_isa_level)level, seed);
}

/* With multipliers at and beyond the ends of what vectors compute quickly. */
TEST(kernels_dequantize, every_level_rescales_every_number_as_the_reference)
{
    static const int32_t mantissas[] = {0x40000000, 0x40008000, 0x5a82799a,
                                        0x7fff7fff, 0x7fff8000, INT32_MAX};
    enum { COUNT = 65536, MANTISSAS = sizeof mantissas / sizeof *mantissas };
    int16_t *in = tensor_blank(IN_SLOT, HY_ELEMENT_S16, COUNT);
    int16_t *want = tensor_blank(WANT_SLOT, HY_ELEMENT_S16, COUNT);

    for (int i = 0; i < COUNT; i++)
        in[i] = (int16_t)i;
    for (int i = 0; i < 35 * MANTISSAS; i++) {
        const struct hy_rescale_params params = {
            .count = COUNT,
            .above = {mantissas[i % MANTISSAS], i / MANTISSAS - 17},
            .below = {mantissas[(i + 2) % MANTISSAS], (i * 7 + 3) % 35 - 17},
            .min = INT16_MIN,
            .max = INT16_MAX};
        hy_kernels_reference()->rescale[HY_ELEMENT_S16](&params, in, want);
        for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
            if (!tested_kernels_at((enum hy_kernel_isa_level)level))
                continue;
            int16_t *got = tensor_blank(OUT_SLOT, HY_ELEMENT_S16, COUNT);
            tested_kernels_at((enum hy_kernel_isa_level)level)
                ->rescale[HY_ELEMENT_S16](&params, in, got);
            expect_same((enum hy_kernel_isa_level)level, HY_ELEMENT_S16, want, got, COUNT);
        }
    }
}

/* -5621.4 becomes -5622: the first rounding gives the half that the second takes away from zero. */
TEST(kernels_dequantize, rescaling_rounds_twice_and_saturates)
{
    static const int16_t in[] = {-18738, -4911, -281, -10, 0, 7, INT16_MAX, INT16_MIN};
    static const int16_t slope[] = {-5622, -1474, -85, -3, 0, 7, INT16_MAX, -9831};
    static const int16_t size[] = {18738, 4911, 281, 10, 0, 7, INT16_MAX, INT16_MAX};
    struct hy_rescale_params params = {.count = 8,
                                       .above = hy_multiplier_from_double(1),
                                       .below = hy_multiplier_from_double((double)0.3f),
                                       .min = INT16_MIN,
                                       .max = INT16_MAX};
    int16_t out[8];

    hy_kernels_reference()->rescale[HY_ELEMENT_S16](&params, in, out);
    EXPECT(memcmp(out, slope, sizeof out) == 0);
    params.below = params.above;
    params.negates_below = true;
    hy_kernels_reference()->rescale[HY_ELEMENT_S16](&params, in, out);
    EXPECT(memcmp(out, size, sizeof out) == 0);
}
