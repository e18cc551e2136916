#include "common/memory/arena.h"
#include "tests/kit/test.h"

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

/* A quota of so many bytes, and what is left of it. */
struct purse {
    size_t left;
    unsigned held;
};

static bool reserve(const void *context, size_t bytes, void **ret)
{
    struct purse *purse = (struct purse *)context;

    if (bytes > purse->left)
        return false;
    purse->left -= bytes;
    purse->held++;
    *ret = (void *)bytes;
    return true;
}

static void release(const void *context, void *reservation)
{
    struct purse *purse = (struct purse *)context;

    purse->left += (size_t)reservation;
    purse->held--;
}

TEST(arena, quota_is_asked_for_each_block_and_gets_all_back)
{
    static const struct hy_arena_quota quota = {reserve, release};
    struct purse purse = {.left = 1 << 20};
    struct hy_arena arena = {.quota = &quota, .context = &purse};

    EXPECT(hy_arena_alloc(&arena, 1000) != NULL);
    EXPECT_INT(purse.held, 1);
    EXPECT(hy_arena_alloc(&arena, 1 << 19) != NULL);
    EXPECT_INT(purse.held, 2);
    EXPECT(hy_arena_alloc(&arena, 1 << 20) == NULL);
    hy_arena_reset(&arena);
    EXPECT_INT(purse.held, 1);
    hy_arena_finish(&arena);
    EXPECT_INT(purse.held, 0);
    EXPECT_INT(purse.left, 1 << 20);
    EXPECT(hy_arena_alloc(&arena, 1 << 21) == NULL); /* it keeps its quota */
    EXPECT(arena.newest == NULL);
}

/* Objects have arenas of their own for little more than a few pieces. */
TEST(arena, few_bytes_take_less_than_half_a_page)
{
    static const struct hy_arena_quota quota = {reserve, release};
    struct purse purse = {.left = 2048};
    struct hy_arena arena = {.quota = &quota, .context = &purse};

    EXPECT(hy_arena_alloc(&arena, 100) != NULL);
    EXPECT(purse.left > 0 && purse.left < 2048 - 2 * 100); /* a usual block, with room for more */
    hy_arena_finish(&arena);
}

/* The second block would have 8000 bytes. */
TEST(arena, quota_without_room_for_a_usual_block_gives_what_is_needed)
{
    static const struct hy_arena_quota quota = {reserve, release};
    struct purse purse = {.left = 8192};
    struct hy_arena arena = {.quota = &quota, .context = &purse};

    EXPECT(hy_arena_alloc(&arena, 4000) != NULL);
    EXPECT(hy_arena_alloc(&arena, 3000) != NULL);
    EXPECT_INT(purse.held, 2);
    EXPECT(hy_arena_alloc(&arena, 3000) == NULL);
    hy_arena_finish(&arena);
    EXPECT_INT(purse.left, 8192);
}

TEST(arena, memory_of_one_large_piece_is_not_kept)
{
    struct hy_arena arena = {0};

    EXPECT(hy_arena_alloc(&arena, (size_t)8 << 20) != NULL);
    hy_arena_reset(&arena);
    EXPECT(arena.newest == NULL);
    hy_arena_finish(&arena);
}

TEST(arena, reset_keeps_the_newest_block_for_the_next_pieces)
{
    struct hy_arena arena = {0};
    hy_arena_reset(&arena);
    EXPECT(arena.newest == NULL);

    for (int i = 0; i < 100; i++)
        REQUIRE(hy_arena_alloc(&arena, 1000) != NULL);
    const struct hy_arena_block *newest = arena.newest;
    for (int round = 0; round < 3; round++) {
        hy_arena_reset(&arena);
        void *first = hy_arena_alloc(&arena, 8000);
        void *second = hy_arena_alloc(&arena, 8000);
        REQUIRE(first != NULL && second != NULL && first != second);
        memset(first, 1, 8000);
        memset(second, 2, 8000);
        EXPECT(arena.newest == newest);
    }
    hy_arena_finish(&arena);
}
