/*
 * Convolutions of float32 with a filter of int8, against the reference with the floats that the
 * bytes stand for, and to the bit against the kernel that packs these.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "conv_case.h"
#include "guarded.h"
#include "tested.h"
#include "tests/kit/test.h"

enum { SLOT = 3 /* and two more */, BYTES_SLOT = 6 };

/* A case, and what its filter is stored as. */
struct hybrid_case {
    struct conv_case conv;
    float scales[CONV_CASE_CHANNELS];
    int8_t *bytes;
    size_t depth; /* weights of a channel, each of a few units at most, as are the inputs */
};

static const struct hy_conv_kernel *kernel_for(int level)
{
    const struct hy_kernel_table *table = tested_kernels_at(level);
    const struct hy_conv_kernel *kernel = table ? &table->hybrid_conv : NULL;

    return kernel && kernel->run && tested_is_own(level, kernel, sizeof *kernel) ? kernel : NULL;
}

/* Gives the case a filter of bytes, and the floats of these as the other filter. */
static void store_filter(struct hybrid_case *c, uint64_t seed)
{
    struct conv_case *conv = &c->conv;
    struct hy_random r = {seed + 77};

    c->depth = conv->filter_count / conv->params.out_c;
    for (uint32_t o = 0; o < conv->params.out_c; o++)
        c->scales[o] = hy_random_real(&r, 0.001f, 0.02f);
    c->bytes = guarded_alloc(BYTES_SLOT, conv->filter_count, 0);
    for (size_t i = 0; i < conv->filter_count; i++) {
        c->bytes[i] = (int8_t)hy_random_between(&r, -128, 127);
        ((float *)conv->filter)[i] = c->scales[i / c->depth] * (float)c->bytes[i];
    }
    conv->params.filter_scales = c->scales;
}

/* False: a convolution of groups, which the kernels do not take. */
static bool init(struct hybrid_case *c, uint64_t seed)
{
    conv_case_init(&c->conv, seed, HY_ELEMENT_F32, 0);
    if (c->conv.params.groups != 1)
        return false;
    store_filter(c, seed);
    return true;
}

/* The hybrid kernel in parts of `units`. */
static void check_bits(struct hybrid_case *c, const struct hy_kernel_table *table, size_t units)
{
    struct conv_case *conv = &c->conv;
    const size_t bytes = conv->out_count * sizeof(float);
    float *want = malloc(bytes + 1);

    memcpy(want, conv_case_run(conv, &table->conv[HY_ELEMENT_F32], SLOT), bytes);
    conv->filter = c->bytes;
    const float *got = conv_case_run_in_parts(conv, &table->hybrid_conv, SLOT, units);
    EXPECT(memcmp(got, want, bytes) == 0);
    free(want);
}

static void check(struct hybrid_case *c, const struct hy_conv_kernel *kernel, size_t units)
{
    const struct hy_conv_kernel *reference = &hy_kernels_reference()->conv[HY_ELEMENT_F32];
    struct conv_case *conv = &c->conv;
    float *want = malloc(conv->out_count * sizeof *want + 1);
    char text[256];

    memcpy(want, conv_case_run(conv, reference, SLOT), conv->out_count * sizeof *want);
    conv->filter = c->bytes;
    const float *got = conv_case_run_in_parts(conv, kernel, SLOT, units);
    for (size_t i = 0; i < conv->out_count; i++) {
        const double allowed = 1e-5 * (double)(c->depth + 1);
        if (fabs((double)want[i] - (double)got[i]) <= allowed)
            continue;
        conv_case_describe(conv, text, sizeof text);
        hy_test_fail(__FILE__, __LINE__, "%s %s: index %zu is %.9g, the reference has %.9g",
                     kernel->name, text, i, (double)got[i], (double)want[i]);
        break;
    }
    EXPECT(guarded_front_is_intact(SLOT));
    free(want);
}

TEST(kernels_hybrid_conv, floats_are_nearly_those_of_the_reference)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; kernel_for(level) && seed < 300; seed++) {
            struct hybrid_case c;
            if (init(&c, seed))
                check(&c, kernel_for(level), SIZE_MAX);
        }
}

TEST(kernels_hybrid_conv, blocks_of_channels_give_nearly_the_same_floats)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; kernel_for(level) && seed < 100; seed++) {
            struct hybrid_case c;
            if (!init(&c, seed))
                continue;
            c.conv.params.block = kernel_for(level)->panel * (1 + (uint32_t)seed % 3);
            check(&c, kernel_for(level), 1 + seed % 2);
        }
}

TEST(kernels_hybrid_conv, floats_are_those_of_packed_floats)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; kernel_for(level) && seed < 300; seed++) {
            struct hybrid_case c;
            if (init(&c, seed))
                check_bits(&c, tested_kernels_at(level), SIZE_MAX);
        }
}

TEST(kernels_hybrid_conv, blocks_in_parts_give_the_floats_of_packed_floats)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        for (uint64_t seed = 0; kernel_for(level) && seed < 100; seed++) {
            struct hybrid_case c;
            if (!init(&c, seed))
                continue;
            c.conv.params.block = kernel_for(level)->panel * (1 + (uint32_t)seed % 3);
            check_bits(&c, tested_kernels_at(level), 1 + seed % 5);
        }
}

TEST(kernels_hybrid_conv, weights_are_packed_as_bytes)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        struct conv_case c;
        if (!kernel_for(level))
            continue;
        conv_case_init_rows(&c, 1, HY_ELEMENT_F32, 1, 1024, 128);
        EXPECT(kernel_for(level)->packed_bytes(&c.params) <= 128 * (1024 + 16));
    }
}
