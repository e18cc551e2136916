/*
 * Minimal filtering against the reference, whose sums are direct.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "conv_case.h"
#include "guarded.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { SLOT = 3 }; /* and two more */

/* The kernel that a level has for itself for an element type, or NULL. */
static const struct hy_conv_kernel *kernel_for(int level, enum hy_element element)
{
    const struct hy_kernel_table *table = tested_kernels_at(level);
    const struct hy_conv_kernel *kernel = table ? &table->winograd_conv[element] : NULL;

    return kernel && kernel->run && tested_is_own(level, kernel, sizeof *kernel) ? kernel : NULL;
}

static const struct hy_conv_kernel *kernel_at(int level)
{
    return kernel_for(level, HY_ELEMENT_F32);
}

/* Values are below 1 and so are weights: an error of each sum over a tile. */
static double tolerance(const struct conv_case *c)
{
    return 4e-7 * (9.0 * c->params.in_c + 1);
}

static bool is_same(float want, float got, double allowed)
{
    if (isnan(want))
        return isnan(got);
    return want == got || fabs((double)want - got) <= allowed;
}

static void expect_same(const struct conv_case *c, const char *name, const float *want,
                        const float *got, double allowed)
{
    char text[256];

    for (size_t i = 0; i < c->out_count; i++) {
        if (is_same(want[i], got[i], allowed))
            continue;
        conv_case_describe(c, text, sizeof text);
        hy_test_fail(__FILE__, __LINE__, "%s %s: index %zu is %.9g, the reference has %.9g", name,
                     text, i, (double)got[i], (double)want[i]);
        return;
    }
}

static void check(const struct conv_case *c, const struct hy_conv_kernel *kernel,
                  const struct hy_conv_kernel *other)
{
    const size_t bytes = c->out_count * sizeof(float);
    float *want = malloc(bytes + 1);

    memcpy(want, conv_case_run(c, other, SLOT), bytes);
    const float *got = conv_case_run(c, kernel, SLOT);
    EXPECT(kernel->suits(&c->params));
    expect_same(c, kernel->name, want, got, tolerance(c));
    EXPECT(guarded_front_is_intact(SLOT));
    free(want);
}

/* Compares at every level, with the reference or the direct kernel of the level, after `make` has
 * spoiled a case. */
static void check_isa_levels(int cases, void (*make)(struct hy_random *, struct conv_case *),
                             bool direct)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = kernel_at(level);
        for (int seed = 0; kernel && seed < cases; seed++) {
            struct hy_random r = {(uint64_t)seed + 77};
            struct conv_case c;
            conv_case_init_three(&c, (uint64_t)seed, HY_ELEMENT_F32);
            if (make)
                make(&r, &c);
            const int other = direct ? level : HY_KERNEL_REFERENCE;
            check(&c, kernel,
                  &hy_kernels_at((enum hy_kernel_isa_level)other)->conv[HY_ELEMENT_F32]);
        }
    }
}

TEST(kernels_winograd_conv, every_level_is_as_the_reference)
{
    check_isa_levels(600, NULL, false);
}

/* ---- What is not finite ---------------------------------------------------------------------- */

static float *element_of(struct hy_random *r, void *values, size_t count)
{
    return (float *)values + hy_random_next(r) % count;
}

static void put_infinities(struct hy_random *r, struct conv_case *c)
{
    static const float values[] = {INFINITY, -INFINITY, NAN};

    for (int i = hy_random_between(r, 1, 3); i > 0 && c->in_count > 0; i--)
        *element_of(r, c->in, c->in_count) = values[hy_random_between(r, 0, 2)];
    if (hy_random_one_in(r, 2)) /* infinity times zero is no number */
        *element_of(r, c->filter, c->filter_count) = 0;
}

TEST(kernels_winograd_conv, infinities_reach_no_output_but_those_above_them)
{
    check_isa_levels(300, put_infinities, false);
}

static void put_infinite_weights(struct hy_random *r, struct conv_case *c)
{
    *element_of(r, c->filter, c->filter_count) = hy_random_one_in(r, 2) ? INFINITY : NAN;
    if (hy_random_one_in(r, 2))
        *element_of(r, c->bias, c->params.out_c) = -INFINITY;
}

/* To the direct kernels padding is zero times the weight, which is no number then; the reference
 * leaves it out. */
TEST(kernels_winograd_conv, infinite_weights_reach_their_channel_only)
{
    check_isa_levels(200, put_infinite_weights, true);
}

