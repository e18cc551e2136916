#include "runtime/cache/file_lock.h"

#include "common/list.h"
#include "common/lock_wait.h"
#include "halyard/driver.h"
#include "runtime/fork_guard.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

struct held_lock {
    int32_t fd; /* -1 while waiting */
    int own;    /* descriptor that holds the lock */
    LIST_ENTRY(held_lock) entry;
};

static struct {
    pthread_mutex_t lock;
    LIST_HEAD(, held_lock) list;
} held = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int open_anew(int32_t fd)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static struct held_lock *list_add(int own)
{
    struct held_lock *lock = malloc(sizeof *lock);
    if (!lock)
        return NULL;

    pthread_mutex_lock(&held.lock);
    *lock = (struct held_lock){.fd = -1, .own = own};
    LIST_INSERT_HEAD(&held.list, lock, entry);
    pthread_mutex_unlock(&held.lock);
    return lock;
}

static int32_t end_wait(struct held_lock *lock, int32_t fd, enum hy_code code)
{
    pthread_mutex_lock(&held.lock);
    if (code == HY_OK)
        lock->fd = fd;
    else
        LIST_REMOVE(lock, entry);
    pthread_mutex_unlock(&held.lock);
    if (code == HY_OK)
        return HY_STATUS_OK;
    close(lock->own);
    free(lock);
    return code == HY_MISSED_DEADLINE ? HY_STATUS_MISSED_DEADLINE_TRANSIENT
           : code == HY_EXHAUSTED     ? HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT
                                      : HY_STATUS_GENERAL_FAILURE;
}

int32_t hy_file_lock(int32_t fd, uint32_t exclusive, int64_t deadline)
{
    if (fcntl(fd, F_GETFD) < 0 || exclusive > 1)
        return HY_STATUS_INVALID_ARGUMENT;
    const int own = open_anew(fd);
    struct held_lock *lock = own < 0 ? NULL : list_add(own);
    if (lock)
        return end_wait(lock, fd, hy_lock_wait(own, exclusive, deadline, -1));
    if (own >= 0)
        close(own);
    return HY_STATUS_GENERAL_FAILURE;
}

/* Shared locks are equal, and an exclusive lock is the only lock, so any lock of the descriptor
 * will do. */
void hy_file_unlock(int32_t fd)
{
    pthread_mutex_lock(&held.lock);
    struct held_lock *lock;
    LIST_FOREACH (lock, &held.list, entry) {
        if (fd >= 0 && lock->fd == fd)
            break;
    }
    if (lock)
        LIST_REMOVE(lock, entry);
    pthread_mutex_unlock(&held.lock);
    if (!lock)
        return;
    /* A child of fork() shares the open file description, so closing alone would keep the lock. */
    (void)flock(lock->own, LOCK_UN);
    close(lock->own);
    free(lock);
}

/* The locks belong to the parent: unlocking them in the child would release the parent's locks. */
static void drop_all(void)
{
    while (!LIST_EMPTY(&held.list)) {
        struct held_lock *lock = LIST_FIRST(&held.list);
        LIST_REMOVE(lock, entry);
        close(lock->own);
        free(lock);
    }
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE) {
        pthread_mutex_lock(&held.lock);
        return;
    }
    if (phase == HY_FORK_CHILD)
        drop_all();
    pthread_mutex_unlock(&held.lock);
}

HY_AT_FORK(HY_FORK_FILE_LOCKS, at_fork)
