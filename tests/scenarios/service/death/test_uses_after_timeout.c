/* Memory of executions that were given up at their deadlines, while the driver is still at them. */
#include "lifecycle.h"
#include "tests/kit/test.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* A driver that cares for no deadline: an execution with one takes so long, and writes then. */
#define FAULTS "{\"full\":1,\"fault\":\"execute-late\"}"
enum { DELAY_MS = 700, SHORT_MS = 20, TIMEOUT_S = 120 };

static bool open_lifecycle(struct lifecycle *lifecycle)
{
    const bool is_open = lifecycle_open_driver(lifecycle, FAULTY_DRIVER, FAULTS, TIMEOUT_S) &&
                         lifecycle_prepare(lifecycle) == HY_STATUS_OK;

    if (!is_open)
        hy_test_fail(__FILE__, __LINE__, "open: %s", lifecycle->error_text);
    return is_open;
}

/* The same memory by turns: what follows a late one is right, and not over before the late one.
 * False: it was over before. */
static bool is_waited_for(int32_t (*give_up)(struct lifecycle *lifecycle),
                          int32_t (*next)(struct lifecycle *lifecycle), int ms)
{
    struct lifecycle lifecycle;
    if (!open_lifecycle(&lifecycle))
        return false;

    const int64_t end = lifecycle_in_ms(DELAY_MS);
    lifecycle.deadline = lifecycle_in_ms(ms);
    if (give_up) {
        EXPECT_INT(give_up(&lifecycle), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        lifecycle.deadline = HY_NO_DEADLINE;
    }
    EXPECT_INT(next(&lifecycle), HY_STATUS_OK);
    const bool has_waited = lifecycle_in_ms(0) >= end;
    lifecycle_close(&lifecycle);
    return has_waited;
}

/* On a busy machine a deadline may pass before the execution is under way: then a later one is
 * tried. */
static void expect_to_wait(const char *what, int32_t (*give_up)(struct lifecycle *lifecycle),
                           int32_t (*next)(struct lifecycle *lifecycle))
{
    bool has_waited = false;

    for (int ms = SHORT_MS; ms < DELAY_MS && !has_waited; ms *= 3)
        has_waited = is_waited_for(give_up, next, ms);
    if (has_waited)
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "%s: over before the late one", what);
}

TEST(service_uses_after_timeout, whatever_was_late_the_next_one_waits_for_the_memory)
{
    expect_to_wait("execution", lifecycle_execute, lifecycle_execute);
    expect_to_wait("reusable execution", lifecycle_reuse, lifecycle_execute);
    expect_to_wait("burst that was closed", lifecycle_burst, lifecycle_execute);
    expect_to_wait("burst", NULL, lifecycle_burst_after_timeout);
    expect_to_wait("buffer", NULL, lifecycle_fill_buffer_after_timeout);
}

TEST(service_uses_after_timeout, whatever_comes_next_it_waits_for_the_memory)
{
    expect_to_wait("reusable execution", lifecycle_execute, lifecycle_reuse);
    expect_to_wait("fenced execution", lifecycle_execute, lifecycle_execute_fenced);
    expect_to_wait("burst", lifecycle_execute, lifecycle_burst);
}

