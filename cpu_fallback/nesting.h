#ifndef HY_CPU_FALLBACK_NESTING_H
#define HY_CPU_FALLBACK_NESTING_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * The referenced subgraphs that the main one needs, each once, and after those it refers to itself:
 * in this order they can be compiled. `*order` is for hy_cpu_free().
 * Errors: HY_BAD_DATA (a reference that leads nowhere or in a circle, bodies nested deeper than
 * HY_CONTROL_FLOW_DEPTH), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_nesting_order(const struct hy_model *model,
                                                const struct hy_host *host, uint32_t **order,
                                                uint32_t *count, struct hy_error *err);

#endif
