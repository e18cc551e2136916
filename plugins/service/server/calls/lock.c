#include "plugins/service/server/calls/lock.h"

#include "common/list.h"
#include "common/lock_wait.h"
#include "common/lookup_failure.h"
#include "plugins/service/server/calls/ask.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

struct held_lock {
    int32_t fd; /* the driver's descriptor, which identifies the lock */
    int own;    /* descriptor that holds the lock */
    LIST_ENTRY(held_lock) entry;
};

static struct {
    pthread_mutex_t lock;
    LIST_HEAD(, held_lock) list;
} held = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void list_add(struct held_lock *lock)
{
    pthread_mutex_lock(&held.lock);
    LIST_INSERT_HEAD(&held.list, lock, entry);
    pthread_mutex_unlock(&held.lock);
}

/* Duplicates the client's socket, because the original may be closed at any time. */
static int peer_of(struct hy_server *server)
{
    pthread_mutex_lock(&server->control_lock);
    const int peer = server->control.fd >= 0 ? fcntl(server->control.fd, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&server->control_lock);
    return peer;
}

static int32_t wait_for(struct hy_server *server, int own, uint32_t exclusive, int64_t deadline)
{
    const int peer = peer_of(server);
    if (peer < 0)
        return HY_STATUS_GENERAL_FAILURE;

    const enum hy_code code = hy_lock_wait(own, exclusive, deadline, peer);
    close(peer);
    if (code == HY_OK)
        return HY_STATUS_OK;
    return code == HY_MISSED_DEADLINE ? HY_STATUS_MISSED_DEADLINE_TRANSIENT
           : code == HY_EXHAUSTED     ? HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT
                                      : HY_STATUS_GENERAL_FAILURE;
}

int32_t hy_server_cache_lock(void *context, int32_t fd, uint32_t exclusive, int64_t deadline)
{
    struct hy_server *server = hy_server_caller();
    int own = -1;

    (void)context;
    if (fcntl(fd, F_GETFD) < 0 || exclusive > 1)
        return HY_STATUS_INVALID_ARGUMENT;
    struct held_lock *lock = server ? malloc(sizeof *lock) : NULL;
    if (!lock)
        return HY_STATUS_GENERAL_FAILURE;

    int32_t status = hy_server_ask_reopen(server, fd, &own);
    if (status == HY_STATUS_OK)
        status = wait_for(server, own, exclusive, deadline);
    if (status == HY_STATUS_OK) {
        *lock = (struct held_lock){.fd = fd, .own = own};
        list_add(lock);
        return HY_STATUS_OK;
    }
    if (own >= 0)
        close(own);
    free(lock);
    hy_lookup_failure_note();
    return status;
}

/* Any matching lock will do: shared locks are equivalent, and an exclusive lock is the only
 * lock. */
void hy_server_cache_unlock(void *context, int32_t fd)
{
    (void)context;
    pthread_mutex_lock(&held.lock);
    struct held_lock *lock;
    LIST_FOREACH (lock, &held.list, entry) {
        if (lock->fd == fd)
            break;
    }
    if (lock)
        LIST_REMOVE(lock, entry);
    pthread_mutex_unlock(&held.lock);
    if (!lock)
        return;
    (void)flock(lock->own, LOCK_UN); /* a waiter may still hold a duplicate */
    close(lock->own);
    free(lock);
}
