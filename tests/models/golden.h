#ifndef HY_TESTS_MODELS_GOLDEN_H
#define HY_TESTS_MODELS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file of model `name`, as its golden file says; false is a recorded failure. */
bool hy_golden_model_path(const char *shared, const char *name, char *path, size_t size);

/*
 * Compiles the model for `device` (NULL: the planner's choice) and runs every recorded case in
 * every mode. An output that is not as recorded (see recorded.h) is a recorded failure.
 *
 * `watched` names a device, or is NULL. Returns how often one of its steps ran.
 */
uint64_t hy_golden_check(const char *shared, const char *name, const char *device,
                         const char *watched);

#endif
