#ifndef HY_TESTS_MODELS_RECORDED_H
#define HY_TESTS_MODELS_RECORDED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What was recorded of a model: <shared>/models/golden/<name>.json and the tensors in the folder
 * of that name. Whatever cannot be read, or is not as it should be, is a recorded failure.
 */
struct hy_recorded {
    const char *shared;
    const char *name;
    const char *where; /* what runs the model, for messages */
    json_t *facts;
};

/* All there are. */
extern const char *const hy_recorded_names[];
extern const unsigned hy_recorded_count;

/* Takes `shared`, `name` and `where` as set. Close it in any case. */
bool hy_recorded_open(struct hy_recorded *recorded);
void hy_recorded_close(struct hy_recorded *recorded);

/* The file of the model. */
void hy_recorded_model_path(const struct hy_recorded *recorded, char *path, size_t size);

uint32_t hy_recorded_case_count(const struct hy_recorded *recorded);

/* Copies what was recorded of input `index`, which has to have so many bytes. */
bool hy_recorded_read_input(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                            void *bytes, size_t length);

/*
 * Compares output `index` of a case: bytes have to be exact, floats within
 * |a - b| <= 1e-5 * max|recorded| + 1e-6. Hybrid models (int8 weights, float activations) are
 * compared with the float64 reference recorded for them, to 1e-4: TensorFlow Lite's own kernels
 * round their activations to 8 bits, which no NNAPI operation does.
 */
void hy_recorded_check_output(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                              const void *bytes, size_t length);

/* Compares no more than which element is the largest. */
void hy_recorded_check_winner(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                              const void *bytes, size_t length);

#endif
