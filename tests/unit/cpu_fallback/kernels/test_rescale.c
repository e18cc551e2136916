#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/*
 * From sums to bytes, sum by sum. A channel is its bias plus each of the 256 inputs there are; its
 * bias lies where its result becomes k, another k in every channel. So sums go through all places
 * where a result changes, with 128 neighbours on each side: up to that distance between two places
 * all sums of the byte's range.
 */
enum { CHANNELS = 255, PIXELS = 256, MULTIPLIERS = 40 };
enum { IN_SLOT, FILTER_SLOT, BIAS_SLOT, WANT_SLOT, PACKED_SLOT, SCRATCH_SLOT, GOT_SLOT };

/* The ways to sum: channels of one pixel, a channel each, or one channel for all. */
enum family { DENSE, DEPTHWISE, SINGLE };

struct sums {
    enum family family;
    enum hy_element element;
    struct hy_conv_params params;
    struct hy_multiplier multipliers[CHANNELS];
    void *in, *filter;
    int32_t *bias;
};

static int64_t scale(const struct sums *s, int64_t x, struct hy_multiplier m)
{
    return s->family == DENSE ? hy_scale_half_up((int32_t)x, m) : hy_scale_half_away((int32_t)x, m);
}

/* The least sum whose result is k or more, as far as 32 bits less some room have it. */
static int32_t least_sum(const struct sums *s, int64_t k, struct hy_multiplier m)
{
    int64_t low = INT32_MIN + PIXELS, high = INT32_MAX - PIXELS;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (scale(s, middle, m) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return (int32_t)low;
}

/* Far ends, powers of two, numbers next to them, and any. */
static int32_t choose_mantissa(struct hy_random *r)
{
    switch (hy_random_between(r, 0, 6)) {
    case 0:
        return 1 << 30;
    case 1:
        return INT32_MAX - hy_random_between(r, 0, 2);
    case 2:
        return (1 << 30) + (1 << hy_random_between(r, 0, 29));
    case 3:
        return (1 << 30) + hy_random_between(r, 1, 200);
    default:
        return hy_random_between(r, 1 << 30, INT32_MAX);
    }
}

static struct hy_multiplier choose_multiplier(struct hy_random *r)
{
    const int exponent = hy_random_one_in(r, 8)   ? hy_random_between(r, -31, 30)
                         : hy_random_one_in(r, 4) ? hy_random_between(r, -1, 4)
                                                  : hy_random_between(r, -17, 0);
    const struct hy_multiplier zero = {0, 0};
    return hy_random_one_in(r, 40) ? zero : (struct hy_multiplier){choose_mantissa(r), exponent};
}

static void choose_quantisation(struct sums *s, struct hy_random *r)
{
    struct hy_conv_params *p = &s->params;
    const int32_t low = (int32_t)tensor_min(s->element), high = low + 255;

    p->in_zero_point = low + 128;
    p->filter_zero_point = s->element == HY_ELEMENT_U8 ? 128 : 0;
    p->out_zero_point = hy_random_one_in(r, 3)   ? low
                        : hy_random_one_in(r, 4) ? high
                                                 : hy_random_between(r, low, high);
    p->activation.q_min = hy_random_one_in(r, 3) ? p->out_zero_point : low;
    p->activation.q_max =
        hy_random_one_in(r, 3) ? hy_random_between(r, p->activation.q_min, high) : high;
}

static void choose_sums(struct sums *s, struct hy_random *r)
{
    const int32_t first = (int32_t)tensor_min(s->element) + 1 - s->params.out_zero_point;
    const int kinds = hy_random_one_in(r, 4) ? MULTIPLIERS : 1;
    struct hy_multiplier of[MULTIPLIERS];

    for (int i = 0; i < kinds; i++)
        of[i] = choose_multiplier(r);
    for (int32_t o = 0; o < CHANNELS; o++) {
        s->multipliers[o] = of[o % kinds];
        s->bias[o] = least_sum(s, first + o, s->multipliers[o]);
    }
    s->params.has_one_multiplier = kinds == 1 && hy_random_one_in(r, 2);
}

/* All inputs, each a pixel of one line; filters of 1. */
static void fill_tensors(struct sums *s)
{
    const size_t in_c = s->params.in_c;
    uint8_t *in = guarded_alloc(IN_SLOT, PIXELS * in_c, 0);

    for (size_t i = 0; i < PIXELS * in_c; i++)
        in[i] = (uint8_t)(i / in_c);
    s->in = in;
    s->filter = guarded_alloc(FILTER_SLOT, CHANNELS, s->params.filter_zero_point + 1);
    s->bias = guarded_alloc(BIAS_SLOT, CHANNELS * sizeof *s->bias, 0);
}

static void init(struct sums *s, enum family family, enum hy_element element, uint64_t seed)
{
    struct hy_random r = {seed};

    *s = (struct sums){.family = family, .element = element};
    s->params = (struct hy_conv_params){.batch = 1,
                                        .in_h = 1,
                                        .in_w = PIXELS,
                                        .in_c = family == DEPTHWISE ? CHANNELS : 1,
                                        .out_h = 1,
                                        .out_w = PIXELS,
                                        .out_c = CHANNELS,
                                        .filter_h = 1,
                                        .filter_w = 1,
                                        .stride_h = 1,
                                        .stride_w = 1,
                                        .dilation_h = 1,
                                        .dilation_w = 1,
                                        .groups = 1,
                                        .multipliers = s->multipliers};
    choose_quantisation(s, &r);
    fill_tensors(s);
    choose_sums(s, &r);
}

static size_t whole(size_t bytes)
{
    return (bytes + HY_KERNEL_ALIGNMENT - 1) / HY_KERNEL_ALIGNMENT * HY_KERNEL_ALIGNMENT;
}

static const uint8_t *run(const struct sums *s, const struct hy_kernel_table *table, int slot)
{
    const struct hy_conv_kernel *kernel =
        s->family == DENSE ? &table->conv[s->element] : &table->depthwise_conv[s->element];
    const struct hy_conv_params *p = &s->params;
    const void *weights = s->filter, *bias = s->bias;
    void *scratch = NULL, *out = guarded_alloc(slot, (size_t)PIXELS * CHANNELS, 0x77);

    if (kernel->pack) {
        void *packed = guarded_alloc(PACKED_SLOT, whole(kernel->packed_bytes(p)), 0x5a);
        kernel->pack(p, s->filter, s->bias, packed);
        weights = packed;
        bias = NULL;
    }
    if (kernel->scratch_bytes)
        scratch = guarded_alloc(SCRATCH_SLOT, whole(kernel->scratch_bytes(p)), 0x5a);
    kernel->run(p, s->in, weights, bias, out, scratch, 0, kernel->units(p));
    return out;
}

static void expect_same(const struct sums *s, uint64_t seed, const char *level, const uint8_t *want,
                        const uint8_t *got)
{
    size_t i = 0;

    while (i < (size_t)PIXELS * CHANNELS && want[i] == got[i])
        i++;
    if (i == (size_t)PIXELS * CHANNELS)
        return;
    const size_t o = i % CHANNELS;
    hy_test_fail(
        __FILE__, __LINE__,
        "%s family %d element %d seed %llu: bias %d, input byte %d, times %d * 2^(%d - 31), zero "
        "point %d, is %u, expected %u",
        level, (int)s->family, (int)s->element, (unsigned long long)seed, s->bias[o],
        (int)(i / CHANNELS), s->multipliers[o].mantissa, s->multipliers[o].exponent,
        s->params.out_zero_point, got[i], want[i]);
}

static void check(enum family family, enum hy_element element, uint64_t cases)
{
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct sums s;
        init(&s, family, element, seed * 8 + family);
        const uint8_t *want = run(&s, hy_kernels_reference(), WANT_SLOT);
        for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
            const struct hy_kernel_table *table = tested_kernels_at(level);
            if (table)
                expect_same(&s, seed, hy_kernel_isa_level_name((enum hy_kernel_isa_level)level),
                            want, run(&s, table, GOT_SLOT));
        }
    }
}

TEST(kernels_rescale, every_step_of_every_channel_is_at_its_sum)
{
    for (int family = DENSE; family <= SINGLE; family++) {
        check((enum family)family, HY_ELEMENT_S8, 400);
        check((enum family)family, HY_ELEMENT_U8, 200);
        check((enum family)family, HY_ELEMENT_U8_S8, 100);
    }
}

/* What rescaling needs of each channel is more than a word. */
static void expect_fewer_bytes(const struct hy_conv_kernel *kernel)
{
    struct hy_conv_params p = {
        .groups = 1, .in_c = 128, .out_c = 128, .filter_h = 3, .filter_w = 3};
    const size_t each = kernel->packed_bytes(&p);

    p.has_one_multiplier = 1;
    EXPECT(kernel->packed_bytes(&p) + 128 * sizeof(int32_t) <= each);
}

TEST(kernels_rescale, channels_of_one_multiplier_are_packed_in_fewer_bytes)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = tested_kernels_at(level);
        if (!table)
            continue;
        expect_fewer_bytes(&table->conv[HY_ELEMENT_U8]);
        expect_fewer_bytes(&table->depthwise_conv[HY_ELEMENT_U8]);
    }
}
