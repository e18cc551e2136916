#include "plugins/service/server/clients/hangups.h"

#include "common/list.h"
#include "plugins/service/server/calls/call_scheduler.h"
#include "plugins/service/server/threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* A watched socket. Events carry its number instead of a pointer, because the socket may be gone
 * when the event is read. */
struct watched {
    uint64_t number;
    uint32_t *cancelled;
    LIST_ENTRY(watched) entry;
};

static struct {
    int epoll;
    pthread_mutex_t lock; /* protects the members below */
    LIST_HEAD(, watched) list;
    uint64_t last_number;
} hangups = {.epoll = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* With the lock held. Returns NULL if the number is no longer watched. */
static struct watched *find(uint64_t number)
{
    struct watched *watched;

    LIST_FOREACH (watched, &hangups.list, entry) {
        if (watched->number == number)
            return watched;
    }
    return NULL;
}

static void cancel(uint64_t number)
{
    pthread_mutex_lock(&hangups.lock);
    const struct watched *watched = find(number);
    if (watched)
        __atomic_store_n(watched->cancelled, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&hangups.lock);
    hy_server_call_slots_recheck();
}

static void *watch(void *context)
{
    struct epoll_event events[16];

    (void)context;
    for (;;) {
        const int count = epoll_wait(hangups.epoll, events, 16, -1);
        for (int i = 0; i < count; i++)
            cancel(events[i].data.u64);
        if (count < 0 && errno != EINTR)
            return NULL;
    }
}

enum hy_code hy_server_hangups_start(struct hy_error *err)
{
    pthread_t thread;

    if (hangups.epoll >= 0)
        return HY_OK;
    hangups.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (hangups.epoll < 0)
        return hy_fail(err, HY_FAILED, "no descriptor to watch clients: %s", strerror(errno));
    if (!hy_server_thread_start(&thread, watch, NULL))
        return hy_fail(err, HY_FAILED, "no thread to watch clients");
    pthread_detach(thread);
    return HY_OK;
}

uint64_t hy_server_hangups_watch(int socket, uint32_t *cancelled)
{
    struct watched *watched = hangups.epoll >= 0 ? malloc(sizeof *watched) : NULL;
    if (!watched)
        return 0;

    pthread_mutex_lock(&hangups.lock);
    *watched = (struct watched){.number = ++hangups.last_number, .cancelled = cancelled};
    LIST_INSERT_HEAD(&hangups.list, watched, entry);
    /* EPOLLONESHOT, because a disconnected socket stays disconnected. epoll always reports
     * hang-ups, so no other event is needed. */
    struct epoll_event event = {.events = EPOLLONESHOT, .data.u64 = watched->number};
    const uint64_t number = watched->number;
    pthread_mutex_unlock(&hangups.lock);
    if (epoll_ctl(hangups.epoll, EPOLL_CTL_ADD, socket, &event) == 0)
        return number;
    hy_server_hangups_remove(number, socket);
    return 0;
}

void hy_server_hangups_remove(uint64_t number, int socket)
{
    if (number == 0)
        return;
    (void)epoll_ctl(hangups.epoll, EPOLL_CTL_DEL, socket, NULL);
    pthread_mutex_lock(&hangups.lock);
    struct watched *found = find(number);
    if (found)
        LIST_REMOVE(found, entry);
    pthread_mutex_unlock(&hangups.lock);
    free(found);
}
