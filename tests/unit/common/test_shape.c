#include "common/operations/shape.h"

#include "tests/kit/test.h"

static struct hy_shape shape(uint32_t rank, uint32_t a, uint32_t b, uint32_t c)
{
    return (struct hy_shape){rank, {a, b, c}};
}

TEST(shape, counts_elements_and_notices_overflow)
{
    struct hy_shape cube = shape(3, 2, 3, 4), scalar = {0};
    struct hy_shape huge = shape(3, UINT32_MAX, UINT32_MAX, 2);
    struct hy_shape empty = shape(3, UINT32_MAX, UINT32_MAX, 0);
    uint64_t count = 7;

    EXPECT(hy_shape_elements(&cube, &count) && count == 24);
    EXPECT(hy_shape_bytes(&cube, 4, &count) && count == 96);
    EXPECT(hy_shape_elements(&scalar, &count) && count == 1);
    EXPECT(!hy_shape_elements(&huge, &count) && count == 1);
    EXPECT(hy_shape_elements(&empty, &count) && count == 0);
    EXPECT(hy_shape_span(&cube, 1, 3) == 12 && hy_shape_span(&cube, 3, 3) == 1);
}

TEST(shape, rank_has_a_limit)
{
    const uint32_t dims[HY_MAX_RANK + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct hy_shape read = {0};

    EXPECT(hy_shape_set(&read, HY_MAX_RANK, dims) && read.dims[7] == 8);
    EXPECT(!hy_shape_set(&read, HY_MAX_RANK + 1, dims));
    EXPECT(hy_shape_set(&read, 0, NULL) && read.rank == 0 && read.dims[0] == 0);
}

TEST(shape, declaration_is_complete_without_zeros)
{
    struct hy_shape complete = shape(2, 1, 2, 0), open = shape(2, 0, 2, 0), none = {0};

    EXPECT(hy_shape_is_complete(&complete));
    EXPECT(!hy_shape_is_complete(&open));
    EXPECT(!hy_shape_is_complete(&none));
}

TEST(shape, zero_in_a_declaration_fits_anything)
{
    struct hy_shape declared = shape(2, 0, 3, 0), none = {0};
    struct hy_shape good = shape(2, 9, 3, 0), wrong = shape(2, 9, 4, 0), longer = shape(3, 9, 3, 1);

    EXPECT(hy_shape_fits(&declared, &good));
    EXPECT(!hy_shape_fits(&declared, &wrong));
    EXPECT(!hy_shape_fits(&declared, &longer));
    EXPECT(hy_shape_fits(&none, &longer));
}

TEST(shape, two_declarations_combine_or_contradict)
{
    struct hy_shape a = shape(2, 0, 3, 0), b = shape(2, 5, 0, 0), c = shape(2, 0, 4, 0), none = {0};
    struct hy_shape both;

    EXPECT(hy_shape_combine(&a, &b, &both) && both.dims[0] == 5 && both.dims[1] == 3);
    EXPECT(hy_shape_combine(&none, &a, &both) && hy_shape_equal(&both, &a));
    EXPECT(hy_shape_combine(&a, &none, &both) && hy_shape_equal(&both, &a));
    EXPECT(!hy_shape_combine(&a, &c, &both));
}

TEST(shape, broadcast_aligns_at_the_last_dimension)
{
    struct hy_shape a = shape(3, 4, 1, 3), b = shape(2, 5, 3, 0), c = shape(1, 2, 0, 0);
    struct hy_shape zero = shape(1, 0, 0, 0), one = shape(1, 1, 0, 0), out;

    EXPECT(hy_shape_broadcast(&a, &b, &out));
    EXPECT(out.rank == 3 && out.dims[0] == 4 && out.dims[1] == 5 && out.dims[2] == 3);
    EXPECT(hy_shape_broadcast(&b, &a, &out) && out.dims[1] == 5);
    EXPECT(!hy_shape_broadcast(&a, &c, &out));
    EXPECT(hy_shape_broadcast(&zero, &one, &out) && out.dims[0] == 0);
    EXPECT(!hy_shape_broadcast(&zero, &c, &out));
}

TEST(shape, text_of_the_longest_shape_fits)
{
    const uint32_t most = UINT32_MAX;
    uint32_t dims[HY_MAX_RANK];
    char text[HY_SHAPE_TEXT_SIZE];
    struct hy_shape longest, none = {0};

    for (uint32_t i = 0; i < HY_MAX_RANK; i++)
        dims[i] = most;
    EXPECT(hy_shape_set(&longest, HY_MAX_RANK, dims));
    EXPECT_INT(strlen(hy_shape_text(&longest, text)), HY_MAX_RANK * 10 + (HY_MAX_RANK - 1) * 2 + 2);
    EXPECT_STR(hy_shape_text(&none, text), "[]");
}
