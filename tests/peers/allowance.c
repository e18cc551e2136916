#include "allowance.h"

#include <math.h>
#include <stddef.h>

#define SUM_OF_REALS(op) \
    { \
        op, HY_TFLITE_FLOAT32, \
        { \
            1e-3, 0.002 \
        } \
    }
#define COMPARISON(op) \
    {op, HY_TFLITE_UINT8, {1.0, 0.001}}, \
    { \
        op, HY_TFLITE_INT8, \
        { \
            1.0, 0.001 \
        } \
    }

static const struct exception {
    enum hy_tflite_op op;
    enum hy_tflite_type data;
    struct hy_allowance allowed;
} exceptions[] = {
    /* Sums whose terms nearly cancel, alone in their tensor or beside others that an activation has
     * cut down: 1e-5 of what is left is less than the last bits of the terms. */
    SUM_OF_REALS(HY_TFLITE_OP_BATCH_MATMUL),
    SUM_OF_REALS(HY_TFLITE_OP_CONV_2D),
    SUM_OF_REALS(HY_TFLITE_OP_DEPTHWISE_CONV_2D),
    SUM_OF_REALS(HY_TFLITE_OP_FULLY_CONNECTED),
    SUM_OF_REALS(HY_TFLITE_OP_MEAN),
    SUM_OF_REALS(HY_TFLITE_OP_SUM),
    SUM_OF_REALS(HY_TFLITE_OP_TRANSPOSE_CONV),

    /* Quotients are rounded down, not towards zero. */
    {HY_TFLITE_OP_DIV, HY_TFLITE_INT32, {1.0, 0.5}},

    /* Numbers of different scales that are nearly equal. */
    COMPARISON(HY_TFLITE_OP_EQUAL),
    COMPARISON(HY_TFLITE_OP_GREATER),
    COMPARISON(HY_TFLITE_OP_GREATER_EQUAL),
    COMPARISON(HY_TFLITE_OP_LESS),
    COMPARISON(HY_TFLITE_OP_LESS_EQUAL),
    COMPARISON(HY_TFLITE_OP_NOT_EQUAL),

    /* TensorFlow Lite's weights have 10 bits, and its result is not rounded to nearest. */
    {HY_TFLITE_OP_RESIZE_BILINEAR, HY_TFLITE_INT8, {2.0, 0.001}},

    /* The indices of equal values: lines have 6 elements at most. */
    {HY_TFLITE_OP_TOPK_V2, HY_TFLITE_INT32, {5.0, 0.05}},
    {HY_TFLITE_OP_TOPK_V2, HY_TFLITE_UINT8, {5.0, 0.05}},
    {HY_TFLITE_OP_TOPK_V2, HY_TFLITE_INT8, {5.0, 0.05}},
};

struct hy_allowance hy_allowance(enum hy_tflite_op op, enum hy_tflite_type data)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        if (exceptions[i].op == op && exceptions[i].data == data)
            return exceptions[i].allowed;
    }
    return (struct hy_allowance){.worst = INFINITY}; /* the share of 0 says it all */
}
