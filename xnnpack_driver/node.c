/* One function each to create and to set up every operator of kinds.def. */
#include "node.h"

/* ---- Arguments of xnn_create_* --------------------------------------------------------------- */

#define STRIDES         n->input_stride, n->output_stride
#define FLOATS          n->range.low, n->range.high
#define BYTES           n->range.quant_low, n->range.quant_high
#define IN_QUANT        n->in[0].zero, n->in[0].scale
#define OUT_QUANT       n->out.zero, n->out.scale
#define PADS            n->plane.top, n->plane.right, n->plane.bottom, n->plane.left
#define FILTER          n->plane.filter_height, n->plane.filter_width
#define STEPS           n->plane.stride_height, n->plane.stride_width
#define DILATION        n->plane.dilation_height, n->plane.dilation_width
#define GROUPS          n->plane.groups, n->plane.group_inputs, n->plane.group_outputs
#define WINDOW          PADS, FILTER, STEPS, DILATION, GROUPS, STRIDES
#define WEIGHTS         n->weights, n->bias
#define WEIGHT_UNSIGNED n->weight.zero, n->weight.scale

#define CREATE_PLAIN(make)       make(n->channels, STRIDES, n->flags, ret)
#define CREATE_FLOAT_RANGE(make) make(n->channels, STRIDES, FLOATS, n->flags, ret)
#define CREATE_BYTE_RANGE(make)  make(n->channels, STRIDES, BYTES, n->flags, ret)
#define CREATE_RESCALE(make)     make(n->channels, STRIDES, IN_QUANT, OUT_QUANT, BYTES, n->flags, ret)
#define CREATE_QUANTISE(make) \
    make(n->channels, STRIDES, n->out.scale, n->out.zero, BYTES, n->flags, ret)
#define CREATE_DEQUANTISE(make) \
    make(n->channels, STRIDES, n->in[0].scale, n->in[0].zero, n->flags, ret)
#define CREATE_SOFTMAX_QUANT(make) \
    make(n->channels, STRIDES, n->in[0].scale, OUT_QUANT, n->flags, ret)
#define CREATE_ELU(make)     make(n->channels, STRIDES, n->alpha, n->flags, ret)
#define CREATE_PRELU(make)   make(n->channels, STRIDES, n->weights, n->flags, ret)
#define CREATE_SHUFFLE(make) make(n->groups, n->channels / n->groups, STRIDES, n->flags, ret)

#define CREATE_DENSE_FLOAT(make) \
    make(n->depth, n->channels, STRIDES, WEIGHTS, FLOATS, n->flags, ret)
#define CREATE_DENSE_UNSIGNED(make) \
    make(n->depth, n->channels, STRIDES, IN_QUANT, WEIGHT_UNSIGNED, WEIGHTS, OUT_QUANT, BYTES, \
         n->flags, ret)
#define CREATE_DENSE_SIGNED(make) \
    make(n->depth, n->channels, STRIDES, IN_QUANT, n->weight.scale, WEIGHTS, OUT_QUANT, BYTES, \
         n->flags, ret)

#define CREATE_CONV_FLOAT(make) make(WINDOW, WEIGHTS, FLOATS, n->flags, ret)
#define CREATE_CONV_UNSIGNED(make) \
    make(WINDOW, IN_QUANT, WEIGHT_UNSIGNED, WEIGHTS, OUT_QUANT, BYTES, n->flags, ret)
#define CREATE_CONV_SIGNED(make) \
    make(WINDOW, IN_QUANT, n->weight.scale, WEIGHTS, OUT_QUANT, BYTES, n->flags, ret)
#define CREATE_CONV_CHANNELS(make) \
    make(WINDOW, IN_QUANT, n->weight_scales, WEIGHTS, OUT_QUANT, BYTES, n->flags, ret)
#define CREATE_DECONV_FLOAT    CREATE_CONV_FLOAT
#define CREATE_DECONV_UNSIGNED CREATE_CONV_UNSIGNED
#define CREATE_DECONV_SIGNED   CREATE_CONV_SIGNED

