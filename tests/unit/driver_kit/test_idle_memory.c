/* Working memory that is kept between executions. */
#include "driver_kit/idle_memory.h"
#include "driver_kit/quota_memory.h"
#include "tests/kit/test.h"

static int64_t held; /* reservations */

static int32_t reserve(void *context, uint64_t bytes, void **reservation)
{
    (void)context, (void)bytes, (void)reservation;
    held++;
    return HY_STATUS_OK;
}

static void release(void *context, void *reservation)
{
    (void)context, (void)reservation;
    held--;
}

static void *piece(void)
{
    static const struct hy_host host = {.struct_size = sizeof host,
                                        .abi = HY_DRIVER_ABI,
                                        .memory_reserve = reserve,
                                        .memory_release = release};
    return hy_quota_bytes(&host, 100);
}

TEST(idle_memory, gives_back_each_piece_once)
{
    static struct hy_idle_memory memory;
    void *first = piece(), *second = piece();

    EXPECT(hy_idle_memory_pop(&memory) == NULL);
    hy_idle_memory_push(&memory, first);
    hy_idle_memory_push(&memory, second);
    void *popped[] = {hy_idle_memory_pop(&memory), hy_idle_memory_pop(&memory)};
    EXPECT(popped[0] == first || popped[1] == first);
    EXPECT(popped[0] == second || popped[1] == second);
    EXPECT(hy_idle_memory_pop(&memory) == NULL);
    hy_quota_free(first);
    hy_quota_free(second);
}

TEST(idle_memory, frees_what_it_has_no_room_for)
{
    static struct hy_idle_memory memory;

    for (uint32_t i = 0; i < HY_IDLE_MEMORY_SLOTS; i++)
        hy_idle_memory_push(&memory, piece());
    EXPECT_INT(held, HY_IDLE_MEMORY_SLOTS);
    hy_idle_memory_push(&memory, piece());
    EXPECT_INT(held, HY_IDLE_MEMORY_SLOTS);
    hy_idle_memory_free(&memory);
    EXPECT_INT(held, 0);
    EXPECT(hy_idle_memory_pop(&memory) == NULL);
}
