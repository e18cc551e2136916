#ifndef HY_CPU_FALLBACK_RUN_EXECUTE_H
#define HY_CPU_FALLBACK_RUN_EXECUTE_H

#include "cpu_fallback/program/context.h"
#include "cpu_fallback/run/execution_limits.h"

/*
 * Runs the plan and the request that the context is bound to, and reports the output shapes.
 * Errors: HY_INSUFFICIENT_SIZE (the shapes are reported), HY_MISSED_DEADLINE (checked between
 * operations, pieces of a long operation, and iterations of a loop), HY_FAILED, HY_OUT_OF_MEMORY,
 * and those of hy_cpu_check_start.
 */
HY_MUST_CHECK enum hy_code hy_cpu_execute(const struct hy_cpu_program *program,
                                          struct hy_cpu_context *context,
                                          const struct hy_cpu_limits *limits,
                                          struct hy_output_shape *shapes, struct hy_error *err);

/*
 * Runs a program that is the body of an operation. The outputs are in context->values, in the
 * memory of the context's targets if it is large enough, else in memory of the context.
 */
HY_MUST_CHECK enum hy_code hy_cpu_run(const struct hy_cpu_program *program,
                                      struct hy_cpu_context *context,
                                      const struct hy_cpu_limits *limits, struct hy_error *err);

/*
 * The two halves of hy_cpu_run, for callers with work in between. hy_cpu_bind_arguments sets the
 * data of every input, and of every output whose shape the plan knows, in context->values; outputs
 * use the caller's memory if possible. Errors: HY_FAILED, HY_OUT_OF_MEMORY. hy_cpu_run_steps runs
 * the steps. Errors: those of hy_cpu_execute.
 */
HY_MUST_CHECK enum hy_code hy_cpu_bind_arguments(const struct hy_cpu_graph *graph,
                                                 struct hy_cpu_context *context,
                                                 struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_cpu_run_steps(const struct hy_cpu_program *program,
                                            struct hy_cpu_context *context,
                                            const struct hy_cpu_limits *limits,
                                            struct hy_error *err);

/* Reports the shapes of all outputs, which must be known. Errors: HY_INSUFFICIENT_SIZE (the memory
 * of an output is too small). */
HY_MUST_CHECK enum hy_code hy_cpu_report(const struct hy_cpu_graph *graph,
                                         const struct hy_cpu_context *context,
                                         struct hy_output_shape *shapes, struct hy_error *err);

#endif
