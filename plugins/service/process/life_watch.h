#ifndef HY_SERVICE_LIFE_WATCH_H
#define HY_SERVICE_LIFE_WATCH_H

#include <stdbool.h>

#include "common/error.h"

/*
 * One thread of this process that waits for all host processes. It has every signal blocked, is
 * made with the first watch and stays; nothing is polled on time.
 */
struct hy_life_watch;

/* Called on the thread of the watch, never two at once. They should not take long. */
struct hy_life_events {
    /* The control socket can be read, perhaps: it must not wait for more than is there. Returns
     * whether there was a message and more may follow. Called again until there is nothing. */
    bool (*message)(void *context);
    /* The process has ended, or it has closed the control socket. Once, and the last call: what it
     * had sent before can still be read, and `message` has been called for it. */
    void (*gone)(void *context);
};

/* `control` and `pidfd` (-1: the socket alone tells of the end) stay the caller's, open until the
 * watch is removed. `events` is copied.
 * Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_life_watch_add(int control, int pidfd,
                                             const struct hy_life_events *events, void *context,
                                             struct hy_life_watch **out, struct hy_error *err);

/*
 * After it no call is made for this watch, nor is one running: it waits for a call on its way,
 * unless it is called from inside that call. So hold no lock that the callbacks take. NULL is fine.
 */
void hy_life_watch_remove(struct hy_life_watch *watch);

/*
 * Takes the pidfd of a process that was let go: reaps it when it has ended. Where that cannot be
 * waited for, the pidfd is closed and that is all. Not for processes of a parent.
 */
void hy_life_watch_let_end(int pidfd);

#endif
