#ifndef HY_CPU_FALLBACK_BUFFERS_ARGUMENTS_H
#define HY_CPU_FALLBACK_BUFFERS_ARGUMENTS_H

#include "cpu_fallback/cpu_prepared.h"

/* True if the pool of the argument is a buffer of the device. */
bool hy_cpu_argument_is_buffer(const struct hy_request *request,
                               const struct hy_argument *argument);

/*
 * Bind input or output `index` of the request, whose pool is a buffer. The context already has the
 * shapes from model and request. An input gets the address and shape of the contents; an output
 * gets the buffer as its target. The context holds the buffer until hy_cpu_buffers_leave, which the
 * caller must call even after an error. Errors: HY_BAD_DATA (no such buffer, no such role, a
 * contradicting shape or location, or an output that is also another argument), HY_FAILED (an empty
 * input buffer), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_buffers_bind_input(const struct hy_cpu_prepared *prepared,
                                                     const struct hy_request *request,
                                                     uint32_t index, struct hy_cpu_context *context,
                                                     struct hy_error *err);
HY_MUST_CHECK enum hy_code
hy_cpu_buffers_bind_output(const struct hy_cpu_prepared *prepared, const struct hy_request *request,
                           uint32_t index, struct hy_cpu_context *context, struct hy_error *err);

/* Mark the output buffers before and after an execution that ends with `code`. A successful
 * execution sets their contents; a failed execution leaves them empty. */
void hy_cpu_buffers_begin(struct hy_cpu_context *context, const struct hy_cpu_graph *graph);
void hy_cpu_buffers_end(struct hy_cpu_context *context, const struct hy_cpu_graph *graph,
                        enum hy_code code);

void hy_cpu_buffers_leave(struct hy_cpu_context *context, const struct hy_cpu_graph *graph);

#endif
