#ifndef HY_TESTS_MODELS_STEP_RUNS_H
#define HY_TESTS_MODELS_STEP_RUNS_H

#include "bench/inference.h"

/*
 * Which device did the work, as halyard.h tells it. HALYARD_TEST_DEVICE names the device of a
 * driver that the test programs are run with; unset, there is none.
 */
const char *hy_step_runs_expected_device(void);

/* From now on, runs of steps are counted. */
void hy_step_runs_start(const struct hy_inference *inference);

/* How often steps ran on the device of that name. */
uint64_t hy_step_runs_on(const struct hy_inference *inference, const char *device);

#endif
