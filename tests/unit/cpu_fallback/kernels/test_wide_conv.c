/* Convolutions of int16 data and int8 weights: the reference against their definition, and all
 * instruction sets against the reference. */
#include <stdlib.h>
#include <string.h>

#include "conv_case.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { WANT_SLOT = 3, GOT_SLOT = 4 };

enum kind { PLAIN, GROUPED, DEPTHWISE, TRANSPOSED, KINDS };

static const struct hy_conv_kernel *kernel_of(const struct hy_kernel_table *table, enum kind kind)
{
    const struct hy_conv_kernel *const kernels[KINDS] = {
        [PLAIN] = table->conv,
        [GROUPED] = table->grouped_conv,
        [DEPTHWISE] = table->depthwise_conv,
        [TRANSPOSED] = table->transpose_conv,
    };

    return &kernels[kind][HY_ELEMENT_S16];
}

/* With the kernel that suits. */
static enum kind init(struct conv_case *c, uint64_t seed)
{
    switch ((enum kind)(seed % KINDS)) {
    case PLAIN:
        conv_case_init(c, seed, HY_ELEMENT_S16, 0);
        return c->params.groups > 1 ? GROUPED : PLAIN;
    case GROUPED:
        conv_case_init_grouped(c, seed, HY_ELEMENT_S16);
        return GROUPED;
    case DEPTHWISE:
        conv_case_init(c, seed, HY_ELEMENT_S16, 1);
        return DEPTHWISE;
    default:
        conv_case_init_transposed(c, seed, HY_ELEMENT_S16);
        return TRANSPOSED;
    }
}

static void expect_same(const struct conv_case *c, const char *name, const void *want,
                        const void *got)
{
    const size_t i = tensor_first_difference(HY_ELEMENT_S16, want, got, c->out_count);
    char text[256];

    if (i == c->out_count)
        return;
    conv_case_describe(c, text, sizeof text);
    hy_test_fail(__FILE__, __LINE__, "%s %s: index %zu is %d, the reference has %d", name, text, i,
                 ((const int16_t *)got)[i], ((const int16_t *)want)[i]);
}

/* The kernel that the level has for itself; NULL if it has none that suits. */
static const struct hy_conv_kernel *own_kernel(int level, enum kind kind, const struct conv_case *c)
{
    const struct hy_kernel_table *table = tested_kernels_at(level);
    const struct hy_conv_kernel *kernel = table ? kernel_of(table, kind) : NULL;

    if (!kernel || !tested_is_own(level, kernel, sizeof *kernel))
        return NULL;
    return !kernel->suits || kernel->suits(&c->params) ? kernel : NULL;
}

/* All at once, and a unit at a time with a block of one panel. */
static void check(struct conv_case *c, enum kind kind)
{
    const void *want = conv_case_run(c, kernel_of(hy_kernels_reference(), kind), WANT_SLOT);

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = own_kernel(level, kind, c);
        if (!kernel)
            continue;
        c->params.block = 0;
        expect_same(c, kernel->name, want, conv_case_run(c, kernel, GOT_SLOT));
        EXPECT(guarded_front_is_intact(GOT_SLOT));
        c->params.block = kernel->panel;
        expect_same(c, kernel->name, want, conv_case_run_in_parts(c, kernel, GOT_SLOT, 1));
    }
}

TEST(kernels_wide_conv, every_level_is_as_the_reference)
{
    for (uint64_t seed = 0; seed < 1200; seed++) {
        struct conv_case c;
        const enum kind kind = init(&c, seed);
        check(&c, kind);
    }
}

TEST(kernels_wide_conv, every_count_of_rows_and_channels_is_as_the_reference)
{
    for (uint32_t rows = 1; rows <= 17; rows += rows < 9 ? 1 : 4)
        for (uint32_t channels = 1; channels <= 70; channels += channels < 9 ? 1 : 7) {
            struct conv_case c;
            conv_case_init_rows(&c, rows * 100 + channels, HY_ELEMENT_S16, rows,
                                1 + channels % 7 * 5, channels);
            check(&c, PLAIN);
        }
}

/* Sums of the largest products leave 32 bits. */
TEST(kernels_wide_conv, sums_of_many_products_are_exact)
{
    for (uint32_t inputs = 500; inputs <= 2100; inputs += 16)
        for (uint32_t rows = 1; rows <= 9; rows += 4) {
            struct conv_case c;
            conv_case_init_rows(&c, inputs, HY_ELEMENT_S16, rows, inputs, 33);
            for (size_t i = 0; i < c.in_count; i++)
                ((int16_t *)c.in)[i] = i % inputs % 7 == 0 ? INT16_MAX : INT16_MIN;
            memset(c.filter, INT8_MIN, c.filter_count);
            for (uint32_t o = 0; o < 33; o++)
                c.multipliers[o].exponent = -18;
            check(&c, PLAIN);
        }
}

/* The definition, in division and remainder instead of shifts. */
static int16_t rescaled(int64_t sum, struct hy_multiplier multiplier, struct hy_activation range)
{
    const int64_t most = (INT64_C(1) << 47) - 1;
    const __int128 clamped = sum < -most ? -most : sum > most ? most : sum;
    const int32_t short_mantissa =
        multiplier.mantissa < 0x7fff0000 ? (multiplier.mantissa + 32768) / 65536 : 32767;
    const int shift = multiplier.exponent > 14 ? 1 : 15 - multiplier.exponent;
    const __int128 unit = (__int128)1 << shift, product = clamped * short_mantissa + unit / 2;
    const __int128 scaled = product / unit - (product % unit < 0);

    return (int16_t)(scaled < range.q_min   ? range.q_min
                     : scaled > range.q_max ? range.q_max
                                            : scaled);
}

TEST(kernels_wide_conv, reference_is_the_definition)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct conv_case c;
        conv_case_init_rows(&c, seed, HY_ELEMENT_S16, 3, 40, 9);
        const int16_t *in = c.in, *out;
        const int8_t *filter = c.filter;
        out = conv_case_run(&c, kernel_of(hy_kernels_reference(), PLAIN), WANT_SLOT);
        for (size_t i = 0; i < c.out_count; i++) {
            const int64_t bias = ((const int64_t *)c.bias)[i % 9];
            const int64_t most = (INT64_C(1) << 47) - 1;
            int64_t sum = bias < -most ? -most : bias > most ? most : bias;
            for (size_t k = 0; k < 40; k++)
                sum += in[i / 9 * 40 + k] * filter[i % 9 * 40 + k];
            EXPECT(out[i] == rescaled(sum, c.multipliers[i % 9], c.params.activation));
        }
    }
}
