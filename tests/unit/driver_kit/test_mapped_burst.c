/* Bursts that keep the addresses of pools. */
#include "driver_kit/mapped_burst.h"
#include "tests/kit/test.h"

static unsigned mapped; /* calls of the host's map */

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)context, (void)protection;
    mapped++;
    *address = pool->address;
    return HY_STATUS_OK;
}

static const struct hy_host host = {.struct_size = sizeof host, .abi = HY_DRIVER_ABI, .map = map};

/* Executes by finding the address of pool 0, which is what the prepared model points to. */
static int32_t execute(void *prepared, struct hy_pool_map *pools, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    void *address = NULL;
    (void)options, (void)result;
    const int32_t status = hy_pool_map_find(pools, request->pools, HY_PROTECT_READ, &address);
    return status == HY_STATUS_OK && address != prepared ? HY_STATUS_GENERAL_FAILURE : status;
}

TEST(mapped_burst, addresses_are_kept_until_they_are_released)
{
    int32_t bytes = 0;
    const struct hy_pool pool = {
        .kind = HY_POOL_MMAP_FD, .id = 7, .size = sizeof bytes, .address = &bytes};
    const struct hy_request request = {.pool_count = 1, .pools = &pool};
    void *burst = NULL;

    mapped = 0;
    REQUIRE(hy_mapped_burst_open(execute, &host, &bytes, &burst) == HY_STATUS_OK);
    EXPECT_INT(hy_mapped_burst_execute(burst, &request, NULL, NULL), HY_STATUS_OK);
    EXPECT_INT(hy_mapped_burst_execute(burst, &request, NULL, NULL), HY_STATUS_OK);
    EXPECT_INT(mapped, 1);
    hy_mapped_burst_release(burst, 7);
    EXPECT_INT(hy_mapped_burst_execute(burst, &request, NULL, NULL), HY_STATUS_OK);
    EXPECT_INT(mapped, 2);
    hy_mapped_burst_close(burst);
}
