#ifndef HY_LIBHALYARD_SESSION_STATES_H
#define HY_LIBHALYARD_SESSION_STATES_H

#include <stddef.h>

#include "libhalyard/graph/graph.h"
#include "libhalyard/lower/lower.h"

/*
 * What the states of a graph hold between two runs. A state has one memory that a run reads and, if
 * a run changes the state, one that a run writes: executions are bound once, and a run that failed
 * leaves the first memory as it was. One thread at a time.
 */
struct hy_states;

/* The states hold what the file says, for which a graph may have to run once. `graph` and `model`,
 * which is made of the graph, outlive the states. Errors: HY_BAD_DATA for a state without a fixed
 * size, and for a state of another type or shape after a run; HY_OUT_OF_MEMORY, for states or a run
 * of such a graph beyond the budget of the graph, too; those of hy_run_initialisation. */
HY_MUST_CHECK enum hy_code hy_states_create(const struct hy_graph *graph,
                                            const struct hy_lowered_model *model,
                                            struct hy_states **out, struct hy_error *err);
void hy_states_destroy(struct hy_states *states); /* takes NULL */

uint32_t hy_states_count(const struct hy_states *states);
const struct hy_graph_tensor *hy_states_tensor(const struct hy_states *states, uint32_t index);

/* Contents in the type of the tensor. HY_BAD_DATA for an index out of range and for another length
 * than the tensor's; a state that holds nothing reads as zeros. */
HY_MUST_CHECK enum hy_code hy_states_read(const struct hy_states *states, uint32_t index,
                                          void *bytes, size_t length, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_states_write(struct hy_states *states, uint32_t index,
                                           const void *bytes, size_t length, struct hy_error *err);
void hy_states_reset(struct hy_states *states); /* to what the file says */

/* ---- For io_binding.c ------------------------------------------------------------------------ */

/* The memory of a state; `after` is NULL where no run changes the state. */
struct hy_state_memory {
    void *before, *after;
    size_t length; /* of each, in bytes */
};
struct hy_state_memory hy_states_memory(const struct hy_states *states, uint32_t index);

/* Before a run: HY_BAD_DATA names a state that the run would read and that holds nothing. */
HY_MUST_CHECK enum hy_code hy_states_check(const struct hy_states *states, struct hy_error *err);

/* After a run that succeeded: what the run wrote is what the next run reads. */
void hy_states_advance(struct hy_states *states);

#endif
