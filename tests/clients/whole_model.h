#ifndef HY_TESTS_CLIENTS_WHOLE_MODEL_H
#define HY_TESTS_CLIENTS_WHOLE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* What a client hands over that keeps no operator of a `.tflite` model for itself. */
struct hy_whole_model {
    uint32_t operation_count; /* one for each operator, and a DEQUANTIZE for each int8 constant that
                                 an operator takes beside floats */
    bool is_quantised;        /* some tensor is int8 */
};

/* False is a recorded failure: the file cannot be read. */
bool hy_whole_model_read(const char *path, struct hy_whole_model *whole);

#endif
