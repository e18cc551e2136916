#include "cpu_fallback/kernels/reference/broadcast.h"
#include "tests/kit/test.h"

TEST(kernels_broadcast, equal_shapes_become_one_row)
{
    uint32_t dims[] = {2, 3, 4};
    struct hy_broadcast shape;

    REQUIRE(hy_broadcast_init(3, dims, 3, dims, &shape));
    EXPECT_INT(shape.rank, 1);
    EXPECT_INT(shape.loops[0].size, 24);
    EXPECT_INT(shape.loops[0].a_stride, 1);
    EXPECT_INT(shape.loops[0].b_stride, 1);
}

TEST(kernels_broadcast, missing_and_single_dimensions_repeat)
{
    uint32_t a[] = {2, 3, 4, 5}, b[] = {4, 1};
    struct hy_broadcast shape;

    REQUIRE(hy_broadcast_init(4, a, 2, b, &shape));
    EXPECT_INT(shape.rank, 3);
    EXPECT_INT(shape.loops[0].size, 6);
    EXPECT_INT(shape.loops[1].size, 4);
    EXPECT_INT(shape.loops[2].size, 5);
    EXPECT_INT(shape.loops[0].a_stride, 20);
    EXPECT_INT(shape.loops[0].b_stride, 0);
    EXPECT_INT(shape.loops[1].b_stride, 1);
    EXPECT_INT(shape.loops[2].b_stride, 0);
}

TEST(kernels_broadcast, zero_meets_one_and_nothing_else)
{
    uint32_t zero[] = {0, 3}, one[] = {1, 3}, five[] = {5, 3};
    struct hy_broadcast shape;

    REQUIRE(hy_broadcast_init(2, zero, 2, one, &shape));
    EXPECT_INT(hy_broadcast_count(&shape), 0);
    REQUIRE(hy_broadcast_init(2, zero, 2, zero, &shape));
    EXPECT_INT(hy_broadcast_count(&shape), 0);
    EXPECT(!hy_broadcast_init(2, zero, 2, five, &shape));
    EXPECT(!hy_broadcast_init(2, five, 1, five, &shape));
}

TEST(kernels_broadcast, scalars_are_one_element)
{
    struct hy_broadcast shape;

    REQUIRE(hy_broadcast_init(0, NULL, 0, NULL, &shape));
    EXPECT_INT(hy_broadcast_count(&shape), 1);
}

TEST(kernels_broadcast, too_many_alternations_are_refused)
{
    uint32_t a[HY_BROADCAST_RANK + 1], b[HY_BROADCAST_RANK + 1];
    struct hy_broadcast shape;

    for (uint32_t i = 0; i <= HY_BROADCAST_RANK; i++) {
        a[i] = 1 + i % 2;
        b[i] = 2 - i % 2;
    }
    EXPECT(hy_broadcast_init(HY_BROADCAST_RANK, a, HY_BROADCAST_RANK, b, &shape));
    EXPECT(!hy_broadcast_init(HY_BROADCAST_RANK + 1, a, HY_BROADCAST_RANK + 1, b, &shape));
}
