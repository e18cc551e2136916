#include "common/call_watchdog.h"
#include "common/clock.h"
#include "tests/kit/test.h"

#include <pthread.h>
#include <string.h>

/* Rounds are short, and tests wait for what they bring. */
#define ROUND_NS   HY_MILLISECOND
#define TIMEOUT_NS (8 * ROUND_NS)

struct reported {
    struct hy_watched_call call;
    int64_t age_ns;
    bool has_returned;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct reported reports[64];
    unsigned report_count, round_count;
    struct reported oldest; /* of the last round */
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void report(struct hy_watched_call call, int64_t age_ns, bool has_returned)
{
    pthread_mutex_lock(&seen.lock);
    if (seen.report_count < 64)
        seen.reports[seen.report_count++] = (struct reported){call, age_ns, has_returned};
    pthread_cond_broadcast(&seen.changed);
    pthread_mutex_unlock(&seen.lock);
}

static void end_round(struct hy_watched_call oldest, int64_t age_ns)
{
    pthread_mutex_lock(&seen.lock);
    seen.round_count++;
    seen.oldest = (struct reported){.call = oldest, .age_ns = age_ns};
    pthread_cond_broadcast(&seen.changed);
    pthread_mutex_unlock(&seen.lock);
}

static void await_rounds(unsigned count)
{
    pthread_mutex_lock(&seen.lock);
    const unsigned end = seen.round_count + count;
    while (seen.round_count < end)
        pthread_cond_wait(&seen.changed, &seen.lock);
    pthread_mutex_unlock(&seen.lock);
}

/* The round after the last call has told of its end. */
static void start(void)
{
    static const struct hy_watchdog_rules rules = {.hang_timeout_ns = TIMEOUT_NS,
                                                   .round_ns = ROUND_NS,
                                                   .report = report,
                                                   .end_round = end_round};

    EXPECT(hy_watchdog_start(&rules));
    await_rounds(2);
    pthread_mutex_lock(&seen.lock);
    seen.report_count = 0;
    pthread_mutex_unlock(&seen.lock);
}

/* The report of this number since the start. */
static struct reported await_report(unsigned number)
{
    pthread_mutex_lock(&seen.lock);
    while (seen.report_count <= number)
        pthread_cond_wait(&seen.changed, &seen.lock);
    const struct reported reported = seen.reports[number];
    pthread_mutex_unlock(&seen.lock);
    return reported;
}

static unsigned report_count(void)
{
    pthread_mutex_lock(&seen.lock);
    const unsigned count = seen.report_count;
    pthread_mutex_unlock(&seen.lock);
    return count;
}

TEST(call_watchdog, call_that_does_not_come_back_is_told_again_when_its_age_has_doubled)
{
    start();
    const struct hy_watched_call outer = hy_watchdog_enter("acme", "prepare");
    const struct reported first = await_report(0), second = await_report(1),
                          third = await_report(2);

    EXPECT_STR(first.call.device, "acme");
    EXPECT_STR(first.call.function, "prepare");
    EXPECT(first.age_ns >= TIMEOUT_NS && !first.has_returned);
    EXPECT(second.age_ns >= 2 * first.age_ns);
    EXPECT(third.age_ns >= 2 * second.age_ns);
    hy_watchdog_leave(outer);
}

TEST(call_watchdog, return_of_a_call_that_was_told_of_is_told)
{
    start();
    const struct hy_watched_call outer = hy_watchdog_enter("acme", "execute");
    (void)await_report(0);
    hy_watchdog_leave(outer);

    struct reported reported;
    unsigned number = 1;
    do
        reported = await_report(number++);
    while (!reported.has_returned); /* it may have doubled meanwhile */
    EXPECT_STR(reported.call.function, "execute");
    await_rounds(20);
    EXPECT_INT(report_count(), number);
}

TEST(call_watchdog, calls_that_come_back_are_not_told_of_however_many)
{
    start();
    pthread_mutex_lock(&seen.lock);
    const unsigned end = seen.round_count + 20;
    pthread_mutex_unlock(&seen.lock);

    for (bool is_over = false; !is_over;) {
        const struct hy_watched_call outer = hy_watchdog_enter("acme", "execute");
        hy_watchdog_leave(outer);
        pthread_mutex_lock(&seen.lock);
        is_over = seen.round_count >= end;
        pthread_mutex_unlock(&seen.lock);
    }
    EXPECT_INT(report_count(), 0);
}

TEST(call_watchdog, call_inside_of_a_call_gives_the_outer_one_back)
{
    start();
    const struct hy_watched_call none = hy_watchdog_enter("outer", "prepare");
    const struct hy_watched_call outer = hy_watchdog_enter("inner", "execute");
    EXPECT(none.function == NULL);
    EXPECT_STR(outer.device, "outer");
    EXPECT_STR(await_report(0).call.device, "inner");

    hy_watchdog_leave(outer);
    struct reported reported;
    unsigned number = 1;
    do
        reported = await_report(number++);
    while (strcmp(reported.call.device, "outer") != 0);
    EXPECT_STR(reported.call.function, "prepare");
    EXPECT(!reported.has_returned);
    hy_watchdog_leave(none);
}

static void *hang(void *argument)
{
    const struct hy_watched_call outer = hy_watchdog_enter("of a thread", "execute");

    (void)await_report(*(const unsigned *)argument);
    hy_watchdog_leave(outer);
    return NULL;
}

TEST(call_watchdog, each_thread_is_watched_also_after_others_have_ended)
{
    start();
    for (unsigned i = 0; i < 3; i++) {
        const unsigned number = report_count();
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, hang, (void *)&number) == 0);
        EXPECT_STR(await_report(number).call.device, "of a thread");
        pthread_join(thread, NULL);
        await_rounds(2);
    }
}

TEST(call_watchdog, end_of_a_round_has_the_oldest_call)
{
    start();
    const struct hy_watched_call outer = hy_watchdog_enter("acme", "buffer_create");
    (void)await_report(0);
    await_rounds(1);
    pthread_mutex_lock(&seen.lock);
    const struct reported oldest = seen.oldest;
    pthread_mutex_unlock(&seen.lock);
    EXPECT_STR(oldest.call.function, "buffer_create");
    EXPECT(oldest.age_ns >= TIMEOUT_NS);
    hy_watchdog_leave(outer);

    await_rounds(2);
    pthread_mutex_lock(&seen.lock);
    EXPECT(seen.oldest.call.function == NULL);
    EXPECT_INT(seen.oldest.age_ns, 0);
    pthread_mutex_unlock(&seen.lock);
}
