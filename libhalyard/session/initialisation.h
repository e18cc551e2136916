#ifndef HY_LIBHALYARD_SESSION_INITIALISATION_H
#define HY_LIBHALYARD_SESSION_INITIALISATION_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/session/io_binding.h"

/*
 * Runs a graph that computes the initial contents of states, once, on devices chosen by the
 * planner. The graph has one unread input, and no states. `outputs` has a buffer of the tensor's
 * bytes for each output. Errors: the errors of hy_lower, of a compilation and of a run.
 */
HY_MUST_CHECK enum hy_code hy_run_initialisation(const struct hy_graph *graph,
                                                 const struct hy_buffer *outputs,
                                                 struct hy_error *err);

#endif
