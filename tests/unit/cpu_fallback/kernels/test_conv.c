#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conv_case.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum {
    WANT_SLOT = 3,
    GOT_SLOT = 4,
    TURNED_SLOT = 7
}; /* the reference takes its output only, the others three */

/*
 * An evaluation of its own: every tap tested against the image's bounds, float64 for real numbers,
 * wide integers for quantised ones.
 */
struct sum {
    double real, magnitude;
    int64_t integer;
};

/* Filters of 8-bit convolutions have a type of their own. */
static enum hy_element filter_element(const struct conv_case *c)
{
    return c->element == HY_ELEMENT_U8_S8 ? HY_ELEMENT_S8 : c->element;
}

static void add_product(const struct conv_case *c, size_t in_at, size_t filter_at, struct sum *sum)
{
    if (c->element <= HY_ELEMENT_F16) {
        double product =
            tensor_at(c->element, c->in, in_at) * tensor_at(c->element, c->filter, filter_at);
        sum->real += product;
        sum->magnitude += fabs(product);
    } else {
        int value = (int)tensor_at(c->element, c->in, in_at);
        int weight = (int)tensor_at(filter_element(c), c->filter, filter_at);
        sum->integer += (value - c->params.in_zero_point) * (weight - c->params.filter_zero_point);
    }
}

static void add_tap(const struct conv_case *c, const size_t at[4], uint32_t i, uint32_t j,
                    struct sum *sum)
{
    const struct hy_conv_params *p = &c->params;
    int64_t y = (int64_t)at[1] * p->stride_h - p->pad_top + (int64_t)i * p->dilation_h;
    int64_t x = (int64_t)at[2] * p->stride_w - p->pad_left + (int64_t)j * p->dilation_w;
    if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w)
        return;

    size_t pixel = ((at[0] * p->in_h + (size_t)y) * p->in_w + (size_t)x) * p->in_c;
    size_t tap = (size_t)i * p->filter_w + j, taps = (size_t)p->filter_h * p->filter_w, o = at[3];
    if (c->depthwise)
        add_product(c, pixel + o / (p->out_c / p->in_c), tap * p->out_c + o, sum);
    for (size_t k = 0, depth = p->in_c / p->groups; !c->depthwise && k < depth; k++)
        add_product(c, pixel + o * p->groups / p->out_c * depth + k, (o * taps + tap) * depth + k,
                    sum);
}

static struct sum sum_at(const struct conv_case *c, size_t index)
{
    const struct hy_conv_params *p = &c->params;
    size_t pixel = index / p->out_c, row = pixel / p->out_w, o = index % p->out_c;
    size_t at[4] = {row / p->out_h, row % p->out_h, pixel % p->out_w, o};
    struct sum sum = {0};

    if (c->element <= HY_ELEMENT_F16)
        sum.magnitude = fabs(sum.real = tensor_at(c->element, c->bias, o));
    else
        sum.integer = ((const int32_t *)c->bias)[o];
    for (uint32_t i = 0; i < p->filter_h; i++)
        for (uint32_t j = 0; j < p->filter_w; j++)
            add_tap(c, at, i, j, &sum);
    return sum;
}

static int64_t floor_divide(__int128 value, int shift)
{
    __int128 unit = (__int128)1 << shift, quotient = value / unit;
    return (int64_t)(quotient - (value % unit < 0));
}

/* The two roundings, in division and remainder instead of shifts. */
static int expected_integer(const struct conv_case *c, int64_t sum, size_t o)
{
    const struct hy_conv_params *p = &c->params;
    struct hy_multiplier m = p->multipliers[o];
    int left = m.exponent > 0 ? m.exponent : 0, right = m.exponent < 0 ? -m.exponent : 0;
    int64_t high = floor_divide((__int128)sum * (1 << left) * m.mantissa + (1 << 30), 31);
    int64_t scaled = high;

    if (right && c->depthwise && high < 0)
        scaled = -floor_divide((__int128)-high + (1 << (right - 1)), right);
    else if (right)
        scaled = floor_divide((__int128)high + (1 << (right - 1)), right);
    scaled += p->out_zero_point;
    return (int)(scaled < p->activation.q_min   ? p->activation.q_min
                 : scaled > p->activation.q_max ? p->activation.q_max
                                                : scaled);
}

