#ifndef HY_TESTS_FUZZ_TFLITE_SCHEMA_H
#define HY_TESTS_FUZZ_TFLITE_SCHEMA_H

#include "tests/fuzz/flat_tree.h"

/* The tables of the TensorFlow Lite schema, version 3c, as far as model readers use the schema. */
extern const struct flat_type flat_tflite_model, flat_tflite_operator_code, flat_tflite_subgraph,
    flat_tflite_tensor, flat_tflite_quantisation, flat_tflite_sparsity, flat_tflite_dimension,
    flat_tflite_buffer, flat_tflite_operator, flat_tflite_signature, flat_tflite_tensor_map,
    flat_tflite_metadata;

/* Indices of fields in the types above. */
enum {
    FLAT_CODE_BUILTIN = 3,

    FLAT_MODEL_CODES = 1,
    FLAT_MODEL_SUBGRAPHS = 2,
    FLAT_MODEL_BUFFERS = 4,

    FLAT_SUBGRAPH_TENSORS = 0,
    FLAT_SUBGRAPH_OPERATORS = 3,

    FLAT_TENSOR_SHAPE = 0,
    FLAT_TENSOR_TYPE = 1,
    FLAT_TENSOR_BUFFER = 2,

    FLAT_BUFFER_DATA = 0,
    FLAT_BUFFER_OFFSET = 1,
    FLAT_BUFFER_SIZE = 2,

    FLAT_OPERATOR_INPUTS = 1,
    FLAT_OPERATOR_OUTPUTS = 2,
    FLAT_OPERATOR_OPTIONS_TYPE = 3,
};

#endif
