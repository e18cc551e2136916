/* Memory of executions that were given up at their deadlines, while the driver is still at them. */
#include "life.h"
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* A driver that cares for no deadline: an execution with one takes so long, and writes then. */
#define FAULTS "{\"full\":1,\"fault\":\"execute-late\"}"
enum { LATE_MS = 700, SHORT_MS = 20, PATIENCE = 120 };

static bool open_life(struct life *life)
{
    const bool is_open = life_open_driver(life, FAULTY_DRIVER, FAULTS, PATIENCE) &&
                         life_prepare(life) == HY_STATUS_OK;

    if (!is_open)
        hy_test_fail(__FILE__, __LINE__, "open: %s", life->words);
    return is_open;
}

/* The same memory by turns: what follows a late one is right, and not over before the late one.
 * False: it was over before. */
static bool is_waited_for(int32_t (*late)(struct life *life), int32_t (*next)(struct life *life),
                          int ms)
{
    struct life life;
    if (!open_life(&life))
        return false;

    const int64_t end = life_in_ms(LATE_MS);
    life.deadline = life_in_ms(ms);
    if (late) {
        EXPECT_INT(late(&life), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        life.deadline = HY_NO_DEADLINE;
    }
    EXPECT_INT(next(&life), HY_STATUS_OK);
    const bool has_waited = life_in_ms(0) >= end;
    life_close(&life);
    return has_waited;
}

/* On a busy machine a deadline may pass before the execution is under way: then a later one is
 * tried. */
static void expect_to_wait(const char *words, int32_t (*late)(struct life *life),
                           int32_t (*next)(struct life *life))
{
    bool has_waited = false;

    for (int ms = SHORT_MS; ms < LATE_MS && !has_waited; ms *= 3)
        has_waited = is_waited_for(late, next, ms);
    if (has_waited)
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "%s: over before the late one", words);
}

TEST(service_late_uses, whatever_was_late_the_next_one_waits_for_the_memory)
{
    expect_to_wait("execution", life_execute, life_execute);
    expect_to_wait("reusable execution", life_reuse, life_execute);
    expect_to_wait("burst that was closed", life_burst, life_execute);
    expect_to_wait("burst", NULL, life_burst_after_late);
    expect_to_wait("buffer", NULL, life_fill_buffer_after_late);
}

TEST(service_late_uses, whatever_comes_next_it_waits_for_the_memory)
{
    expect_to_wait("reusable execution", life_execute, life_reuse);
    expect_to_wait("fenced execution", life_execute, life_execute_fenced);
    expect_to_wait("burst", life_execute, life_burst);
}

TEST(service_late_uses, nothing_is_written_after_the_next_one)
{
    struct life life;
    REQUIRE(open_life(&life));

    life.deadline = life_in_ms(SHORT_MS);
    EXPECT_INT(life_execute(&life), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    life.deadline = HY_NO_DEADLINE;
    EXPECT_INT(life_execute(&life), HY_STATUS_OK);
    *life_sum(&life.memory) = -1;
    poll(NULL, 0, 2 * LATE_MS);
    EXPECT(*life_sum(&life.memory) == -1);
    life_close(&life);
}

TEST(service_late_uses, waiting_ends_at_the_deadline_of_who_waits)
{
    bool has_waited = false;

    for (int ms = SHORT_MS; ms < LATE_MS && !has_waited; ms *= 3) {
        struct life life;
        REQUIRE(open_life(&life));
        life.deadline = life_in_ms(ms);
        EXPECT_INT(life_execute(&life), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        life.deadline = life_in_ms(SHORT_MS);
        EXPECT_INT(life_execute(&life), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        has_waited = strcmp(life.words, "an execution that missed its deadline may still use the "
                                        "memory") == 0;
        life_close(&life);
    }
    EXPECT(has_waited);
}

/* On a busy machine it may be over before: then once more. */
TEST(service_late_uses, other_memory_is_free)
{
    bool was_free = false;

    for (unsigned i = 0; i < 10 && !was_free; i++) {
        struct life life;
        REQUIRE(open_life(&life));
        life.deadline = life_in_ms(SHORT_MS);
        EXPECT_INT(life_execute(&life), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        const struct life_memory old = life.memory;
        life.deadline = HY_NO_DEADLINE;
        REQUIRE(life_make_memory(&life.memory));
        EXPECT_INT(life_execute(&life), HY_STATUS_OK);
        was_free = *life_sum(&old) == -1;
        life_free_memory(&old);
        life_close(&life);
    }
    EXPECT(was_free);
}

TEST(service_late_uses, closing_a_burst_does_not_wait_for_what_was_given_up)
{
    bool was_free = false;

    for (unsigned i = 0; i < 10 && !was_free; i++) {
        struct life life;
        REQUIRE(open_life(&life));
        const int64_t end = life_in_ms(LATE_MS);
        life.deadline = life_in_ms(SHORT_MS);
        EXPECT_INT(life_burst(&life), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        was_free = life_in_ms(0) < end;
        life_close(&life);
    }
    EXPECT(was_free);
}

/* ---- Buffers that a driver alone knows to be in use ------------------------------------------ */

struct destruction {
    struct life *life;
    void *buffer;
    atomic_bool is_over;
};

static void *destroy_buffer(void *argument)
{
    struct destruction *destruction = argument;

    destruction->life->table->buffer_destroy(destruction->buffer);
    atomic_store(&destruction->is_over, true);
    return NULL;
}

/* The driver takes two requests of a burst at once, and begins none before both are there. False:
 * the buffer was destroyed before. */
static bool is_kept_for_driver(int ms)
{
    struct life life;
    struct life_left left;
    pthread_t thread;
    if (!life_open_driver(&life, SERVING_DRIVER, "", PATIENCE) ||
        life_prepare(&life) != HY_STATUS_OK)
        return false;

    life.deadline = life_in_ms(ms);
    (void)life_leave_buffer(&life, &left);
    struct destruction destruction = {.life = &life, .buffer = left.buffer};
    if (pthread_create(&thread, NULL, destroy_buffer, &destruction) != 0)
        return false;
    poll(NULL, 0, 10 * SHORT_MS);
    const bool is_kept = !atomic_load(&destruction.is_over);
    life.deadline = life_in_ms(SHORT_MS);
    (void)life_burst(&life); /* shares the queue: its first request is the other one */
    pthread_join(thread, NULL);
    life.table->burst_close(left.burst);
    life_close(&life);
    return is_kept;
}

TEST(service_late_uses, buffer_is_not_destroyed_before_a_driver_that_serves_bursts_is_done_with_it)
{
    bool is_kept = false;

    for (int ms = SHORT_MS; ms < 100 * SHORT_MS && !is_kept; ms *= 3)
        is_kept = is_kept_for_driver(ms);
    EXPECT(is_kept);
}
