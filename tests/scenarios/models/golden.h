#ifndef HY_TESTS_SCENARIOS_MODELS_GOLDEN_H
#define HY_TESTS_SCENARIOS_MODELS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of model `name`, according to its golden file. On failure records a test failure and
 * returns false. */
bool hy_golden_model_path(const char *shared, const char *name, char *path, size_t size);

/*
 * Compiles the model for `device` (NULL: the planner's choice) and runs every recorded case in
 * every mode. An output different from the recorded output (see recorded.h) is recorded as a test
 * failure.
 *
 * `watched` is the name of a device, or NULL. Returns the number of step runs on the watched
 * device.
 */
uint64_t hy_golden_check(const char *shared, const char *name, const char *device,
                         const char *watched);

#endif
