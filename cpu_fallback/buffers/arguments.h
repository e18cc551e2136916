#ifndef HY_CPU_FALLBACK_BUFFERS_ARGUMENTS_H
#define HY_CPU_FALLBACK_BUFFERS_ARGUMENTS_H

#include "cpu_fallback/prepared.h"

/* Whether the argument is a buffer: all of one, whose pool it names. */
bool hy_cpu_argument_is_buffer(const struct hy_request *request,
                               const struct hy_argument *argument);

/*
 * Binds input or output `index` of the request, which is a buffer: where the input lies,
 * and in what shape; what the target of the output is. The context has the shapes that model and
 * request say. The context holds the buffer until hy_cpu_buffers_leave,
 * which every context needs that either was called for, also in vain. Errors: HY_BAD_DATA (no such
 * buffer, another role, a shape or location that does not go with it; an output that is an input or
 * another output, too), HY_FAILED (an input that holds nothing).
 */
HY_MUST_CHECK enum hy_code hy_cpu_buffers_bind_input(const struct hy_cpu_prepared *prepared,
                                                     const struct hy_request *request,
                                                     uint32_t index, struct hy_cpu_context *context,
                                                     struct hy_error *err);
HY_MUST_CHECK enum hy_code
hy_cpu_buffers_bind_output(const struct hy_cpu_prepared *prepared, const struct hy_request *request,
                           uint32_t index, struct hy_cpu_context *context, struct hy_error *err);

/* Around an execution that writes its targets; `code`: how it has ended. Outputs hold something
 * from then on, or nothing. */
void hy_cpu_buffers_begin(struct hy_cpu_context *context, const struct hy_cpu_graph *graph);
void hy_cpu_buffers_end(struct hy_cpu_context *context, const struct hy_cpu_graph *graph,
                        enum hy_code code);

void hy_cpu_buffers_leave(struct hy_cpu_context *context, const struct hy_cpu_graph *graph);

#endif
