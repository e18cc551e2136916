#ifndef HY_CPU_FALLBACK_RUN_OUTPUT_H
#define HY_CPU_FALLBACK_RUN_OUTPUT_H

#include "cpu_fallback/program/context.h"

/* Room for the value, whose shape is known by now, in the buffer that the target may be. Errors:
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_output_make_room(struct hy_cpu_target *target,
                                                   const struct hy_value *value,
                                                   struct hy_error *err);

/*
 * Gives model output `index`, whose shape is known by now, its memory: the caller's room where that
 * will do, else memory of the context's. Errors: HY_FAILED (another shape than the request says),
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_output_place(const struct hy_cpu_graph *graph,
                                               struct hy_cpu_context *context, uint32_t index,
                                               struct hy_error *err);

/* The same for the outputs of an operation whose shapes the plan does not know: now their shapes,
 * or the largest they can have, are known. */
HY_MUST_CHECK enum hy_code hy_cpu_output_place_late(const struct hy_cpu_graph *graph,
                                                    struct hy_cpu_context *context,
                                                    const struct hy_call *call,
                                                    struct hy_error *err);

/* Holds the shapes that a run has set (hy_infer_gives_limits) against what the model and the
 * request declare. HY_FAILED. */
HY_MUST_CHECK enum hy_code hy_cpu_output_check_set(const struct hy_cpu_graph *graph,
                                                   const struct hy_cpu_context *context,
                                                   const struct hy_call *call,
                                                   struct hy_error *err);

#endif
