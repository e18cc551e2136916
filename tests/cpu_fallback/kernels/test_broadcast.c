#include "cpu_fallback/kernels/broadcast.h"
#include "test.h"

TEST(kernels_broadcast, equal_shapes_become_one_row)
{
    uint32_t dims[] = {2, 3, 4};
    struct hy_broadcast shape;

    REQUIRE(hy_broadcast_init(3, dims, 3, dims, &shape));
    EXPECT_INT(shape.rank, 1);
    EXPECT_INT(shape.dims[0], 24);
    EXPECT_INT(shape.a_strides[0], 1);
    EXPECT_INT(shape.b_strides[0], 1);
}

TEST(kernels_broadcast, missing_and_single_dimensions_repeat)
{
    uint32_t a[] = {2, 3, 4, 5}, b[] = {4, 1};
    struct hy_broadcast shape;

    REQUIRE(hy_broadcast_init(4, a, 2, b, &shape));
    EXPECT_INT(shape.rank, 3);
    EXPECT_INT(shape.dims[0], 6);
    EXPECT_INT(shape.dims[1], 4);
    EXPECT_INT(shape.dims[2], 5);
    EXPECT_INT(shape.a_strides[0], 20);
    EXPECT_INT(shape.b_strides[0], 0);
    EXPECT_INT(shape.b_strides[1], 1);
    EXPECT_INT(shape.b_strides[2], 0);
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
    uint32_t a[] = {2, 1, 2, 1, 2, 1, 2, 1, 2}, b[] = {1, 2, 1, 2, 1, 2, 1, 2, 1};
    struct hy_broadcast shape;

    EXPECT(hy_broadcast_init(8, a, 8, b, &shape));
    EXPECT(!hy_broadcast_init(9, a, 9, b, &shape));
}