static double clamp(double value, double min, double max)
{
    return value < min ? min : value > max ? max : value;
}

/* How far a kernel may be from the exact value: order of sums; for halves also the final rounding.
 */
static double tolerance(const struct conv_case *c, const struct sum *sum, double value)
{
    return sum->magnitude * 1e-5 + (c->element == HY_ELEMENT_F16 ? fabs(value) * 0x1p-11 : 0) +
           0x1p-25;
}

static void expect_exact_value(const struct conv_case *c, const void *out, size_t i)
{
    const struct hy_conv_params *p = &c->params;
    struct sum sum = sum_at(c, i);
    double want, got = tensor_at(c->element, out, i), allowed = 0;
    char text[256];

    if (c->element <= HY_ELEMENT_F16) {
        want = clamp(sum.real, p->activation.min, p->activation.max);
        allowed = tolerance(c, &sum, want);
    } else {
        want = expected_integer(c, sum.integer, i % p->out_c);
    }
    if (fabs(want - got) <= allowed)
        return;
    conv_case_describe(c, text, sizeof text);
    hy_test_fail(__FILE__, __LINE__, "%s: index %zu is %.9g, expected %.9g", text, i, got, want);
}

static const struct hy_conv_kernel *kernel_of(const struct hy_kernel_table *table,
                                              const struct conv_case *c)
{
    return c->depthwise           ? &table->depthwise_conv[c->element]
           : c->params.groups > 1 ? &table->grouped_conv[c->element]
                                  : &table->conv[c->element];
}

static void check_reference(enum hy_element element, int depthwise, int cases)
{
    for (int seed = 0; seed < cases; seed++) {
        struct conv_case c;
        conv_case_init(&c, (uint64_t)seed, element, depthwise);
        const void *out = conv_case_run(&c, kernel_of(hy_kernels_reference(), &c), WANT_SLOT);
        for (size_t i = 0; i < c.out_count; i += 1 + c.out_count / 300)
            expect_exact_value(&c, out, i);
        EXPECT(guarded_front_is_intact(WANT_SLOT));
    }
}

TEST(kernels_conv, reference_is_the_formula)
{
    for (int depthwise = 0; depthwise < 2; depthwise++) {
        check_reference(HY_ELEMENT_F32, depthwise, 60);
        check_reference(HY_ELEMENT_F16, depthwise, 30);
        check_reference(HY_ELEMENT_U8, depthwise, 60);
        check_reference(HY_ELEMENT_S8, depthwise, 60);
        check_reference(HY_ELEMENT_U8_S8, depthwise, 60);
    }
}

/* Sums that leave 32 bits by their bias, and multipliers that bring them back to a byte. */
static void check_large_sums(uint64_t seed, enum hy_element element, int depthwise)
{
    struct hy_random r = {seed};
    struct conv_case c;

    conv_case_init(&c, seed, element, depthwise);
    for (uint32_t o = 0; o < c.params.out_c; o++) {
        ((int32_t *)c.bias)[o] = hy_random_one_in(&r, 2)
                                     ? INT32_MAX - hy_random_between(&r, 0, 999)
                                     : INT32_MIN + hy_random_between(&r, 0, 999);
        c.multipliers[o].exponent = hy_random_between(&r, -26, -22);
    }
    const void *out = conv_case_run(&c, kernel_of(hy_kernels_reference(), &c), WANT_SLOT);
    for (size_t i = 0; i < c.out_count; i += 1 + c.out_count / 300)
        expect_exact_value(&c, out, i);
}

TEST(kernels_conv, reference_sums_are_exact_beyond_32_bits)
{
    for (int depthwise = 0; depthwise < 2; depthwise++)
        for (uint64_t seed = 0; seed < 60; seed++) {
            check_large_sums(seed, HY_ELEMENT_U8, depthwise);
            check_large_sums(seed, HY_ELEMENT_S8, depthwise);
            check_large_sums(seed, HY_ELEMENT_U8_S8, depthwise);
        }
}

