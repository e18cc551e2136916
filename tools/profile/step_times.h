#ifndef HY_TOOLS_PROFILE_STEP_TIMES_H
#define HY_TOOLS_PROFILE_STEP_TIMES_H

#include <halyard/halyard.h>

#include "common/error.h"

/* Runs the compilation once. */
typedef enum hy_code hy_run_once(void *context, struct hy_error *err);

/*
 * Measures each step of a finished compilation: the median of batches, without the effect of
 * temporary load. `step_ns` has an element per step, in ns.
 */
HY_MUST_CHECK enum hy_code hy_step_times_measure(ANeuralNetworksCompilation *compilation,
                                                 uint32_t step_count, hy_run_once *run,
                                                 void *context, uint64_t *step_ns,
                                                 struct hy_error *err);

#endif