#define CREATE_MAX_POOL_FLOAT(make) \
    make(PADS, FILTER, STEPS, DILATION, n->channels, STRIDES, FLOATS, n->flags, ret)
#define CREATE_MAX_POOL_BYTE(make) \
    make(PADS, FILTER, STEPS, DILATION, n->channels, STRIDES, BYTES, n->flags, ret)
#define CREATE_AVG_POOL_FLOAT(make) \
    make(PADS, FILTER, STEPS, n->channels, STRIDES, FLOATS, n->flags, ret)
#define CREATE_AVG_POOL_QUANT(make) \
    make(PADS, FILTER, STEPS, n->channels, STRIDES, IN_QUANT, OUT_QUANT, BYTES, n->flags, ret)
#define CREATE_DEPTH_TO_SPACE(make) make(n->channels, STRIDES, n->plane.block, n->flags, ret)

#define CREATE_PAIR(make)       make(n->flags, ret)
#define CREATE_PAIR_FLOAT(make) make(FLOATS, n->flags, ret)
#define CREATE_PAIR_QUANT(make) \
    make(IN_QUANT, n->in[1].zero, n->in[1].scale, OUT_QUANT, BYTES, n->flags, ret)
#define CREATE_PAD(make) make(&n->pad_value, n->flags, ret)

/* ---- Arguments of xnn_setup_* ---------------------------------------------------------------- */

#define IMAGES    n->rows, n->plane.in_height, n->plane.in_width
#define PAIR_DIMS n->shapes.rank[0], n->shapes.dims[0], n->shapes.rank[1], n->shapes.dims[1]

#define SETUP_ROWS(bind)   bind(op, n->rows, in[0], out, threads)
#define SETUP_WIDTH(bind)  bind(op, n->rows, n->width, in[0], out, threads)
#define SETUP_PLANES(bind) bind(op, IMAGES, in[0], out, threads)
#define SETUP_DECONV(bind) \
    bind(op, IMAGES, n->plane.adjust_height, n->plane.adjust_width, in[0], out, threads)
#define SETUP_RESIZE(bind) \
    bind(op, IMAGES, n->plane.out_height, n->plane.out_width, in[0], out, threads)
#define SETUP_PAIR(bind) bind(op, PAIR_DIMS, in[0], in[1], out, threads)
#define SETUP_PAD(bind) \
    bind(op, n->shapes.rank[0], n->shapes.dims[0], n->shapes.before, n->shapes.after, in[0], out, \
         threads)

/* ---- The table ------------------------------------------------------------------------------- */

#define KIND(name, create, setup, output) \
    static enum xnn_status create_##name(const struct xd_node *n, xnn_operator_t *ret) \
    { \
        return CREATE_##create(xnn_create_##name); \
    } \
    static enum xnn_status setup_##name(const struct xd_node *n, xnn_operator_t op, \
                                        const void *const *in, void *out, pthreadpool_t threads) \
    { \
        return SETUP_##setup(xnn_setup_##name); \
    }
#include "xnnpack_driver/lower/kinds.def"
#undef KIND

static const struct {
    const char *name;
    enum xnn_status (*create)(const struct xd_node *node, xnn_operator_t *ret);
    enum xnn_status (*setup)(const struct xd_node *node, xnn_operator_t op, const void *const *in,
                             void *out, pthreadpool_t threads);
    enum xd_output_form output_form;
} kinds[XD_KIND_COUNT] = {
#define KIND(name, create, setup, output) {#name, create_##name, setup_##name, XD_OUTPUT_##output},
#include "xnnpack_driver/lower/kinds.def"
#undef KIND
};

const char *xd_node_name(const struct xd_node *node)
{
    return kinds[node->kind].name;
}

enum xd_output_form xd_node_output_form(const struct xd_node *node)
{
    return kinds[node->kind].output_form;
}

enum xnn_status xd_node_create(const struct xd_node *node, xnn_operator_t *ret)
{
    return kinds[node->kind].create(node, ret);
}

enum xnn_status xd_node_setup(const struct xd_node *node, xnn_operator_t operator,
                              const void * const * inputs, void *output, pthreadpool_t threads)
{
    return kinds[node->kind].setup(node, operator, inputs, output, threads);
}
