#include "allowance.h"

#include <math.h>
#include <stddef.h>

#define F32 (1u << HY_TFLITE_FLOAT32)
#define I32 (1u << HY_TFLITE_INT32)
#define U8  (1u << HY_TFLITE_UINT8)
#define S8  (1u << HY_TFLITE_INT8)
#define S16 (1u << HY_TFLITE_INT16)

static const struct exception {
    enum hy_tflite_op op;
    uint32_t types; /* of the data, a bit each */
    struct hy_allowance allowed;
} exceptions[] = {
    /* Sums whose terms nearly cancel, alone in their tensor or beside others that an activation has
     * cut down: 1e-5 of what is left is less than the last bits of the terms. */
    {HY_TFLITE_OP_BATCH_MATMUL, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_CONV_2D, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_CONV_3D, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_CONV_3D_TRANSPOSE, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_DEPTHWISE_CONV_2D, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_FULLY_CONNECTED, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_MEAN, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_SUM, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_SVDF, F32, {1e-3, 0.002, 4}},
    {HY_TFLITE_OP_TRANSPOSE_CONV, F32, {1e-3, 0.002, 4}},

    /* Rounding errors are carried from step to step, and grow where weights are larger than 1 and
     * where the normalised sums of a few cells hardly differ. */
    {HY_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_LSTM, F32, {1e-3, 0.001, 4}},
    {HY_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_RNN, F32, {1e-3, 0.001, 4}},
    {HY_TFLITE_OP_LSTM, F32, {1e-3, 0.001, 4}},
    {HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM, F32, {1e-3, 0.001, 4}},
    {HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_RNN, F32, {1e-3, 0.001, 4}},

    /* TensorFlow Lite rounds halves up, and what a step is off is carried on. */
    {HY_TFLITE_OP_LSTM, U8, {3, 0.001, 4}},

    /* A dividend of a few steps, which TensorFlow Lite shifts by more bits than an int32 has. */
    {HY_TFLITE_OP_DIV, U8, {255, 0.01, 4}},

    /* TensorFlow Lite 2.9's sum of 1 and an error function near -1, where little is left. */
    {HY_TFLITE_OP_GELU, F32, {4.0, 0.002, 4}},

    /* TensorFlow Lite's running sum of squares, which keeps what large numbers have left. */
    {HY_TFLITE_OP_LOCAL_RESPONSE_NORMALIZATION, F32, {1e-4, 0.0001, 4}},

    /* The exponential function of int16 is a line between 513 points, there. */
    {HY_TFLITE_OP_SOFTMAX, S16, {16, 1, 0}},

    /* TensorFlow Lite takes a scale within 0.07 % of 2^-11 or 2^-12 for that power of two. */
    {HY_TFLITE_OP_LOGISTIC, S16, {12, 0.02, 200}},
    {HY_TFLITE_OP_TANH, S16, {24, 0.02, 200}},

    /* A product may pass the largest float on its way, there. */
    {HY_TFLITE_OP_REDUCE_PROD, F32, {INFINITY, 0.001, 4}},

    /* TensorFlow Lite's weights have 10 bits, and its result is not rounded to nearest. */
    {HY_TFLITE_OP_RESIZE_BILINEAR, S8, {2, 0.001, 4}},

    /* The indices of equal values: lines have 6 elements at most. */
    {HY_TFLITE_OP_TOPK_V2, I32 | U8 | S8, {5, 0.05, 4}},
};

struct hy_allowance hy_allowance(enum hy_tflite_op op, enum hy_tflite_type data)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        if (exceptions[i].op == op && exceptions[i].types & 1u << data)
            return exceptions[i].allowed;
    }
    return (struct hy_allowance){.worst = INFINITY}; /* the share of 0 says it all */
}
