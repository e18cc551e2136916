#include "runtime/event/fence.h"

#include "common/sync_fence.h"
#include "common/system_code.h"
#include "runtime/fork_guard.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Counts ended fences, for memory ordering. A thread that finds a fence signalled must see all
 * writes before its end. The system calls order the memory, but the language's memory model does
 * not cover system calls. A thread that ends a fence releases `ended`; a thread that finds a fence
 * over acquires `ended`.
 */
static atomic_uint ended;

enum hy_code hy_fence_result(int fd, uint32_t events, struct hy_error *err)
{
    (void)atomic_load_explicit(&ended, memory_order_acquire);
    const int result = hy_sync_fence_result(fd, events);
    if (result != 0)
        return hy_fail(err, HY_FAILED, "sync fence %d is in error: %s", fd, strerror(-result));
    return HY_OK;
}

bool hy_fence_is_over(int fd, enum hy_code *code, struct hy_error *err)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    if (poll(&look, 1, 0) <= 0)
        return false;
    *code = hy_fence_result(fd, (uint32_t)look.revents, err);
    return true;
}

enum hy_code hy_fence_wait(int fd, struct hy_error *err)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    int ready;

    do {
        ready = poll(&look, 1, -1);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0)
        return hy_fail(err, HY_FAILED, "sync fence %d: %s", fd, strerror(errno));
    return hy_fence_result(fd, (uint32_t)look.revents, err);
}

/* ---- Fences made by Halyard ------------------------------------------------------------------ */

/* A copy of `signal` in a child of fork() would keep the socket open, so the child must find all
 * fences. */
static struct {
    pthread_mutex_t lock;
    struct hy_fence *first;
} open_fences = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void list_add(struct hy_fence *fence)
{
    fence->at = &open_fences.first;
    fence->next = open_fences.first;
    if (fence->next)
        fence->next->at = &fence->next;
    open_fences.first = fence;
}

static void close_signal(struct hy_fence *fence)
{
    close(fence->signal);
    fence->signal = -1;
    *fence->at = fence->next;
    if (fence->next)
        fence->next->at = fence->at;
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&open_fences.lock);
    while (phase == HY_FORK_CHILD && open_fences.first)
        close_signal(open_fences.first);
    if (phase != HY_FORK_BEFORE)
        pthread_mutex_unlock(&open_fences.lock);
}

HY_AT_FORK(HY_FORK_FENCES, at_fork)

static enum hy_code fail(int reason, struct hy_error *err)
{
    return hy_fail(err, hy_system_code(reason, HY_FAILED), "sync fence: %s", strerror(reason));
}

/*
 * Opens two sockets. The receive buffer of the signalling socket holds an unread byte. Closing a
 * socket with unread data puts its peer in error (ECONNRESET): so a fence fails. A successful end
 * sends a byte and reads the unread byte before closing.
 */
static enum hy_code open_sockets(int ends[2], struct hy_error *err)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return fail(errno, err);
    if (write(ends[0], "", 1) != 1) {
        enum hy_code code = hy_fail(err, HY_FAILED, "sync fence: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return code;
    }
    return HY_OK;
}

enum hy_code hy_fence_create(struct hy_fence *fence, struct hy_error *err)
{
    int ends[2];

    pthread_mutex_lock(&open_fences.lock);
    enum hy_code code = open_sockets(ends, err);
    if (code == HY_OK) {
        *fence = (struct hy_fence){.fd = ends[0], .signal = ends[1]};
        list_add(fence);
    }
    pthread_mutex_unlock(&open_fences.lock);
    return code;
}

void hy_fence_end(struct hy_fence *fence, bool success)
{
    char byte;

    atomic_fetch_add_explicit(&ended, 1, memory_order_release);
    pthread_mutex_lock(&open_fences.lock);
    /* A byte always fits: the other side of the pair is empty. */
    if (success && fence->signal >= 0 && read(fence->signal, &byte, 1) == 1)
        (void)!write(fence->signal, "", 1);
    if (fence->signal >= 0)
        close_signal(fence);
    pthread_mutex_unlock(&open_fences.lock);
}

void hy_fence_close(struct hy_fence *fence)
{
    if (fence->signal >= 0)
        hy_fence_end(fence, false);
    if (fence->fd >= 0)
        close(fence->fd);
    *fence = (struct hy_fence){.fd = -1, .signal = -1};
}
