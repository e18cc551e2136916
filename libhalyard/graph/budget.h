#ifndef HY_LIBHALYARD_GRAPH_BUDGET_H
#define HY_LIBHALYARD_GRAPH_BUDGET_H

#include "libhalyard/graph/graph.h"

/*
 * The memory limit of a network, checked before each allocation: a file of 1 KiB can request 100
 * GB. Two kinds of memory count:
 *  - the graph's arena with the constants of passes: FILL, TILE, dense forms of sparse weights;
 *  - tensors of a run, at the moment with the most live bytes.
 * Constants in the mapped file do not count.
 */

/* Limits of a graph and its bodies. */
struct hy_budget {
    uint64_t memory_limit;
    uint64_t memory_used; /* bytes, by arenas */
    /* largest number of NNAPI operations of one graph after lowering; 0: no limit */
    uint32_t operation_limit;
};

/* Makes the empty graph and all its later bodies allocate from the budget, which outlives the
 * graph. Allocations of arenas fail beyond the limit. */
void hy_graph_use_budget(struct hy_graph *graph, struct hy_budget *budget);

/* As hy_graph_use_budget, for an empty arena without a graph; NULL: no limit. */
void hy_arena_use_budget(struct hy_arena *arena, struct hy_budget *budget);

/* Bytes allocated by the arenas; 0 without a budget. */
uint64_t hy_graph_made_bytes(const struct hy_graph *graph);

/* Uninitialised memory in the arena for a constant; a valid pointer if `bytes` is 0. NULL:
 * HY_OUT_OF_MEMORY in `err`, with the requested bytes, the allocated bytes, and the limit. */
void *hy_graph_make_constant(struct hy_graph *graph, uint64_t bytes, struct hy_error *err);

/* As hy_graph_make_constant, in an arena that allocates from `budget`; `what` names the object in
 * the error text: "a table". */
void *hy_budget_alloc(struct hy_arena *arena, const struct hy_budget *budget, uint64_t bytes,
                      const char *what, struct hy_error *err);

/* The largest memory of a run at one time, if tensors are freed after their last use. */
struct hy_graph_peak {
    uint64_t bytes;  /* UINT64_MAX if the sum does not fit */
    uint32_t node;   /* the node that runs at the peak; node_count: none */
    uint32_t tensor; /* the largest of the node's outputs and the buffers; HY_NO_TENSOR: none */
    /* part of `bytes`: buffers of inputs, outputs and states, live during the whole run */
    uint64_t io_bytes;
};

/* Takes linear time. A body counts with its own peak during its node. Unknown extents count as 1,
 * types without a fixed size as 0. Errors: HY_OUT_OF_MEMORY for the memory of the computation
 * itself. */
HY_MUST_CHECK enum hy_code hy_graph_find_peak(const struct hy_graph *graph,
                                              struct hy_graph_peak *peak, struct hy_error *err);

/* HY_OUT_OF_MEMORY if the peak and the arena together exceed `limit` bytes, with operator, tensor,
 * bytes and limit. */
HY_MUST_CHECK enum hy_code hy_graph_check_memory(const struct hy_graph *graph, uint64_t limit,
                                                 struct hy_error *err);

#endif
