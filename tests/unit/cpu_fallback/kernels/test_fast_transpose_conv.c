/* TRANSPOSE_CONV_2D of all instruction sets against the reference kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conv_case.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { WANT_SLOT = 3, GOT_SLOT = 4, MAGNITUDE_SLOT = 7 };

static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8,
                                           HY_ELEMENT_U8_S8};

enum { ELEMENTS = sizeof elements / sizeof *elements };

static const struct hy_conv_kernel *reference_for(const struct conv_case *c)
{
    return &hy_kernels_reference()->transpose_conv[c->element];
}

/* The kernel that the level has for itself; NULL if it has none that suits. */
static const struct hy_conv_kernel *own_kernel(int level, const struct conv_case *c)
{
    const struct hy_kernel_table *table = tested_kernels_at(level);
    const struct hy_conv_kernel *kernel = table ? &table->transpose_conv[c->element] : NULL;

    if (!kernel || !kernel->pack || !tested_is_own(level, kernel, sizeof *kernel))
        return NULL;
    return kernel->suits(&c->params) ? kernel : NULL;
}

static void make_magnitudes(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = fabsf(values[i]);
}

/* Sums of magnitudes of all terms, for each output. The tensors of the case are used up. */
static const float *magnitudes_of(struct conv_case *c)
{
    make_magnitudes(c->in, c->in_count);
    make_magnitudes(c->filter, c->filter_count);
    make_magnitudes(c->bias, c->params.out_c);
    c->params.activation.min = -INFINITY;
    c->params.activation.max = INFINITY;
    return conv_case_run(c, reference_for(c), MAGNITUDE_SLOT);
}

/* docs/numerics.md, for both: an output of n terms is off by (n + 1) 2^-24 of their magnitudes. */
static double allowed_for(const struct conv_case *c, double magnitude)
{
    const struct hy_conv_params *p = &c->params;
    const double terms = (double)p->filter_h * p->filter_w * p->in_c + 1;

    return 2 * (terms + 1) * 0x1p-24 * magnitude;
}

static void expect_near(struct conv_case *c, const float *want, const float *got)
{
    char text[256];

    conv_case_describe(c, text, sizeof text);
    const float *magnitudes = magnitudes_of(c);
    for (size_t i = 0; i < c->out_count; i++)
        if (!(fabs((double)want[i] - got[i]) <= allowed_for(c, magnitudes[i])))
            hy_test_fail(__FILE__, __LINE__, "%s: index %zu is %.9g, the reference has %.9g", text,
                         i, got[i], want[i]);
}

static void expect_same(const struct conv_case *c, const void *want, const void *got)
{
    const size_t i = tensor_first_difference(c->element, want, got, c->out_count);
    char text[256];

    if (i == c->out_count)
        return;
    conv_case_describe(c, text, sizeof text);
    hy_test_fail(__FILE__, __LINE__, "%s: index %zu is %.9g, the reference has %.9g", text, i,
                 tensor_at(c->element, got, i), tensor_at(c->element, want, i));
}

static void check_case(int level, uint64_t seed, enum hy_element element)
{
    struct conv_case c;

    conv_case_init_transposed(&c, seed, element);
    const struct hy_conv_kernel *kernel = own_kernel(level, &c);
    if (!kernel)
        return;
    const void *want = conv_case_run(&c, reference_for(&c), WANT_SLOT);
    const void *got = conv_case_run(&c, kernel, GOT_SLOT);
    EXPECT(guarded_front_is_intact(GOT_SLOT));
    if (element == HY_ELEMENT_F32)
        expect_near(&c, want, got);
    else
        expect_same(&c, want, got);
}

TEST(kernels_fast_transpose_conv, every_level_is_as_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < 2000; seed++)
            check_case(level, seed, elements[seed % ELEMENTS]);
}

/* What is computed together with an output does not get into it: only inputs that reach it do. */
static void check_infinite_input(int level, uint64_t seed)
{
    struct hy_random r = {seed};
    struct conv_case c;

    conv_case_init_transposed(&c, seed, HY_ELEMENT_F32);
    const struct hy_conv_kernel *kernel = own_kernel(level, &c);
    if (!kernel || c.in_count == 0)
        return;
    ((float *)c.in)[hy_random_between(&r, 0, (int32_t)c.in_count - 1)] =
        hy_random_one_in(&r, 2) ? INFINITY : NAN;
    const float *want = conv_case_run(&c, reference_for(&c), WANT_SLOT);
    const float *got = conv_case_run(&c, kernel, GOT_SLOT);
    for (size_t i = 0; i < c.out_count; i++)
        EXPECT(isnan(want[i]) == isnan(got[i]) &&
               (isnan(got[i]) || fabsf(want[i] - got[i]) < 1e-4f));
}

