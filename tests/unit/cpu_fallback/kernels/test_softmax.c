#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { IN_SLOT, OUT_SLOT, WANT_SLOT };

struct softmax_case {
    uint64_t seed;
    enum hy_element element;
    float scale; /* of the input: 1 for real numbers */
    struct hy_softmax_params params;
    void *in, *out;
};

static double power_at(const struct softmax_case *c, size_t i, double max)
{
    double scale = (double)c->params.beta * (double)c->scale;
    return exp(scale * (tensor_at(c->element, c->in, i) - max));
}

static double expected(const struct softmax_case *c, size_t index)
{
    const struct hy_softmax_params *p = &c->params;
    size_t line = index / (p->count * p->inner) * p->count * p->inner + index % p->inner;
    double max = -INFINITY, sum = 0;

    for (size_t i = 0; i < p->count; i++)
        max = fmax(max, tensor_at(c->element, c->in, line + i * p->inner));
    for (size_t i = 0; i < p->count; i++)
        sum += power_at(c, line + i * p->inner, max);
    return power_at(c, index, max) / sum;
}

static void expect_near(const struct softmax_case *c, size_t i)
{
    double want = expected(c, i), got = tensor_at(c->element, c->out, i);
    double tolerance = c->element == HY_ELEMENT_F32 ? 1e-6 : 0x1p-11;

    if (c->element > HY_ELEMENT_F16) {
        want = fmin(want * 256 + tensor_min(c->element), tensor_max(c->element));
        tolerance = 0.5 + 1e-4;
    }
    if (!(fabs(want - got) <= tolerance))
        hy_test_fail(__FILE__, __LINE__, "seed %llu element %d: index %zu is %.9g, expected %.9g",
                     (unsigned long long)c->seed, (int)c->element, i, got, want);
}

static void init(struct softmax_case *c, struct hy_random *r, uint64_t seed,
                 enum hy_element element)
{
    *c = (struct softmax_case){.seed = seed, .element = element, .scale = 1};
    c->params = (struct hy_softmax_params){.outer = (size_t)hy_random_between(r, 0, 4),
                                           .count = (size_t)hy_random_between(r, 1, 40),
                                           .inner = (size_t)hy_random_between(r, 1, 3),
                                           .beta = 0.1f + 2 * fabsf(hy_random_real(r, -1, 1))};
    if (hy_random_one_in(r, 4))
        c->params.inner = (size_t)hy_random_between(r, 4, 40);
}

static size_t fill(struct softmax_case *c, struct hy_random *r)
{
    size_t count = c->params.outer * c->params.count * c->params.inner;

    c->in = tensor_random(r, IN_SLOT, c->element, count);
    c->out = tensor_blank(OUT_SLOT, c->element, count);
    return count;
}

static void check(uint64_t seed, enum hy_element element, const struct hy_kernel_table *table)
{
    struct hy_random r = {seed};
    struct softmax_case c;
    float powers[HY_SOFTMAX_TABLE_SIZE];

    init(&c, &r, seed, element);
    c.params.exp_table = powers;
    if (element > HY_ELEMENT_F16)
        c.scale = 0.001f + 0.2f * fabsf(hy_random_real(&r, -1, 1));
    hy_softmax_fill_table(c.scale, c.params.beta, powers);

    size_t count = fill(&c, &r);
    table->softmax[element](&c.params, c.in, c.out);
    for (size_t i = 0; i < count; i++)
        expect_near(&c, i);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_softmax, reference_is_the_formula_on_any_axis)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_F16, HY_ELEMENT_U8,
                                               HY_ELEMENT_S8};

    for (uint64_t seed = 0; seed < 200; seed++)
        check(seed, elements[seed % 4], hy_kernels_reference());
}

TEST(kernels_softmax, every_level_is_the_formula_on_any_axis)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 200 && tested_kernels_at(level); seed++)
            check(seed, HY_ELEMENT_F32, tested_kernels_at(level));
}

