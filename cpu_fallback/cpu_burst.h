#ifndef HY_CPU_FALLBACK_CPU_BURST_H
#define HY_CPU_FALLBACK_CPU_BURST_H

#include "cpu_fallback/cpu_prepared.h"

/*
 * Repeated executions of a prepared model, one execution at a time. A burst caches the addresses of
 * pools by pool id, and the last requests. A request equal to a cached one is neither checked
 * against the model nor bound again. While a burst is open, an execution of its model on several
 * threads asks the host to keep the workers awake. Contexts come from the prepared model.
 */
struct hy_cpu_burst;

/* Number of cached requests. An app with several sets of buffers, filled in turn, needs two or
 * three. */
#define HY_CPU_BURST_REQUESTS 4u

/* Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_burst_create(struct hy_cpu_prepared *prepared,
                                               struct hy_cpu_burst **out, struct hy_error *err);
void hy_cpu_burst_destroy(struct hy_cpu_burst *burst); /* takes NULL */

/* Like hy_cpu_prepared_execute, with the same errors. Allocates nothing if hy_cpu_prepared_execute
 * would allocate nothing. */
HY_MUST_CHECK enum hy_code
hy_cpu_burst_execute(struct hy_cpu_burst *burst, const struct hy_request *request,
                     struct hy_cpu_block given, const struct hy_cpu_limits *limits,
                     struct hy_output_shape *shapes, struct hy_error *err);

/* Forgets the address of a pool that is going away or must be mapped again. Any thread may call
 * this function, also during an execution that uses other memory. */
void hy_cpu_burst_release(struct hy_cpu_burst *burst, uint64_t pool_id);

/* For tests: the number of executions that found their request in the cache. */
uint64_t hy_cpu_burst_repeats(const struct hy_cpu_burst *burst);

#endif
