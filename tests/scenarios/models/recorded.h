#ifndef HY_TESTS_SCENARIOS_MODELS_RECORDED_H
#define HY_TESTS_SCENARIOS_MODELS_RECORDED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The recorded data of a model: <shared>/models/golden/<name>.json and the tensors in the directory
 * <name>. Unreadable or invalid data is recorded as a test failure.
 */
struct hy_recorded {
    const char *shared;
    const char *name;
    const char *where; /* the runner of the model, for messages */
    json_t *json;
};

/* All recorded models. */
extern const char *const hy_recorded_names[];
extern const unsigned hy_recorded_count;

/* Opens the data; the caller sets `shared`, `name` and `where`. Call hy_recorded_close in any
 * case. */
bool hy_recorded_open(struct hy_recorded *recorded);
void hy_recorded_close(struct hy_recorded *recorded);

/* The path of the model file. */
void hy_recorded_model_path(const struct hy_recorded *recorded, char *path, size_t size);

uint32_t hy_recorded_case_count(const struct hy_recorded *recorded);

/* Copies the recorded input `index` of case `number`. The length must match exactly. */
bool hy_recorded_read_input(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                            void *bytes, size_t length);

/*
 * Compares output `index` of a case. Bytes must match exactly, floats within |a - b| <= 1e-5 *
 * max|recorded| + 1e-6. Hybrid models (int8 weights, float activations) are compared with a
 * recorded float64 reference to 1e-4. The reason is TensorFlow Lite's rounding of activations to 8
 * bits, which no NNAPI operation does.
 */
void hy_recorded_check_output(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                              const void *bytes, size_t length);

/* Compares only the index of the largest element. */
void hy_recorded_check_winner(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                              const void *bytes, size_t length);

#endif
