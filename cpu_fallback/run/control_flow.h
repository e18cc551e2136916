#ifndef HY_CPU_FALLBACK_RUN_CONTROL_FLOW_H
#define HY_CPU_FALLBACK_RUN_CONTROL_FLOW_H

#include "cpu_fallback/run/execute.h"

/*
 * Runs an IF or WHILE of `program`. `call` is the operation, on the values of `context`. Bodies
 * read their inputs in place. Afterwards the outputs have their shapes and data in `context`.
 * Errors: HY_MISSED_DEADLINE (also a loop timeout), and those of hy_cpu_execute.
 */
HY_MUST_CHECK enum hy_code hy_cpu_control_flow_run(const struct hy_cpu_program *program,
                                                   struct hy_cpu_context *context,
                                                   const struct hy_call *call,
                                                   const struct hy_cpu_limits *limits,
                                                   struct hy_error *err);

#endif
