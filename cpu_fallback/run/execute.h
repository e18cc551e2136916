#ifndef HY_CPU_FALLBACK_RUN_EXECUTE_H
#define HY_CPU_FALLBACK_RUN_EXECUTE_H

#include "cpu_fallback/program/context.h"
#include "cpu_fallback/run/execution_limits.h"

/*
 * Runs the plan that the context is bound to, on the request that it is bound to, and reports the
 * shapes. Errors: HY_INSUFFICIENT_SIZE (the shapes are reported), HY_MISSED_DEADLINE (between two
 * operations, pieces of a long one, or rounds of a loop), HY_FAILED, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_execute(const struct hy_cpu_program *program,
                                          struct hy_cpu_context *context,
                                          const struct hy_cpu_limits *limits,
                                          struct hy_output_shape *shapes, struct hy_error *err);

/*
 * The same for a program that is the body of an operation: its outputs stay where they were
 * computed, which is the room of the context's target where that was large enough. They are found
 * in context->values.
 */
HY_MUST_CHECK enum hy_code hy_cpu_run(const struct hy_cpu_program *program,
                                      struct hy_cpu_context *context,
                                      const struct hy_cpu_limits *limits, struct hy_error *err);

/*
 * The two halves of it, for whoever has something to do between them. First: every model input, and
 * every output whose shape the plan knows, gets its data in context->values: the caller's room
 * where that will do. Errors: HY_FAILED, HY_OUT_OF_MEMORY. Then: the steps. Errors: as above.
 */
HY_MUST_CHECK enum hy_code hy_cpu_place_arguments(const struct hy_cpu_graph *graph,
                                                  struct hy_cpu_context *context,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_cpu_run_steps(const struct hy_cpu_program *program,
                                            struct hy_cpu_context *context,
                                            const struct hy_cpu_limits *limits,
                                            struct hy_error *err);

/* Tells the shapes of all outputs, which are known. HY_INSUFFICIENT_SIZE: one had too little room.
 */
HY_MUST_CHECK enum hy_code hy_cpu_report(const struct hy_cpu_graph *graph,
                                         const struct hy_cpu_context *context,
                                         struct hy_output_shape *shapes, struct hy_error *err);

#endif
