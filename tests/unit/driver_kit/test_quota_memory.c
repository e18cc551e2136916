/* Memory that the quota of the host counts. */
#include "driver_kit/quota_memory.h"
#include "tests/kit/test.h"

#include <stdint.h>

/* A host with a quota of `most` bytes; a reservation is its size. */
struct quota {
    uint64_t most, reserved;
};

static int32_t reserve(void *context, uint64_t bytes, void **reservation)
{
    struct quota *quota = context;
    if (bytes > quota->most - quota->reserved)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    quota->reserved += bytes;
    *reservation = (void *)(uintptr_t)bytes;
    return HY_STATUS_OK;
}

static void release(void *context, void *reservation)
{
    struct quota *quota = context;
    quota->reserved -= (uintptr_t)reservation;
}

static struct hy_host host_of(struct quota *quota)
{
    return (struct hy_host){.struct_size = sizeof(struct hy_host),
                            .abi = HY_DRIVER_ABI,
                            .context = quota,
                            .memory_reserve = reserve,
                            .memory_release = release};
}

TEST(quota_memory, is_reserved_until_it_is_freed)
{
    struct quota quota = {.most = 1 << 20};
    const struct hy_host host = host_of(&quota);
    uint8_t *zeros = hy_quota_zeros(&host, 100, 3), *bytes = hy_quota_bytes(&host, 1000);

    REQUIRE(zeros && bytes);
    EXPECT(quota.reserved >= 1300);
    for (uint32_t i = 0; i < 300; i++)
        EXPECT_INT(zeros[i], 0);
    EXPECT_INT((uintptr_t)bytes % HY_QUOTA_ALIGNMENT, 0);
    hy_quota_free(zeros);
    EXPECT(quota.reserved >= 1000);
    hy_quota_free(bytes);
    EXPECT_INT(quota.reserved, 0);
    hy_quota_free(NULL);
}

TEST(quota_memory, refusal_of_the_host_is_no_memory)
{
    struct quota quota = {.most = 999};
    const struct hy_host host = host_of(&quota);
    struct hy_reservation reservation;

    EXPECT(!hy_quota_zeros(&host, 1, 1000));
    EXPECT(!hy_quota_bytes(&host, 1000));
    EXPECT(!hy_reservation_make(&host, 1000, &reservation));
    hy_reservation_release(&reservation);
    EXPECT(hy_reservation_make(&host, 999, &reservation));
    EXPECT_INT(quota.reserved, 999);
    hy_reservation_release(&reservation);
    EXPECT_INT(quota.reserved, 0);
}

TEST(quota_memory, host_without_a_quota_is_not_asked)
{
    struct quota quota = {.most = 0};
    struct hy_host host = host_of(&quota);
    host.struct_size = offsetof(struct hy_host, memory_reserve);
    uint8_t *bytes = hy_quota_bytes(&host, 1000);

    EXPECT(bytes != NULL);
    hy_quota_free(bytes);
}

TEST(quota_memory, sizes_that_overflow_are_refused_without_a_question)
{
    struct quota quota = {.most = UINT64_MAX};
    const struct hy_host host = host_of(&quota);

    EXPECT(!hy_quota_zeros(&host, UINT64_MAX / 2, 4));
    EXPECT(!hy_quota_zeros(&host, UINT64_MAX, 1));
    EXPECT(!hy_quota_bytes(&host, UINT64_MAX));
    EXPECT(!hy_quota_bytes(&host, PTRDIFF_MAX));
    EXPECT_INT(quota.reserved, 0);
}
