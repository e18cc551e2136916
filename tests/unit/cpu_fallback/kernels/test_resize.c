#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR of every level against the reference. */

enum { IN_SLOT, WANT_SLOT, OUT_SLOT, SIDE = 20 };

struct resize_case {
    uint64_t seed;
    enum hy_element element;
    struct hy_resize_params params;
    struct hy_resize_tap rows[SIDE], columns[SIDE];
    void *in;
    size_t count;
};

typedef void fill_fn(const struct hy_resize_axis *axis, struct hy_resize_tap *taps);

static void init(struct resize_case *c, uint64_t seed, enum hy_element element, fill_fn *fill)
{
    struct hy_random r = {seed * 8 + element};
    struct hy_resize_params *p = &c->params;
    const int32_t kind = hy_random_between(&r, 0, 2);

    *c = (struct resize_case){.seed = seed, .element = element};
    *p = (struct hy_resize_params){
        .batch = (size_t)hy_random_between(&r, 0, 2),
        .channels = (size_t)hy_random_between(&r, 1, 75),
        .in_h = (uint32_t)hy_random_between(&r, 1, 9),
        .in_w = (uint32_t)hy_random_between(&r, 1, 9),
        .out_h = (uint32_t)hy_random_between(&r, 1, SIDE),
        .out_w = (uint32_t)hy_random_between(&r, 1, SIDE),
        .rows = c->rows,
        .columns = c->columns,
    };
    fill(&(struct hy_resize_axis){p->in_h, p->out_h, kind == 1, kind == 2}, c->rows);
    fill(&(struct hy_resize_axis){p->in_w, p->out_w, kind == 1, kind == 2}, c->columns);
    c->count = p->batch * p->out_h * p->out_w * p->channels;
    c->in = tensor_random(&r, IN_SLOT, element, p->batch * p->in_h * p->in_w * p->channels);
}

static void check(const char *level, const struct resize_case *c, hy_resize_fn *reference,
                  hy_resize_fn *kernel)
{
    void *want = tensor_blank(WANT_SLOT, c->element, c->count);
    void *got = tensor_blank(OUT_SLOT, c->element, c->count);

    reference(&c->params, c->in, want);
    kernel(&c->params, c->in, got);
    size_t i = tensor_first_difference(c->element, want, got, c->count);
    if (i < c->count)
        hy_test_fail(__FILE__, __LINE__,
                     "%s seed %llu element %d: index %zu is %.9g, the reference has %.9g", level,
                     (unsigned long long)c->seed, (int)c->element, i, tensor_at(c->element, got, i),
                     tensor_at(c->element, want, i));
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

static void check_bilinear(enum hy_kernel_isa_level level)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8};
    const struct hy_kernel_table *table = tested_kernels_at(level);

    for (uint64_t seed = 0; table && seed < 300; seed++) {
        const enum hy_element element = elements[seed % 3];
        struct resize_case c;
        init(&c, seed, element, hy_resize_fill_bilinear);
        check(hy_kernel_isa_level_name(level), &c, hy_kernels_reference()->resize_bilinear[element],
              table->resize_bilinear[element]);
    }
}

/* Elements that are moved, by their size. */
static void check_nearest(enum hy_kernel_isa_level level)
{
    static const enum hy_element elements[] = {HY_ELEMENT_U8, HY_ELEMENT_U16, HY_ELEMENT_I32};
    const struct hy_kernel_table *table = tested_kernels_at(level);

    for (uint64_t seed = 0; table && seed < 600; seed++) {
        const int size = (int)(seed % 3);
        struct resize_case c;
        init(&c, seed, elements[size], hy_resize_fill_nearest);
        check(hy_kernel_isa_level_name(level), &c, hy_kernels_reference()->resize_nearest[size],
              table->resize_nearest[size]);
    }
}

TEST(kernels_resize, nearest_on_every_level_is_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        check_nearest((enum hy_kernel_isa_level)level);
}

TEST(kernels_resize, bilinear_on_every_level_is_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        check_bilinear((enum hy_kernel_isa_level)level);
}
