#include <math.h>

#include "cpu_fallback/kernels/add.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "test.h"

enum { A_SLOT, B_SLOT, WANT_SLOT, GOT_SLOT };
enum { RANK = 4 };

/* Two shapes that broadcast, and the addition of them. */
struct add_case {
    uint64_t seed;
    enum hy_element element;
    uint32_t a_dims[RANK], b_dims[RANK], dims[RANK];
    float a_scale, b_scale, out_scale;
    struct hy_add_params params;
    void *a, *b;
    size_t count;
};

static size_t count_of(const uint32_t *dims)
{
    return (size_t)dims[0] * dims[1] * dims[2] * dims[3];
}

static void choose_shape(struct random *r, struct add_case *c)
{
    int alike = random_chance(r, 3);

    for (int i = 0; i < RANK; i++) {
        uint32_t size = (uint32_t)random_between(r, random_chance(r, 15) ? 0 : 1, i == 3 ? 37 : 4);
        c->a_dims[i] = c->b_dims[i] = c->dims[i] = size;
        if (!alike && random_chance(r, 3))
            *(random_chance(r, 2) ? &c->a_dims[i] : &c->b_dims[i]) = 1;
    }
    for (int i = 0; i < RANK; i++)
        c->dims[i] = c->a_dims[i] == 1 ? c->b_dims[i] : c->a_dims[i];
    c->count = count_of(c->dims);
}

static void choose_quantisation(struct random *r, struct add_case *c)
{
    struct hy_add_params *p = &c->params;
    int low = tensor_min(c->element), high = tensor_max(c->element);

    c->a_scale = 0.01f + fabsf(random_float(r));
    c->b_scale = 0.01f + fabsf(random_float(r));
    c->out_scale = 0.01f + 2 * fabsf(random_float(r));
    p->a_zero_point = random_between(r, low, high);
    p->b_zero_point = random_between(r, low, high);
    p->out_zero_point = random_between(r, low, high);
    hy_add_set_scales(p, c->a_scale, c->b_scale, c->out_scale);
    p->activation =
        hy_activation_bounds(random_between(r, 0, 3), c->element, c->out_scale, p->out_zero_point);
}

static void init(struct add_case *c, uint64_t seed, enum hy_element element)
{
    struct random r = {seed * 8 + element};

    *c = (struct add_case){.seed = seed, .element = element};
    choose_shape(&r, c);
    choose_quantisation(&r, c);
    EXPECT(hy_broadcast_init(RANK, c->a_dims, RANK, c->b_dims, &c->params.shape));
    EXPECT_INT(hy_broadcast_count(&c->params.shape), c->count);
    c->a = tensor_random(&r, A_SLOT, element, count_of(c->a_dims));
    c->b = tensor_random(&r, B_SLOT, element, count_of(c->b_dims));
}

/* The element of one side that meets output element `index`. */
static size_t operand_index(const struct add_case *c, const uint32_t *dims, size_t index)
{
    size_t result = 0, step = 1;

    for (int i = RANK - 1; i >= 0; i--) {
        size_t at = index % c->dims[i];
        result += dims[i] == 1 ? 0 : at * step;
        step *= dims[i];
        index /= c->dims[i];
    }
    return result;
}

/* In real numbers; the three roundings of the quantised form stay within one step of it. */
static double expected(const struct add_case *c, size_t i)
{
    const struct hy_add_params *p = &c->params;
    double a = tensor_at(c->element, c->a, operand_index(c, c->a_dims, i));
    double b = tensor_at(c->element, c->b, operand_index(c, c->b_dims, i));

    if (c->element == HY_ELEMENT_I32)
        return a + b;
    if (c->element <= HY_ELEMENT_F16)
        return fmin(fmax(a + b, (double)p->activation.min), (double)p->activation.max);
    double real =
        (a - p->a_zero_point) * (double)c->a_scale + (b - p->b_zero_point) * (double)c->b_scale;
    double steps = real / (double)c->out_scale + p->out_zero_point;
    return fmin(fmax(steps, p->activation.q_min), p->activation.q_max);
}

