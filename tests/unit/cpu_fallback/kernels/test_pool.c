#include <math.h>
#include <stdbool.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { IN_SLOT, WANT_SLOT, OUT_SLOT };

static void choose_shape(struct hy_random *r, struct hy_pool_params *p)
{
    *p = (struct hy_pool_params){
        .batch = (uint32_t)hy_random_between(r, 0, 2),
        .in_h = (uint32_t)hy_random_between(r, 1, 9),
        .in_w = (uint32_t)hy_random_between(r, 1, 9),
        .channels = (uint32_t)hy_random_between(r, 1, 90),
        .filter_h = (uint32_t)hy_random_between(r, 1, 4),
        .filter_w = (uint32_t)hy_random_between(r, 1, 4),
        .stride_h = (uint32_t)hy_random_between(r, 1, 3),
        .stride_w = (uint32_t)hy_random_between(r, 1, 3),
    };
    if (hy_random_one_in(r, 12)) { /* more cells than are summed at once, in several windows */
        p->in_w = (uint32_t)hy_random_between(r, 14, 18);
        p->in_h = p->filter_h = p->filter_w = (uint32_t)hy_random_between(r, 8, 11);
    }
    p->pad_top = (uint32_t)hy_random_between(r, 0, (int32_t)p->filter_h - 1);
    p->pad_left = (uint32_t)hy_random_between(r, 0, (int32_t)p->filter_w - 1);
    p->out_h = (p->in_h + p->pad_top - 1) / p->stride_h + 1; /* windows may hang out at the end */
    p->out_w = (p->in_w + p->pad_left - 1) / p->stride_w + 1;
}

/* What the cells of one window come to. */
struct cells {
    double sum, squares, max, count;
};

static struct cells cells_under(const struct hy_pool_params *p, enum hy_element element,
                                const void *in, size_t index)
{
    size_t c = index % p->channels, pixel = index / p->channels, row = pixel / p->out_w;
    size_t n = row / p->out_h;
    struct cells cells = {.max = -INFINITY};

    for (uint32_t i = 0; i < p->filter_h; i++)
        for (uint32_t j = 0; j < p->filter_w; j++) {
            int64_t y = (int64_t)(row % p->out_h) * p->stride_h + i - p->pad_top;
            int64_t x = (int64_t)(pixel % p->out_w) * p->stride_w + j - p->pad_left;
            if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w)
                continue;
            size_t at = ((n * p->in_h + (size_t)y) * p->in_w + (size_t)x) * p->channels + c;
            double value = tensor_at(element, in, at);
            cells.sum += value;
            cells.squares += value * value;
            cells.max = fmax(cells.max, value);
            cells.count++;
        }
    return cells;
}

static double expected(const struct hy_pool_params *p, enum hy_pooling op, enum hy_element element,
                       const void *in, size_t index)
{
    struct cells cells = cells_under(p, element, in, index);
    double value = op == HY_POOLING_MAX  ? cells.max
                   : op == HY_POOLING_L2 ? sqrt(cells.squares / cells.count)
                                         : cells.sum / cells.count;

    if (element <= HY_ELEMENT_F16)
        return fmin(fmax(value, (double)p->activation.min), (double)p->activation.max);
    return fmin(fmax(round(value), p->activation.q_min), p->activation.q_max);
}

struct pool_case {
    uint64_t seed;
    enum hy_pooling op;
    enum hy_element element;
    struct hy_pool_params params;
    void *in;
    size_t count;
};

static void init(struct pool_case *c, uint64_t seed, enum hy_pooling op, enum hy_element element)
{
    struct hy_random r = {seed * 8 + element};
    struct hy_pool_params *p = &c->params;

    *c = (struct pool_case){.seed = seed, .op = op, .element = element};
    choose_shape(&r, p);
    p->activation = hy_activation_bounds(hy_random_between(&r, 0, 3), element, 0.05f,
                                         hy_random_between(&r, 0, 100));
    c->count = (size_t)p->batch * p->out_h * p->out_w * p->channels;
    c->in = tensor_random(&r, IN_SLOT, element, (size_t)p->batch * p->in_h * p->in_w * p->channels);
}

static void expect_near(const struct pool_case *c, const void *out, size_t i)
{
    double want = expected(&c->params, c->op, c->element, c->in, i),
           got = tensor_at(c->element, out, i);
    double tolerance = c->element == HY_ELEMENT_F32   ? 1e-6
                       : c->element == HY_ELEMENT_F16 ? 0x1p-11
                                                      : 0;

    if (!(fabs(want - got) <= tolerance))
        hy_test_fail(__FILE__, __LINE__,
                     "seed %llu op %d element %d: index %zu is %.9g, expected %.9g",
                     (unsigned long long)c->seed, (int)c->op, (int)c->element, i, got, want);
}

static void check_reference(enum hy_pooling op)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_F16, HY_ELEMENT_U8,
                                               HY_ELEMENT_S8, HY_ELEMENT_S16};

    for (uint64_t seed = 0; seed < 250; seed++) {
        enum hy_element element = elements[seed % 5];
        hy_pool_fn *kernel = hy_kernels_reference()->pool[op][element];
        struct pool_case c;
        if (!kernel)
            continue;
        init(&c, seed, op, element);
        void *out = tensor_blank(OUT_SLOT, c.element, c.count);
        kernel(&c.params, c.in, out);
        for (size_t i = 0; i < c.count; i++)
            expect_near(&c, out, i);
        EXPECT(guarded_front_is_intact(OUT_SLOT));
    }
}

TEST(kernels_pool, average_counts_only_the_image)
{
    check_reference(HY_POOLING_AVERAGE);
}

