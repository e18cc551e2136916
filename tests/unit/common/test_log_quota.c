/* How many lines a driver in another process gets into the log. */
#include "common/log_quota.h"
#include "halyard/driver.h"
#include "tests/kit/test.h"

#define MILLISECOND INT64_C(1000000)

static uint32_t write_many(struct hy_log_quota *quota, int32_t level, uint32_t count, int64_t now)
{
    uint32_t written = 0, left_out = 0;

    for (uint32_t i = 0; i < count; i++) {
        written += hy_log_quota_claim(quota, level, now, &left_out) != HY_LOG_LEAVE_OUT;
        EXPECT_INT(left_out, 0);
    }
    return written;
}

TEST(log_quota, flood_is_cut_and_counted_when_the_second_is_over)
{
    struct hy_log_quota quota = {0};
    uint32_t left_out = 0;

    EXPECT_INT(write_many(&quota, HY_LOG_WARNING, 5000, MILLISECOND), HY_LOG_LINES_PER_SECOND);
    EXPECT_INT(write_many(&quota, HY_LOG_WARNING, 7, 1000 * MILLISECOND), 0);
    EXPECT_INT(hy_log_quota_claim(&quota, HY_LOG_WARNING, 1001 * MILLISECOND, &left_out),
               HY_LOG_WRITE);
    EXPECT_INT(left_out, 5007 - HY_LOG_LINES_PER_SECOND);
    EXPECT_INT(write_many(&quota, HY_LOG_WARNING, 5000, 1001 * MILLISECOND),
               HY_LOG_LINES_PER_SECOND - 1);
}

TEST(log_quota, last_line_of_a_second_is_known)
{
    struct hy_log_quota quota = {0};
    uint32_t left_out = 0;

    EXPECT_INT(write_many(&quota, HY_LOG_INFO, HY_LOG_LINES_PER_SECOND - 1, 0),
               HY_LOG_LINES_PER_SECOND - 1);
    EXPECT_INT(hy_log_quota_claim(&quota, HY_LOG_INFO, 0, &left_out), HY_LOG_WRITE_LAST);
    EXPECT_INT(hy_log_quota_claim(&quota, HY_LOG_INFO, 0, &left_out), HY_LOG_LEAVE_OUT);
}

TEST(log_quota, lines_of_one_level_do_not_use_up_those_of_another)
{
    struct hy_log_quota quota = {0};

    EXPECT_INT(write_many(&quota, HY_LOG_DEBUG, 1000, 0), HY_LOG_LINES_PER_SECOND);
    EXPECT_INT(write_many(&quota, HY_LOG_ERROR, 3, 0), 3);
    EXPECT_INT(write_many(&quota, -5, 3, 0), 0); /* no level there is: the lowest */
    EXPECT_INT(write_many(&quota, 77, 3, 0), 0);
}

TEST(log_quota, what_is_left_out_is_reported_once)
{
    struct hy_log_quota quota = {0};

    EXPECT_INT(hy_log_quota_consume_left_out(&quota, HY_LOG_ERROR), 0);
    write_many(&quota, HY_LOG_ERROR, HY_LOG_LINES_PER_SECOND + 9, 0);
    EXPECT_INT(hy_log_quota_consume_left_out(&quota, HY_LOG_ERROR), 9);
    EXPECT_INT(hy_log_quota_consume_left_out(&quota, HY_LOG_ERROR), 0);
}
