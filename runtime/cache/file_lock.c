#include "runtime/cache/file_lock.h"

#include "runtime/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define FIRST_PAUSE_NS 50000
#define LONGEST_PAUSE  4000000

struct held_lock {
    int32_t fd;
    int own; /* holds the lock */
    struct held_lock *next;
};

static struct {
    pthread_mutex_t lock;
    struct held_lock *first;
} held = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int open_anew(int32_t fd)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* flock knows no deadline, so that with one it is asked again and again. */
static int32_t wait_for(int own, int operation, int64_t deadline)
{
    struct timespec pause = {.tv_nsec = FIRST_PAUSE_NS};

    for (;;) {
        if (flock(own, deadline == HY_NO_DEADLINE ? operation : operation | LOCK_NB) == 0)
            return HY_STATUS_OK;
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return HY_STATUS_GENERAL_FAILURE;
        if (hy_clock_is_past(deadline))
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LONGEST_PAUSE)
            pause.tv_nsec *= 2;
    }
}

int32_t hy_file_lock(int32_t fd, uint32_t exclusive, int64_t deadline)
{
    if (fcntl(fd, F_GETFD) < 0 || exclusive > 1)
        return HY_STATUS_INVALID_ARGUMENT;
    struct held_lock *lock = malloc(sizeof *lock);
    if (!lock)
        return HY_STATUS_GENERAL_FAILURE;

    *lock = (struct held_lock){.fd = fd, .own = open_anew(fd)};
    const int32_t status = lock->own < 0
                               ? HY_STATUS_GENERAL_FAILURE
                               : wait_for(lock->own, exclusive ? LOCK_EX : LOCK_SH, deadline);
    if (status != HY_STATUS_OK) {
        if (lock->own >= 0)
            close(lock->own);
        free(lock);
        return status;
    }
    pthread_mutex_lock(&held.lock);
    lock->next = held.first;
    held.first = lock;
    pthread_mutex_unlock(&held.lock);
    return HY_STATUS_OK;
}

/* Those who share a lock are alike, and an exclusive one has no other beside it: any will do. */
void hy_file_unlock(int32_t fd)
{
    struct held_lock *lock;

    pthread_mutex_lock(&held.lock);
    struct held_lock **at = &held.first;
    while (*at && (*at)->fd != fd)
        at = &(*at)->next;
    lock = *at;
    if (lock)
        *at = lock->next;
    pthread_mutex_unlock(&held.lock);
    if (!lock)
        return;
    /* A child of fork() has the same description: closing it would leave it locked. */
    (void)flock(lock->own, LOCK_UN);
    close(lock->own);
    free(lock);
}

/* The locks are the parent's, and unlocking them here would take them from it. */
static void forget_all(void)
{
    while (held.first) {
        struct held_lock *lock = held.first;
        held.first = lock->next;
        close(lock->own);
        free(lock);
    }
}

void hy_file_locks_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE) {
        pthread_mutex_lock(&held.lock);
        return;
    }
    if (phase == HY_FORK_CHILD)
        forget_all();
    pthread_mutex_unlock(&held.lock);
}
