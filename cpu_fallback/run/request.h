#ifndef HY_CPU_FALLBACK_RUN_REQUEST_H
#define HY_CPU_FALLBACK_RUN_REQUEST_H

#include "cpu_fallback/prepared.h"

/*
 * Checks a request against the model, maps its pools, and fills inputs, input_data and targets of
 * the context. After it, every input is complete, has bytes enough and is aligned for its type
 * (copied, where it was not), and every target is room that may be written, or a buffer. Buffers of
 * the request are held by the context, also on failure: see hy_cpu_buffers_leave.
 * Errors: HY_BAD_DATA, HY_FAILED (a buffer that holds nothing), HY_UNMAPPABLE, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_request_bind(const struct hy_cpu_prepared *prepared,
                                               const struct hy_request *request,
                                               struct hy_cpu_context *context,
                                               struct hy_error *err);

/* Where an argument of the request lies that the context is set up for; NULL without bytes. */
void *hy_cpu_request_address(const struct hy_cpu_context *context,
                             const struct hy_argument *argument);

#endif
