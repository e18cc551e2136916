/* One thread that waits for all fences with dependents. */
#include "common/own_thread.h"
#include "common/system_code.h"
#include "runtime/event/fence.h"
#include "runtime/fork_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct watch {
    int fd;
    hy_fence_over *over;
    void *context;
};

static struct {
    pthread_mutex_t lock;
    int epoll; /* -1 until the thread exists */
} watcher = {.lock = PTHREAD_MUTEX_INITIALIZER, .epoll = -1};

static void *serve(void *argument)
{
    const int epoll = (int)(intptr_t)argument;
    struct epoll_event event;

    pthread_setname_np(pthread_self(), "halyard-fences");
    for (;;) {
        if (epoll_wait(epoll, &event, 1, -1) != 1)
            continue;
        struct watch *watch = event.data.ptr;
        struct hy_error error = {0};
        epoll_ctl(epoll, EPOLL_CTL_DEL, watch->fd, NULL);
        const enum hy_code code = hy_fence_result(watch->fd, event.events, &error);
        watch->over(watch->context, code, &error);
        free(watch);
    }
    return NULL;
}

/* The child has no watching thread, and the watched fences belong to its parent. */
static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&watcher.lock);
    if (phase == HY_FORK_CHILD && watcher.epoll >= 0) {
        close(watcher.epoll);
        watcher.epoll = -1;
    }
    if (phase != HY_FORK_BEFORE)
        pthread_mutex_unlock(&watcher.lock);
}

HY_AT_FORK(HY_FORK_FENCE_WATCH, at_fork)

/* Called with the lock held. */
static enum hy_code start(struct hy_error *err)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);

    if (epoll < 0) {
        const int reason = errno;
        return hy_fail(err, hy_system_code(reason, HY_FAILED), "sync fences: %s", strerror(reason));
    }
    int failure = hy_own_thread_start(serve, (void *)(intptr_t)epoll);
    if (failure) {
        close(epoll);
        return hy_fail(err, HY_FAILED, "sync fences: no thread: %s", strerror(failure));
    }
    watcher.epoll = epoll;
    return HY_OK;
}

static enum hy_code add(struct watch *watch, struct hy_error *err)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
    enum hy_code code = HY_OK;

    event.data.ptr = watch;
    pthread_mutex_lock(&watcher.lock);
    if (watcher.epoll < 0)
        code = start(err);
    if (code == HY_OK && epoll_ctl(watcher.epoll, EPOLL_CTL_ADD, watch->fd, &event) != 0) {
        const int reason = errno;
        code = hy_fail(err, hy_system_code(reason, HY_FAILED), "sync fence %d: %s", watch->fd,
                       strerror(reason));
    }
    pthread_mutex_unlock(&watcher.lock);
    return code;
}

enum hy_code hy_fence_watch(int fd, hy_fence_over *over, void *context, struct hy_error *err)
{
    struct watch *watch = malloc(sizeof *watch);
    if (!watch)
        return hy_fail(err, HY_OUT_OF_MEMORY, "sync fence %d", fd);
    *watch = (struct watch){.fd = fd, .over = over, .context = context};
    enum hy_code code = add(watch, err);
    if (code != HY_OK)
        free(watch);
    return code;
}
