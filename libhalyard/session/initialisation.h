#ifndef HY_LIBHALYARD_SESSION_INITIALISATION_H
#define HY_LIBHALYARD_SESSION_INITIALISATION_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/session/io_binding.h"

/*
 * Runs a graph that says what states hold before the first run, once, on the devices that the plan
 * chooses. The graph has one input, which nothing reads, and no states. `outputs` has a buffer of
 * the tensor's bytes for each output. Errors: those of hy_lower, of a compilation and of a run.
 */
HY_MUST_CHECK enum hy_code hy_run_initialisation(const struct hy_graph *graph,
                                                 const struct hy_buffer *outputs,
                                                 struct hy_error *err);

#endif
