#include "common/clock.h"
#include "tests/kit/test.h"

TEST(clock, deadline_of_no_timeout_is_none)
{
    EXPECT_INT(hy_clock_deadline(0), HY_NO_DEADLINE);
    EXPECT_INT(hy_clock_left(HY_NO_DEADLINE), INT64_MAX);
    EXPECT(!hy_clock_is_past(HY_NO_DEADLINE));
}

TEST(clock, deadline_lies_its_timeout_ahead)
{
    const int64_t before = hy_clock_boot();
    const int64_t deadline = hy_clock_deadline(3600 * (uint64_t)HY_SECOND);

    EXPECT(deadline >= before + 3600 * HY_SECOND);
    EXPECT(deadline <= hy_clock_boot() + 3600 * HY_SECOND);
    EXPECT(hy_clock_left(deadline) <= 3600 * HY_SECOND);
    EXPECT(hy_clock_left(deadline) > 0);
    EXPECT(!hy_clock_is_past(deadline));
}

TEST(clock, deadline_that_has_passed_is_past)
{
    const int64_t deadline = hy_clock_boot() - 1;

    EXPECT(hy_clock_is_past(deadline));
    EXPECT(hy_clock_left(deadline) < 0);
    EXPECT(hy_clock_is_past(0));
}

TEST(clock, longest_timeout_does_not_overflow)
{
    EXPECT_INT(hy_clock_deadline(UINT64_MAX), INT64_MAX);
    EXPECT_INT(hy_clock_wait_end(INT64_MAX).tv_sec, INT64_MAX / HY_SECOND);
}

TEST(clock, wait_of_negative_duration_ends_now)
{
    const int64_t before = hy_clock_read(CLOCK_MONOTONIC);
    const struct timespec end = hy_clock_wait_end(-5 * HY_SECOND);
    const int64_t then = end.tv_sec * HY_SECOND + end.tv_nsec;

    EXPECT(then >= before);
    EXPECT(then <= hy_clock_read(CLOCK_MONOTONIC));
    EXPECT(end.tv_nsec >= 0 && end.tv_nsec < HY_SECOND);
}

TEST(clock, seconds_are_those_of_the_growing_clock)
{
    const double before = (double)hy_clock_now() * 1e-9;
    const double seconds = hy_clock_seconds();

    EXPECT(seconds >= before && seconds < before + 60);
}