/* The first index where two results differ by more than allowed; out_count if none. */
static size_t first_difference(const struct conv_case *c, const void *want, const void *got)
{
    if (c->element != HY_ELEMENT_F32)
        return tensor_first_difference(c->element, want, got, c->out_count);
    for (size_t i = 0; i < c->out_count; i++) {
        double difference = fabs((double)((const float *)want)[i] - ((const float *)got)[i]);
        if (difference <= 1e-7)
            continue;
        struct sum sum = sum_at(c, i);
        if (!(difference <= 1e-5 * sum.magnitude))
            return i;
    }
    return c->out_count;
}

static void expect_same(const struct conv_case *c, const char *name, const void *want,
                        const void *got)
{
    size_t i = first_difference(c, want, got);
    char text[256];

    if (i == c->out_count)
        return;
    conv_case_describe(c, text, sizeof text);
    hy_test_fail(__FILE__, __LINE__, "%s %s: index %zu is %.9g, the reference has %.9g", name, text,
                 i, tensor_at(c->element, got, i), tensor_at(c->element, want, i));
}

static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8,
                                           HY_ELEMENT_U8_S8};

enum { ELEMENTS = sizeof elements / sizeof *elements };

/* The kernel for a case that the level has for itself; NULL if it has none that suits. */
static const struct hy_conv_kernel *own_kernel(int level, const struct conv_case *c)
{
    const struct hy_kernel_table *table = tested_kernels_at(level);
    const struct hy_conv_kernel *kernel = table ? kernel_of(table, c) : NULL;

    if (!kernel || !tested_is_own(level, kernel, sizeof *kernel))
        return NULL;
    return !kernel->suits || kernel->suits(&c->params) ? kernel : NULL;
}

static void check_case(const struct conv_case *c)
{
    const void *want = NULL;

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = own_kernel(level, c);
        if (!kernel)
            continue;
        if (!want)
            want = conv_case_run(c, kernel_of(hy_kernels_reference(), c), WANT_SLOT);
        expect_same(c, kernel->name, want, conv_case_run(c, kernel, GOT_SLOT));
        EXPECT(guarded_front_is_intact(GOT_SLOT));
    }
}

TEST(kernels_conv, every_level_is_as_the_reference)
{
    for (int depthwise = 0; depthwise < 2; depthwise++)
        for (int i = 0; i < (depthwise ? 1000 : 1500); i++) {
            struct conv_case c;
            conv_case_init(&c, 1000 + (uint64_t)i, elements[i % ELEMENTS], depthwise);
            check_case(&c);
        }
}

TEST(kernels_conv, depthwise_filters_of_three_are_as_the_reference)
{
    for (int i = 0; i < 1200; i++) {
        struct conv_case c;
        conv_case_init_depthwise_three(&c, (uint64_t)i, elements[1 + i % (ELEMENTS - 1)]);
        check_case(&c);
    }
}

TEST(kernels_conv, layers_of_bytes_are_as_the_reference)
{
    for (int i = 0; i < 400; i++) {
        struct conv_case c;
        conv_case_init_layer(&c, (uint64_t)i, elements[1 + i % (ELEMENTS - 1)]);
        check_case(&c);
    }
}

TEST(kernels_conv, long_lines_are_as_the_reference)
{
    for (int i = 0; i < 6; i++) {
        struct conv_case c;
        conv_case_init_long_lines(&c, (uint64_t)i, elements[1 + i % (ELEMENTS - 1)]);
        check_case(&c);
    }
}

TEST(kernels_conv, groups_of_many_channels_are_as_the_reference)
{
    for (int i = 0; i < 300; i++) {
        struct conv_case c;
        conv_case_init_grouped(&c, (uint64_t)i, elements[i % ELEMENTS]);
        check_case(&c);
    }
}

TEST(kernels_conv, depthwise_multipliers_are_as_the_reference)
{
    for (int i = 0; i < 800; i++) {
        struct conv_case c;
        conv_case_init_multiplied(&c, (uint64_t)i, elements[i % ELEMENTS]);
        check_case(&c);
    }
}

