#ifndef HY_TESTS_UNIT_TOOLS_OPERATORS_OP_CASE_H
#define HY_TESTS_UNIT_TOOLS_OPERATORS_OP_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "libhalyard/tflite/tflite_options.h"
#include "libhalyard/tflite/tflite_types.h"

/*
 * Random `.tflite` models of one operator, with input bytes. Covers each operator supported by both
 * NNAPI and TensorFlow Lite. The seed alone determines the model.
 */
struct hy_op_builder;

struct hy_op_row {
    enum hy_tflite_op op;
    uint32_t types; /* of the data, a bit per enum hy_tflite_type */
    void (*describe)(struct hy_op_builder *op_builder);
    float low, high; /* of float data; both 0: -10 to 10 */
};

extern const struct hy_op_row hy_op_rows[];
extern const size_t hy_op_row_count;

/* The types of a row, a bit each, not supported by TensorFlow Lite 2.9 or with other random numbers
 * there. */
uint32_t hy_op_newer_types(enum hy_tflite_op op);

enum { HY_OP_CASE_INPUTS = 8 };

struct hy_op_case {
    uint8_t *model;
    size_t length;
    uint32_t runs; /* runs needed for a check: 3 for operators with a state, else 1 */
    uint32_t input_count;
    struct hy_op_bytes {
        void *bytes;
        size_t count;
    } inputs[HY_OP_CASE_INPUTS];
};

/* Storage of float32 weights in recurrent operators. The last three forms represent the same
 * numbers: int8 with a scale, and the products of both. */
enum hy_op_weights {
    HY_OP_WEIGHTS_FLOAT,
    HY_OP_WEIGHTS_INT8,
    HY_OP_WEIGHTS_UINT8, /* uint8 tensor with the bytes of int8 */
    HY_OP_WEIGHTS_DEQUANTISED,
};

/* For tests only: aborts if out of memory. */
void hy_op_case_make(const struct hy_op_row *row, enum hy_tflite_type type, uint64_t seed,
                     struct hy_op_case *out);
void hy_op_case_make_weights(const struct hy_op_row *row, enum hy_op_weights weights, uint64_t seed,
                             struct hy_op_case *out);
void hy_op_case_finish(struct hy_op_case *made);

#endif
