#ifndef HY_LIBHALYARD_GRAPH_BUDGET_H
#define HY_LIBHALYARD_GRAPH_BUDGET_H

#include "libhalyard/graph/graph.h"

/*
 * Memory that a network may take, counted before the memory is allocated: a file of 1 KiB can ask
 * for 100 GB. Two things count:
 *  - the graph's arena, where passes make constants: FILL, TILE, dense forms of sparse weights;
 *  - tensors of a run, at the moment when most of them are live.
 * Constants that stay in the mapped file do not count.
 */

/* Limits of a graph and its bodies. */
struct hy_budget {
    uint64_t memory_limit;
    uint64_t memory_taken;    /* by arenas */
    uint32_t operation_limit; /* of NNAPI operations that lowering makes of one graph; 0: none */
};

/* The empty graph, and the bodies that it gets, take from the budget, which outlives the graph.
 * Allocations of arenas fail beyond the limit. */
void hy_graph_use_budget(struct hy_graph *graph, struct hy_budget *budget);

/* The same for an arena that is empty and belongs to no graph; NULL: nothing limits the arena. */
void hy_arena_use_budget(struct hy_arena *arena, struct hy_budget *budget);

/* Bytes that the arenas have taken; 0 without a budget. */
uint64_t hy_graph_made_bytes(const struct hy_graph *graph);

/* Memory in the arena for a constant, not initialised; a place to point to where `bytes` is 0.
 * NULL: HY_OUT_OF_MEMORY in `err`, with the bytes asked for, those taken, and the limit. */
void *hy_graph_make_constant(struct hy_graph *graph, uint64_t bytes, struct hy_error *err);

/* The same in an arena that takes from `budget`; `what` is to be made: "a table". */
void *hy_budget_alloc(struct hy_arena *arena, const struct hy_budget *budget, uint64_t bytes,
                      const char *what, struct hy_error *err);

/* The most memory that a run holds at one time, if tensors are freed after their last use. */
struct hy_graph_peak {
    uint64_t bytes;    /* UINT64_MAX where the sum does not fit */
    uint32_t node;     /* that runs at this time; node_count: none does */
    uint32_t tensor;   /* the largest of its outputs and the buffers; HY_NO_TENSOR: there is none */
    uint64_t io_bytes; /* of `bytes`: buffers of inputs, outputs and states, live all the time */
};

/* In linear time. Bodies count with their own peaks, at the time of their node. Unknown extents
 * count as 1, types without a fixed size as nothing. Errors: HY_OUT_OF_MEMORY for the memory of
 * this computation itself. */
HY_MUST_CHECK enum hy_code hy_graph_find_peak(const struct hy_graph *graph,
                                              struct hy_graph_peak *peak, struct hy_error *err);

/* HY_OUT_OF_MEMORY where the peak and the arena together exceed `limit` bytes, with operator,
 * tensor, bytes and limit. */
HY_MUST_CHECK enum hy_code hy_graph_check_memory(const struct hy_graph *graph, uint64_t limit,
                                                 struct hy_error *err);

#endif