TEST(kernels_conv, every_level_has_depthwise_kernels_for_multipliers)
{
    for (int i = 0; i < ELEMENTS; i++)
        for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
            const struct hy_kernel_table *table = tested_kernels_at(level);
            struct conv_case c;
            conv_case_init_multiplied(&c, (uint64_t)i, elements[i]);
            if (table && tested_is_own(level, kernel_of(table, &c), sizeof(struct hy_conv_kernel)))
                EXPECT(own_kernel(level, &c) != NULL);
        }
}

TEST(kernels_conv, dilated_depthwise_filters_of_three_are_as_the_reference)
{
    for (int i = 0; i < 800; i++) {
        struct conv_case c;
        conv_case_init_dilated_three(&c, (uint64_t)i, elements[i % ELEMENTS]);
        check_case(&c);
    }
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

static void check_packing(const struct conv_case *c)
{
    struct hy_conv_params other = c->params;

    other.batch++;
    other.in_h = other.in_w = 9;
    other.out_h = other.out_w = 1;
    other.stride_h = 4 - other.stride_h;
    other.stride_w += 2;
    other.dilation_h = 3 - other.dilation_h % 3;
    other.dilation_w++;
    other.pad_top = other.pad_left = 0;
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = own_kernel(level, c);
        size_t bytes, other_bytes;
        if (!kernel || !kernel->pack)
            continue;
        uint8_t *packed = pack_case(c, kernel, &c->params, &bytes);
        uint8_t *other_packed = pack_case(c, kernel, &other, &other_bytes);
        EXPECT(other_bytes == bytes && memcmp(packed, other_packed, bytes) == 0);
        free(packed);
        free(other_packed);
    }
}

/* A model may leave the image open, or the strides: weights are packed once for all. */
TEST(kernels_conv, packed_weights_serve_any_image_stride_and_dilation)
{
    for (int seed = 0; seed < 400; seed++) {
        struct conv_case c;
        conv_case_init(&c, 9000 + (uint64_t)seed, elements[seed % ELEMENTS], seed / ELEMENTS % 2);
        check_packing(&c);
        if (elements[seed % ELEMENTS] == HY_ELEMENT_F32)
            continue;
        conv_case_init_depthwise_three(&c, (uint64_t)seed, elements[seed % ELEMENTS]);
        check_packing(&c);
    }
}

/* [channels, depth] as [depth, channels], where an unmapped page follows. */
static const float *turned(const float *filter, size_t channels, size_t depth)
{
    float *out = guarded_alloc(TURNED_SLOT, channels * depth * sizeof *out, 0);

    for (size_t channel = 0; channel < channels; channel++)
        for (size_t k = 0; k < depth; k++)
            out[k * channels + channel] = filter[channel * depth + k];
    return out;
}

static void check_turned(const struct conv_case *c, uint32_t depth)
{
    struct conv_case other = *c;

    other.filter = (void *)turned(c->filter, c->params.out_c, depth);
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = own_kernel(level, c);
        size_t bytes;
        if (!kernel || !kernel->pack_transposed)
            continue;
        struct hy_conv_kernel turning = *kernel;
        turning.pack = kernel->pack_transposed;
        uint8_t *packed = pack_case(c, kernel, &c->params, &bytes);
        uint8_t *got = pack_case(&other, &turning, &c->params, &bytes);
        if (memcmp(packed, got, bytes) != 0)
            hy_test_fail(__FILE__, __LINE__, "level %d, %u channels of depth %u", level,
                         c->params.out_c, depth);
        free(packed);
        free(got);
    }
}

TEST(kernels_conv, a_turned_filter_is_packed_to_the_same_bytes)
{
    for (uint32_t seed = 0; seed < 200; seed++) {
        const uint32_t depth = 1 + seed % 23, channels = 1 + seed * 7 % 150;
        struct conv_case c;
        conv_case_init_rows(&c, seed, HY_ELEMENT_F32, 4, depth, channels);
        check_turned(&c, depth);
    }
}

/* What every channel has besides is little where there are many inputs. */
TEST(kernels_conv, bytes_are_packed_as_bytes)
{
    const uint32_t inputs = 256, units = 64;

    for (size_t i = 1; i < ELEMENTS; i++) {
        struct conv_case c;
        conv_case_init_rows(&c, i, elements[i], 1, inputs, units);
        for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
            const struct hy_conv_kernel *kernel = own_kernel(level, &c);
            if (kernel)
                EXPECT(kernel->packed_bytes(&c.params) <= inputs * units * 5 / 4);
        }
    }
}

