#ifndef HY_CPU_FALLBACK_PROGRAM_SUPPORT_H
#define HY_CPU_FALLBACK_PROGRAM_SUPPORT_H

#include "cpu_fallback/program/program.h"

/*
 * Whether operation `index` of the subgraph can be compiled, as far as it can be seen by itself;
 * an IF or WHILE also has to fit its bodies, whose own operations are not looked at. `graph` was
 * made from `source`, and the bodies have made graphs of their own before. Errors: HY_BAD_DATA
 * (operands that the operation does not take), HY_FAILED (no kernel), HY_UNMAPPABLE (a constant out
 * of reach).
 */
HY_MUST_CHECK enum hy_code hy_cpu_operation_check(const struct hy_cpu_graph *graph,
                                                  const struct hy_cpu_source *source,
                                                  uint32_t index, struct hy_error *err);

/*
 * Answers hy_device.supported_operations: 1 or 0 per operation, a reason for every 0. Beside each
 * operation by itself, the shapes are followed as far as the model declares them, and bodies are
 * judged with all that they hold.
 * Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_supported_operations(const struct hy_model *model,
                                                       const struct hy_host *host,
                                                       uint8_t *supported,
                                                       const struct hy_refusals *refusals,
                                                       struct hy_error *err);

#endif
