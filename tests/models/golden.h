#ifndef HY_TESTS_MODELS_GOLDEN_H
#define HY_TESTS_MODELS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The recorded models, by the names of their golden files: <shared>/models/golden/<name>.json. */
extern const char *const hy_golden_names[];
extern const unsigned hy_golden_count;

/* The file of model `name`, as its golden file says; false is a recorded failure. */
bool hy_golden_model_path(const char *shared, const char *name, char *path, size_t size);

/*
 * Compiles the model for `device` (NULL: the planner's choice) and runs every recorded case in
 * every mode. Each output that is not as recorded is a recorded failure: int8 has to be exact,
 * float32 within |a - b| <= 1e-5 * max|golden| + 1e-6. Hybrid models (int8 weights, float
 * activations) are compared with the float64 reference recorded for them, to 1e-4: TensorFlow Lite
 * rounds their activations to 8 bits, which no NNAPI operation does.
 *
 * `watched` names a device, or is NULL. Returns how often one of its steps ran.
 */
uint64_t hy_golden_check(const char *shared, const char *name, const char *device,
                         const char *watched);

#endif