/* Inputs near the largest float, weights so small that sums are ordinary. */
static void put_largest(struct hy_random *r, struct conv_case *c)
{
    for (size_t i = 0; i < c->in_count; i++)
        ((float *)c->in)[i] = hy_random_one_in(r, 2) ? FLT_MAX : -FLT_MAX;
    for (size_t i = 0; i < c->filter_count; i++)
        ((float *)c->filter)[i] *= 0x1p-128f;
}

TEST(kernels_winograd_conv, differences_may_exceed_the_largest_float)
{
    check_isa_levels(200, put_largest, false);
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

static void check_parts(const struct conv_case *c, const struct hy_conv_kernel *kernel)
{
    const size_t bytes = c->out_count * c->out_element_size;
    void *want = malloc(bytes + 1);

    memcpy(want, conv_case_run_in_parts(c, kernel, SLOT, SIZE_MAX), bytes);
    for (size_t most = 1; most <= 5; most++)
        EXPECT(memcmp(conv_case_run_in_parts(c, kernel, SLOT, most), want, bytes) == 0);
    free(want);
}

TEST(kernels_winograd_conv, units_in_any_parts_give_the_same_bits)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = kernel_at(level);
        for (int seed = 0; kernel && seed < 300; seed++) {
            struct hy_random r = {(uint64_t)seed};
            struct conv_case c;
            conv_case_init_three(&c, 5000 + (uint64_t)seed, HY_ELEMENT_F32);
            if (seed % 3 == 0)
                put_infinities(&r, &c);
            check_parts(&c, kernel);
        }
    }
}

/* ---- Error ----------------------------------------------------------------------------------- */

/* Normally distributed, roughly: a sum of twelve. */
static void put_normal(struct hy_random *r, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = 0;
        for (int k = 0; k < 12; k++)
            values[i] += hy_random_real(r, -1, 1) / 2;
    }
}

/* The exact sum of an output that lies inside the image, without padding, and of its magnitudes. */
static double exact_sum(const struct conv_case *c, size_t pixel, size_t o, double *magnitude)
{
    const struct hy_conv_params *p = &c->params;
    const size_t y = pixel / p->out_w, x = pixel % p->out_w;
    double sum = ((const float *)c->bias)[o];

    *magnitude = fabs(sum);
    for (size_t tap = 0; tap < 9; tap++) {
        const float *in = (const float *)c->in + ((y + tap / 3) * p->in_w + x + tap % 3) * p->in_c;
        const float *filter = (const float *)c->filter + (o * 9 + tap) * p->in_c;
        for (size_t k = 0; k < p->in_c; k++) {
            sum += (double)in[k] * filter[k];
            *magnitude += fabs((double)in[k] * filter[k]);
        }
    }
    return sum;
}

/* The largest error of any output, in parts of the magnitudes that it adds up. */
static double worst_error(const struct conv_case *c, const float *got)
{
    double worst = 0;

    for (size_t i = 0; i < c->out_count; i++) {
        double magnitude;
        const double sum = exact_sum(c, i / c->params.out_c, i % c->params.out_c, &magnitude);
        worst = fmax(worst, fabs(sum - (double)got[i]) / magnitude);
    }
    return worst;
}

static void init_normal(struct conv_case *c, uint32_t channels)
{
    struct hy_random r = {channels};
    struct hy_conv_params *p = &c->params;

    do
        conv_case_init_three(c, hy_random_next(&r), HY_ELEMENT_F32);
    while (c->in_count < 100);
    *p = (struct hy_conv_params){1, 10, 10, channels, 8, 8, 16, 3, 3, 1, 1, 1, 1, .groups = 1};
    p->activation = (struct hy_activation){.min = -INFINITY, .max = INFINITY};
    c->out_count = (size_t)8 * 8 * 16;
    c->in = guarded_alloc(0, sizeof(float) * 100 * channels, 0);
    c->filter = guarded_alloc(1, sizeof(float) * 9 * 16 * channels, 0);
    c->bias = guarded_alloc(2, sizeof(float) * 16, 0);
    put_normal(&r, c->in, (size_t)100 * channels);
    put_normal(&r, c->filter, (size_t)9 * 16 * channels);
}

/* Of every 20 pixels one is 10 000 times as large, all its channels. */
static void put_large_pixels(struct conv_case *c)
{
    const uint32_t channels = c->params.in_c;

    for (uint32_t pixel = 7; pixel < 100; pixel += 20)
        for (uint32_t k = 0; k < channels; k++)
            ((float *)c->in)[pixel * channels + k] *= 1e4f;
}

