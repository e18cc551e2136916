#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_STEP_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_STEP_H

#include "common/operations/operation.h"
#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/ops/conv/conv_chunk_queue.h"
#include "cpu_fallback/program/image_order.h"

/* Operations of NNAPI or of org.halyard.operations. */
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

/* The resolved parameters of a convolution or FULLY_CONNECTED. */
struct conv_step {
    const struct hy_conv_kernel *kernel;
    struct hy_conv_params params;
    const void *packed; /* NULL: nothing to pack, or packed in every run */
    const void *filter; /* original filter for kernels that read it, or NULL */
    struct hy_conv_chunk_queue chunk_queue;
    size_t piece;          /* units between two checks, see conv_pieces.h */
    size_t cursors_offset; /* a struct hy_conv_chunk_cursor per task */
    size_t task_scratch;   /* bytes per task */
    size_t tasks_offset;   /* scratch of the first task */
    size_t weights_offset; /* weights packed in every run */
    struct hy_image_size in, out;
    bool nchw;
    bool fallback; /* `kernel` is not the kernel of the weights slot */
    /* The kernel for sums beyond 32 bits, if the bias is known only at run time; NULL: none. */
    const struct hy_conv_kernel *wide;
    int64_t largest_products;
    uint32_t element_size;
    size_t in_offset, out_offset; /* NHWC copies of NCHW tensors */
};

#endif
