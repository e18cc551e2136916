/* Memory that is freed together. */
#include "driver_kit/quota_arena.h"
#include "tests/kit/test.h"

#include <stdbool.h>
#include <stdint.h>

static uint64_t reserved;
static bool refuses;

static int32_t reserve(void *context, uint64_t bytes, void **reservation)
{
    (void)context;
    if (refuses)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    reserved += bytes;
    *reservation = (void *)(uintptr_t)bytes;
    return HY_STATUS_OK;
}

static void release(void *context, void *reservation)
{
    (void)context;
    reserved -= (uintptr_t)reservation;
}

static const struct hy_host host = {.struct_size = sizeof host,
                                    .abi = HY_DRIVER_ABI,
                                    .memory_reserve = reserve,
                                    .memory_release = release};

TEST(quota_arena, pieces_are_zero_and_counted_until_all_are_freed)
{
    struct hy_quota_arena arena = {.host = &host};

    uint64_t *numbers = hy_quota_arena_zeros(&arena, 100, sizeof *numbers);
    uint8_t *bytes = hy_quota_arena_zeros(&arena, 1000, 1),
            *none = hy_quota_arena_zeros(&arena, 0, 4);
    REQUIRE(numbers && bytes && none);
    EXPECT(reserved >= 1800);
    EXPECT_INT((uintptr_t)numbers % _Alignof(max_align_t), 0);
    for (uint32_t i = 0; i < 100; i++)
        EXPECT_INT(numbers[i] + bytes[i], 0);
    hy_quota_arena_free(&arena);
    EXPECT_INT(reserved, 0);
    hy_quota_arena_free(&arena); /* which is empty */
}

TEST(quota_arena, refused_piece_leaves_the_others_in_place)
{
    struct hy_quota_arena arena = {.host = &host};

    uint8_t *bytes = hy_quota_arena_zeros(&arena, 10, 1);
    REQUIRE(bytes != NULL);
    bytes[9] = 7;
    refuses = true;
    EXPECT(!hy_quota_arena_zeros(&arena, 1, 1));
    refuses = false;
    EXPECT(!hy_quota_arena_zeros(&arena, UINT64_MAX / 4, 8));
    EXPECT(!hy_quota_arena_zeros(&arena, UINT64_MAX, 1));
    EXPECT_INT(bytes[9], 7);
    hy_quota_arena_free(&arena);
    EXPECT_INT(reserved, 0);
}
