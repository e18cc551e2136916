#ifndef HY_LIBHALYARD_TFLITE_TFLITE_OPTIONS_H
#define HY_LIBHALYARD_TFLITE_TFLITE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Built-in operators, numbered as in the schema. */
enum hy_tflite_op {
#define OP(number, NAME, OPTIONS) HY_TFLITE_OP_##NAME = number,
#include "libhalyard/tflite/tflite_ops.def"
#undef OP
    HY_TFLITE_OP_COUNT
};

enum hy_tflite_padding {
    HY_TFLITE_PADDING_SAME = 0,
    HY_TFLITE_PADDING_VALID = 1,
};

enum hy_tflite_activation {
    HY_TFLITE_ACTIVATION_NONE = 0,
    HY_TFLITE_ACTIVATION_RELU = 1,
    HY_TFLITE_ACTIVATION_RELU_N1_TO_1 = 2,
    HY_TFLITE_ACTIVATION_RELU6 = 3,
    HY_TFLITE_ACTIVATION_TANH = 4,
    HY_TFLITE_ACTIVATION_SIGN_BIT = 5,
};

enum hy_tflite_lstm_kernel {
    HY_TFLITE_LSTM_FULL = 0,
    HY_TFLITE_LSH_SPARSE = 1,
    HY_TFLITE_LSH_DENSE = 2,
    HY_TFLITE_LSTM_BASIC = 1,
};

#define HY_TFLITE_SECOND_OPTIONS 256

/* The kinds of options, numbered as in the union BuiltinOptions, from 256 on as in BuiltinOptions2;
 * 0: no options. */
enum hy_tflite_options_kind {
    HY_TFLITE_OPTIONS_NONE = 0,
#define OPTIONS(number, NAME, name, fields) HY_TFLITE_OPTIONS_##NAME = number,
#include "libhalyard/tflite/tflite_options.def"
#undef OPTIONS
};

struct hy_tflite_ints {
    uint32_t count;
    const int32_t *values; /* NULL for an absent vector */
};

struct hy_tflite_floats {
    uint32_t count;
    const float *values; /* NULL for an absent vector */
};

/* The C type of each KIND of tflite_options.def. Enums are int32_t, in range. */
typedef bool hy_tflite_kind_BOOL;
typedef int32_t hy_tflite_kind_I32;
typedef int64_t hy_tflite_kind_I64;
typedef float hy_tflite_kind_F32;
typedef int32_t hy_tflite_kind_PADDING;
typedef int32_t hy_tflite_kind_ACTIVATION;
typedef int32_t hy_tflite_kind_FORMAT;
typedef int32_t hy_tflite_kind_KERNEL;
typedef int32_t hy_tflite_kind_TYPE;
typedef int32_t hy_tflite_kind_MIRROR;
typedef int32_t hy_tflite_kind_HASH;
typedef int32_t hy_tflite_kind_COMBINER; /* sum, mean, sqrtn */
typedef int32_t hy_tflite_kind_SUBGRAPH;
typedef struct hy_tflite_ints hy_tflite_kind_INTS;
typedef struct hy_tflite_floats hy_tflite_kind_FLOATS;
typedef const char *hy_tflite_kind_TEXT; /* never NULL */

/* struct hy_tflite_conv_2d_options { int32_t padding; int32_t stride_w; ... } and so on. */
#define FIELD(slot, KIND, name, absent) hy_tflite_kind_##KIND name;
#define OPTIONS(number, NAME, name, fields) \
    struct hy_tflite_##name##_options { \
        fields \
    };
#include "libhalyard/tflite/tflite_options.def"
#undef OPTIONS
#undef FIELD

/*
 * The options of one operator. The operator's code alone determines `kind` (CONV_2D always has
 * CONV_2D options; options of another kind in the file are an error): a switch on the code is safe.
 * Options that the file omits have the schema's defaults: a stride of 0 is possible.
 */
struct hy_tflite_options {
    enum hy_tflite_options_kind kind;
    union {
#define OPTIONS(number, NAME, name, fields) struct hy_tflite_##name##_options name;
#include "libhalyard/tflite/tflite_options.def"
#undef OPTIONS
    };
};

/* "CONV_2D"; "unknown" for a number outside the list. */
const char *hy_tflite_op_name(enum hy_tflite_op op);

#endif