TEST(service_uses_after_timeout, nothing_is_written_after_the_next_one)
{
    struct lifecycle lifecycle;
    REQUIRE(open_lifecycle(&lifecycle));

    lifecycle.deadline = lifecycle_in_ms(SHORT_MS);
    EXPECT_INT(lifecycle_execute(&lifecycle), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    lifecycle.deadline = HY_NO_DEADLINE;
    EXPECT_INT(lifecycle_execute(&lifecycle), HY_STATUS_OK);
    *lifecycle_sum(&lifecycle.memory) = -1;
    poll(NULL, 0, 2 * DELAY_MS);
    EXPECT(*lifecycle_sum(&lifecycle.memory) == -1);
    lifecycle_close(&lifecycle);
}

TEST(service_uses_after_timeout, waiting_ends_at_the_deadline_of_who_waits)
{
    bool has_waited = false;

    for (int ms = SHORT_MS; ms < DELAY_MS && !has_waited; ms *= 3) {
        struct lifecycle lifecycle;
        REQUIRE(open_lifecycle(&lifecycle));
        lifecycle.deadline = lifecycle_in_ms(ms);
        EXPECT_INT(lifecycle_execute(&lifecycle), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        lifecycle.deadline = lifecycle_in_ms(SHORT_MS);
        EXPECT_INT(lifecycle_execute(&lifecycle), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        has_waited =
            strcmp(lifecycle.error_text, "an execution that missed its deadline may still use the "
                                         "memory") == 0;
        lifecycle_close(&lifecycle);
    }
    EXPECT(has_waited);
}

/* On a busy machine it may be over before: then once more. */
TEST(service_uses_after_timeout, other_memory_is_free)
{
    bool was_free = false;

    for (unsigned i = 0; i < 10 && !was_free; i++) {
        struct lifecycle lifecycle;
        REQUIRE(open_lifecycle(&lifecycle));
        lifecycle.deadline = lifecycle_in_ms(SHORT_MS);
        EXPECT_INT(lifecycle_execute(&lifecycle), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        const struct lifecycle_memory old = lifecycle.memory;
        lifecycle.deadline = HY_NO_DEADLINE;
        REQUIRE(lifecycle_make_memory(&lifecycle.memory));
        EXPECT_INT(lifecycle_execute(&lifecycle), HY_STATUS_OK);
        was_free = *lifecycle_sum(&old) == -1;
        lifecycle_free_memory(&old);
        lifecycle_close(&lifecycle);
    }
    EXPECT(was_free);
}

TEST(service_uses_after_timeout, closing_a_burst_does_not_wait_for_what_was_given_up)
{
    bool was_free = false;

    for (unsigned i = 0; i < 10 && !was_free; i++) {
        struct lifecycle lifecycle;
        REQUIRE(open_lifecycle(&lifecycle));
        const int64_t end = lifecycle_in_ms(DELAY_MS);
        lifecycle.deadline = lifecycle_in_ms(SHORT_MS);
        EXPECT_INT(lifecycle_burst(&lifecycle), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        was_free = lifecycle_in_ms(0) < end;
        lifecycle_close(&lifecycle);
    }
    EXPECT(was_free);
}

/* ---- Buffers that a driver alone knows to be in use ------------------------------------------ */

struct destruction {
    struct lifecycle *lifecycle;
    void *buffer;
    atomic_bool is_over;
};

static void *destroy_buffer(void *argument)
{
    struct destruction *destruction = argument;

    destruction->lifecycle->table->buffer_destroy(destruction->buffer);
    atomic_store(&destruction->is_over, true);
    return NULL;
}

/* The driver takes two requests of a burst at once, and begins none before both are there. False:
 * the buffer was destroyed before. */
static bool is_held_for_driver(int ms)
{
    struct lifecycle lifecycle;
    struct lifecycle_left left;
    pthread_t thread;
    if (!lifecycle_open_driver(&lifecycle, SERVING_DRIVER, "", TIMEOUT_S) ||
        lifecycle_prepare(&lifecycle) != HY_STATUS_OK)
        return false;

    lifecycle.deadline = lifecycle_in_ms(ms);
    (void)lifecycle_leave_buffer(&lifecycle, &left);
    struct destruction destruction = {.lifecycle = &lifecycle, .buffer = left.buffer};
    if (pthread_create(&thread, NULL, destroy_buffer, &destruction) != 0)
        return false;
    poll(NULL, 0, 10 * SHORT_MS);
    const bool is_held = !atomic_load(&destruction.is_over);
    lifecycle.deadline = lifecycle_in_ms(SHORT_MS);
    (void)lifecycle_burst(&lifecycle); /* shares the queue: its first request is the other one */
    pthread_join(thread, NULL);
    lifecycle.table->burst_close(left.burst);
    lifecycle_close(&lifecycle);
    return is_held;
}

TEST(service_uses_after_timeout,
     buffer_is_not_destroyed_before_a_driver_that_serves_bursts_is_done_with_it)
{
    bool is_held = false;

    for (int ms = SHORT_MS; ms < 100 * SHORT_MS && !is_held; ms *= 3)
        is_held = is_held_for_driver(ms);
    EXPECT(is_held);
}
