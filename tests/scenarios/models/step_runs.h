#ifndef HY_TESTS_SCENARIOS_MODELS_STEP_RUNS_H
#define HY_TESTS_SCENARIOS_MODELS_STEP_RUNS_H

#include "bench/inference.h"

/*
 * Counts step runs per device through halyard.h. HALYARD_TEST_DEVICE names the device of an
 * optional driver under test; returns NULL if the variable is unset.
 */
const char *hy_step_runs_expected_device(void);

/* Starts the counting of step runs. */
void hy_step_runs_start(const struct hy_inference *inference);

/* Number of step runs on the named device. */
uint64_t hy_step_runs_on(const struct hy_inference *inference, const char *device);

#endif
