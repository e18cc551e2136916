#include "common/lock_wait.h"

#include "common/clock.h"
#include "common/own_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Default timeout: longer than any work under a lock, but finite if the holder is suspended. */
#define TIMEOUT_NS INT64_C(10000000000)

/* Limit of helper threads. An abandoned helper stays until the holder releases the lock. */
#define MOST_WAITERS 64u

/* A wait, referenced by its caller and its thread; the last one frees it. */
struct wait {
    atomic_int state;
    int own;   /* duplicate descriptor of the same description */
    int event; /* written when the thread has finished */
    int operation;
    int failure; /* errno of the thread, with TAKEN */
    atomic_uint holders;
};

enum { WAITING, ACQUIRED, GIVEN_UP };

static atomic_uint waiters;

unsigned hy_lock_waiters(void)
{
    return atomic_load(&waiters);
}

static void destroy(struct wait *wait)
{
    if (wait->own >= 0)
        close(wait->own);
    if (wait->event >= 0)
        close(wait->event);
    free(wait);
}

static void release(struct wait *wait)
{
    if (atomic_fetch_sub(&wait->holders, 1) == 1)
        destroy(wait);
}

static int lock(int fd, int operation)
{
    while (flock(fd, operation) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* A lock acquired too late is released, even if other descriptors of the description exist. */
static void *block(void *argument)
{
    struct wait *wait = argument;
    int state = WAITING;

    prctl(PR_SET_NAME, "halyard-lock");
    wait->failure = lock(wait->own, wait->operation);
    if (atomic_compare_exchange_strong(&wait->state, &state, ACQUIRED))
        (void)eventfd_write(wait->event, 1);
    else if (wait->failure == 0)
        (void)flock(wait->own, LOCK_UN);
    release(wait);
    atomic_fetch_sub(&waiters, 1);
    return NULL;
}

static struct wait *begin(int own, int operation)
{
    struct wait *wait = malloc(sizeof *wait);
    if (!wait)
        return NULL;

    *wait = (struct wait){.own = fcntl(own, F_DUPFD_CLOEXEC, 0),
                          .event = eventfd(0, EFD_CLOEXEC),
                          .operation = operation};
    atomic_init(&wait->state, WAITING);
    atomic_init(&wait->holders, 2);
    if (atomic_fetch_add(&waiters, 1) < MOST_WAITERS && wait->own >= 0 && wait->event >= 0 &&
        hy_own_thread_start(block, wait) == 0)
        return wait;
    atomic_fetch_sub(&waiters, 1);
    destroy(wait);
    return NULL;
}

static int poll_until(struct pollfd *fds, nfds_t count, int64_t deadline)
{
    const int64_t left = hy_clock_left(deadline);
    const struct timespec time = {.tv_sec = left > 0 ? left / 1000000000 : 0,
                                  .tv_nsec = left > 0 ? left % 1000000000 : 0};

    return ppoll(fds, count, &time, NULL);
}

static enum hy_code wait_for(const struct wait *wait, int64_t deadline, int peer)
{
    struct pollfd fds[2] = {{.fd = wait->event, .events = POLLIN}, {.fd = peer, .events = 0}};

    for (;;) {
        const int ready = poll_until(fds, 2, deadline);
        if (ready > 0)
            return fds[0].revents ? HY_OK : HY_DEAD;
        if (ready == 0)
            return HY_MISSED_DEADLINE;
        if (errno != EINTR)
            return HY_FAILED;
    }
}

enum hy_code hy_lock_wait(int own, bool exclusive, int64_t deadline, int peer)
{
    const int operation = exclusive ? LOCK_EX : LOCK_SH;
    int state = WAITING;

    const int failure = lock(own, operation | LOCK_NB);
    if (failure != EWOULDBLOCK)
        return failure == 0 ? HY_OK : HY_FAILED;
    if (deadline < 0)
        deadline = hy_clock_boot() + TIMEOUT_NS;
    if (hy_clock_left(deadline) <= 0)
        return HY_MISSED_DEADLINE;
    struct wait *wait = begin(own, operation);
    if (!wait)
        return HY_EXHAUSTED;

    enum hy_code code = wait_for(wait, deadline, peer);
    if (code == HY_OK || !atomic_compare_exchange_strong(&wait->state, &state, GIVEN_UP))
        code = atomic_load(&wait->state) == ACQUIRED && wait->failure == 0 ? HY_OK : HY_FAILED;
    release(wait);
    return code;
}
