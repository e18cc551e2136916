#include <math.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "test.h"

enum { IN_SLOT, WANT_SLOT, OUT_SLOT };

static void choose_shape(struct random *r, struct hy_pool_params *p)
{
    *p = (struct hy_pool_params){
        .batch = (uint32_t)random_between(r, 0, 2),
        .in_h = (uint32_t)random_between(r, 1, 9),
        .in_w = (uint32_t)random_between(r, 1, 9),
        .channels = (uint32_t)random_between(r, 1, 40),
        .filter_h = (uint32_t)random_between(r, 1, 4),
        .filter_w = (uint32_t)random_between(r, 1, 4),
        .stride_h = (uint32_t)random_between(r, 1, 3),
        .stride_w = (uint32_t)random_between(r, 1, 3),
    };
    p->pad_top = (uint32_t)random_between(r, 0, (int32_t)p->filter_h - 1);
    p->pad_left = (uint32_t)random_between(r, 0, (int32_t)p->filter_w - 1);
    p->out_h = (p->in_h + p->pad_top - 1) / p->stride_h + 1; /* windows may hang out at the end */
    p->out_w = (p->in_w + p->pad_left - 1) / p->stride_w + 1;
}

static double expected(const struct hy_pool_params *p, enum hy_element element, const void *in,
                       size_t index)
{
    size_t c = index % p->channels, pixel = index / p->channels, row = pixel / p->out_w;
    size_t n = row / p->out_h;
    double sum = 0, count = 0;

    for (uint32_t i = 0; i < p->filter_h; i++)
        for (uint32_t j = 0; j < p->filter_w; j++) {
            int64_t y = (int64_t)(row % p->out_h) * p->stride_h + i - p->pad_top;
            int64_t x = (int64_t)(pixel % p->out_w) * p->stride_w + j - p->pad_left;
            if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w)
                continue;
            size_t at = ((n * p->in_h + (size_t)y) * p->in_w + (size_t)x) * p->channels + c;
            sum += tensor_at(element, in, at);
            count++;
        }
    if (element <= HY_ELEMENT_F16)
        return fmin(fmax(sum / count, (double)p->activation.min), (double)p->activation.max);
    return fmin(fmax(round(sum / count), p->activation.q_min), p->activation.q_max);
}

struct pool_case {
    uint64_t seed;
    enum hy_element element;
    struct hy_pool_params params;
    void *in;
    size_t count;
};

static void init(struct pool_case *c, uint64_t seed, enum hy_element element)
{
    struct random r = {seed * 8 + element};
    struct hy_pool_params *p = &c->params;

    *c = (struct pool_case){.seed = seed, .element = element};
    choose_shape(&r, p);
    p->activation =
        hy_activation_bounds(random_between(&r, 0, 3), element, 0.05f, random_between(&r, 0, 100));
    c->count = (size_t)p->batch * p->out_h * p->out_w * p->channels;
    c->in = tensor_random(&r, IN_SLOT, element, (size_t)p->batch * p->in_h * p->in_w * p->channels);
}

static void expect_near(const struct pool_case *c, const void *out, size_t i)
{
    double want = expected(&c->params, c->element, c->in, i), got = tensor_at(c->element, out, i);
    double tolerance = c->element == HY_ELEMENT_F32   ? 1e-6
                       : c->element == HY_ELEMENT_F16 ? 0x1p-11
                                                      : 0;

    if (!(fabs(want - got) <= tolerance))
        hy_test_fail(__FILE__, __LINE__, "seed %llu element %d: index %zu is %.9g, expected %.9g",
                     (unsigned long long)c->seed, (int)c->element, i, got, want);
}

TEST(kernels_pool, average_counts_only_the_image)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_F16, HY_ELEMENT_U8,
                                               HY_ELEMENT_S8};

    for (uint64_t seed = 0; seed < 200; seed++) {
        struct pool_case c;
        init(&c, seed, elements[seed % 4]);
        void *out = tensor_blank(OUT_SLOT, c.element, c.count);
        hy_kernels_reference()->average_pool[c.element](&c.params, c.in, out);
        for (size_t i = 0; i < c.count; i++)
            expect_near(&c, out, i);
        EXPECT(guarded_front_is_intact(OUT_SLOT));
    }
}

static void check_level(enum hy_kernel_level level)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8};
    const struct hy_kernel_table *table = hy_kernels_at(level);

    for (uint64_t seed = 0; table && seed < 150; seed++) {
        struct pool_case c;
        init(&c, 500 + seed, elements[seed % 3]);
        void *want = tensor_blank(WANT_SLOT, c.element, c.count);
        void *got = tensor_blank(OUT_SLOT, c.element, c.count);
        hy_kernels_reference()->average_pool[c.element](&c.params, c.in, want);
        table->average_pool[c.element](&c.params, c.in, got);

        size_t i = tensor_first_difference(c.element, want, got, c.count);
        if (i < c.count)
            hy_test_fail(__FILE__, __LINE__,
                         "%s seed %llu element %d: index %zu is %.9g, the reference has %.9g",
                         hy_kernel_level_name(level), (unsigned long long)seed, (int)c.element, i,
                         tensor_at(c.element, got, i), tensor_at(c.element, want, i));
        EXPECT(guarded_front_is_intact(OUT_SLOT));
    }
}

TEST(kernels_pool, avx2_is_as_the_reference)
{
    check_level(HY_KERNEL_AVX2);
}

TEST(kernels_pool, avx512_is_as_the_reference)
{
    check_level(HY_KERNEL_AVX512);
}
