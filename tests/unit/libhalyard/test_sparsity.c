/* Sparse constants, spread over their shapes. */
#include "tests/kit/test.h"

#include "libhalyard/graph/sparsity.h"

static const uint8_t stored[] = {1, 2, 3, 4};

/* [[1 0 2] [0 0 0] [0 3 4]]: rows are dense, columns are listed. */
static const int32_t row_segments[] = {0, 2, 2, 4}, row_indices[] = {0, 2, 1, 2};
static const struct hy_sparse_level rows[] = {
    {.dimension = 0, .extent = 3},
    {.is_sparse = true,
     .dimension = 1,
     .segment_count = 4,
     .index_count = 4,
     .segments = row_segments,
     .level_indices = row_indices},
};

static bool expand(const struct hy_sparsity *sparsity, uint64_t count, uint8_t dense[16])
{
    static const int32_t extents[] = {3, 3};
    memset(dense, 0, 16);
    return hy_sparsity_expand(sparsity, 2, extents, stored, count, 1, dense);
}

TEST(sparsity, listed_columns_are_spread_over_rows)
{
    static const uint8_t expected[9] = {1, 0, 2, 0, 0, 0, 0, 3, 4};
    const struct hy_sparsity sparsity = {2, rows};
    uint8_t dense[16];
    EXPECT(expand(&sparsity, 4, dense));
    EXPECT(memcmp(dense, expected, sizeof expected) == 0);
}

/* [[1 2 0 0] [3 4 0 0]]: one block of 2 x 2 in a row of two. */
TEST(sparsity, blocks_are_spread_as_a_whole)
{
    static const int32_t segments[] = {0, 1}, level_indices[] = {0}, extents[] = {2, 4};
    static const struct hy_sparse_level levels[] = {
        {.dimension = 0, .extent = 1},
        {.is_sparse = true,
         .dimension = 1,
         .segment_count = 2,
         .index_count = 1,
         .segments = segments,
         .level_indices = level_indices},
        {.dimension = 0, .is_block = true, .extent = 2},
        {.dimension = 1, .is_block = true, .extent = 2},
    };
    static const uint8_t expected[8] = {1, 2, 0, 0, 3, 4, 0, 0};
    const struct hy_sparsity sparsity = {4, levels};
    uint8_t dense[8] = {0};
    EXPECT(hy_sparsity_expand(&sparsity, 2, extents, stored, 4, 1, dense));
    EXPECT(memcmp(dense, expected, sizeof expected) == 0);
}

TEST(sparsity, levels_that_do_not_fit_are_refused)
{
    static const int32_t falling[] = {2, 0, 2, 4}, far[] = {0, 9, 1, 2}, negative[] = {0, -1, 1, 2};
    struct hy_sparse_level levels[2] = {rows[0], rows[1]};
    const struct hy_sparsity sparsity = {2, levels};
    uint8_t dense[16];

    EXPECT(!expand(&sparsity, 3, dense)); /* fewer elements than places */
    EXPECT(!expand(&sparsity, 5, dense));
    levels[1].segments = falling;
    EXPECT(!expand(&sparsity, 4, dense));
    levels[1] = rows[1];
    levels[1].segment_count = 3;
    EXPECT(!expand(&sparsity, 4, dense));
    levels[1] = rows[1];
    levels[1].index_count = 3;
    EXPECT(!expand(&sparsity, 4, dense));
    levels[1] = rows[1];
    levels[1].level_indices = far;
    EXPECT(!expand(&sparsity, 4, dense));
    levels[1].level_indices = negative;
    EXPECT(!expand(&sparsity, 4, dense));
    levels[1] = rows[1];
    levels[0].dimension = 2;
    EXPECT(!expand(&sparsity, 4, dense));
    levels[0] = rows[0];
    levels[0].extent = UINT32_MAX; /* more rows than segments */
    EXPECT(!expand(&sparsity, 4, dense));
}
