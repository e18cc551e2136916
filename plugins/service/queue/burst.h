#ifndef HY_PLUGINS_SERVICE_QUEUE_BURST_H
#define HY_PLUGINS_SERVICE_QUEUE_BURST_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"

/*
 * The client's end of a burst over shared memory: requests go out through one ring, results come
 * back through another (docs/queue-format.md). Besides the rings, the two sides have a channel that
 * belongs to whoever owns the burst: notices travel there, in order, one per announced and one per
 * freed slot. Every request says how many notices come before it, so that none is overlooked.
 *
 * Threads: any number, but nothing together with destroy. As many executions as the depth says are
 * under way at once; further ones go the ordinary way.
 */
struct hy_queue_burst;

/* What the owner of a burst does for it. `announce` and `forget` are called one at a time. */
struct hy_queue_burst_owner {
    void *context;
    /* Sends the notice that `slot` names the pool (whose id is not 0) from now on. It does not wait
     * for an answer, and for nothing beyond the execution's deadline. False: not sent; the request
     * goes the ordinary way. */
    bool (*announce)(void *context, int32_t slot, const struct hy_pool *pool, int64_t deadline);
    /* Sends the notice that `slot` names nothing any more. False: not sent; the slot stays unused.
     */
    bool (*forget)(void *context, int32_t slot);
    /* The patience with an execution is at an end; called by the thread that executes. The burst is
     * dead then. May be NULL. */
    void (*stuck)(void *context);
};

struct hy_queue_burst_rules {
    uint64_t spin_ns; /* how long to spin beyond what is usual, before sleeping; 0: never spin */
    uint64_t patience_ns; /* for one execution; 0: without end. HY_STATUS_DEAD_OBJECT then */
    uint32_t depth;       /* requests in flight at most, as hy_device_info.burst_depth */
    bool polls;           /* spins for spin_ns each time, whatever is usual */
};

#define HY_QUEUE_USUAL_SPIN_NS UINT64_C(50000)

/* Executions by the way they went. */
struct hy_queue_burst_counts {
    uint64_t fast;
    uint64_t inexpressible; /* memory without id, an image, hints */
    uint64_t too_large;     /* for the ring, or with more pools than there are slots */
    uint64_t full; /* as many are under way as may be, maybe abandoned ones, or the ring is full */
    uint64_t closed; /* the service has ended the burst */
};

/* What hy_queue_burst_execute answers where the burst cannot do it: nothing has been sent, and the
 * ordinary call is right for this request. */
#define HY_QUEUE_ORDINARY (-1)

/*
 * Makes the rings. `*fd` becomes a memfd with both, the caller's to send to the service and close.
 * Errors: OUT_OF_MEMORY, FAILED (an OS call).
 */
HY_MUST_CHECK enum hy_code hy_queue_burst_create(const struct hy_queue_burst_owner *owner,
                                                 const struct hy_queue_burst_rules *rules,
                                                 struct hy_queue_burst **ret, int *fd,
                                                 struct hy_error *err);

/*
 * Runs a request: as hy_device.execute, or HY_QUEUE_ORDINARY. Pools keep the slot of their id until
 * it is released. DEAD_OBJECT once the burst is dead; MISSED_DEADLINE_TRANSIENT when the deadline
 * comes before the answer: the service may still be at it and write to the request's memory.
 * While the service answers within the spin there is no allocation and no system call, and no lock
 * that anybody else holds if this is the only execution.
 */
int32_t hy_queue_burst_execute(struct hy_queue_burst *burst, const struct hy_request *request,
                               const struct hy_run_options *options, struct hy_result *result);

/* Whether the queues are of use: the service is there, and has not ended the burst. */
bool hy_queue_burst_is_open(const struct hy_queue_burst *burst);

/* Whether the service is still at an execution that was given up. */
bool hy_queue_burst_is_behind(struct hy_queue_burst *burst);

/* The memory with this id will not be used again: frees its slot, if it has one. */
void hy_queue_burst_release(struct hy_queue_burst *burst, uint64_t pool_id);

/* The service is gone: executions that wait, and all later ones, end with DEAD_OBJECT. Quick;
 * takes no lock. */
void hy_queue_burst_set_dead(struct hy_queue_burst *burst);

/* In a child of fork(): the rings are the parent's, which goes on with them. The burst is dead
 * here, and nothing is written into them any more, nor that it ends. */
void hy_queue_burst_disown(struct hy_queue_burst *burst);

void hy_queue_burst_get_counts(const struct hy_queue_burst *burst,
                               struct hy_queue_burst_counts *counts);

/* Tells the service, which then ends its listener. Takes NULL. */
void hy_queue_burst_destroy(struct hy_queue_burst *burst);

#endif
