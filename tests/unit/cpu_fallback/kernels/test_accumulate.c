#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tests/kit/test.h"

enum { IN_SLOT, SUM_SLOT };

static const enum hy_element via_float[] = {HY_ELEMENT_F32, HY_ELEMENT_F16, HY_ELEMENT_F64,
                                            HY_ELEMENT_BF16};
static const enum hy_element integers[] = {
    HY_ELEMENT_I32, HY_ELEMENT_U8,  HY_ELEMENT_S8, HY_ELEMENT_S16, HY_ELEMENT_U16, HY_ELEMENT_I8,
    HY_ELEMENT_I16, HY_ELEMENT_I64, HY_ELEMENT_N8, HY_ELEMENT_N16, HY_ELEMENT_N32, HY_ELEMENT_N64};

static void accumulate(enum hy_element element, size_t count, const void *in, void *sums)
{
    hy_kernels_reference()->accumulate[element](count, in, sums);
}

/* A sum of two numbers below 1 in magnitude, rounded once. */
static void check_floats(enum hy_element element, uint64_t seed)
{
    static const double halfulps[HY_ELEMENT_COUNT] = {
        [HY_ELEMENT_F32] = 0x1p-24,
        [HY_ELEMENT_F16] = 0x1p-11,
        [HY_ELEMENT_BF16] = 0x1p-8,
        [HY_ELEMENT_F64] = 0,
    };
    struct hy_random r = {seed};
    const size_t count = (size_t)hy_random_between(&r, 0, 67);
    const void *in = tensor_random(&r, IN_SLOT, element, count);
    void *sums = tensor_random(&r, SUM_SLOT, element, count);
    double before[67];

    for (size_t i = 0; i < count; i++)
        before[i] = tensor_at(element, sums, i);
    accumulate(element, count, in, sums);
    for (size_t i = 0; i < count; i++)
        EXPECT(fabs(tensor_at(element, sums, i) - before[i] - tensor_at(element, in, i)) <=
               halfulps[element]);
    EXPECT(guarded_front_is_intact(SUM_SLOT));
}

TEST(kernels_accumulate, floats_are_rounded_once)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        check_floats(via_float[seed % 4], seed);
}

/* By bytes, with a carry. */
static uint64_t sum_modulo(const void *a, const void *b, size_t size)
{
    uint64_t x = 0, y = 0;

    memcpy(&x, a, size);
    memcpy(&y, b, size);
    return (x + y) & (size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1);
}

TEST(kernels_accumulate, integers_are_modulo_their_size)
{
    for (uint64_t seed = 0; seed < 120; seed++) {
        struct hy_random r = {seed};
        const enum hy_element element = integers[seed % 12];
        const size_t size = tensor_element_size(element);
        const size_t count = (size_t)hy_random_between(&r, 0, 67);
        const uint8_t *in = tensor_random(&r, IN_SLOT, element, count);
        uint8_t *sums = tensor_random(&r, SUM_SLOT, element, count);
        uint64_t want[67];

        for (size_t i = 0; i < count; i++)
            want[i] = sum_modulo(in + i * size, sums + i * size, size);
        accumulate(element, count, in, sums);
        for (size_t i = 0; i < count; i++)
            EXPECT(memcmp(&want[i], sums + i * size, size) == 0);
        EXPECT(guarded_front_is_intact(SUM_SLOT));
    }
}

TEST(kernels_accumulate, one_of_two_bools_is_enough)
{
    const uint8_t in[] = {0, 1, 0, 2};
    uint8_t sums[] = {0, 0, 7, 1};

    accumulate(HY_ELEMENT_BOOL, 4, in, sums);
    EXPECT(memcmp(sums, "\0\1\1\1", 4) == 0);
}
