#ifndef HY_CPU_FALLBACK_EXECUTE_H
#define HY_CPU_FALLBACK_EXECUTE_H

#include "cpu_fallback/context.h"

/*
 * Runs the plan that the context is bound to, on the request that it is bound to, and reports the
 * shapes. Errors: HY_INSUFFICIENT_SIZE (the shapes are reported), HY_MISSED_DEADLINE (between two
 * operations), HY_FAILED, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_execute(const struct hy_cpu_program *program,
                                          struct hy_cpu_context *context, int64_t deadline,
                                          struct hy_output_shape *shapes, struct hy_error *err);

/* Nanoseconds of CLOCK_BOOTTIME. */
int64_t hy_cpu_now(void);

#endif
