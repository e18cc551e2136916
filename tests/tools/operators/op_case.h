#ifndef HY_TESTS_TOOLS_OPERATORS_OP_CASE_H
#define HY_TESTS_TOOLS_OPERATORS_OP_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "libhalyard/tflite/tflite_options.h"
#include "libhalyard/tflite/tflite_types.h"

/*
 * Random `.tflite` models of one operator, with bytes for their inputs: for each operator that
 * both NNAPI and TensorFlow Lite have. The seed alone decides what comes out.
 */
struct hy_op_draft;

struct hy_op_row {
    enum hy_tflite_op op;
    uint32_t types; /* of the data, a bit per enum hy_tflite_type */
    void (*describe)(struct hy_op_draft *draft);
    float low, high; /* of float data; both 0: -10 to 10 */
};

extern const struct hy_op_row hy_op_rows[];
extern const size_t hy_op_row_count;

/* Those of a row's types, a bit each, that TensorFlow Lite 2.9 has not, or draws other numbers of.
 */
uint32_t hy_op_newer_types(enum hy_tflite_op op);

enum { HY_OP_CASE_INPUTS = 8 };

struct hy_op_case {
    uint8_t *model;
    size_t length;
    uint32_t runs; /* that tell all: 3 where the operator has a state, else 1 */
    uint32_t input_count;
    struct hy_op_bytes {
        void *bytes;
        size_t count;
    } inputs[HY_OP_CASE_INPUTS];
};

/* How the weights of recurrent operators on float32 are stored. The last three forms are the
 * same numbers: int8 with a scale, and the products of both. */
enum hy_op_weights {
    HY_OP_WEIGHTS_FLOAT,
    HY_OP_WEIGHTS_INT8,
    HY_OP_WEIGHTS_UINT8, /* which hold the bytes of int8 */
    HY_OP_WEIGHTS_DEQUANTISED,
};

/* Running out of memory aborts: this is for tests. */
void hy_op_case_make(const struct hy_op_row *row, enum hy_tflite_type type, uint64_t seed,
                     struct hy_op_case *out);
void hy_op_case_make_weights(const struct hy_op_row *row, enum hy_op_weights weights, uint64_t seed,
                             struct hy_op_case *out);
void hy_op_case_finish(struct hy_op_case *made);

#endif
