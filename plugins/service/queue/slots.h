#ifndef HY_PLUGINS_SERVICE_QUEUE_SLOTS_H
#define HY_PLUGINS_SERVICE_QUEUE_SLOTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "plugins/service/queue/burst.h"
#include "plugins/service/queue/in_flight.h"

#define HY_QUEUE_SLOTS 64 /* a bit each in a uint64_t */

/*
 * The numbers by which a burst names memory: the next free one, those that were freed last going
 * first. A memory that has a slot is found without a lock.
 */
struct hy_slots {
    const struct hy_queue_burst_owner *owner;
    const struct hy_in_flight *in_flight; /* whose slots stay as they are */
    _Atomic uint64_t ids[HY_QUEUE_SLOTS]; /* what each names; 0: nothing */
    _Atomic uint32_t notices;             /* sent so far, modulo 2^32 */
    /* of the thread that sends */
    uint64_t execution;
    uint64_t last_used[HY_QUEUE_SLOTS]; /* the execution */
    /* under the lock */
    pthread_mutex_t lock;
    int32_t freed[HY_QUEUE_SLOTS]; /* a stack */
    uint32_t freed_count;
    uint64_t leaving; /* a bit each: released, to be freed once no request in flight names it */
    _Atomic uint32_t first_unused; /* from here on none has ever been used */
};

void hy_slots_init(struct hy_slots *slots, const struct hy_queue_burst_owner *owner,
                   const struct hy_in_flight *in_flight);
void hy_slots_finish(struct hy_slots *slots);

enum hy_slots_end {
    HY_SLOTS_FOUND,
    HY_SLOTS_TOO_FEW,   /* nothing has been announced */
    HY_SLOTS_NO_NOTICE, /* one could not be sent */
};

/*
 * The slots of `count` pools of one execution, and all of them as bits; the places of buffers are
 * left as they are. New ones are announced by the deadline; if none is left, those go that were not
 * used for the longest time and that no request in flight names. One thread at a time.
 */
enum hy_slots_end hy_slots_find(struct hy_slots *slots, const struct hy_pool *pools, uint32_t count,
                                int64_t deadline, int32_t *found, uint64_t *bits);

/* Frees the slot of an id, at the latest when the next slot is announced after the requests in
 * flight that name it. Any thread. */
void hy_slots_release(struct hy_slots *slots, uint64_t id);

#endif
