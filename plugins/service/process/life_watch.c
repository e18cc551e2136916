#include "plugins/service/process/life_watch.h"

#include "common/own_thread.h"
#include "common/system_code.h"
#include "plugins/service/process/fork.h"
#include "plugins/service/process/host_process.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct hy_life_watch {
    uint64_t number; /* never reused, so that a late event of a removed watch finds no watch */
    int control;
    int pidfd;
    struct hy_life_events events;
    void *context;
    bool is_watched; /* the process is not gone, and not inherited from the parent of a fork() */
    bool is_let_go;  /* detached: freed at the end of the process */
    struct hy_life_watch **at, *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came_back; /* a callback has returned */
    int epoll;                /* -1: no thread yet */
    uint64_t last_number;
    struct hy_life_watch *first;
    uint64_t called;  /* number of the watch whose callback is running, or 0 */
    pthread_t caller; /* the thread of the callback */
} life = {.lock = PTHREAD_MUTEX_INITIALIZER, .came_back = PTHREAD_COND_INITIALIZER, .epoll = -1};

/* ---- The list -------------------------------------------------------------------------------- */

/* The caller holds the lock. Called before the first event, which looks up the watch. */
static void list_add(struct hy_life_watch *watch)
{
    watch->number = ++life.last_number;
    watch->at = &life.first;
    watch->next = life.first;
    if (watch->next)
        watch->next->at = &watch->next;
    life.first = watch;
}

static void unlist(struct hy_life_watch *watch)
{
    *watch->at = watch->next;
    if (watch->next)
        watch->next->at = watch->at;
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* Data of an event: the number of the watch, and whether the event is from the pidfd. */
static uint64_t tag_of(const struct hy_life_watch *watch, bool is_end)
{
    return watch->number << 1 | is_end;
}

/* The caller holds the lock. */
static struct hy_life_watch *find(uint64_t number)
{
    struct hy_life_watch *watch = life.first;
    while (watch && watch->number != number)
        watch = watch->next;
    return watch && watch->is_watched ? watch : NULL;
}

/* With the lock held. */
static void stop_watching(struct hy_life_watch *watch)
{
    (void)epoll_ctl(life.epoll, EPOLL_CTL_DEL, watch->control, NULL);
    if (watch->pidfd >= 0)
        (void)epoll_ctl(life.epoll, EPOLL_CTL_DEL, watch->pidfd, NULL);
    watch->is_watched = false;
}

/* Returns whether the watch of the running callback is still watched. A callback may remove its
 * watch. */
static bool is_still_watched(void)
{
    pthread_mutex_lock(&life.lock);
    const bool is_watched = find(life.called) != NULL;
    pthread_mutex_unlock(&life.lock);
    return is_watched;
}

/* Limit for messages from before the end. A child of the process that has inherited the socket
 * cannot keep the thread busy with more. */
#define LAST_MESSAGES_MAX 1024

static void drain_messages(const struct hy_life_events *events, void *context)
{
    for (unsigned i = 0; i < LAST_MESSAGES_MAX && is_still_watched(); i++)
        if (!events->message(context))
            return;
}

/* Reads the last messages before reporting the end. */
static void call_back(struct hy_life_watch *watch, bool is_gone)
{
    const struct hy_life_events events = watch->events;
    void *const context = watch->context;

    if (!is_gone) {
        (void)events.message(context);
        return;
    }
    drain_messages(&events, context);
    pthread_mutex_lock(&life.lock);
    const bool is_wanted = find(life.called) != NULL;
    if (is_wanted)
        stop_watching(watch);
    pthread_mutex_unlock(&life.lock);
    if (is_wanted)
        events.gone(context);
}

/* The caller holds the lock. Frees a detached watch. */
static void destroy(struct hy_life_watch *watch)
{
    close(watch->pidfd);
    unlist(watch);
    free(watch);
}

static void handle(const struct epoll_event *event)
{
    pthread_mutex_lock(&life.lock);
    struct hy_life_watch *watch = find(event->data.u64 >> 1);
    if (watch) {
        const bool has_ended = event->data.u64 & 1;
        if (watch->is_let_go) {
            (void)hy_host_process_reap(watch->pidfd);
            destroy(watch);
            pthread_mutex_unlock(&life.lock);
            return;
        }
        life.called = watch->number;
        life.caller = pthread_self();
        pthread_mutex_unlock(&life.lock);
        call_back(watch, has_ended || (event->events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)));
        pthread_mutex_lock(&life.lock);
        life.called = 0;
        pthread_cond_broadcast(&life.came_back);
    }
    pthread_mutex_unlock(&life.lock);
}

static void *serve(void *argument)
{
    const int epoll = (int)(intptr_t)argument;
    struct epoll_event event;

    pthread_setname_np(pthread_self(), "halyard-life");
    for (;;) {
        if (epoll_wait(epoll, &event, 1, -1) == 1)
            handle(&event);
    }
    return NULL;
}

