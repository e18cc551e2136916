#ifndef HY_RUNTIME_EVENT_PARTS_H
#define HY_RUNTIME_EVENT_PARTS_H

/* What the files of events share: event_life.c has their memory, event.c starts, ends and waits,
 * fenced_event.c adds dependencies and sync fences. */
#include "runtime/event/event.h"
#include "runtime/event/fence.h"
#include "runtime/threads/worker_pool.h"

#include <pthread.h>

/* That `waiter` waits for the event in whose list this stands. */
struct hy_event_dependency {
    struct hy_event *waiter;
    struct hy_event_dependency *next;
};

struct hy_event {
    struct hy_work work;
    atomic_uint references;         /* the app's, and that of whoever will end it */
    bool is_fence;                  /* the app's: there is no execution */
    struct hy_execution *execution; /* counted; NULL if it was over before the app had the event */
    struct hy_fence fence;          /* what others wait for outside; fd -1 until it is asked for */
    bool is_fenced;                 /* it may be asked for */
    int64_t deadline;               /* of the run */
    uint64_t duration;              /* ns from the end of the last dependency; 0 = none */
    atomic_uint pending; /* dependencies that are not over, and one while they are being listed */

    unsigned generation; /* of the process that made it, see fork_guard.h */
    atomic_bool is_over; /* the execution; set once, after code and error */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t ended;
    bool is_settled; /* the execution has left COMPUTING */
    bool is_watched; /* the fence of the app's */
    enum hy_code code;
    struct hy_error error;
    struct hy_event_dependency *waiters;

    struct hy_event_dependency dependencies[];
};

/* ---- Life: event_life.c ---------------------------------------------------------------------- */

/* With one reference, the caller's, and room for its dependencies. NULL: OUT_OF_MEMORY. */
struct hy_event *hy_event_create(uint32_t dependency_count, struct hy_error *err);

/* The same without dependencies; it may be one that the thread has kept. */
struct hy_event *hy_event_create_plain(struct hy_error *err);

void hy_event_retain(struct hy_event *event);
void hy_event_release(struct hy_event *event);

/* True in a child of fork() that has but a copy: nobody there would ever end the event or give back
 * its lock. */
bool hy_event_is_copy(const struct hy_event *event);

/* ---- From start to end: event.c -------------------------------------------------------------- */

/* An execution that has begun, on its way; it takes the app's reference and one for the worker. */
void hy_event_prepare(struct hy_event *event, struct hy_execution *execution);

/* A dependency is over, or the list of them is complete. The last launches the execution, maybe on
 * this thread. */
void hy_event_one_less_pending(struct hy_event *event);

/* Tells all who wait, and gives up a reference. Takes the lock of the event and then, without that,
 * the locks of those that depend on it; whichever has no other dependency left is launched. */
void hy_event_end(struct hy_event *event, enum hy_code code, const struct hy_error *error);

/* Whether an event is over, and how, as far as can be told without waiting. `code` is set if it is
 * over, `err` if it has failed. */
bool hy_event_is_over(struct hy_event *event, enum hy_code *code, struct hy_error *err);

#endif
