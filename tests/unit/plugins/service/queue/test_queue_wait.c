#include "tests/kit/test.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "halyard/driver.h"
#include "plugins/service/queue/wait.h"

struct position {
    _Atomic uint32_t counter, sleeps;
    atomic_bool dead;
    struct hy_waiter waiter;
    struct hy_wait_limit limit;
    enum hy_wait_end end;
    int64_t elapsed;
    _Atomic uint32_t peer_cpu; /* 0: not told */
};

static void init(struct position *position, uint64_t spin_ns)
{
    *position = (struct position){.limit = {HY_NO_DEADLINE, 0}};
    hy_waiter_init(&position->waiter, &position->dead, spin_ns);
    position->waiter.spin_ns = spin_ns; /* also where there is one CPU */
}

static void *wait_for_change(void *argument)
{
    struct position *position = argument;
    const struct hy_wait_point point = {&position->counter, &position->sleeps, 0,
                                        position->peer_cpu ? &position->peer_cpu : NULL};
    const int64_t start = hy_clock_boot();

    position->end = hy_wait(&position->waiter, &point, &position->limit);
    position->elapsed = hy_clock_boot() - start;
    return NULL;
}

static void wait_here(struct position *position)
{
    wait_for_change(position);
}

static void until_asleep(struct position *position)
{
    while (atomic_load(&position->sleeps) == 0)
        sched_yield();
}

TEST(queue_wait, a_change_that_is_there_already_ends_it)
{
    for (int spins = 0; spins < 2; spins++) {
        struct position position;
        init(&position, spins ? 1000000 : 0);
        atomic_store(&position.counter, 1);
        wait_here(&position);
        EXPECT_INT(position.end, HY_WAIT_CHANGED);
        EXPECT_INT(atomic_load(&position.sleeps), 0);
    }
}

TEST(queue_wait, a_sleeper_is_woken_by_a_change)
{
    for (int i = 0; i < 200; i++) {
        struct position position;
        pthread_t thread;
        init(&position, 0);
        REQUIRE(pthread_create(&thread, NULL, wait_for_change, &position) == 0);
        if (i % 2)
            until_asleep(&position);
        atomic_store(&position.counter, 1);
        hy_wake(&position.sleeps);
        pthread_join(thread, NULL);
        EXPECT_INT(position.end, HY_WAIT_CHANGED);
        EXPECT_INT(atomic_load(&position.sleeps), 0);
    }
}

TEST(queue_wait, a_sleeper_is_woken_by_death)
{
    for (int i = 0; i < 200; i++) {
        struct position position;
        pthread_t thread;
        init(&position, 0);
        REQUIRE(pthread_create(&thread, NULL, wait_for_change, &position) == 0);
        if (i % 2)
            until_asleep(&position);
        atomic_store(&position.dead, true);
        hy_wait_interrupt(&position.sleeps);
        pthread_join(thread, NULL);
        EXPECT_INT(position.end, HY_WAIT_DEAD);
    }
}

TEST(queue_wait, one_that_spins_sees_change_and_death)
{
    for (int i = 0; i < 20; i++) {
        struct position position;
        pthread_t thread;
        init(&position, UINT64_C(3600) * 1000000000);
        REQUIRE(pthread_create(&thread, NULL, wait_for_change, &position) == 0);
        if (i % 2)
            atomic_store(&position.dead, true);
        else
            atomic_store(&position.counter, 1);
        pthread_join(thread, NULL);
        EXPECT_INT(position.end, i % 2 ? HY_WAIT_DEAD : HY_WAIT_CHANGED);
    }
}