/* ---- Watches --------------------------------------------------------------------------------- */

/* `fd` -1: no descriptor in the message. */
static enum hy_code fail(const char *what, int fd, int reason, struct hy_error *err)
{
    const enum hy_code code = hy_system_code(reason, HY_FAILED);

    return fd < 0 ? hy_fail(err, code, "%s: %s", what, strerror(reason))
                  : hy_fail(err, code, "%s %d: %s", what, fd, strerror(reason));
}

/* With the lock held. */
static enum hy_code begin(struct hy_error *err)
{
    if (life.epoll >= 0)
        return HY_OK;
    life.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (life.epoll < 0)
        return fail("watch over services", -1, errno, err);

    const int failure = hy_own_thread_start(serve, (void *)(intptr_t)life.epoll);
    if (failure) {
        close(life.epoll);
        life.epoll = -1;
        return hy_fail(err, HY_FAILED, "watch over services: no thread: %s", strerror(failure));
    }
    return HY_OK;
}

/* With the lock held. */
static enum hy_code start_watching(struct hy_life_watch *watch, struct hy_error *err)
{
    struct epoll_event on_control = {.events = EPOLLIN | EPOLLRDHUP};
    struct epoll_event on_pidfd = {.events = EPOLLIN};

    on_control.data.u64 = tag_of(watch, false);
    on_pidfd.data.u64 = tag_of(watch, true);
    if (watch->pidfd >= 0 && epoll_ctl(life.epoll, EPOLL_CTL_ADD, watch->pidfd, &on_pidfd) != 0)
        return fail("watch over pidfd", watch->pidfd, errno, err);
    if (epoll_ctl(life.epoll, EPOLL_CTL_ADD, watch->control, &on_control) != 0) {
        const int error = errno;
        if (watch->pidfd >= 0)
            (void)epoll_ctl(life.epoll, EPOLL_CTL_DEL, watch->pidfd, NULL);
        return fail("watch over socket", watch->control, error, err);
    }
    watch->is_watched = true;
    return HY_OK;
}

enum hy_code hy_life_watch_add(int control, int pidfd, const struct hy_life_events *events,
                               void *context, struct hy_life_watch **out, struct hy_error *err)
{
    struct hy_life_watch *watch = malloc(sizeof *watch);
    if (!watch)
        return hy_fail(err, HY_OUT_OF_MEMORY, "watch over socket %d", control);
    *watch = (struct hy_life_watch){
        .control = control, .pidfd = pidfd, .events = *events, .context = context};

    pthread_mutex_lock(&life.lock);
    enum hy_code code = begin(err);
    if (code == HY_OK) {
        list_add(watch);
        code = start_watching(watch, err);
        if (code != HY_OK)
            unlist(watch);
        else
            *out = watch; /* set before the first callback */
    }
    pthread_mutex_unlock(&life.lock);
    if (code != HY_OK)
        free(watch);
    return code;
}

void hy_life_watch_let_end(int pidfd)
{
    struct hy_life_watch *watch = malloc(sizeof *watch);
    struct epoll_event on_end = {.events = EPOLLIN};
    struct hy_error ignored;

    if (!watch) {
        close(pidfd);
        return;
    }
    *watch = (struct hy_life_watch){
        .control = -1, .pidfd = pidfd, .is_watched = true, .is_let_go = true};
    pthread_mutex_lock(&life.lock);
    list_add(watch);
    on_end.data.u64 = tag_of(watch, true);
    if (begin(&ignored) != HY_OK || epoll_ctl(life.epoll, EPOLL_CTL_ADD, pidfd, &on_end) != 0)
        destroy(watch);
    pthread_mutex_unlock(&life.lock);
}

void hy_life_watch_remove(struct hy_life_watch *watch)
{
    if (!watch)
        return;
    pthread_mutex_lock(&life.lock);
    if (watch->is_watched)
        stop_watching(watch);
    unlist(watch);
    while (life.called == watch->number && !pthread_equal(pthread_self(), life.caller))
        pthread_cond_wait(&life.came_back, &life.lock);
    pthread_mutex_unlock(&life.lock);
    free(watch);
}

/* The child has no watch thread. A callback that was running in another thread does not return in
 * the child. */
void hy_life_watch_fork(enum hy_service_fork_phase phase)
{
    if (phase == HY_SERVICE_FORK_BEFORE)
        pthread_mutex_lock(&life.lock);
    if (phase == HY_SERVICE_FORK_CHILD) {
        if (life.epoll >= 0)
            close(life.epoll);
        life.epoll = -1;
        life.called = 0;
        for (struct hy_life_watch *watch = life.first, *next; watch; watch = next) {
            next = watch->next;
            watch->is_watched = false;
            if (watch->is_let_go)
                destroy(watch);
        }
        pthread_cond_init(&life.came_back, NULL);
    }
    if (phase != HY_SERVICE_FORK_BEFORE)
        pthread_mutex_unlock(&life.lock);
}
