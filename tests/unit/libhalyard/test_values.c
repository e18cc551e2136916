#include "tests/kit/test.h"

#include <math.h>

#include "common/half.h"
#include "libhalyard/session/values.h"

static const struct hy_graph_quantisation plain;

static struct hy_values values_of(enum hy_element element, const void *bytes,
                                  const int32_t *extents, uint32_t rank,
                                  const struct hy_graph_quantisation *quantisation)
{
    struct hy_values values = {element, bytes, 1, rank, extents, quantisation};
    for (uint32_t i = 0; i < rank; i++)
        values.count *= (uint64_t)extents[i];
    return values;
}

static void expect_two(enum hy_element element, const void *bytes, double first, double second)
{
    static const int32_t two[] = {2};
    const struct hy_values values = values_of(element, bytes, two, 1, &plain);
    EXPECT(hy_values_are_numbers(element));
    EXPECT(hy_values_get(&values, 0) == first);
    EXPECT(hy_values_get(&values, 1) == second);
}

/* Each lies one byte behind an aligned address. */
#define EXPECT_TWO(element, type, first, second) \
    do { \
        const type numbers_[2] = {first, second}; \
        uint8_t bytes_[1 + sizeof numbers_]; \
        memcpy(bytes_ + 1, numbers_, sizeof numbers_); \
        expect_two(HY_ELEMENT_##element, bytes_ + 1, (double)numbers_[0], (double)numbers_[1]); \
    } while (0)

TEST(values, every_type_of_numbers_is_read)
{
    EXPECT_TWO(FLOAT32, float, 1.5F, -2);
    EXPECT_TWO(FLOAT64, double, 1e300, -0.1);
    EXPECT_TWO(INT8, int8_t, -128, 127);
    EXPECT_TWO(UINT8, uint8_t, 0, 255);
    EXPECT_TWO(BOOL, uint8_t, 0, 1);
    EXPECT_TWO(INT16, int16_t, -32768, 5);
    EXPECT_TWO(UINT16, uint16_t, 65535, 5);
    EXPECT_TWO(INT32, int32_t, INT32_MIN, 5);
    EXPECT_TWO(UINT32, uint32_t, UINT32_MAX, 5);
    EXPECT_TWO(INT64, int64_t, -(INT64_C(1) << 52), 5);
    EXPECT_TWO(UINT64, uint64_t, UINT64_C(1) << 60, 5);
}

TEST(values, short_floats_and_nibbles_are_read)
{
    const uint16_t halves[] = {hy_half_from_float(0.5F), hy_half_from_float(-8)};
    const uint16_t brains[] = {0x3f80, 0xc000};
    const uint8_t nibbles = 0x8f; /* the first in the low half */
    expect_two(HY_ELEMENT_FLOAT16, halves, 0.5, -8);
    expect_two(HY_ELEMENT_BFLOAT16, brains, 1, -2);
    expect_two(HY_ELEMENT_INT4, &nibbles, -1, -8);
}

TEST(values, strings_and_complex_numbers_are_no_numbers)
{
    EXPECT(!hy_values_are_numbers(HY_ELEMENT_STRING));
    EXPECT(!hy_values_are_numbers(HY_ELEMENT_COMPLEX64));
    EXPECT(!hy_values_are_numbers(HY_ELEMENT_COMPLEX128));
    EXPECT(!hy_values_are_numbers(HY_ELEMENT_RESOURCE));
}

TEST(values, quantised_elements_are_real_by_the_scale_of_their_slice)
{
    static const int32_t extents[] = {2, 3, 2};
    static const uint8_t stored[12] = {10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, 15};
    static const float scales[] = {1, 10, 100};
    static const int32_t zero_points[] = {10, 11, 12};
    struct hy_graph_quantisation quantisation = {1, 0, scales + 1, zero_points};
    struct hy_values values = values_of(HY_ELEMENT_UINT8, stored, extents, 3, &quantisation);
    EXPECT(hy_values_get(&values, 0) == 0 && hy_values_get(&values, 5) == 50);

    quantisation = (struct hy_graph_quantisation){3, 1, scales, zero_points};
    values = values_of(HY_ELEMENT_UINT8, stored, extents, 3, &quantisation);
    EXPECT(hy_values_get(&values, 1) == 1);
    EXPECT(hy_values_get(&values, 2) == 10);
    EXPECT(hy_values_get(&values, 5) == 300);
    EXPECT(hy_values_get(&values, 7) == 1);
    EXPECT(hy_values_get(&values, 11) == 300);
}

TEST(values, among_equals_the_first_ranks_first)
{
    static const int32_t six[] = {6};
    static const float stored[] = {1, 3, 2, 3, 3, 0};
    const struct hy_values values = values_of(HY_ELEMENT_FLOAT32, stored, six, 1, &plain);
    struct hy_value_rank ranks[4];
    EXPECT_INT(hy_values_top(&values, ranks, 4), 4);
    EXPECT_INT(ranks[0].index, 1);
    EXPECT_INT(ranks[1].index, 3);
    EXPECT_INT(ranks[2].index, 4);
    EXPECT_INT(ranks[3].index, 2);
    EXPECT_INT(hy_values_top(&values, ranks, 1), 1);
    EXPECT_INT(ranks[0].index, 1);
    EXPECT_INT(hy_values_top(&values, ranks, 0), 0);
}

TEST(values, not_a_number_has_no_rank)
{
    static const int32_t five[] = {5};
    static const float stored[] = {NAN, -INFINITY, NAN, 2, INFINITY};
    const struct hy_values values = values_of(HY_ELEMENT_FLOAT32, stored, five, 1, &plain);
    struct hy_value_rank ranks[5];
    EXPECT_INT(hy_values_top(&values, ranks, 5), 3);
    EXPECT_INT(ranks[0].index, 4);
    EXPECT_INT(ranks[1].index, 3);
    EXPECT_INT(ranks[2].index, 1);
}
