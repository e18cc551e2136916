#ifndef HY_SERVICE_LIFE_WATCH_H
#define HY_SERVICE_LIFE_WATCH_H

#include <stdbool.h>

#include "common/error.h"

/*
 * A watch for the end of a host process. One thread of this process serves all watches. The thread
 * starts with the first watch and never ends, blocks every signal, and does not poll.
 */
struct hy_life_watch;

/* Callbacks, made one at a time on the thread of the watch. Callbacks must be short. */
struct hy_life_events {
    /* The control socket may be readable. The callback must not block. Returns whether a message
     * was read; the callback is then made again until no message is left. */
    bool (*message)(void *context);
    /* The process has ended or closed the control socket. The last callback, made once. Messages
     * from before the end can still be read, and `message` has been called for them. */
    void (*gone)(void *context);
};

/* Adds a watch. `control` and `pidfd` stay owned by the caller and must stay open until the watch
 * is removed. pidfd -1: only the socket reports the end. `events` is copied. `*out` is set before
 * the first callback. Errors: FAILED, EXHAUSTED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_life_watch_add(int control, int pidfd,
                                             const struct hy_life_events *events, void *context,
                                             struct hy_life_watch **out, struct hy_error *err);

/*
 * Removes and frees a watch. Waits for a running callback of the watch, unless called from the
 * callback. No callback is made after the return. The caller must not hold a lock that callbacks
 * acquire. Accepts NULL.
 */
void hy_life_watch_remove(struct hy_life_watch *watch);

/*
 * Takes ownership of the pidfd of a detached process and reaps the process at its end. If the
 * process cannot be watched, the function only closes the pidfd. Not for processes of a parent.
 */
void hy_life_watch_let_end(int pidfd);

#endif
