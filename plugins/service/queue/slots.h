#ifndef HY_PLUGINS_SERVICE_QUEUE_SLOTS_H
#define HY_PLUGINS_SERVICE_QUEUE_SLOTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "plugins/service/queue/in_flight.h"
#include "plugins/service/queue/queue_burst.h"

#define HY_QUEUE_SLOTS 64 /* one bit each in a uint64_t */

/*
 * The slots of a burst: numbers that stand for memory. The slot that was freed last is reused
 * first. The lookup of a memory with a slot acquires no lock.
 */
struct hy_slots {
    const struct hy_queue_burst_owner *owner;
    const struct hy_in_flight *in_flight; /* slots of these requests are not freed */
    _Atomic uint64_t ids[HY_QUEUE_SLOTS]; /* pool id of each slot; 0: empty */
    _Atomic uint32_t notices;             /* sent so far, modulo 2^32 */
    /* for the sending thread only */
    uint64_t execution;
    uint64_t last_used[HY_QUEUE_SLOTS]; /* number of the execution that last used each slot */
    /* protected by the lock */
    pthread_mutex_t lock;
    int32_t freed[HY_QUEUE_SLOTS]; /* a stack */
    uint32_t freed_count;
    uint64_t leaving;              /* slots released while in flight, as bits */
    _Atomic uint32_t first_unused; /* slots from this index on have never been used */
};

void hy_slots_init(struct hy_slots *slots, const struct hy_queue_burst_owner *owner,
                   const struct hy_in_flight *in_flight);
void hy_slots_finish(struct hy_slots *slots);

enum hy_slots_end {
    HY_SLOTS_FOUND,
    HY_SLOTS_TOO_FEW,   /* not enough slots; no notice was sent */
    HY_SLOTS_NO_NOTICE, /* a notice could not be sent */
};

/*
 * Finds the slots of `count` pools of an execution. `*bits` is the set of the slots found. Entries
 * of `found` for buffers are unchanged. Pools without a slot get a slot and are announced by the
 * deadline. If no slot is free, the least recently used slot is freed, except slots of requests in
 * flight and of this execution. One thread at a time.
 */
enum hy_slots_end hy_slots_find(struct hy_slots *slots, const struct hy_pool *pools, uint32_t count,
                                int64_t deadline, int32_t *found, uint64_t *bits);

/* Frees the slot of a pool id. If requests in flight name the slot, the slot is freed with the next
 * announcement after their end. Any thread. */
void hy_slots_release(struct hy_slots *slots, uint64_t id);

#endif
