#ifndef HY_PLUGINS_SERVICE_QUEUE_LISTENER_H
#define HY_PLUGINS_SERVICE_QUEUE_LISTENER_H

#include <stdbool.h>

#include "common/error.h"
#include "halyard/driver.h"

/*
 * The service's end of a burst over shared memory (docs/queue-format.md): a thread that takes
 * requests from one ring, one after another, and puts results into the other. It ends by itself
 * when the client closes the burst or breaks the rules of the rings, which have packets whole; one
 * that is wrong inside is answered with HY_STATUS_GENERAL_FAILURE, and serving goes on.
 */
struct hy_queue_listener;

/* What a listener asks of its owner, all on the listener's thread. */
struct hy_queue_work {
    void *context;
    /* Reads notices from the channel of the burst until, all in all, `notices` of them have been
     * read (the count wraps at 2^32). Not HY_STATUS_OK: the request is answered with that. */
    int32_t (*catch_up)(void *context, uint32_t notices);
    /* What `slot` names now; INVALID_ARGUMENT: nothing. The pool stays usable until the next call
     * of catch_up, or for as long as the request that names it runs. */
    int32_t (*find_memory)(void *context, int32_t slot, struct hy_pool *pool);
    /* As hy_device.burst_execute or hy_device.execute. The views are private copies: well-formed,
     * but nothing is known about what they mean. Arguments lie inside their pools, which may be
     * read where there are inputs and written where there are outputs. */
    int32_t (*execute)(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);
    /* NULL, or for a driver with hy_device.burst_serve: serves the raw queues to the end. Not
     * HY_STATUS_OK: it has not looked at them, and the listener serves with `execute`. */
    int32_t (*serve)(void *context, const struct hy_burst_queues *queues);
};

struct hy_queue_listener_rules {
    uint64_t spin_ns; /* as in struct hy_queue_burst_rules */
    int32_t peer_fd;  /* for hy_burst_queues, the owner's; -1: none. Needed with `serve` only */
    const uint32_t *cancelled; /* of every request (driver.h), or NULL; outlives the listener */
    bool polls;                /* as in struct hy_queue_burst_rules */
};

/*
 * Starts serving the rings in the memfd, which may be closed after the call.
 * Errors: BAD_DATA (no memfd of rings, its size, seals or layout), UNMAPPABLE, OUT_OF_MEMORY,
 * FAILED (no thread).
 */
HY_MUST_CHECK enum hy_code hy_queue_listener_start(int memory, const struct hy_queue_work *work,
                                                   const struct hy_queue_listener_rules *rules,
                                                   struct hy_queue_listener **ret,
                                                   struct hy_error *err);

/* Ends the serving after the request that runs, if one does, and waits for that. The owner first
 * sees to it that a catch_up in progress returns. Not on the listener's thread. Takes NULL. */
void hy_queue_listener_stop(struct hy_queue_listener *listener);

#endif
