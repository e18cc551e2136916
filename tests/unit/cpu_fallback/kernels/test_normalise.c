#include <math.h>

#include "common/random.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { IN_SLOT, OUT_SLOT, WANT_SLOT };

struct normalise_case {
    uint64_t seed;
    enum hy_normalise op;
    enum hy_element element;
    struct hy_normalise_params params;
    const void *in;
    size_t begin; /* of the line in question */
};

static bool is_real(enum hy_element element)
{
    return hy_wide_of(element) == HY_WIDE_REAL;
}

static double at(const struct normalise_case *c, size_t i)
{
    double zero = !is_real(c->element) ? c->params.in_zero_point : 0;
    return tensor_at(c->element, c->in, c->begin + i * c->params.lines.inner) - zero;
}

static double l2(const struct normalise_case *c, size_t index)
{
    double sum = 0;

    for (size_t i = 0; i < c->params.lines.count; i++)
        sum += at(c, i) * at(c, i);
    return at(c, index) / fmax(sqrt(sum), 1e-6);
}

static double local(const struct normalise_case *c, size_t index)
{
    const struct hy_normalise_params *p = &c->params;
    double sum = 0;

    for (size_t i = 0; i < p->lines.count; i++)
        if (i + p->radius >= index && i <= index + p->radius)
            sum += at(c, i) * at(c, i);
    return at(c, index) * pow((double)p->bias + (double)p->alpha * sum, -(double)p->beta);
}

static double instance(const struct normalise_case *c, size_t index)
{
    const struct hy_normalise_params *p = &c->params;
    double mean = 0, variance = 0, count = (double)p->lines.count;

    for (size_t i = 0; i < p->lines.count; i++)
        mean += at(c, i) / count;
    for (size_t i = 0; i < p->lines.count; i++)
        variance += (at(c, i) - mean) * (at(c, i) - mean) / count;
    return (at(c, index) - mean) * (double)p->gamma / sqrt(variance + (double)p->epsilon) +
           (double)p->beta;
}

static double expected(const struct normalise_case *c, size_t index)
{
    switch (c->op) {
    case HY_NORMALISE_LOCAL:
        return local(c, index);
    case HY_NORMALISE_INSTANCE:
        return instance(c, index);
    default:
        return l2(c, index);
    }
}

static void expect_near(const struct normalise_case *c, const void *out, size_t i)
{
    double want = expected(c, i), allowed = 1e-5 + fabs(want) * 1e-5;
    double got = tensor_at(c->element, out, c->begin + i * c->params.lines.inner);

    if (c->element == HY_ELEMENT_F16)
        allowed = 0x1p-10 * fmax(1, fabs(want));
    if (c->element == HY_ELEMENT_BF16)
        allowed = 0x1p-7 * fmax(1, fabs(want));
    if (!is_real(c->element)) {
        int low = tensor_min(c->element);
        want = fmin(want * 128 + low + 128, low + 255);
        allowed = 0.76; /* rounded twice: the first time to halves where vectors are short */
    }
    if (!(fabs(want - got) <= allowed))
        hy_test_fail(__FILE__, __LINE__, "seed %llu op %d element %d: %zu is %g, expected %g",
                     (unsigned long long)c->seed, (int)c->op, (int)c->element, i, got, want);
}

static struct hy_normalise_params choose(struct hy_random *r)
{
    return (struct hy_normalise_params){
        .lines = {(size_t)hy_random_between(r, 1, 4), (size_t)hy_random_between(r, 1, 30),
                  (size_t)hy_random_between(r, 1, 4)},
        .radius = hy_random_one_in(r, 8) ? INT32_MAX : (size_t)hy_random_between(r, 0, 6),
        .alpha = 1 + hy_random_real(r, -1, 1),
        .beta = hy_random_real(r, -1, 1),
        .bias = 2 + hy_random_real(r, -1, 1),
        .gamma = 2 * hy_random_real(r, -1, 1),
        .epsilon = 1e-3f,
        .in_zero_point = hy_random_between(r, 0, 100),
    };
}