static void check_errors(bool has_large_pixels, double allowed)
{
    for (uint32_t channels = 16; channels <= 512; channels *= 2) {
        struct conv_case c;
        init_normal(&c, channels);
        if (has_large_pixels)
            put_large_pixels(&c);
        for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
            const struct hy_conv_kernel *kernel = kernel_at(level);
            if (kernel)
                EXPECT(worst_error(&c, conv_case_run(&c, kernel, SLOT)) < allowed);
        }
    }
}

/* As docs/numerics.md tells it. */
TEST(kernels_winograd_conv, errors_are_a_few_roundings_of_the_magnitudes)
{
    check_errors(false, 3e-7);
}

TEST(kernels_winograd_conv, large_inputs_do_not_disturb_their_neighbours)
{
    check_errors(true, 7e-7);
}

/* ---- Bytes and shorts ------------------------------------------------------------------------ */

static const enum hy_element integers[] = {HY_ELEMENT_U8, HY_ELEMENT_S8, HY_ELEMENT_U8_S8,
                                           HY_ELEMENT_S16};

enum { INTEGER_TYPES = sizeof integers / sizeof *integers };

static int integer_at(const struct conv_case *c, const void *values, size_t i)
{
    return c->out_element_size == 2 ? ((const int16_t *)values)[i] : ((const uint8_t *)values)[i];
}

/* The results of the reference, which the caller frees. */
static void *reference_results(const struct conv_case *c)
{
    const size_t bytes = c->out_count * c->out_element_size;
    void *want = malloc(bytes + 1);

    memcpy(want, conv_case_run(c, &hy_kernels_reference()->conv[c->element], SLOT), bytes);
    return want;
}

static void expect_integers(const struct conv_case *c, const struct hy_conv_kernel *kernel,
                            const void *want, size_t units)
{
    const void *got = conv_case_run_in_parts(c, kernel, SLOT, units);
    char text[256];

    for (size_t i = 0; i < c->out_count; i++) {
        if (integer_at(c, want, i) == integer_at(c, got, i))
            continue;
        conv_case_describe(c, text, sizeof text);
        hy_test_fail(__FILE__, __LINE__, "%s %s: index %zu is %d, the reference has %d",
                     kernel->name, text, i, integer_at(c, got, i), integer_at(c, want, i));
        break;
    }
    EXPECT(guarded_front_is_intact(SLOT));
}

/* How many levels have a kernel for the type. */
static unsigned count_isa_levels_with(enum hy_element element)
{
    unsigned level_count = 0;

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        level_count += kernel_for(level, element) != NULL;
    return level_count;
}

/* How many of them have one that suits. */
static unsigned count_isa_levels_that_suit(const struct conv_case *c)
{
    unsigned level_count = 0;

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = kernel_for(level, c->element);
        level_count += kernel && kernel->suits(&c->params);
    }
    return level_count;
}

/* At every level that suits; gives how many hold the sums, which is all of them or none. */
static unsigned check_integers(const struct conv_case *c, size_t units)
{
    void *want = reference_results(c);
    unsigned held = 0;

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = kernel_for(level, c->element);
        if (!kernel || !kernel->suits(&c->params) || !kernel->holds(&c->params, c->filter))
            continue;
        expect_integers(c, kernel, want, units);
        held++;
    }
    free(want);
    EXPECT(held == 0 || held == count_isa_levels_that_suit(c));
    return held;
}

TEST(kernels_winograd_conv, integers_are_those_of_the_reference)
{
    for (int i = 0; i < INTEGER_TYPES && count_isa_levels_with(integers[i]) > 0; i++) {
        unsigned held = 0, suited = 0;
        for (uint64_t seed = 0; seed < 300; seed++) {
            struct conv_case c;
            conv_case_init_three(&c, seed, integers[i]);
            suited += count_isa_levels_that_suit(&c) > 0;
            held += check_integers(&c, seed % 3 == 0 ? 1 : SIZE_MAX) > 0;
        }
        EXPECT(suited > 120 && 3 * held > 2 * suited);
    }
}

/* One of the first seeds has this many input channels, and pixels whose filter is all inside. */
static bool is_large(const struct conv_case *c)
{
    return c->params.in_c == 64 && c->params.in_h > 6 && c->params.in_w > 6 && c->out_count > 1000;
}

/* Every product is 255 times `weight`, or minus that. */
static void make_large(struct conv_case *c, int32_t weight, bool below)
{
    uint64_t seed = 0;

    do
        conv_case_init_three(c, seed++, HY_ELEMENT_U8);
    while (!is_large(c));
    c->params.in_zero_point = 0;
    c->params.filter_zero_point = below ? 255 : 0;
    c->params.out_zero_point = 128;
    c->params.activation.q_min = 0;
    c->params.activation.q_max = 255;
    for (uint32_t o = 0; o < c->params.out_c; o++) {
        c->multipliers[o] = (struct hy_multiplier){1 << 30, -17};
        ((int32_t *)c->bias)[o] = (int32_t)o;
    }
    memset(c->in, 255, c->in_count);
    memset(c->filter, below ? 255 - weight : weight, c->filter_count);
}

