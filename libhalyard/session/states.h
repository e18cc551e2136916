#ifndef HY_LIBHALYARD_SESSION_STATES_H
#define HY_LIBHALYARD_SESSION_STATES_H

#include <stddef.h>

#include "libhalyard/graph/graph.h"
#include "libhalyard/lower/lower.h"

/*
 * The contents of a graph's states between two runs. A run reads the first memory of a state. A run
 * that changes the state writes a second memory: executions are bound once, and a failed run leaves
 * the first memory unchanged. A single thread at a time may use the states.
 */
struct hy_states;

/* The states get the contents of the file; a graph runs once if its result is the contents.
 * `graph`, and `model`, which is made of the graph, outlive the states. Errors: HY_BAD_DATA: a
 * state without a fixed size, or a state whose type or shape differs after a run; HY_OUT_OF_MEMORY,
 * also for states or a run beyond the budget of the graph; the errors of hy_run_initialisation. */
HY_MUST_CHECK enum hy_code hy_states_create(const struct hy_graph *graph,
                                            const struct hy_lowered_model *model,
                                            struct hy_states **out, struct hy_error *err);
/* NULL is ignored. */
void hy_states_destroy(struct hy_states *states);

uint32_t hy_states_count(const struct hy_states *states);
const struct hy_graph_tensor *hy_states_tensor(const struct hy_states *states, uint32_t index);

/* Contents in the type of the tensor; `length` is in bytes. HY_BAD_DATA for an index out of range
 * and for a length that differs from the tensor's; a state without contents reads as zeros. */
HY_MUST_CHECK enum hy_code hy_states_read(const struct hy_states *states, uint32_t index,
                                          void *bytes, size_t length, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_states_write(struct hy_states *states, uint32_t index,
                                           const void *bytes, size_t length, struct hy_error *err);
/* Resets all states to the contents of the file. */
void hy_states_reset(struct hy_states *states);

/* ---- For io_binding.c ------------------------------------------------------------------------ */

/* The memory of a state; `after` is NULL if no run changes the state. */
struct hy_state_memory {
    void *before, *after;
    size_t length; /* of each memory, in bytes */
};
struct hy_state_memory hy_states_memory(const struct hy_states *states, uint32_t index);

/* Called before a run: HY_BAD_DATA names a state without contents that the run would read. */
HY_MUST_CHECK enum hy_code hy_states_check(const struct hy_states *states, struct hy_error *err);

/* Called after a successful run: the written memory becomes the memory that the next run reads. */
void hy_states_advance(struct hy_states *states);

#endif
