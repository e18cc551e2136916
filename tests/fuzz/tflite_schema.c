#include "tests/fuzz/tflite_schema.h"

#define SCALAR(slot, size) \
    { \
        FLAT_SCALAR, slot, size, NULL \
    }
#define VECTOR(slot, size) \
    { \
        FLAT_VECTOR, slot, size, NULL \
    }
#define STRING(slot) \
    { \
        FLAT_STRING, slot, 1, NULL \
    }
#define TABLE(slot, type) \
    { \
        FLAT_TABLE, slot, 4, type \
    }
#define TABLES(slot, type) \
    { \
        FLAT_TABLES, slot, 4, type \
    }
#define UNION(slot, types) \
    { \
        FLAT_UNION, slot, 4, types \
    }
#define END \
    { \
        FLAT_END, 0, 0, NULL \
    }
#define TYPE(name, ...) \
    static const struct flat_field name##_fields[] = {__VA_ARGS__, END}; \
    const struct flat_type flat_tflite_##name = {#name, name##_fields}

/* ---- Options --------------------------------------------------------------------------------- */

#define KIND_I32                        FLAT_SCALAR, 4
#define KIND_F32                        FLAT_SCALAR, 4
#define KIND_I64                        FLAT_SCALAR, 8
#define KIND_SUBGRAPH                   FLAT_SCALAR, 4
#define KIND_BOOL                       FLAT_SCALAR, 1
#define KIND_PADDING                    FLAT_SCALAR, 1
#define KIND_ACTIVATION                 FLAT_SCALAR, 1
#define KIND_FORMAT                     FLAT_SCALAR, 1
#define KIND_KERNEL                     FLAT_SCALAR, 1
#define KIND_TYPE                       FLAT_SCALAR, 1
#define KIND_MIRROR                     FLAT_SCALAR, 1
#define KIND_HASH                       FLAT_SCALAR, 1
#define KIND_COMBINER                   FLAT_SCALAR, 1
#define KIND_TEXT                       FLAT_STRING, 1
#define KIND_INTS                       FLAT_VECTOR, 4
#define KIND_FLOATS                     FLAT_VECTOR, 4
#define FIELD_OF(slot, kind, size)      {kind, slot, size, NULL},
#define FIELD_AS(slot, kind_and_size)   FIELD_OF(slot, kind_and_size)
#define FIELD(slot, KIND, name, absent) FIELD_AS(slot, KIND_##KIND)

#define OPTIONS(number, NAME, name, fields) \
    static const struct flat_field name##_options[] = {fields END};
#define SECOND_OPTIONS(number, NAME, name, fields) \
    static const struct flat_field name##_options[] = {fields END};
#include "libhalyard/tflite/tflite_options.def"
#undef OPTIONS

/* By the number in the union BuiltinOptions; NULL fields where there is no such member here. */
static const struct flat_type options[] = {
    [0] = {"none", NULL},
#define OPTIONS(number, NAME, name, fields) [number] = {#name, name##_options},
#define SECOND_OPTIONS(...)
#include "libhalyard/tflite/tflite_options.def"
#undef OPTIONS
    [160] = {"last", flat_last_fields},
};

/* Those of BuiltinOptions2. */
static const struct flat_type second_options[] = {
    [0] = {"none", NULL},
#define OPTIONS(...)
#define SECOND_OPTIONS(number, NAME, name, fields) [number] = {#name, name##_options},
#include "libhalyard/tflite/tflite_options.def"
#undef OPTIONS
    [40] = {"last", flat_last_fields},
};

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct flat_field int32_fields[] = {VECTOR(0, 4), END};
static const struct flat_field uint16_fields[] = {VECTOR(0, 2), END};
static const struct flat_field uint8_fields[] = {VECTOR(0, 1), END};

static const struct flat_type index_lists[] = {
    {"none", NULL},
    {"int32_list", int32_fields},
    {"uint16_list", uint16_fields},
    {"uint8_list", uint8_fields},
    {"last", flat_last_fields},
};

static const struct flat_type details[] = {
    {"none", NULL},
    {"custom_quantisation", uint8_fields},
    {"last", flat_last_fields},
};

TYPE(operator_code, SCALAR(0, 1), STRING(1), SCALAR(2, 4), SCALAR(3, 4));
TYPE(quantisation, VECTOR(0, 4), VECTOR(1, 4), VECTOR(2, 4), VECTOR(3, 8), SCALAR(4, 1),
     UNION(5, details), SCALAR(6, 4));
TYPE(dimension, SCALAR(0, 1), SCALAR(1, 4), SCALAR(2, 1), UNION(3, index_lists), SCALAR(4, 1),
     UNION(5, index_lists));
TYPE(sparsity, VECTOR(0, 4), VECTOR(1, 4), TABLES(2, &flat_tflite_dimension));
TYPE(tensor, VECTOR(0, 4), SCALAR(1, 1), SCALAR(2, 4), STRING(3),
     TABLE(4, &flat_tflite_quantisation), SCALAR(5, 1), TABLE(6, &flat_tflite_sparsity),
     VECTOR(7, 4), SCALAR(8, 1));
TYPE(operator, SCALAR(0, 4), VECTOR(1, 4), VECTOR(2, 4), SCALAR(3, 1), UNION(4, options),
     VECTOR(5, 1), SCALAR(6, 1), VECTOR(7, 1), VECTOR(8, 4), SCALAR(9, 8), SCALAR(10, 8),
     SCALAR(11, 1), UNION(12, second_options));
TYPE(buffer, VECTOR(0, 1), SCALAR(1, 8), SCALAR(2, 8));
TYPE(subgraph, TABLES(0, &flat_tflite_tensor), VECTOR(1, 4), VECTOR(2, 4),
     TABLES(3, &flat_tflite_operator), STRING(4));
TYPE(metadata, STRING(0), SCALAR(1, 4));
TYPE(tensor_map, STRING(0), SCALAR(1, 4));
TYPE(signature, TABLES(0, &flat_tflite_tensor_map), TABLES(1, &flat_tflite_tensor_map), STRING(2),
     SCALAR(4, 4));
TYPE(model, SCALAR(0, 4), TABLES(1, &flat_tflite_operator_code), TABLES(2, &flat_tflite_subgraph),
     STRING(3), TABLES(4, &flat_tflite_buffer), VECTOR(5, 4), TABLES(6, &flat_tflite_metadata),
     TABLES(7, &flat_tflite_signature));
