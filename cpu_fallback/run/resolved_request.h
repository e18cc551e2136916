#ifndef HY_CPU_FALLBACK_RUN_RESOLVED_REQUEST_H
#define HY_CPU_FALLBACK_RUN_RESOLVED_REQUEST_H

#include "cpu_fallback/cpu_prepared.h"

/*
 * A finalized request: every shape is known, every output has enough memory, and every argument is
 * used in place. A repeated run needs only a context, a plan and the addresses of the arguments. A
 * request with buffers of the device cannot be finalized, because each run must look up the
 * contents of the buffers.
 */
struct hy_cpu_resolved_request {
    struct hy_cpu_prepared *prepared;
    const struct hy_cpu_plan *plan; /* plan of the prepared model; NULL: not finalized */
    struct hy_output_shape *shapes; /* per output */
    void **arguments;               /* inputs, then outputs */
};

/* Allocates a request object that is not finalized. False: out of memory;
 * hy_cpu_resolved_request_finish must still be called. */
bool hy_cpu_resolved_request_init(struct hy_cpu_resolved_request *resolved,
                                  struct hy_cpu_prepared *prepared);
void hy_cpu_resolved_request_finish(
    struct hy_cpu_resolved_request *resolved); /* all zero bytes are allowed */

/*
 * Finalizes the request that the context is bound to, after hy_cpu_bind_arguments, if possible;
 * else the object is not finalized afterwards. Allocates nothing.
 */
void hy_cpu_resolved_request_capture(struct hy_cpu_resolved_request *resolved,
                                     const struct hy_cpu_context *context,
                                     const struct hy_request *request);

/* Loads a finalized request into a context, in the memory `given`. The context may have served
 * another request before. Errors: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code
hy_cpu_resolved_request_load(const struct hy_cpu_resolved_request *resolved,
                             const struct hy_cpu_block *given, struct hy_cpu_context *context,
                             struct hy_error *err);

/*
 * Runs a finalized request and reports its shapes. `own`: a context that was loaded for the request
 * and has served no other request since; NULL: a context of the prepared model is acquired and
 * loaded. Errors: HY_OUT_OF_MEMORY, and those of hy_cpu_check_start and hy_cpu_run_steps.
 */
HY_MUST_CHECK enum hy_code
hy_cpu_resolved_request_run(const struct hy_cpu_resolved_request *resolved,
                            const struct hy_cpu_block *given, struct hy_cpu_context *own,
                            const struct hy_cpu_limits *limits, struct hy_output_shape *shapes,
                            struct hy_error *err);

#endif
