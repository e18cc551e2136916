/* Waiting for flock(): by the lock, the deadline or a hang-up, whatever comes first. */
#include "common/clock.h"
#include "common/lock_wait.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_NS INT64_C(60000000000)

static int64_t in_ns(int64_t delay)
{
    return hy_clock_boot() + delay;
}

/* One file by two descriptions, and a pair of sockets. */
struct locks {
    int mine, theirs;
    int sockets[2];
    pthread_t thread;
    enum hy_code code;
    int64_t deadline;
    int peer;
};

static bool init(struct locks *locks)
{
    char path[64];

    *locks = (struct locks){.mine = memfd_create("locked", MFD_CLOEXEC), .peer = -1};
    snprintf(path, sizeof path, "/proc/self/fd/%d", locks->mine);
    locks->theirs = open(path, O_RDONLY | O_CLOEXEC);
    return locks->mine >= 0 && locks->theirs >= 0 &&
           socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, locks->sockets) == 0;
}

static void finish(struct locks *locks)
{
    close(locks->mine);
    close(locks->theirs);
    close(locks->sockets[0]);
    if (locks->sockets[1] >= 0)
        close(locks->sockets[1]);
}

static void *wait_there(void *argument)
{
    struct locks *locks = argument;
    locks->code = hy_lock_wait(locks->mine, true, locks->deadline, locks->peer);
    return NULL;
}

static void pause_a_little(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
}

/* Waits for a condition, as long as a test may. */
static bool becomes(unsigned wanted)
{
    const int64_t end = in_ns(TIMEOUT_NS);
    while (hy_lock_waiters() != wanted && in_ns(0) < end)
        pause_a_little();
    return hy_lock_waiters() == wanted;
}

/* Waits with near deadlines until so many threads were left behind; the machine may be slow. */
static bool give_up(const struct locks *locks, unsigned times)
{
    for (int64_t delay = 1000000; hy_lock_waiters() < times && delay < TIMEOUT_NS;
         delay += delay / 16)
        EXPECT_INT(hy_lock_wait(locks->mine, true, in_ns(delay), -1), HY_MISSED_DEADLINE);
    return hy_lock_waiters() == times;
}

TEST(lock_wait, a_free_lock_is_taken_at_once_and_shared_ones_together)
{
    struct locks locks;
    REQUIRE(init(&locks));
    EXPECT_INT(hy_lock_wait(locks.mine, false, 0, -1), HY_OK);
    EXPECT_INT(hy_lock_wait(locks.theirs, false, 0, -1), HY_OK);
    EXPECT_INT(hy_lock_waiters(), 0);
    finish(&locks);
}

TEST(lock_wait, a_deadline_ends_it_and_the_lock_is_given_back_when_it_comes)
{
    struct locks locks;
    REQUIRE(init(&locks));
    REQUIRE(flock(locks.theirs, LOCK_EX) == 0);
    EXPECT_INT(hy_lock_wait(locks.mine, true, 0, -1), HY_MISSED_DEADLINE);
    EXPECT_INT(hy_lock_waiters(), 0);
    EXPECT(give_up(&locks, 1));
    flock(locks.theirs, LOCK_UN);
    EXPECT(becomes(0));
    EXPECT_INT(flock(locks.theirs, LOCK_EX | LOCK_NB), 0);
    finish(&locks);
}

TEST(lock_wait, who_gives_the_lock_back_wakes_the_waiter)
{
    struct locks locks;
    REQUIRE(init(&locks));
    REQUIRE(flock(locks.theirs, LOCK_EX) == 0);
    locks.deadline = in_ns(TIMEOUT_NS);
    REQUIRE(pthread_create(&locks.thread, NULL, wait_there, &locks) == 0);
    EXPECT(becomes(1));
    flock(locks.theirs, LOCK_UN);
    pthread_join(locks.thread, NULL);
    EXPECT_INT(locks.code, HY_OK);
    EXPECT(becomes(0));
    EXPECT_INT(flock(locks.theirs, LOCK_EX | LOCK_NB), -1);
    flock(locks.mine, LOCK_UN);
    EXPECT_INT(flock(locks.theirs, LOCK_EX | LOCK_NB), 0);
    finish(&locks);
}

TEST(lock_wait, a_hang_up_of_the_peer_ends_a_wait_without_a_deadline)
{
    struct locks locks;
    REQUIRE(init(&locks));
    REQUIRE(flock(locks.theirs, LOCK_EX) == 0);
    locks.deadline = -1;
    locks.peer = locks.sockets[0];
    REQUIRE(pthread_create(&locks.thread, NULL, wait_there, &locks) == 0);
    EXPECT(becomes(1));
    close(locks.sockets[1]);
    locks.sockets[1] = -1;
    pthread_join(locks.thread, NULL);
    EXPECT_INT(locks.code, HY_DEAD);
    flock(locks.theirs, LOCK_UN);
    EXPECT(becomes(0));
    finish(&locks);
}

TEST(lock_wait, those_given_up_are_bounded)
{
    struct locks locks;
    REQUIRE(init(&locks));
    REQUIRE(flock(locks.theirs, LOCK_EX) == 0);
    EXPECT(give_up(&locks, 64));
    EXPECT_INT(hy_lock_wait(locks.mine, true, in_ns(TIMEOUT_NS), -1), HY_EXHAUSTED);
    flock(locks.theirs, LOCK_UN);
    EXPECT(becomes(0));
    EXPECT_INT(hy_lock_wait(locks.mine, true, 0, -1), HY_OK);
    finish(&locks);
}

TEST(lock_wait, what_is_no_file_is_refused)
{
    EXPECT_INT(hy_lock_wait(-1, true, -1, -1), HY_FAILED);
}
