#include <math.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tests/kit/test.h"

enum { IN_SLOT, FILTER_SLOT, BIAS_SLOT, OUT_SLOT, CHANNELS = 6 };

struct transpose_case {
    uint64_t seed;
    enum hy_element element;
    struct hy_conv_params params;
    struct hy_multiplier multipliers[CHANNELS];
    void *in, *filter, *bias;
};

static uint32_t between(struct hy_random *r, int32_t low, int32_t high)
{
    return (uint32_t)hy_random_between(r, low, high);
}

/* Outputs may be larger than what the inputs reach. */
static struct hy_conv_params choose(struct hy_random *r)
{
    struct hy_conv_params p = {
        .batch = between(r, 1, 2),
        .in_h = between(r, 1, 5),
        .in_w = between(r, 1, 5),
        .in_c = between(r, 1, 4),
        .out_h = between(r, 1, 14),
        .out_w = between(r, 1, 14),
        .out_c = between(r, 1, CHANNELS),
        .filter_h = between(r, 1, 4),
        .filter_w = between(r, 1, 4),
        .stride_h = between(r, 1, 5),
        .stride_w = between(r, 1, 5),
        .dilation_h = 1,
        .dilation_w = 1,
        .pad_top = between(r, 0, 4),
        .pad_left = between(r, 0, 4),
        .groups = 1,
        .activation = {.min = -1, .max = 2, .q_min = -100, .q_max = 100},
    };

    return p;
}

static void init(struct transpose_case *c, uint64_t seed, enum hy_element element)
{
    struct hy_random r = {seed};
    struct hy_conv_params *p = &c->params;
    bool is_real = element <= HY_ELEMENT_F16;

    *c = (struct transpose_case){.seed = seed, .element = element, .params = choose(&r)};
    if (!is_real) {
        p->in_zero_point = 3;
        p->out_zero_point = 10;
        p->filter_zero_point = element == HY_ELEMENT_U8 ? 100 : 0;
        p->activation.q_min = tensor_min(element);
        p->multipliers = c->multipliers;
    }
    for (int i = 0; i < CHANNELS; i++)
        c->multipliers[i] = (struct hy_multiplier){hy_random_between(&r, 1 << 30, INT32_MAX), -8};
    c->in = tensor_random(&r, IN_SLOT, element, (size_t)p->batch * p->in_h * p->in_w * p->in_c);
    c->filter = tensor_random(&r, FILTER_SLOT, element,
                              (size_t)p->out_c * p->filter_h * p->filter_w * p->in_c);
    c->bias = tensor_random(&r, BIAS_SLOT, is_real ? element : HY_ELEMENT_I32, p->out_c);
}

static enum hy_element filter_element(const struct transpose_case *c)
{
    return c->element == HY_ELEMENT_U8_S8 ? HY_ELEMENT_S8 : c->element;
}

/* Adds one input to every output it reaches: the definition, the other way round. */
static void scatter(const struct transpose_case *c, const size_t at[4], double *sums)
{
    const struct hy_conv_params *p = &c->params;
    size_t in_at = ((at[0] * p->in_h + at[1]) * p->in_w + at[2]) * p->in_c + at[3];
    double x = tensor_at(c->element, c->in, in_at) - p->in_zero_point;

    for (size_t o = 0; o < p->out_c; o++)
        for (size_t i = 0; i < p->filter_h; i++)
            for (size_t j = 0; j < p->filter_w; j++) {
                int64_t row = (int64_t)(at[1] * p->stride_h + i) - p->pad_top;
                int64_t column = (int64_t)(at[2] * p->stride_w + j) - p->pad_left;
                size_t tap = ((o * p->filter_h + i) * p->filter_w + j) * p->in_c + at[3];
                if (row < 0 || row >= p->out_h || column < 0 || column >= p->out_w)
                    continue;
                sums[((at[0] * p->out_h + (size_t)row) * p->out_w + (size_t)column) * p->out_c +
                     o] +=
                    x * (tensor_at(filter_element(c), c->filter, tap) - p->filter_zero_point);
            }
}

static void scatter_all(const struct transpose_case *c, double *sums)
{
    const struct hy_conv_params *p = &c->params;

    for (size_t n = 0; n < p->batch; n++)
        for (size_t y = 0; y < p->in_h; y++)
            for (size_t x = 0; x < p->in_w; x++)
                for (size_t k = 0; k < p->in_c; k++)
                    scatter(c, (size_t[]){n, y, x, k}, sums);
}

static void expect_near(const struct transpose_case *c, const void *out, size_t i, double sum)
{
    const struct hy_conv_params *p = &c->params;
    bool is_real = c->element <= HY_ELEMENT_F16;
    double bias = tensor_at(is_real ? c->element : HY_ELEMENT_I32, c->bias, i % p->out_c);
    double want = sum + bias, got = tensor_at(c->element, out, i);
    double allowed = c->element == HY_ELEMENT_F32 ? 1e-5 : is_real ? 0x1p-9 : 0.51;

    if (is_real) {
        want = fmin(fmax(want, (double)p->activation.min), (double)p->activation.max);
    } else {
        struct hy_multiplier m = p->multipliers[i % p->out_c];
        want = ldexp(want * m.mantissa, m.exponent - 31) + p->out_zero_point;
        want = fmin(fmax(want, p->activation.q_min), p->activation.q_max);
    }
    if (!(fabs(want - got) <= allowed))
        hy_test_fail(__FILE__, __LINE__, "seed %llu element %d: %zu is %g, expected %g",
                     (unsigned long long)c->seed, (int)c->element, i, got, want);
}

static void check(uint64_t seed, enum hy_element element)
{
    struct transpose_case c;
    const struct hy_conv_kernel *kernel = &hy_kernels_reference()->transpose_conv[element];

    init(&c, seed, element);
    const struct hy_conv_params *p = &c.params;
    size_t count = (size_t)p->batch * p->out_h * p->out_w * p->out_c, units = kernel->units(p);
    double *sums = calloc(count, sizeof *sums);
    void *out = tensor_blank(OUT_SLOT, element, count);
    REQUIRE(sums);

    kernel->run(p, c.in, c.filter, c.bias, out, NULL, units / 2, units);
    kernel->run(p, c.in, c.filter, c.bias, out, NULL, 0, units / 2);
    scatter_all(&c, sums);
    for (size_t i = 0; i < count; i++)
        expect_near(&c, out, i, sums[i]);
    free(sums);
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_transpose_conv, gathering_is_as_scattering)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_F16, HY_ELEMENT_U8,
                                               HY_ELEMENT_S8, HY_ELEMENT_U8_S8};

    for (uint64_t seed = 0; seed < 250; seed++)
        check(seed, elements[seed % 5]);
}
