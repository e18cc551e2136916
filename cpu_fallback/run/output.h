#ifndef HY_CPU_FALLBACK_RUN_OUTPUT_H
#define HY_CPU_FALLBACK_RUN_OUTPUT_H

#include "cpu_fallback/program/context.h"

/* Gets memory for the value, whose shape is known, if the target is a buffer of the device. Errors:
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_output_reserve(struct hy_cpu_target *target,
                                                 const struct hy_value *value,
                                                 struct hy_error *err);

/*
 * Assigns memory to model output `index`, whose shape is known: the caller's memory if it is large
 * enough, aligned and readable, else memory of the context. Errors: HY_FAILED (the shape
 * contradicts the request), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_output_alloc(const struct hy_cpu_graph *graph,
                                               struct hy_cpu_context *context, uint32_t index,
                                               struct hy_error *err);

/* The same for the outputs of a dynamic step, whose shapes, or upper limits, have just become
 * known. */
HY_MUST_CHECK enum hy_code hy_cpu_output_alloc_dynamic(const struct hy_cpu_graph *graph,
                                                       struct hy_cpu_context *context,
                                                       const struct hy_call *call,
                                                       struct hy_error *err);

/* Checks shapes set by a run (hy_infer_gives_limits) against the model and the request. Errors:
 * HY_FAILED. */
HY_MUST_CHECK enum hy_code hy_cpu_output_check_set(const struct hy_cpu_graph *graph,
                                                   const struct hy_cpu_context *context,
                                                   const struct hy_call *call,
                                                   struct hy_error *err);

#endif
