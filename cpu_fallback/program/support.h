#ifndef HY_CPU_FALLBACK_PROGRAM_SUPPORT_H
#define HY_CPU_FALLBACK_PROGRAM_SUPPORT_H

#include "cpu_fallback/program/program.h"

/*
 * Checks whether operation `index` of the subgraph can be compiled, judged by itself. An IF or
 * WHILE must also match the inputs and outputs of its bodies; operations inside bodies are not
 * checked. `graph` was made from `source`. Errors: HY_BAD_DATA (invalid operands), HY_FAILED (no
 * kernel), HY_UNMAPPABLE (a constant cannot be mapped).
 */
HY_MUST_CHECK enum hy_code hy_cpu_operation_check(const struct hy_cpu_graph *graph,
                                                  const struct hy_cpu_source *source,
                                                  uint32_t index, struct hy_error *err);

/*
 * Implements hy_device.supported_operations: writes 1 or 0 per operation, and reports a reason for
 * every 0. Besides each operation by itself, shapes are inferred as far as the model declares them,
 * and an IF or WHILE is supported only if its bodies are. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY,
 * HY_MISSED_DEADLINE.
 */
HY_MUST_CHECK enum hy_code hy_cpu_supported_operations(const struct hy_model *model,
                                                       const struct hy_host *host,
                                                       uint8_t *supported,
                                                       const struct hy_refusals *refusals,
                                                       struct hy_error *err);

#endif
