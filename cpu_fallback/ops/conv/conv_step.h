#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_STEP_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_STEP_H

#include "common/operations/operation.h"
#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/ops/conv/conv_turns.h"
#include "cpu_fallback/program/image_order.h"

/* Of NNAPI or of org.halyard.operations. */
static inline bool hy_conv_is_plain(int32_t operation)
{
    return operation == HY_OP_CONV_2D || operation == HY_EXT_CONV_2D;
}

static inline bool hy_conv_is_depthwise(int32_t operation)
{
    return operation == HY_OP_DEPTHWISE_CONV_2D || operation == HY_EXT_DEPTHWISE_CONV_2D;
}

static inline bool hy_conv_is_transposed(int32_t operation)
{
    return operation == HY_OP_TRANSPOSE_CONV_2D || operation == HY_EXT_TRANSPOSE_CONV_2D;
}

/* A convolution of any kind, or FULLY_CONNECTED, down to one kernel call. */
struct conv_step {
    const struct hy_conv_kernel *kernel;
    struct hy_conv_params params;
    const void *packed; /* NULL: the kernel packs nothing, or packs in every run */
    const void *filter; /* that the kernel reads beside what it has packed, or NULL */
    struct hy_conv_turns turns;
    size_t piece;          /* units between two looks, see conv_pieces.h */
    size_t turns_offset;   /* of a struct hy_conv_turn for each task */
    size_t task_scratch;   /* bytes of scratch of each task */
    size_t tasks_offset;   /* of the scratch of the first task */
    size_t weights_offset; /* of weights packed in every run */
    struct hy_image_size in, out;
    bool nchw;
    bool fallback; /* the kernel is not the one that the weights slot is for */
    /* For runs whose bias, known only then, takes sums beyond 32 bits; NULL: there are none. */
    const struct hy_conv_kernel *wide;
    int64_t largest_products;
    uint32_t element_size;
    size_t in_offset, out_offset; /* of NHWC copies, for NCHW tensors */
};

#endif