TEST(queue_wait, ends_at_the_deadline)
{
    static const uint64_t spins[] = {0, 1000};
    for (int i = 0; i < 2; i++) {
        struct position position;
        init(&position, spins[i]);
        position.limit.deadline = hy_clock_boot() + 20000000;
        wait_here(&position);
        EXPECT_INT(position.end, HY_WAIT_EXPIRED);
        EXPECT(position.elapsed >= 19000000 && hy_clock_boot() >= position.limit.deadline);

        position.limit.deadline = 0; /* long ago */
        wait_here(&position);
        EXPECT_INT(position.end, HY_WAIT_EXPIRED);
        position.limit.deadline = INT64_MIN;
        wait_here(&position);
        EXPECT_INT(position.end, HY_WAIT_EXPIRED);
    }
}

TEST(queue_wait, ends_with_the_patience)
{
    struct position position;

    init(&position, 0);
    position.limit.hang_timeout_ns = 20000000;
    wait_here(&position);
    EXPECT_INT(position.end, HY_WAIT_IMPATIENT);
    EXPECT(position.elapsed >= 20000000);

    /* whichever comes first says which it was */
    position.limit.deadline = INT64_MAX;
    wait_here(&position);
    EXPECT_INT(position.end, HY_WAIT_IMPATIENT);
    position.limit.deadline = hy_clock_boot() + 1000000;
    position.limit.hang_timeout_ns = UINT64_MAX;
    wait_here(&position);
    EXPECT_INT(position.end, HY_WAIT_EXPIRED);
}

/* A peer that takes the flag away without a change cannot end the wait, nor make it miss its end.
 */
TEST(queue_wait, a_wake_up_without_a_change_is_slept_over)
{
    struct position position;
    pthread_t thread;

    init(&position, 0);
    position.limit.deadline = hy_clock_boot() + 50000000;
    REQUIRE(pthread_create(&thread, NULL, wait_for_change, &position) == 0);
    while (hy_clock_boot() < position.limit.deadline) {
        atomic_store(&position.sleeps, 0);
        hy_futex_wake(&position.sleeps);
    }
    pthread_join(thread, NULL);
    EXPECT_INT(position.end, HY_WAIT_EXPIRED);
}

TEST(queue_wait, one_cpu_does_not_spin)
{
    cpu_set_t before, one;
    struct hy_waiter waiter;
    atomic_bool dead = false;
    int cpu = 0;

    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    while (!CPU_ISSET(cpu, &before))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    hy_waiter_init(&waiter, &dead, 50000);
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
    EXPECT_INT(waiter.spin_ns, 0);
    hy_waiter_init(&waiter, &dead, 50000);
    EXPECT_INT(waiter.spin_ns, CPU_COUNT(&before) > 1 ? 50000 : 0);
}

/* What waits took does not matter, and is not noted. */
TEST(queue_wait, one_that_polls_does_not_sleep_in_its_time)
{
    for (int i = 0; i < 20; i++) {
        struct position position;
        pthread_t thread;
        init(&position, UINT64_C(3600) * 1000000000);
        position.waiter.polls = true;
        position.waiter.naps = i % 2;
        position.waiter.usual_ns = UINT64_C(7200) * 1000000000;
        REQUIRE(pthread_create(&thread, NULL, wait_for_change, &position) == 0);
        for (int look = 0; look < 100; look++) {
            EXPECT_INT(atomic_load(&position.sleeps), 0);
            sched_yield();
        }
        atomic_store(&position.counter, 1);
        pthread_join(thread, NULL);
        EXPECT_INT(position.end, HY_WAIT_CHANGED);
        EXPECT(position.waiter.usual_ns == UINT64_C(7200) * 1000000000);
    }
}

TEST(queue_wait, one_that_polls_sleeps_after_its_time)
{
    struct position position;
    pthread_t thread;

    init(&position, 1000000);
    position.waiter.polls = true;
    REQUIRE(pthread_create(&thread, NULL, wait_for_change, &position) == 0);
    until_asleep(&position);
    atomic_store(&position.counter, 1);
    hy_wake(&position.sleeps);
    pthread_join(thread, NULL);
    EXPECT_INT(position.end, HY_WAIT_CHANGED);
    EXPECT(position.elapsed >= 1000000);
}

