/* When a device is left alone, and for how long. */
#include "runtime/device/health.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#define SECOND UINT64_C(1000000000)

/* A moment long after the machine has started. */
static const uint64_t start = 1000000 * SECOND;

/* The clock rounds an end up by as much at most. */
static bool is_about(uint64_t left, uint64_t want)
{
    return left >= want && left < want + 2048;
}

TEST(health, device_without_failures_is_clear)
{
    struct hy_health health = {0};

    EXPECT(hy_health_is_clear(&health));
    EXPECT_INT(hy_health_left(&health, start), 0);
    EXPECT_INT(hy_health_failures(&health), 0);
}

TEST(health, quarantine_starts_with_the_third_failure_in_a_row)
{
    struct hy_health health = {0};

    EXPECT_INT(hy_health_note_failure(&health, start), 0);
    EXPECT_INT(hy_health_note_failure(&health, start + 1), 0);
    EXPECT_INT(hy_health_left(&health, start + 2), 0);
    EXPECT(!hy_health_is_clear(&health));
    EXPECT_INT(hy_health_note_failure(&health, start + 2), SECOND);
    EXPECT(is_about(hy_health_left(&health, start + 2), SECOND));
    EXPECT(is_about(hy_health_left(&health, start + 2 + SECOND / 2), SECOND / 2));
    EXPECT_INT(hy_health_left(&health, start + 2 * SECOND), 0);
    EXPECT_INT(hy_health_failures(&health), 3);
}

TEST(health, success_in_between_starts_anew)
{
    struct hy_health health = {0};

    for (int i = 0; i < 10; i++) {
        EXPECT_INT(hy_health_note_failure(&health, start), 0);
        EXPECT_INT(hy_health_note_failure(&health, start), 0);
        hy_health_note_success(&health);
        EXPECT(hy_health_is_clear(&health));
    }
}

TEST(health, quarantine_doubles_up_to_a_minute)
{
    static const uint64_t seconds[] = {1, 2, 4, 8, 16, 32, 60, 60, 60};
    struct hy_health health = {0};
    uint64_t now = start;

    (void)hy_health_note_failure(&health, now);
    (void)hy_health_note_failure(&health, now);
    for (unsigned i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        EXPECT_INT(hy_health_note_failure(&health, now), seconds[i] * SECOND);
        now += seconds[i] * SECOND + 2048;
        EXPECT_INT(hy_health_left(&health, now), 0);
    }
    hy_health_note_success(&health);
    EXPECT_INT(hy_health_note_failure(&health, now), 0);
}

TEST(health, long_row_of_failures_stays_at_a_minute)
{
    struct hy_health health = {0};
    uint64_t now = start;

    for (int i = 0; i < 1000; i++, now += 61 * SECOND)
        (void)hy_health_note_failure(&health, now);
    EXPECT(is_about(hy_health_left(&health, now - 61 * SECOND), 60 * SECOND));
}

TEST(health, what_fails_during_a_quarantine_does_not_count)
{
    struct hy_health health = {0};

    for (int i = 0; i < 10; i++)
        (void)hy_health_note_failure(&health, start);
    EXPECT_INT(hy_health_failures(&health), 3);
    EXPECT(is_about(hy_health_left(&health, start), SECOND));
}

static struct hy_health shared;

static void fail_often(void *argument)
{
    (void)argument;
    for (int i = 0; i < 1000; i++)
        (void)hy_health_note_failure(&shared, start);
}

TEST(health, threads_that_fail_at_once_start_one_quarantine)
{
    char parts[4];

    EXPECT(hy_threads_run(4, fail_often, parts, 1));
    EXPECT_INT(hy_health_failures(&shared), 3);
    EXPECT(is_about(hy_health_left(&shared, start), SECOND));
}
