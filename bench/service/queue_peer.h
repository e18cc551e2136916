#ifndef HY_BENCH_SERVICE_QUEUE_PEER_H
#define HY_BENCH_SERVICE_QUEUE_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/error.h"
#include "halyard/driver.h"
#include "plugins/service/queue/queue_burst.h"

/* Peer processes that reply: over two words in shared memory, and over the queues of a burst. */

/* The CPUs of the two sides of a round trip. */
struct queue_cpus {
    int parent, child;
};

/* Binds the calling thread to a CPU; -1: to none. */
void queue_bind_cpu(int cpu);

/* ---- Two words ------------------------------------------------------------------------------- */

struct queue_word_pair; /* shared */

struct queue_word_peer {
    struct queue_word_pair *words;
    struct queue_cpus cpus;
    bool spins; /* spins; else sleeps on futexes */
    pid_t child;
};

HY_MUST_CHECK enum hy_code queue_word_peer_start(struct queue_word_peer *peer,
                                                 struct hy_error *err);
void queue_word_peer_end(struct queue_word_peer *peer);

/* Measures `repeats` round trips in seconds. */
HY_MUST_CHECK enum hy_code queue_word_peer_time(void *self, uint64_t repeats, double *seconds,
                                                struct hy_error *err);

/* ---- A burst --------------------------------------------------------------------------------- */

struct queue_burst_peer {
    struct queue_cpus cpus;
    uint64_t spin_ns;
    struct hy_pool pool; /* the pool of every slot */
    /* the service's work for a request */
    int32_t (*execute)(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);
    void *context;
    /* the request and its result */
    struct hy_request request;
    struct hy_result result;
    /* private members */
    struct hy_queue_burst *burst;
    pid_t child;
    bool is_pinned;
};

HY_MUST_CHECK enum hy_code queue_burst_peer_start(struct queue_burst_peer *peer,
                                                  struct hy_error *err);
void queue_burst_peer_end(struct queue_burst_peer *peer);
HY_MUST_CHECK enum hy_code queue_burst_peer_time(void *self, uint64_t repeats, double *seconds,
                                                 struct hy_error *err);

#endif
