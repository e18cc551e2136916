/* Working memory that is kept between executions. */
#include "driver_kit/idle_pool.h"
#include "test.h"

TEST(idle_pool, gives_back_each_object_once)
{
    static struct hy_idle_pool pool;
    int first, second;

    EXPECT(hy_idle_pool_take(&pool) == NULL);
    REQUIRE(hy_idle_pool_give(&pool, &first) && hy_idle_pool_give(&pool, &second));
    const int *taken[] = {hy_idle_pool_take(&pool), hy_idle_pool_take(&pool)};
    EXPECT(taken[0] == &first || taken[1] == &first);
    EXPECT(taken[0] == &second || taken[1] == &second);
    EXPECT(hy_idle_pool_take(&pool) == NULL);
}

TEST(idle_pool, leaves_what_it_has_no_room_for)
{
    static struct hy_idle_pool pool;
    int objects[HY_IDLE_POOL_SLOTS + 1];

    for (uint32_t i = 0; i < HY_IDLE_POOL_SLOTS; i++)
        EXPECT(hy_idle_pool_give(&pool, &objects[i]));
    EXPECT(!hy_idle_pool_give(&pool, &objects[HY_IDLE_POOL_SLOTS]));
    EXPECT(hy_idle_pool_take(&pool) != NULL);
    EXPECT(hy_idle_pool_give(&pool, &objects[HY_IDLE_POOL_SLOTS]));
}
