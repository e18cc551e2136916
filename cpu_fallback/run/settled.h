#ifndef HY_CPU_FALLBACK_RUN_SETTLED_H
#define HY_CPU_FALLBACK_RUN_SETTLED_H

#include "cpu_fallback/prepared.h"

/*
 * A request of which nothing is left to find out: every shape is known, every output has room
 * enough, and every argument is used where it lies. To run it again takes a context, a plan and the
 * addresses of the arguments. A request with buffers of the device is not to be settled: what a
 * buffer holds is for each run to see.
 */
struct hy_cpu_settled {
    struct hy_cpu_prepared *prepared;
    const struct hy_cpu_plan *plan; /* one that the prepared model keeps; NULL: not settled */
    struct hy_output_shape *shapes; /* one per output */
    void **arguments;               /* inputs, then outputs */
};

/* Room for a request to the prepared model, not settled. False: out of memory; finish it all the
 * same. */
bool hy_cpu_settled_init(struct hy_cpu_settled *settled, struct hy_cpu_prepared *prepared);
void hy_cpu_settled_finish(struct hy_cpu_settled *settled); /* takes all zero bytes */

/*
 * Settles the request that the context is set up for, its arguments placed, if nothing is left
 * open; else what was settled before is so no more. Allocates nothing.
 */
void hy_cpu_settled_learn(struct hy_cpu_settled *settled, const struct hy_cpu_context *context,
                          const struct hy_request *request);

/* Sets a context up for a settled request, in the memory given. The context may have served another
 * request before. Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_settled_load(const struct hy_cpu_settled *settled,
                                               const struct hy_cpu_block *given,
                                               struct hy_cpu_context *context,
                                               struct hy_error *err);

/*
 * Runs a settled request and reports its shapes. `own`: a context that was loaded for the request
 * and has served no other since, or NULL: one of the prepared model's is taken and loaded. Errors:
 * HY_OUT_OF_MEMORY, those of hy_cpu_check_start and hy_cpu_run_steps.
 */
HY_MUST_CHECK enum hy_code hy_cpu_settled_run(const struct hy_cpu_settled *settled,
                                              const struct hy_cpu_block *given,
                                              struct hy_cpu_context *own,
                                              const struct hy_cpu_limits *limits,
                                              struct hy_output_shape *shapes, struct hy_error *err);

#endif
