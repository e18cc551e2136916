#ifndef HY_CPU_FALLBACK_RUN_CPU_REQUEST_H
#define HY_CPU_FALLBACK_RUN_CPU_REQUEST_H

#include "cpu_fallback/cpu_prepared.h"

/*
 * Checks a request against the model, maps its pools, and fills inputs, input_data and targets of
 * the context. Afterwards every input has a complete shape, enough bytes and the alignment of its
 * type (by a copy if necessary), and every target is writable memory or a buffer. The context holds
 * the buffers of the request, also after an error: call hy_cpu_buffers_leave. Errors: HY_BAD_DATA,
 * HY_FAILED (an empty buffer), HY_UNMAPPABLE, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_request_bind(const struct hy_cpu_prepared *prepared,
                                               const struct hy_request *request,
                                               struct hy_cpu_context *context,
                                               struct hy_error *err);

/* The address of an argument of the request that the context is bound to; NULL if the argument has
 * no bytes. */
void *hy_cpu_request_address(const struct hy_cpu_context *context,
                             const struct hy_argument *argument);

#endif
