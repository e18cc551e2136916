#ifndef HY_TESTS_SCENARIOS_CLIENTS_WHOLE_MODEL_H
#define HY_TESTS_SCENARIOS_CLIENTS_WHOLE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* The work of a client that hands every operator of a `.tflite` model to NNAPI. */
struct hy_whole_model {
    /* one per operator, plus a DEQUANTIZE per int8 constant of an operator with float inputs */
    uint32_t operation_count;
    bool is_quantised; /* at least one tensor is int8 */
};

/* Returns false after recording a test failure if the file cannot be read. */
bool hy_whole_model_read(const char *path, struct hy_whole_model *whole);

#endif