static void check(uint64_t seed, enum hy_normalise op, enum hy_element element)
{
    struct hy_random r = {seed};
    struct normalise_case c = {.seed = seed, .op = op, .element = element, .params = choose(&r)};
    const struct hy_lines *lines = &c.params.lines;
    size_t count = lines->outer * lines->count * lines->inner;

    c.in = tensor_random(&r, IN_SLOT, element, count);
    void *out = tensor_blank(OUT_SLOT, element, count);
    hy_kernels_reference()->normalise[op][element](&c.params, c.in, out);
    for (size_t o = 0; o < lines->outer; o++)
        for (size_t i = 0; i < lines->inner; i++) {
            c.begin = o * lines->count * lines->inner + i;
            for (size_t j = 0; j < lines->count; j++)
                expect_near(&c, out, j);
        }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_normalise, reference_is_the_formula_on_any_axis)
{
    for (uint64_t seed = 0; seed < 60; seed++)
        for (int op = 0; op < HY_NORMALISE_COUNT; op++)
            for (int element = 0; element < HY_ELEMENT_COUNT; element++)
                if (hy_kernels_reference()->normalise[op][element])
                    check(seed, (enum hy_normalise)op, (enum hy_element)element);
}

TEST(kernels_normalise, zeros_have_no_direction)
{
    const struct hy_normalise_params params = {.lines = {1, 2, 1}, .in_zero_point = 7};
    const float zeros[2] = {0};
    const uint8_t bytes[2] = {7, 7};
    float out[2] = {1, 1};
    uint8_t byte_out[2] = {0};

    hy_kernels_reference()->normalise[HY_NORMALISE_L2][HY_ELEMENT_F32](&params, zeros, out);
    EXPECT(out[0] == 0 && out[1] == 0);
    hy_kernels_reference()->normalise[HY_NORMALISE_L2][HY_ELEMENT_U8](&params, bytes, byte_out);
    EXPECT(byte_out[0] == 128 && byte_out[1] == 128);
}

/* The sum of squares does not fit 32 bits. */
TEST(kernels_normalise, a_line_with_nan_has_no_direction_either)
{
    const struct hy_normalise_params params = {.lines = {1, 3, 1}};
    const float in[] = {4, NAN, -9};
    float out[3];

    hy_kernels_reference()->normalise[HY_NORMALISE_L2][HY_ELEMENT_F32](&params, in, out);
    for (int i = 0; i < 3; i++)
        EXPECT(isnan(out[i]));
}

TEST(kernels_normalise, long_lines_of_bytes)
{
    enum { COUNT = 300000 };
    const struct hy_normalise_params params = {.lines = {1, COUNT, 1}, .in_zero_point = 0};
    uint8_t *in = guarded_alloc(IN_SLOT, COUNT, 255), *out = guarded_alloc(OUT_SLOT, COUNT, 0);

    hy_kernels_reference()->normalise[HY_NORMALISE_L2][HY_ELEMENT_U8](&params, in, out);
    EXPECT_INT(out[0], 128); /* 128 / sqrt(300000) is 0.23 */
}

/* The sum of squares in double has another order: the divisor may be its neighbour. */
static void compare_l2(enum hy_kernel_isa_level level, uint64_t seed)
{
    struct hy_random r = {seed};
    const struct hy_normalise_params params = {
        .lines = {.outer = (size_t)hy_random_between(&r, 0, 4),
                  .count = (size_t)hy_random_between(&r, 1, 150),
                  .inner = hy_random_one_in(&r, 4) ? (size_t)hy_random_between(&r, 2, 5) : 1}};
    const size_t count = params.lines.outer * params.lines.count * params.lines.inner;
    float *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_F32, count);
    float *want = tensor_blank(WANT_SLOT, HY_ELEMENT_F32, count);
    float *got = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, count);

    for (size_t i = 0; i < count && seed % 8 == 0; i++)
        in[i] *= seed % 3 ? 1e-9f : 1e30f;
    hy_kernels_reference()->normalise[HY_NORMALISE_L2][HY_ELEMENT_F32](&params, in, want);
    tested_kernels_at(level)->normalise[HY_NORMALISE_L2][HY_ELEMENT_F32](&params, in, got);
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(want[i] - got[i]) <= fabsf(want[i]) * 0x1p-22f))
            hy_test_fail(__FILE__, __LINE__, "%s seed %llu: %zu is %.9g, the reference has %.9g",
                         hy_kernel_isa_level_name(level), (unsigned long long)seed, i,
                         (double)got[i], (double)want[i]);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_normalise, every_level_is_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 400 && tested_kernels_at(level); seed++)
            compare_l2((enum hy_kernel_isa_level)level, seed);
}

