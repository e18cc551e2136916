#include "common/arena.h"
#include "test.h"

#include <stdalign.h>
#include <stddef.h>

TEST(arena, pieces_are_aligned_apart_and_stay_where_they_are)
{
    struct hy_arena arena = {0};
    uint8_t *pieces[300];

    for (size_t i = 0; i < 300; i++) {
        pieces[i] = hy_arena_alloc(&arena, i);
        REQUIRE(pieces[i] != NULL);
        EXPECT_INT((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        memset(pieces[i], (int)(i & 0xff), i);
    }
    for (size_t i = 0; i < 300; i++) {
        for (size_t k = 0; k < i; k++)
            REQUIRE(pieces[i][k] == (i & 0xff));
    }
    hy_arena_finish(&arena);
    EXPECT(arena.newest == NULL);
}

TEST(arena, piece_larger_than_a_block_is_given)
{
    struct hy_arena arena = {0};
    uint8_t *large = hy_arena_alloc(&arena, 100000);
    REQUIRE(large != NULL);
    memset(large, 1, 100000);
    EXPECT(hy_arena_alloc(&arena, 1) != NULL);
    hy_arena_finish(&arena);
}

TEST(arena, copy_is_equal_and_its_own)
{
    struct hy_arena arena = {0};
    uint32_t source[] = {1, 2, 3};
    const uint32_t *copy = hy_arena_copy(&arena, source, 3, sizeof *source);
    REQUIRE(copy != NULL);
    source[0] = 9;
    EXPECT_INT(copy[0], 1);
    EXPECT_INT(copy[2], 3);
    EXPECT(hy_arena_copy(&arena, NULL, 0, 4) != NULL);
    hy_arena_finish(&arena);
}

TEST(arena, size_that_does_not_fit_is_refused)
{
    struct hy_arena arena = {0};
    EXPECT(hy_arena_alloc(&arena, SIZE_MAX) == NULL);
    EXPECT(hy_arena_alloc(&arena, SIZE_MAX - 32) == NULL);
    EXPECT(hy_arena_copy(&arena, &arena, SIZE_MAX / 2, 4) == NULL);
    hy_arena_finish(&arena);
    hy_arena_finish(&arena);
}

TEST(arena, reset_keeps_the_newest_block_for_the_next_pieces)
{
    struct hy_arena arena = {0};
    hy_arena_reset(&arena);
    EXPECT(arena.newest == NULL);

    for (int i = 0; i < 100; i++)
        REQUIRE(hy_arena_alloc(&arena, 1000) != NULL);
    const struct hy_arena_block *kept = arena.newest;
    for (int round = 0; round < 3; round++) {
        hy_arena_reset(&arena);
        void *first = hy_arena_alloc(&arena, 8000);
        void *second = hy_arena_alloc(&arena, 8000);
        REQUIRE(first != NULL && second != NULL && first != second);
        memset(first, 1, 8000);
        memset(second, 2, 8000);
        EXPECT(arena.newest == kept);
    }
    hy_arena_finish(&arena);
}
