/*
 * Convolutions of one pixel that read the filter where it is, against the reference.
 */
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "conv_case.h"
#include "guarded.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { SLOT = 3 }; /* and two more */

static const enum hy_element bytes[] = {HY_ELEMENT_U8, HY_ELEMENT_S8, HY_ELEMENT_U8_S8};
enum { BYTE_TYPES = sizeof bytes / sizeof *bytes };

/* The kernel that a level has for itself, or NULL. */
static const struct hy_conv_kernel *kernel_for(int level, enum hy_element element)
{
    const struct hy_kernel_table *table = tested_kernels_at(level);
    const struct hy_conv_kernel *kernel = table ? &table->row_conv[element] : NULL;

    return kernel && kernel->run && tested_is_own(level, kernel, sizeof *kernel) ? kernel : NULL;
}

/* Depths of whole vectors of any set. */
static void init(struct conv_case *c, uint64_t seed, enum hy_element element)
{
    struct hy_random r = {seed + 5};
    const uint32_t depth = 64 * (uint32_t)hy_random_between(&r, 1, 21);

    conv_case_init_rows(c, seed, element, 1, depth,
                        (uint32_t)hy_random_between(&r, 1, CONV_CASE_CHANNELS));
}

static void check(const struct conv_case *c, const struct hy_conv_kernel *kernel, size_t units)
{
    const struct hy_conv_kernel *reference = &hy_kernels_reference()->conv[c->element];
    uint8_t *want = malloc(c->out_count);
    char text[256];

    memcpy(want, conv_case_run(c, reference, SLOT), c->out_count);
    EXPECT(kernel->suits(&c->params));
    const uint8_t *got = conv_case_run_in_parts(c, kernel, SLOT, units);
    for (size_t i = 0; i < c->out_count; i++) {
        if (want[i] == got[i])
            continue;
        conv_case_describe(c, text, sizeof text);
        hy_test_fail(__FILE__, __LINE__, "%s %s: index %zu is %d, the reference has %d",
                     kernel->name, text, i, got[i], want[i]);
        break;
    }
    EXPECT(guarded_front_is_intact(SLOT));
    free(want);
}

TEST(kernels_row_conv, bytes_are_those_of_the_reference)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int i = 0; i < BYTE_TYPES; i++)
            for (uint64_t seed = 0; kernel_for(level, bytes[i]) && seed < 150; seed++) {
                struct conv_case c;
                init(&c, seed, bytes[i]);
                check(&c, kernel_for(level, bytes[i]), SIZE_MAX);
            }
}

TEST(kernels_row_conv, blocks_of_channels_give_the_same_bytes)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (int i = 0; i < BYTE_TYPES; i++)
            for (uint64_t seed = 0; kernel_for(level, bytes[i]) && seed < 40; seed++) {
                const struct hy_conv_kernel *kernel = kernel_for(level, bytes[i]);
                struct conv_case c;
                init(&c, seed, bytes[i]);
                c.params.block = kernel->panel * (1 + (uint32_t)seed % 3);
                check(&c, kernel, 1 + seed % 2);
            }
}

/* What is packed are the numbers of channels, of which each has fewer bytes than weights. */
TEST(kernels_row_conv, the_filter_is_not_packed)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = kernel_for(level, HY_ELEMENT_U8);
        struct conv_case c;
        if (!kernel)
            continue;
        conv_case_init_rows(&c, 1, HY_ELEMENT_U8, 1, 1024, 128);
        EXPECT(kernel->reads_filter && kernel->packed_bytes(&c.params) <= 128 * 32);
    }
}

TEST(kernels_row_conv, other_shapes_do_not_suit)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_conv_kernel *kernel = kernel_for(level, HY_ELEMENT_S8);
        struct conv_case c;
        if (!kernel)
            continue;
        conv_case_init_rows(&c, 1, HY_ELEMENT_S8, 2, 128, 32);
        EXPECT(!kernel->suits(&c.params));
        conv_case_init_rows(&c, 1, HY_ELEMENT_S8, 1, 128 + 4, 32);
        EXPECT(!kernel->suits(&c.params));
    }
}