/* Powers are within an ulp of each other; large numbers and NaN reach their neighbours only. */
static void compare_local(enum hy_kernel_isa_level level, uint64_t seed)
{
    struct hy_random r = {seed};
    struct hy_normalise_params params = choose(&r);
    params.lines.count = (size_t)hy_random_between(&r, 1, 150);
    if (!hy_random_one_in(&r, 4))
        params.lines.inner = 1;
    const size_t count = params.lines.outer * params.lines.count * params.lines.inner;
    float *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_F32, count);
    float *want = tensor_blank(WANT_SLOT, HY_ELEMENT_F32, count);
    float *got = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, count);

    for (size_t i = 0; i < count && seed % 8 == 0; i++)
        if (hy_random_one_in(&r, 30))
            in[i] = hy_random_one_in(&r, 2) ? NAN : 1e25f;
    hy_kernels_reference()->normalise[HY_NORMALISE_LOCAL][HY_ELEMENT_F32](&params, in, want);
    tested_kernels_at(level)->normalise[HY_NORMALISE_LOCAL][HY_ELEMENT_F32](&params, in, got);
    for (size_t i = 0; i < count; i++)
        if (isnan(want[i]) || isinf(want[i])
                ? !isnan(want[i]) != !isnan(got[i]) || (isinf(want[i]) && got[i] != want[i])
                : !(fabsf(want[i] - got[i]) <= fabsf(want[i]) * 0x1p-21f))
            hy_test_fail(__FILE__, __LINE__, "%s seed %llu: %zu is %.9g, the reference has %.9g",
                         hy_kernel_isa_level_name(level), (unsigned long long)seed, i,
                         (double)got[i], (double)want[i]);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_normalise, local_responses_are_as_the_reference_at_every_level)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 400 && tested_kernels_at(level); seed++)
            compare_local((enum hy_kernel_isa_level)level, seed);
}

TEST(kernels_normalise, a_line_with_nan_is_nan_at_every_level)
{
    const struct hy_normalise_params params = {.lines = {.outer = 2, .count = 40, .inner = 1}};
    float in[80], out[80];

    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        if (!tested_kernels_at(level))
            continue;
        for (int i = 0; i < 80; i++)
            in[i] = i == 37 ? NAN : i >= 40 ? 0 : 1;
        tested_kernels_at(level)->normalise[HY_NORMALISE_L2][HY_ELEMENT_F32](&params, in, out);
        for (int i = 0; i < 80; i++)
            EXPECT(i < 40 ? isnan(out[i]) : out[i] == 0);
    }
}

TEST(kernels_normalise, instances_have_the_bits_of_the_reference_at_every_level)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 200 && tested_kernels_at(level); seed++) {
            struct hy_random r = {seed};
            struct hy_normalise_params params = choose(&r);
            params.lines.inner = (size_t)hy_random_between(&r, 0, 40);
            const size_t count = params.lines.outer * params.lines.count * params.lines.inner;
            const void *in = tensor_random(&r, IN_SLOT, HY_ELEMENT_F32, count);
            void *want = tensor_blank(WANT_SLOT, HY_ELEMENT_F32, count);
            void *got = tensor_blank(OUT_SLOT, HY_ELEMENT_F32, count);
            hy_kernels_reference()->normalise[HY_NORMALISE_INSTANCE][HY_ELEMENT_F32](&params, in,
                                                                                     want);
            tested_kernels_at(level)->normalise[HY_NORMALISE_INSTANCE][HY_ELEMENT_F32](&params, in,
                                                                                       got);
            EXPECT_INT(tensor_first_difference(HY_ELEMENT_F32, want, got, count), count);
            EXPECT(guarded_front_is_intact(OUT_SLOT));
        }
}
