#ifndef HY_RUNTIME_EVENT_PARTS_H
#define HY_RUNTIME_EVENT_PARTS_H

/* Internals of events. event_life.c manages the memory of events. event.c starts, ends and waits.
 * fenced_event.c adds dependencies and sync fences. */
#include "runtime/event/event.h"
#include "runtime/event/fence.h"
#include "runtime/threads/worker_pool.h"

#include <pthread.h>

/* A node in the list of waiters of an event: `waiter` depends on the event. */
struct hy_event_dependency {
    struct hy_event *waiter;
    struct hy_event_dependency *next;
};

struct hy_event {
    struct hy_work work;
    atomic_uint references;         /* of the app, and of the thread that ends the event */
    bool is_fence;                  /* a fence of the app: no execution */
    struct hy_execution *execution; /* retained; NULL if it ended before the app got the event */
    struct hy_fence fence;          /* exported fence; fd is -1 until requested */
    bool is_fenced;                 /* a fence may be requested */
    int64_t deadline;               /* of the run */
    uint64_t duration;              /* ns from the end of the last dependency; 0 = none */
    atomic_uint pending; /* dependencies still running, plus one while the list is built */

    unsigned generation; /* of the creating process, see fork_guard.h */
    atomic_bool is_over; /* the execution has ended; set once, after code and error */

    pthread_mutex_t lock; /* guards all members below */
    pthread_cond_t ended;
    bool is_finalized; /* the execution has left COMPUTING */
    bool is_watched;   /* the fence of the app is watched */
    enum hy_code code;
    struct hy_error error;
    struct hy_event_dependency *waiters;

    struct hy_event_dependency dependencies[];
};

/* ---- Life: event_life.c ---------------------------------------------------------------------- */

/* Creates an event with one reference for the caller and space for its dependencies. NULL:
 * OUT_OF_MEMORY. */
struct hy_event *hy_event_create(uint32_t dependency_count, struct hy_error *err);

/* Creates an event without dependencies. May reuse the event cached by this thread. */
struct hy_event *hy_event_create_plain(struct hy_error *err);

void hy_event_retain(struct hy_event *event);
void hy_event_release(struct hy_event *event);

/* True in a child of fork() for an event of the parent: no thread of the child would end the event
 * or release its lock. */
bool hy_event_is_copy(const struct hy_event *event);

/* ---- From start to end: event.c -------------------------------------------------------------- */

/* Initializes an event for a begun execution. The event retains the execution and gets a second
 * reference for the worker. */
void hy_event_prepare(struct hy_event *event, struct hy_execution *execution);

/* Call when a dependency has ended or when the list of dependencies is complete. The last call
 * launches the execution, possibly on this thread. */
void hy_event_one_less_pending(struct hy_event *event);

/* Notifies all waiters and releases a reference. Acquires and releases the lock of the event first,
 * and the lock of each dependent event afterwards. Launches each dependent event without other
 * pending dependencies. */
void hy_event_end(struct hy_event *event, enum hy_code code, const struct hy_error *error);

/* True: the event has ended; never waits. `*code` is set if the event has ended, `*err` if it has
 * failed. */
bool hy_event_is_over(struct hy_event *event, enum hy_code *code, struct hy_error *err);

#endif