static double tolerance(enum hy_element element)
{
    return element == HY_ELEMENT_F32   ? 1e-6
           : element == HY_ELEMENT_F16 ? 0x1p-10
           : element == HY_ELEMENT_I32 ? 0
                                       : 0.51;
}

static void expect_near(const struct add_case *c, const void *out, size_t i)
{
    double want = expected(c, i), got = tensor_at(c->element, out, i);

    if (fabs(want - got) > tolerance(c->element))
        hy_test_fail(__FILE__, __LINE__, "seed %llu element %d: index %zu is %.9g, expected %.9g",
                     (unsigned long long)c->seed, (int)c->element, i, got, want);
}

TEST(kernels_add, reference_is_the_formula)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_F16, HY_ELEMENT_I32,
                                               HY_ELEMENT_U8, HY_ELEMENT_S8};

    for (int seed = 0; seed < 250; seed++) {
        struct add_case c;
        init(&c, (uint64_t)seed, elements[seed % 5]);
        void *out = tensor_blank(WANT_SLOT, c.element, c.count);
        hy_kernels_reference()->add[c.element](&c.params, c.a, c.b, out);
        for (size_t i = 0; i < c.count; i++)
            expect_near(&c, out, i);
        EXPECT(guarded_front_is_intact(WANT_SLOT));
    }
}

static void check_level(enum hy_kernel_level level)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8};
    const struct hy_kernel_table *table = hy_kernels_at(level);

    for (int seed = 0; table && seed < 300; seed++) {
        struct add_case c;
        init(&c, 500 + (uint64_t)seed, elements[seed % 3]);
        void *want = tensor_blank(WANT_SLOT, c.element, c.count);
        void *got = tensor_blank(GOT_SLOT, c.element, c.count);
        hy_kernels_reference()->add[c.element](&c.params, c.a, c.b, want);
        table->add[c.element](&c.params, c.a, c.b, got);

        size_t i = tensor_first_difference(c.element, want, got, c.count);
        if (i < c.count)
            hy_test_fail(__FILE__, __LINE__,
                         "%s seed %d element %d: index %zu is %.9g, the reference has %.9g",
                         hy_kernel_level_name(level), seed, (int)c.element, i,
                         tensor_at(c.element, got, i), tensor_at(c.element, want, i));
        EXPECT(guarded_front_is_intact(GOT_SLOT));
    }
}

TEST(kernels_add, avx2_is_as_the_reference)
{
    check_level(HY_KERNEL_AVX2);
}

TEST(kernels_add, avx512_is_as_the_reference)
{
    check_level(HY_KERNEL_AVX512);
}

TEST(kernels_add, int32_wraps)
{
    int32_t a[] = {INT32_MAX, INT32_MIN}, b[] = {1, -1}, out[2];
    uint32_t dims = 2;
    struct hy_add_params params = {0};

    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    hy_kernels_reference()->add[HY_ELEMENT_I32](&params, a, b, out);
    EXPECT_INT(out[0], INT32_MIN);
    EXPECT_INT(out[1], INT32_MAX);
}

TEST(kernels_add, nan_passes_every_activation)
{
    float a[] = {NAN, 1, -1}, b[] = {0, 0, 0}, out[3];
    uint32_t dims = 3;
    struct hy_add_params params = {.activation = hy_activation_bounds(3, HY_ELEMENT_F32, 0, 0)};

    REQUIRE(hy_broadcast_init(1, &dims, 1, &dims, &params.shape));
    for (int level = 0; level < HY_KERNEL_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = hy_kernels_at((enum hy_kernel_level)level);
        if (!table)
            continue;
        table->add[HY_ELEMENT_F32](&params, a, b, out);
        EXPECT(isnan(out[0]) && out[1] == 1 && out[2] == 0);
    }
}