/* A panel at a time. */
static void check_panels(struct conv_case *c)
{
    const void *want = conv_case_run(c, kernel_of(hy_kernels_reference(), c), WANT_SLOT);

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = own_kernel(level, c);
        if (!kernel || !kernel->panel)
            continue;
        c->params.block = kernel->panel;
        expect_same(c, kernel->name, want, conv_case_run_in_parts(c, kernel, GOT_SLOT, 1));
        EXPECT(guarded_front_is_intact(GOT_SLOT));
    }
}

TEST(kernels_conv, a_single_row_is_as_the_reference)
{
    static const uint32_t units[] = {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130};

    for (uint32_t inputs = 0; inputs <= 67; inputs++)
        for (size_t i = 0; i < ELEMENTS * sizeof units / sizeof *units; i++) {
            struct conv_case c;
            conv_case_init_rows(&c, inputs * 100 + i, elements[i % ELEMENTS], 1, inputs,
                                units[i / ELEMENTS]);
            check_case(&c);
            check_panels(&c);
        }
}

/* The last panel has all widths there are, for whole tiles of rows and for those that are left. */
TEST(kernels_conv, every_count_of_channels_is_as_the_reference)
{
    for (uint32_t channels = 1; channels <= 70; channels++)
        for (size_t i = 0; i < ELEMENTS; i++) {
            struct conv_case c;
            conv_case_init_rows(&c, channels, elements[i], 21, channels % 7 * 5 + 1, channels);
            check_case(&c);
        }
}

/* However the channels are blocked, and wherever the units are parted: the sums are the same. */
static void check_blocks(int level, enum hy_element element)
{
    for (int seed = 0; seed < 300; seed++) {
        struct conv_case c;
        conv_case_init(&c, (uint64_t)seed, element, 0);
        const struct hy_conv_kernel *kernel = own_kernel(level, &c);
        if (!kernel || !kernel->panel)
            continue;
        const size_t bytes = c.out_count * c.out_element_size;
        void *want = malloc(bytes + 1);
        memcpy(want, conv_case_run(&c, kernel, WANT_SLOT), bytes);
        for (uint32_t block = kernel->panel; block < c.params.out_c + kernel->panel;
             block += kernel->panel) {
            c.params.block = block;
            EXPECT(memcmp(conv_case_run(&c, kernel, WANT_SLOT), want, bytes) == 0);
        }
        free(want);
    }
}

TEST(kernels_conv, every_block_gives_the_same_bits)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int i = 0; i < ELEMENTS; i++)
            check_blocks(level, elements[i]);
}

/* Tiles that follow each other may be worked on together: what they share is not to be seen. */
static void check_parts(const struct conv_case *c, const struct hy_conv_kernel *kernel)
{
    const size_t bytes = c->out_count * c->out_element_size;
    void *want = malloc(bytes + 1);

    memcpy(want, conv_case_run_in_parts(c, kernel, WANT_SLOT, SIZE_MAX), bytes);
    for (size_t most = 1; most <= 5; most++)
        EXPECT(memcmp(conv_case_run_in_parts(c, kernel, WANT_SLOT, most), want, bytes) == 0);
    free(want);
}

static void check_parts_of_cases(int level, enum hy_element element)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct conv_case c;
        conv_case_init(&c, 5000 + seed, element, 0);
        const struct hy_conv_kernel *kernel = own_kernel(level, &c);
        if (kernel)
            check_parts(&c, kernel);
        if (seed % 2 == 0)
            conv_case_init_multiplied(&c, 5000 + seed, element);
        else
            conv_case_init(&c, 5000 + seed, element, 1);
        kernel = own_kernel(level, &c);
        if (kernel)
            check_parts(&c, kernel);
    }
}

TEST(kernels_conv, units_in_any_parts_give_the_same_bits)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int i = 0; i < ELEMENTS; i++)
            check_parts_of_cases(level, elements[i]);
}