TEST(kernels_fast_transpose_conv, infinite_inputs_reach_what_they_reach_in_the_reference)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 5000; seed < 5300; seed++)
            check_infinite_input(level, seed);
}

/* However units are parted and channels are blocked. */
static void check_parts(int level, uint64_t seed, enum hy_element element)
{
    struct conv_case c;

    conv_case_init_transposed(&c, seed, element);
    const struct hy_conv_kernel *kernel = own_kernel(level, &c);
    if (!kernel)
        return;
    const size_t bytes = c.out_count * c.out_element_size;
    void *want = malloc(bytes + 1);
    memcpy(want, conv_case_run_in_parts(&c, kernel, WANT_SLOT, SIZE_MAX), bytes);
    for (size_t most = 1; most <= 3; most++) {
        c.params.block = (uint32_t)(most - 1) * kernel->panel;
        EXPECT(memcmp(conv_case_run_in_parts(&c, kernel, WANT_SLOT, most), want, bytes) == 0);
    }
    free(want);
}

TEST(kernels_fast_transpose_conv, parts_and_blocks_give_the_same_bits)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 6000; seed < 6400; seed++)
            check_parts(level, seed, elements[seed % ELEMENTS]);
}

/* As `params` say, on zeros. */
static uint8_t *pack_case(const struct conv_case *c, const struct hy_conv_kernel *kernel,
                          const struct hy_conv_params *params, size_t *bytes)
{
    *bytes = kernel->packed_bytes(params);
    uint8_t *packed = aligned_alloc(HY_KERNEL_ALIGNMENT,
                                    (*bytes / HY_KERNEL_ALIGNMENT + 1) * HY_KERNEL_ALIGNMENT);
    memset(packed, 0, *bytes);
    kernel->pack(params, c->filter, c->bias, packed);
    return packed;
}

/* Another image with the same strides. */
static void check_layout(int level, uint64_t seed, enum hy_element element)
{
    struct conv_case c;
    size_t bytes, other_bytes;

    conv_case_init_transposed(&c, seed, element);
    const struct hy_conv_kernel *kernel = own_kernel(level, &c);
    if (!kernel)
        return;
    struct hy_conv_params other = c.params;
    other.batch++;
    other.in_h += 3;
    other.in_w += 2;
    other.out_h += 5;
    other.out_w += 3 * other.stride_w;
    other.pad_top = 0;
    EXPECT(hy_conv_layout(kernel, &other) == hy_conv_layout(kernel, &c.params));
    uint8_t *packed = pack_case(&c, kernel, &c.params, &bytes);
    uint8_t *other_packed = pack_case(&c, kernel, &other, &other_bytes);
    EXPECT(other_bytes == bytes && memcmp(packed, other_packed, bytes) == 0);
    free(packed);
    free(other_packed);
}

TEST(kernels_fast_transpose_conv, packed_weights_serve_any_image_of_their_layout)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 7000; seed < 7200; seed++)
            check_layout(level, seed, elements[seed % ELEMENTS]);
}

/* Strides of the same product: as many bytes, and other phases. */
TEST(kernels_fast_transpose_conv, strides_have_layouts_of_their_own)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        struct conv_case c;
        conv_case_init_transposed(&c, 1, HY_ELEMENT_F32);
        c.params.filter_h = c.params.filter_w = 2;
        c.params.stride_h = 1;
        c.params.stride_w = 2;
        const struct hy_conv_kernel *kernel = own_kernel(level, &c);
        if (!kernel)
            continue;
        const uint32_t layout = hy_conv_layout(kernel, &c.params);
        c.params.stride_h = 2;
        c.params.stride_w = 1;
        EXPECT(hy_conv_layout(kernel, &c.params) != layout);
    }
}

/* What the kernel leaves to the reference: holes between outputs, and pads of whole pixels. */
TEST(kernels_fast_transpose_conv, only_phases_that_have_taps_suit)
{
    const struct hy_kernel_table *table = hy_kernels_fast();
    const struct hy_conv_kernel *kernel = &table->transpose_conv[HY_ELEMENT_F32];
    struct hy_conv_params p = {.batch = 1,
                               .in_h = 4,
                               .in_w = 4,
                               .in_c = 8,
                               .out_h = 8,
                               .out_w = 8,
                               .out_c = 8,
                               .filter_h = 2,
                               .filter_w = 2,
                               .stride_h = 2,
                               .stride_w = 2,
                               .dilation_h = 1,
                               .dilation_w = 1,
                               .groups = 1};

    if (!kernel->suits)
        return;
    EXPECT(kernel->suits(&p));
    p.stride_h = 3;
    EXPECT(!kernel->suits(&p));
    p.stride_h = 2;
    p.stride_w = 3;
    EXPECT(!kernel->suits(&p));
    p.stride_w = 2;
    p.pad_left = 1;
    EXPECT(!kernel->suits(&p));
}
