#include <math.h>

#include "cpu_fallback/kernels/kernels.h"
#include "cpu_fallback/kernels/reference/philox.h"
#include "tests/kit/test.h"

/* The published test vectors of Philox4x32-10: counter and key all zeros, and all ones. */
TEST(kernels_random, philox_is_the_published_generator)
{
    static const uint32_t zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    static const uint32_t ones[] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    struct hy_philox philox = hy_philox_seeded(0, 0);

    (void)hy_philox_next(&philox);
    EXPECT(memcmp(philox.words, zeros, sizeof zeros) == 0);
    EXPECT_INT(philox.counter[0], 1);

    philox = hy_philox_seeded(-1, -1);
    philox.counter[0] = philox.counter[1] = UINT32_MAX;
    (void)hy_philox_next(&philox);
    EXPECT(memcmp(philox.words, ones, sizeof ones) == 0);
    EXPECT(philox.counter[0] == 0 && philox.counter[3] == 0); /* it wraps */
}

TEST(kernels_random, classes_come_as_often_as_they_should)
{
    enum { SAMPLES = 20000 };
    const float logits[] = {0, 1, -INFINITY, 2, NAN};
    const struct hy_random_params params = {.rows = 1, .classes = 5, .samples = SAMPLES};
    static int32_t out[SAMPLES];
    double scratch[5], counts[5] = {0}, sum = 1 + exp(1) + exp(2);

    hy_kernels_reference()->random_multinomial[HY_ELEMENT_F32](&params, (int32_t[]){37, 42}, logits,
                                                               out, scratch);
    for (int i = 0; i < SAMPLES; i++)
        counts[out[i]] += 1.0 / SAMPLES;
    EXPECT(fabs(counts[0] - 1 / sum) < 0.01);
    EXPECT(fabs(counts[1] - exp(1) / sum) < 0.01);
    EXPECT(fabs(counts[3] - exp(2) / sum) < 0.01);
    EXPECT(counts[2] == 0 && counts[4] == 0);
}

TEST(kernels_random, seeds_decide_and_hopeless_logits_do_no_harm)
{
    const struct hy_random_params params = {.rows = 2, .classes = 3, .samples = 8};
    const uint16_t logits[] = {0, 0, 0, 0x7c00, 0xfc00, 0x7e00}; /* zeros; inf, -inf, NaN */
    int32_t first[16], again[16], other[16];
    double scratch[3];
    hy_random_fn *kernel = hy_kernels_reference()->random_multinomial[HY_ELEMENT_F16];

    kernel(&params, (int32_t[]){1, 2}, logits, first, scratch);
    kernel(&params, (int32_t[]){1, 2}, logits, again, scratch);
    kernel(&params, (int32_t[]){2, 1}, logits, other, scratch);
    EXPECT(memcmp(first, again, sizeof first) == 0);
    EXPECT(memcmp(first, other, sizeof first) != 0);
    for (int i = 0; i < 16; i++)
        EXPECT(first[i] >= 0 && first[i] < 3);
}