TEST(kernels_pool, largest_is_one_of_the_image)
{
    check_reference(HY_POOLING_MAX);
}

TEST(kernels_pool, length_counts_only_the_image)
{
    check_reference(HY_POOLING_L2);
}

static void check_case(enum hy_kernel_isa_level level, const struct pool_case *c)
{
    void *want = tensor_blank(WANT_SLOT, c->element, c->count);
    void *got = tensor_blank(OUT_SLOT, c->element, c->count);

    hy_kernels_reference()->pool[c->op][c->element](&c->params, c->in, want);
    tested_kernels_at(level)->pool[c->op][c->element](&c->params, c->in, got);
    size_t i = tensor_first_difference(c->element, want, got, c->count);
    if (i < c->count)
        hy_test_fail(__FILE__, __LINE__,
                     "%s seed %llu op %d element %d: index %zu is %.9g, the reference has %.9g",
                     hy_kernel_isa_level_name(level), (unsigned long long)c->seed, (int)c->op,
                     (int)c->element, i, tensor_at(c->element, got, i),
                     tensor_at(c->element, want, i));
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

static void check_level(enum hy_kernel_isa_level level)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8,
                                               HY_ELEMENT_S16};

    for (uint64_t seed = 0; tested_kernels_at(level) && seed < 500; seed++) {
        struct pool_case c;
        init(&c, 500 + seed, HY_POOLING_AVERAGE, elements[seed % 4]);
        check_case(level, &c);
        init(&c, 900 + seed, HY_POOLING_MAX, elements[seed % 4]);
        check_case(level, &c);
        init(&c, 1300 + seed, HY_POOLING_L2, HY_ELEMENT_F32);
        check_case(level, &c);
    }
}

TEST(kernels_pool, every_level_is_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        check_level((enum hy_kernel_isa_level)level);
}

/* Half up of positive means, half down of negative ones. */
static int rounded_mean(int64_t sum, int64_t cells)
{
    const int64_t twice = 2 * (sum < 0 ? -sum : sum) + cells, mean = twice / (2 * cells);

    return (int)(sum < 0 ? -mean : mean);
}

/* One window whose sums are a half, less than it and more, below the largest there can be and above
 * the smallest. */
static void check_large_mean(enum hy_kernel_isa_level level, enum hy_element element,
                             uint32_t height, uint32_t width)
{
    enum { CHANNELS = 18 };
    const int low = (int)tensor_min(element), high = (int)tensor_max(element);
    const size_t cells = (size_t)height * width;
    const struct hy_pool_params params = {.batch = 1,
                                          .in_h = height,
                                          .in_w = width,
                                          .channels = CHANNELS,
                                          .out_h = 1,
                                          .out_w = 1,
                                          .filter_h = height,
                                          .filter_w = width,
                                          .stride_h = 1,
                                          .stride_w = 1,
                                          .activation = {.q_min = low, .q_max = high}};
    void *in = tensor_blank(IN_SLOT, element, cells * CHANNELS);
    void *out = tensor_blank(OUT_SLOT, element, CHANNELS);

    for (size_t i = 0; i < cells; i++)
        for (size_t c = 0; c < CHANNELS; c++) {
            const bool is_other = i < cells / 2 + c % 3 - 1;
            const int value = c < CHANNELS / 2 ? high - is_other : low + is_other;
            if (element == HY_ELEMENT_S16)
                ((int16_t *)in)[i * CHANNELS + c] = (int16_t)value;
            else
                ((uint8_t *)in)[i * CHANNELS + c] = (uint8_t)value;
        }
    tested_kernels_at(level)->pool[HY_POOLING_AVERAGE][element](&params, in, out);
    for (size_t c = 0; c < CHANNELS; c++) {
        const int64_t others = (int64_t)(cells / 2 + c % 3 - 1), n = (int64_t)cells;
        const int64_t sum = c < CHANNELS / 2 ? high * n - others : low * n + others;
        EXPECT_INT((int)tensor_at(element, out, c), rounded_mean(sum, n));
    }
}

TEST(kernels_pool, means_of_integers_are_exact_in_windows_of_any_size)
{
    static const enum hy_element elements[] = {HY_ELEMENT_U8, HY_ELEMENT_S8, HY_ELEMENT_S16};
    static const uint32_t sizes[][2] = {{1, 2},   {1, 3},     {2, 2},     {3, 3},     {5, 7},
                                        {7, 73},  {16, 32},   {64, 64},   {63, 65},   {181, 181},
                                        {1, 999}, {256, 255}, {256, 256}, {256, 257}, {300, 301}};

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t i = 0; tested_kernels_at(level) && i < sizeof sizes / sizeof *sizes; i++)
            for (int e = 0; e < 3; e++)
                check_large_mean((enum hy_kernel_isa_level)level, elements[e], sizes[i][0],
                                 sizes[i][1]);
}

TEST(kernels_pool, largest_ignores_nan_on_every_level)
{
    const struct hy_pool_params params = {.batch = 1,
                                          .in_h = 1,
                                          .in_w = 2,
                                          .channels = 2,
                                          .out_h = 1,
                                          .out_w = 1,
                                          .filter_h = 1,
                                          .filter_w = 2,
                                          .stride_h = 1,
                                          .stride_w = 1,
                                          .activation = {.min = -INFINITY, .max = INFINITY}};
    const float in[] = {NAN, -3, -2, NAN};

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        float out[2] = {0};
        if (!table)
            continue;
        table->pool[HY_POOLING_MAX][HY_ELEMENT_F32](&params, in, out);
        EXPECT(out[0] == -2 && out[1] == -3);
    }
}
