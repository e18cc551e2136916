/* What drivers in this process may take for the executions of a compilation. */
#include "halyard/driver.h"
#include "runtime/memory/memory_quota.h"
#include "tests/kit/test.h"

static int32_t reserve(uint64_t bytes, void **reservation)
{
    return hy_memory_quota_reserve(NULL, bytes, reservation);
}

TEST(memory_quota, counts_for_the_thread_that_uses_it)
{
    struct hy_memory_quota *quota;
    void *free_of_charge, *first, *second;

    REQUIRE(hy_memory_quota_create(1000, &quota, NULL) == HY_OK);
    EXPECT_INT(reserve(5000, &free_of_charge), HY_STATUS_OK);
    EXPECT(hy_memory_quota_use(quota) == NULL);
    EXPECT_INT(reserve(600, &first), HY_STATUS_OK);
    EXPECT(!hy_memory_quota_is_over(HY_EXHAUSTED));
    EXPECT_INT(reserve(401, &second), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT(hy_memory_quota_is_over(HY_EXHAUSTED));
    EXPECT(!hy_memory_quota_is_over(HY_FAILED));
    EXPECT_INT(reserve(1001, &second), HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_INT(reserve(400, &second), HY_STATUS_OK);
    EXPECT(hy_memory_quota_use(NULL) == quota);
    EXPECT(!hy_memory_quota_is_over(HY_EXHAUSTED));

    hy_memory_quota_give_back(NULL, first);
    EXPECT(hy_memory_quota_use(quota) == NULL);
    EXPECT_INT(reserve(601, &first), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_INT(reserve(600, &first), HY_STATUS_OK);
    (void)hy_memory_quota_use(NULL);
    hy_memory_quota_give_back(NULL, free_of_charge);
    hy_memory_quota_give_back(NULL, first);
    hy_memory_quota_release(quota);
    hy_memory_quota_give_back(NULL, second); /* the driver outlives the compilation */
    EXPECT_INT(reserve(1, NULL), HY_STATUS_INVALID_ARGUMENT);
}
