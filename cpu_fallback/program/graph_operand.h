#ifndef HY_CPU_FALLBACK_PROGRAM_GRAPH_OPERAND_H
#define HY_CPU_FALLBACK_PROGRAM_GRAPH_OPERAND_H

#include "cpu_fallback/program/graph.h"

/* Fills values[index] and operands[index] of the graph from `graph_view`, a subgraph of the model.
 * Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_cpu_graph_load_operand(struct hy_cpu_graph *graph,
                                                     const struct hy_model *model,
                                                     const struct hy_subgraph *graph_view,
                                                     uint32_t index, const struct hy_host *host,
                                                     struct hy_error *err);

#endif