/* Waits that take long teach not to spin, quick ones to spin again. */
TEST(queue_wait, learns_how_long_waits_take)
{
    struct position position;
    const struct hy_wait_point point = {&position.counter, &position.sleeps, 0, NULL};

    init(&position, 50000);
    for (int i = 0; i < 8; i++) {
        pthread_t thread;
        atomic_store(&position.counter, 0);
        REQUIRE(pthread_create(&thread, NULL, wait_for_change, &position) == 0);
        until_asleep(&position); /* only after the spin */
        const struct timespec rest = {.tv_nsec = 3000000};
        nanosleep(&rest, NULL);
        atomic_store(&position.counter, 1);
        hy_wake(&position.sleeps);
        pthread_join(thread, NULL);
    }
    EXPECT(position.waiter.usual_ns > 100000);
    EXPECT(position.waiter.usual_ns <= 400000); /* a long rest counts no more than so */
    for (int i = 0; i < 100; i++)
        EXPECT_INT(hy_wait(&position.waiter, &point, &position.limit), HY_WAIT_CHANGED);
    EXPECT(position.waiter.usual_ns < 100000);
}

/* A change while it is awake, between its nap and its sleep. False: it has given up before. */
static bool change_when_awake(struct position *position, uint64_t spin_ns)
{
    pthread_t thread;

    init(position, spin_ns);
    position->waiter.naps = true;
    position->waiter.usual_ns = 2 * spin_ns + spin_ns / 10;
    position->limit.hang_timeout_ns = 10 * spin_ns;
    if (pthread_create(&thread, NULL, wait_for_change, position) != 0)
        return false;
    until_asleep(position);
    while (atomic_load(&position->sleeps) == 1) /* as long as it sleeps, or gives up */
        sched_yield();
    atomic_store(&position->counter, 1);
    hy_wake(&position->sleeps);
    pthread_join(thread, NULL);
    return position->end == HY_WAIT_CHANGED;
}

/* Through the first part of its usual time it sleeps, and then it spins, which a machine that
 * stands still for long may miss: then it is tried with longer times. */
TEST(queue_wait, a_napper_is_awake_when_the_change_usually_comes)
{
    struct position position;
    bool was_awake = false;

    for (uint64_t spin_ns = 300000000; !was_awake && spin_ns < UINT64_C(10000000000); spin_ns *= 3)
        was_awake = change_when_awake(&position, spin_ns);
    EXPECT(was_awake);
}

TEST(queue_wait, a_change_or_death_ends_a_nap)
{
    for (int dies = 0; dies < 2; dies++) {
        struct position position;
        pthread_t thread;
        init(&position, UINT64_C(600000000000));
        position.waiter.naps = true;
        position.waiter.usual_ns = UINT64_C(12000000000000);
        REQUIRE(pthread_create(&thread, NULL, wait_for_change, &position) == 0);
        until_asleep(&position);
        if (dies) {
            atomic_store(&position.dead, true);
            hy_wait_interrupt(&position.sleeps);
        } else {
            atomic_store(&position.counter, 1);
            hy_wake(&position.sleeps);
        }
        pthread_join(thread, NULL);
        EXPECT_INT(position.end, dies ? HY_WAIT_DEAD : HY_WAIT_CHANGED);
    }
}

static void *wait_on_one_cpu(void *argument)
{
    struct position *position = argument;
    cpu_set_t one;
    const int cpu = sched_getcpu();

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
    atomic_store(&position->peer_cpu, (uint32_t)cpu + 1);
    return wait_for_change(position);
}

TEST(queue_wait, nobody_spins_on_the_cpu_of_the_one_who_works)
{
    struct position position;
    pthread_t thread;

    init(&position, UINT64_C(600000000000));
    REQUIRE(pthread_create(&thread, NULL, wait_on_one_cpu, &position) == 0);
    until_asleep(&position);
    atomic_store(&position.counter, 1);
    hy_wake(&position.sleeps);
    pthread_join(thread, NULL);
    EXPECT_INT(position.end, HY_WAIT_CHANGED);
}
