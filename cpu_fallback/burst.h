#ifndef HY_CPU_FALLBACK_BURST_H
#define HY_CPU_FALLBACK_BURST_H

#include "cpu_fallback/prepared.h"

/*
 * Executions of one prepared model that follow each other quickly, one at a time. A burst keeps
 * where memory lies, by the id of its pool, and what it found out about the last requests: a
 * request like one of them is neither checked against the model nor bound again. While a burst is
 * open, an execution of its model that shares work asks the host to keep the workers awake.
 * Contexts are kept by the prepared model.
 */
struct hy_cpu_burst;

/* Requests that a burst keeps: apps that fill one set of buffers while another is being read have
 * two or three. */
#define HY_CPU_BURST_REQUESTS 4u

/* Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_burst_create(struct hy_cpu_prepared *prepared,
                                               struct hy_cpu_burst **out, struct hy_error *err);
void hy_cpu_burst_destroy(struct hy_cpu_burst *burst); /* takes NULL */

/* As hy_cpu_prepared_execute. Allocates nothing where that would not. */
HY_MUST_CHECK enum hy_code
hy_cpu_burst_execute(struct hy_cpu_burst *burst, const struct hy_request *request,
                     struct hy_cpu_block given, const struct hy_cpu_limits *limits,
                     struct hy_output_shape *shapes, struct hy_error *err);

/* The memory of a pool goes, or is to be found anew. From any thread, also during an execution that
 * uses other memory. */
void hy_cpu_burst_release(struct hy_cpu_burst *burst, uint64_t pool_id);

/* For tests: executions that found their request kept. */
uint64_t hy_cpu_burst_repeats(const struct hy_cpu_burst *burst);

#endif
