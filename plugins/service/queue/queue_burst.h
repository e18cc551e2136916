#ifndef HY_PLUGINS_SERVICE_QUEUE_BURST_H
#define HY_PLUGINS_SERVICE_QUEUE_BURST_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"

/*
 * The client's side of a burst over shared memory. Requests go out through one ring, and results
 * come back through another ring (docs/queue-format.md). The owner of the burst provides a control
 * channel between the two sides. The channel carries a notice for every announced slot and for
 * every freed slot, in order. Every request contains the number of earlier notices, so the service
 * misses no notice.
 *
 * Threads: all functions are thread-safe, but no call may overlap with destroy. At most `depth`
 * executions are in flight; further executions use the ordinary call.
 */
struct hy_queue_burst;

/* Functions of the owner of a burst. `announce` and `retract` are called one at a time. */
struct hy_queue_burst_owner {
    void *context;
    /* Sends the notice that `slot` names the pool from now on. The id of the pool is not 0. Does
     * not wait for a reply, and never waits past the deadline of the execution. False: not sent;
     * the request uses the ordinary call. */
    bool (*announce)(void *context, int32_t slot, const struct hy_pool *pool, int64_t deadline);
    /* Sends the notice that `slot` is empty. False: not sent; the slot stays unused. */
    bool (*retract)(void *context, int32_t slot);
    /* An execution exceeded the hang timeout, and the burst is dead. Called by the executing
     * thread. May be NULL. */
    void (*stuck)(void *context);
};

struct hy_queue_burst_rules {
    uint64_t spin_ns; /* time to spin beyond the usual wait, before sleeping; 0: never spin */
    uint64_t hang_timeout_ns; /* hang timeout of an execution: HY_STATUS_DEAD_OBJECT; 0: none */
    uint32_t depth;           /* maximum requests in flight, as hy_device_info.burst_depth */
    bool polls;               /* always spins for spin_ns, regardless of the usual wait */
};

#define HY_QUEUE_USUAL_SPIN_NS UINT64_C(50000)

/* Number of executions by path: `fast` counts executions through the queues. The other members
 * count, by reason, executions that used the ordinary call. */
struct hy_queue_burst_counts {
    uint64_t fast;
    uint64_t inexpressible; /* memory without id, an image, hints */
    uint64_t too_large;     /* larger than the ring, or more pools than slots */
    uint64_t full; /* the maximum is in flight, abandoned requests included, or the ring is full */
    uint64_t closed; /* the service has ended the burst, or a notice could not be sent */
};

/* Result of hy_queue_burst_execute for a request that the burst cannot execute. No request was
 * sent, and the caller makes the ordinary call. */
#define HY_QUEUE_ORDINARY (-1)

/*
 * Creates a burst with its rings. `*fd` is a memfd with both rings, owned by the caller, who sends
 * the descriptor to the service. `owner` and `rules` are copied. Errors: OUT_OF_MEMORY, EXHAUSTED
 * (no descriptors), UNMAPPABLE, FAILED (an OS call).
 */
HY_MUST_CHECK enum hy_code hy_queue_burst_create(const struct hy_queue_burst_owner *owner,
                                                 const struct hy_queue_burst_rules *rules,
                                                 struct hy_queue_burst **ret, int *fd,
                                                 struct hy_error *err);

/*
 * Runs a request, as hy_device.execute, or returns HY_QUEUE_ORDINARY. A pool keeps its slot until
 * its id is released, or another pool needs the slot. DEAD_OBJECT: the burst is dead.
 * MISSED_DEADLINE_TRANSIENT: the deadline passed first; the service may still execute the request
 * and write to its memory.
 *
 * If the service replies while the caller spins, the call makes no allocation and no system call. A
 * single execution at a time waits for no lock.
 */
int32_t hy_queue_burst_execute(struct hy_queue_burst *burst, const struct hy_request *request,
                               const struct hy_run_options *options, struct hy_result *result);

/* Returns whether the queues are usable: the service is alive and has not ended the burst. */
bool hy_queue_burst_is_open(const struct hy_queue_burst *burst);

/* Returns whether the service still runs an abandoned execution. */
bool hy_queue_burst_has_timeouts(struct hy_queue_burst *burst);

/* Frees the slot of the memory with this id, if any. The memory will not be used again. */
void hy_queue_burst_release(struct hy_queue_burst *burst, uint64_t pool_id);

/* Marks the service as gone: waiting and later executions end with DEAD_OBJECT. Fast; acquires no
 * lock. */
void hy_queue_burst_set_dead(struct hy_queue_burst *burst);

/* For a child of fork(). The rings belong to the parent, and the parent goes on using the rings. In
 * the child the burst is dead and never writes to the rings, not even to close the burst. */
void hy_queue_burst_disown(struct hy_queue_burst *burst);

void hy_queue_burst_get_counts(const struct hy_queue_burst *burst,
                               struct hy_queue_burst_counts *counts);

/* Closes and frees the burst. The service is notified and ends its listener. Accepts NULL. */
void hy_queue_burst_destroy(struct hy_queue_burst *burst);

#endif