/* The reference's bytes: shapes beyond what a kernel looks up, sums or stores at once. */
static void check_bytes(uint64_t seed, enum hy_element element, const struct hy_kernel_table *table)
{
    struct hy_random r = {2000 + seed};
    struct softmax_case c;
    float powers[HY_SOFTMAX_TABLE_SIZE];

    init(&c, &r, seed, element);
    if (hy_random_one_in(&r, 2))
        c.params.count = (size_t)hy_random_between(&r, 1, 300);
    c.params.exp_table = powers;
    hy_softmax_fill_table(0.3f * fabsf(hy_random_real(&r, -1, 1)), c.params.beta, powers);
    const size_t count = fill(&c, &r);
    uint8_t *want = tensor_blank(WANT_SLOT, element, count);
    hy_kernels_reference()->softmax[element](&c.params, c.in, want);
    table->softmax[element](&c.params, c.in, c.out);
    if (memcmp(want, c.out, count) != 0)
        hy_test_fail(__FILE__, __LINE__, "seed %llu element %d: other bytes than the reference's",
                     (unsigned long long)seed, (int)element);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_softmax, bytes_of_every_level_are_those_of_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 400 && tested_kernels_at(level); seed++)
            check_bytes(seed, seed % 2 ? HY_ELEMENT_U8 : HY_ELEMENT_S8, tested_kernels_at(level));
}

TEST(kernels_softmax, half_a_step_is_rounded_up)
{
    static uint8_t in[512], out[512];
    static float powers[HY_SOFTMAX_TABLE_SIZE];
    const struct hy_softmax_params params = {
        .outer = 1, .count = 512, .inner = 1, .beta = 1, .exp_table = powers};

    hy_softmax_fill_table(1, 1, powers);
    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        if (!tested_kernels_at(level))
            continue;
        memset(out, 9, sizeof out);
        tested_kernels_at(level)->softmax[HY_ELEMENT_U8](&params, in, out);
        for (size_t i = 0; i < sizeof out; i++)
            EXPECT_INT(out[i], 1);
    }
}

TEST(kernels_softmax, large_inputs_do_not_overflow)
{
    float in[] = {1e30f, -1e30f, 1e30f}, out[3];
    struct hy_softmax_params params = {.outer = 1, .count = 3, .inner = 1, .beta = 1};

    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        if (!table)
            continue;
        table->softmax[HY_ELEMENT_F32](&params, in, out);
        EXPECT(out[0] == 0.5f && out[1] == 0 && out[2] == 0.5f);
    }
}

/* Row by row and side by side. */
TEST(kernels_softmax, nan_reaches_its_own_softmax_only)
{
    const struct hy_softmax_params shapes[] = {{.outer = 2, .count = 3, .inner = 1, .beta = 1},
                                               {.outer = 1, .count = 3, .inner = 2, .beta = 1}};
    const float in[2][6] = {{0, NAN, 0, 1, 1, 1}, {0, 1, NAN, 1, 0, 1}};

    for (int level = HY_KERNEL_REFERENCE; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        for (int s = 0; s < 2 && table; s++) {
            float out[6];
            table->softmax[HY_ELEMENT_F32](&shapes[s], in[s], out);
            for (int i = 0; i < 6; i++)
                EXPECT((s == 0 ? i < 3 : i % 2 == 0) ? isnan(out[i])
                                                     : fabsf(out[i] - 1.0f / 3) < 1e-6f);
        }
    }
}

static void check_logarithm(uint64_t seed, enum hy_element element,
                            const struct hy_kernel_table *table)
{
    struct hy_random r = {1000 + seed};
    struct softmax_case c;

    init(&c, &r, seed, element);
    c.params.beta = 3 * hy_random_real(&r, -1, 1);
    size_t count = fill(&c, &r);
    table->log_softmax[element](&c.params, c.in, c.out);
    for (size_t i = 0; i < count; i++) {
        double want = log(expected(&c, i)), got = tensor_at(element, c.out, i);
        EXPECT(fabs(want - got) <= (element == HY_ELEMENT_F32 ? 2e-6 : 0x1p-8));
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_softmax, logarithm_is_that_of_the_softmax)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        check_logarithm(seed, seed % 2 ? HY_ELEMENT_F16 : HY_ELEMENT_F32, hy_kernels_reference());
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 100 && tested_kernels_at(level); seed++)
            check_logarithm(seed, HY_ELEMENT_F32, tested_kernels_at(level));
}
