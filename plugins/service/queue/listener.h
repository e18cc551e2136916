#ifndef HY_PLUGINS_SERVICE_QUEUE_LISTENER_H
#define HY_PLUGINS_SERVICE_QUEUE_LISTENER_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"

/*
 * The service's side of a burst over shared memory (docs/queue-format.md): a thread that reads
 * requests from the request ring, in order, and writes results to the result ring. The thread ends
 * when the client closes the burst or breaks the rules of the rings, for example with an incomplete
 * packet. A complete packet with invalid contents gets the reply HY_STATUS_GENERAL_FAILURE, and the
 * thread goes on.
 */
struct hy_queue_listener;

/* Functions of the owner, all called on the thread of the listener. */
struct hy_queue_work {
    void *context;
    /* Reads notices from the control channel until the total number read is `notices`, modulo 2^32.
     * A status other than HY_STATUS_OK becomes the result of the request. */
    int32_t (*catch_up)(void *context, uint32_t notices);
    /* Looks up the pool that `slot` names. INVALID_ARGUMENT: the slot is empty. The pool stays
     * usable until the next call of catch_up, and during the request that names the slot. */
    int32_t (*find_memory)(void *context, int32_t slot, struct hy_pool *pool);
    /* Same as hy_device.burst_execute or hy_device.execute. The views are private copies. The
     * copies are well-formed, but their meaning is unchecked. Arguments lie inside their pools;
     * pools of inputs are readable, and pools of outputs are writable. */
    int32_t (*execute)(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);
    /* NULL, or for a driver with hy_device.burst_serve: serves the raw queues until the burst ends.
     * Any status but HY_STATUS_OK: the driver has not touched the queues, and the listener serves
     * with `execute`. */
    int32_t (*serve)(void *context, const struct hy_burst_queues *queues);
};

struct hy_queue_listener_rules {
    uint64_t spin_ns; /* as in struct hy_queue_burst_rules */
    int32_t
        peer_fd; /* for hy_burst_queues, owned by the owner; -1: none. Needed with `serve` only */
    const uint32_t *cancelled; /* cancellation flag of every request (driver.h), or NULL; must
                                  outlive the listener */
    bool polls;                /* as in struct hy_queue_burst_rules */
};

/*
 * Starts serving the rings in `memory`, a memfd that the caller may close afterwards. `work` and
 * `rules` are copied. Errors: BAD_DATA (no memfd of rings, wrong size, seals or layout),
 * UNMAPPABLE, OUT_OF_MEMORY, FAILED (no thread).
 */
HY_MUST_CHECK enum hy_code hy_queue_listener_start(int memory, const struct hy_queue_work *work,
                                                   const struct hy_queue_listener_rules *rules,
                                                   struct hy_queue_listener **ret,
                                                   struct hy_error *err);

/* Stops serving and frees the listener. Waits for a running request. The owner must first make a
 * running catch_up return. Not for the thread of the listener. Accepts NULL. */
void hy_queue_listener_stop(struct hy_queue_listener *listener);

#endif