TEST(kernels_winograd_conv, sums_of_25_bits_are_held_and_larger_ones_refused)
{
    static const int32_t most = ((1 << 25) - 1) / (9 * 64 * 255);
    struct conv_case c;

    for (int below = 0; count_isa_levels_with(HY_ELEMENT_U8) > 0 && below < 2; below++) {
        make_large(&c, most, below);
        EXPECT(check_integers(&c, SIZE_MAX) > 0);
        make_large(&c, most + 1, below);
        EXPECT_INT(check_integers(&c, SIZE_MAX), 0);
    }
}

/* Sums of the largest inputs and of this weight; some channels have biases beyond 32 bits. */
static void make_large_shorts(struct conv_case *c, int8_t weight)
{
    uint64_t seed = 0;

    do
        conv_case_init_three(c, seed++, HY_ELEMENT_S16);
    while (!is_large(c));
    for (size_t i = 0; i < c->in_count; i++)
        ((int16_t *)c->in)[i] = i % 9 == 0 ? INT16_MAX : i % 5 == 0 ? -129 : INT16_MIN;
    memset(c->filter, weight, c->filter_count);
    for (uint32_t o = 0; o < c->params.out_c; o++) {
        c->multipliers[o] = (struct hy_multiplier){1 << 30, -16};
        ((int64_t *)c->bias)[o] = o < 20 ? o : INT64_C(3) << 30;
    }
}

TEST(kernels_winograd_conv, sums_of_shorts_are_held_up_to_32_bits)
{
    static const int8_t most = INT32_MAX / 32768 / (9 * 64);
    struct conv_case c;

    if (count_isa_levels_with(HY_ELEMENT_S16) == 0)
        return;
    make_large_shorts(&c, most);
    EXPECT(check_integers(&c, SIZE_MAX) > 0);
    make_large_shorts(&c, -most);
    EXPECT(check_integers(&c, SIZE_MAX) > 0);
    make_large_shorts(&c, most + 1);
    EXPECT_INT(check_integers(&c, SIZE_MAX), 0);
}

/* Of 16 bits, in vectors of 256 or 512. */
TEST(kernels_winograd_conv, integers_want_whole_vectors_of_input_channels)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int i = 0; i < INTEGER_TYPES; i++) {
            const struct hy_conv_kernel *kernel = kernel_for(level, integers[i]);
            const uint32_t vector = level == HY_KERNEL_AVX512 ? 32 : 16;
            struct conv_case c;
            if (!kernel)
                continue;
            conv_case_init_three(&c, 1, integers[i]);
            for (c.params.in_c = 1; c.params.in_c <= 96; c.params.in_c++)
                EXPECT(!kernel->suits(&c.params) == (c.params.in_c % vector != 0));
        }
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* Of a square image of `size`, and outputs as many. */
static size_t units_of_square(const struct hy_conv_kernel *kernel, uint32_t size, uint32_t out_c)
{
    struct conv_case c;

    conv_case_init_three(&c, 0, HY_ELEMENT_F32);
    c.params.batch = 1;
    c.params.in_h = c.params.in_w = c.params.out_h = c.params.out_w = size;
    c.params.pad_top = c.params.pad_left = 1;
    c.params.in_c = 64;
    c.params.out_c = out_c;
    return kernel->units(&c.params);
}

TEST(kernels_winograd_conv, few_tiles_are_shared_by_panels_of_channels)
{
    static const enum hy_element elements[] = {HY_ELEMENT_F32, HY_ELEMENT_U8, HY_ELEMENT_S8,
                                               HY_ELEMENT_U8_S8, HY_ELEMENT_S16};

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
            const struct hy_conv_kernel *kernel = kernel_for(level, elements[i]);
            if (!kernel)
                continue;
            const uint32_t panel = tested_kernels_at(level)->conv[elements[i]].panel;
            EXPECT_INT(units_of_square(kernel, 8, 4 * panel), 4);
            EXPECT_INT(units_of_square(kernel, 8, 4 * panel + 1), 5);
            EXPECT_INT(units_of_square(kernel, 32, 4 * panel), units_of_square(kernel, 32, panel));
            EXPECT(units_of_square(kernel, 32, panel) > 4);
        }
}
