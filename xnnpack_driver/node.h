/*
 * A node holds the parameters of one XNNPACK operator. Nodes are computed once per model. Each
 * instance creates its own operators from the nodes.
 */
#ifndef XD_NODE_H
#define XD_NODE_H

#include "driver_kit/activation.h"

#include <stddef.h>
#include <stdint.h>
#include <xnnpack.h>

#define XD_NO_TENSOR UINT32_MAX
#define XD_MAX_DIMS  XNN_MAX_TENSOR_DIMS

enum xd_kind {
#define KIND(name, create, setup, output) XD_KIND_##name,
#include "xnnpack_driver/lower/kinds.def"
#undef KIND
    XD_KIND_COUNT
};

/* real = scale * (q - zero) */
struct xd_quant {
    float scale;
    int32_t zero;
};

/* A sliding window over images; sizes and pads in pixels. */
struct xd_plane {
    size_t in_height, in_width, out_height, out_width;
    uint32_t top, right, bottom, left;
    uint32_t filter_height, filter_width, stride_height, stride_width;
    uint32_t dilation_height, dilation_width;
    uint32_t groups;
    size_t group_inputs, group_outputs;   /* channels */
    uint32_t adjust_height, adjust_width; /* deconvolution: output beyond the last stride */
    uint32_t block;                       /* DEPTH_TO_SPACE */
};

struct xd_dims {
    size_t rank[2];
    size_t dims[2][XD_MAX_DIMS];
    size_t before[XD_MAX_DIMS], after[XD_MAX_DIMS]; /* PAD */
};

/* The memory of a node's tensor, assigned by the last step of compiling. */
enum xd_space { XD_ARENA, XD_CONSTANT, XD_ARGUMENT };

struct xd_allocation {
    enum xd_space space;
    uint32_t argument;       /* XD_ARGUMENT: inputs of the model first, then outputs */
    uint64_t offset;         /* XD_ARENA, XD_ARGUMENT: bytes */
    const uint8_t *constant; /* XD_CONSTANT */
};

struct xd_node {
    enum xd_kind kind;
    uint32_t inputs[2]; /* tensor indices; the second may be XD_NO_TENSOR */
    uint32_t output;
    uint64_t input_at, output_at; /* bytes from the start of the tensors */

    size_t rows, channels;              /* of the output */
    size_t depth;                       /* channels of the input: weighted nodes */
    size_t width;                       /* rows of one mean: averages over all pixels */
    size_t input_stride, output_stride; /* elements from one row to the next */
    uint32_t flags;                     /* XNN_FLAG_* */
    uint32_t groups;                    /* channel shuffle */
    float alpha;                        /* ELU */
    uint32_t pad_value;                 /* bit pattern of the element */
    struct xd_quant in[2], weight, out;
    struct hy_value_range range;
    struct xd_plane plane;
    struct xd_dims shapes;
    const void *weights, *bias;
    const float *weight_scales; /* one for each output channel */
    uint64_t work;              /* approximate number of multiplications */

    struct xd_allocation input_allocations[2], output_allocation;
};

/* The name of the operator in XNNPACK, without the prefix. */
const char *xd_node_name(const struct xd_node *node);

enum xd_output_form { XD_OUTPUT_DENSE, XD_OUTPUT_ROWS, XD_OUTPUT_REREAD }; /* see kinds.def */

enum xd_output_form xd_node_output_form(const struct xd_node *node);

enum xnn_status xd_node_create(const struct xd_node *node, xnn_operator_t *ret);

/* Binds addresses to the operator. Only the first call allocates. */
enum xnn_status xd_node_setup(const struct xd_node *node, xnn_operator_t operator,
                              const void * const * inputs, void *output, pthreadpool_t threads);

#endif
