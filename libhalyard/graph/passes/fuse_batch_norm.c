#include "common/checked.h"
#include "libhalyard/graph/budget.h"
#include "libhalyard/graph/passes/pass_visits.h"

#include <math.h>
#include <string.h>

/*
 * A MUL, ADD or SUB by a constant per channel after a convolution, the form of batch normalisation.
 * Filter and bias become new constants, because other nodes may share the constants of the file.
 * The rounding of the results changes, as it does when a converter fuses the nodes.
 */

/* A node with a filter, and where its inputs stand. */
struct weighted {
    uint32_t node;
    uint32_t data, filter, bias;
    uint32_t channel_axis; /* of the filter */
    uint32_t channels;
    enum hy_activation *activation;
};

static bool weighted_of(const struct hy_uses *uses, uint32_t node, struct weighted *out)
{
    struct hy_graph_node *of = &uses->graph->nodes[node];

    *out = (struct weighted){.node = node, .data = 0, .filter = 1, .bias = 2};
    switch (of->operator_) {
    case HY_OPERATOR_DEPTHWISE_CONV_2D:
        out->channel_axis = 3;
        out->activation = &of->attributes.conv.activation;
        break;
    case HY_OPERATOR_TRANSPOSE_CONV_2D:
        out->data = 2;
        out->bias = 3;
        out->activation = &of->attributes.conv.activation;
        break;
    case HY_OPERATOR_CONV_2D:
        out->activation = &of->attributes.conv.activation;
        break;
    case HY_OPERATOR_FULLY_CONNECTED:
        out->activation = &of->attributes.fully_connected.activation;
        break;
    default:
        return false;
    }
    if (hy_graph_node_input(of, out->data) == HY_NO_TENSOR ||
        hy_graph_node_input(of, out->filter) == HY_NO_TENSOR)
        return false;
    const struct hy_graph_tensor *filter = hy_uses_input(uses, node, out->filter);
    if (filter->rank <= out->channel_axis || filter->extents[out->channel_axis] < 1)
        return false;
    out->channels = (uint32_t)filter->extents[out->channel_axis];
    return *out->activation == HY_ACTIVATION_NONE &&
           hy_uses_input(uses, node, out->data)->element == HY_ELEMENT_FLOAT32;
}

/* ---- Constants per channel ------------------------------------------------------------------- */

static float load(const struct hy_graph_tensor *tensor, uint64_t index)
{
    float value; /* of any alignment in the file */
    memcpy(&value, (const char *)tensor->data + index * sizeof value, sizeof value);
    return value;
}

static bool is_float_constant(const struct hy_graph_tensor *tensor)
{
    return tensor->data && !tensor->sparsity && tensor->element == HY_ELEMENT_FLOAT32;
}

/* True for a single number, or one number per channel; the channels are the last dimension of
 * `like`. */
static bool is_per_channel(const struct hy_graph_tensor *tensor, const struct hy_graph_tensor *like,
                           uint32_t channels)
{
    uint64_t elements;
    return is_float_constant(tensor) && tensor->rank <= like->rank &&
           hy_graph_tensor_elements(tensor, &elements) &&
           (elements == 1 ||
            (elements == channels && tensor->extents[tensor->rank - 1] == (int32_t)channels));
}

static float at_channel(const struct hy_graph_tensor *tensor, uint32_t channel)
{
    return load(tensor, tensor->bytes == sizeof(float) ? 0 : channel);
}

/* ---- New filters and biases ------------------------------------------------------------------ */

/* How the result of a convolution changes: x * factor + summand, where NULL is 1 or 0. */
struct change {
    const struct hy_graph_tensor *factor;
    const struct hy_graph_tensor *summand;
    bool subtracts;
};

static float *make(struct hy_uses *uses, uint64_t count, struct hy_error *err, enum hy_code *code)
{
    uint64_t bytes;
    if (!hy_mul_u64(count, sizeof(float), &bytes))
        bytes = UINT64_MAX;
    float *made = hy_graph_make_constant(uses->graph, bytes, err);
    if (!made)
        *code = HY_OUT_OF_MEMORY;
    return made;
}

static bool change_filter(const struct weighted *weighted, const struct hy_graph_tensor *filter,
                          const struct hy_graph_tensor *factor, uint64_t count, float *to)
{
    uint64_t inner = 1; /* elements from one channel to the next */
    for (uint32_t i = weighted->channel_axis + 1; i < filter->rank; i++)
        inner *= (uint64_t)filter->extents[i];
    bool is_finite = true;
    for (uint64_t i = 0; i < count; i++) {
        to[i] = load(filter, i) * at_channel(factor, (uint32_t)(i / inner % weighted->channels));
        is_finite = is_finite && isfinite(to[i]);
    }
    return is_finite;
}

static bool change_bias(const struct weighted *weighted, const struct hy_graph_tensor *bias,
                        const struct change *change, float *to)
{
    bool is_finite = true;
    for (uint32_t i = 0; i < weighted->channels; i++) {
        to[i] = bias ? load(bias, i) : 0.0f;
        if (change->factor)
            to[i] *= at_channel(change->factor, i);
        if (change->summand)
            to[i] += change->subtracts ? -at_channel(change->summand, i)
                                       : at_channel(change->summand, i);
        is_finite = is_finite && isfinite(to[i]);
    }
    return is_finite;
}

/* The bias of a node; NULL: none. False where the bias is not known. */
static bool bias_of(const struct hy_uses *uses, const struct weighted *weighted,
                    const struct hy_graph_tensor **bias)
{
    const uint32_t tensor =
        hy_graph_node_input(&uses->graph->nodes[weighted->node], weighted->bias);
    *bias = tensor == HY_NO_TENSOR ? NULL : &uses->graph->tensors[tensor];
    return !*bias || (is_float_constant(*bias) &&
                      (*bias)->bytes == (uint64_t)weighted->channels * sizeof(float));
}

static enum hy_code set_weights(struct hy_uses *uses, const struct weighted *weighted,
                                const float *filter, const float *bias, struct hy_error *err)
{
    const struct hy_graph_node *node = &uses->graph->nodes[weighted->node];
    struct hy_graph_tensor tensor = *hy_uses_input(uses, weighted->node, weighted->filter);
    uint32_t *inputs = hy_arena_alloc(&uses->graph->arena, (weighted->bias + 1) * sizeof *inputs);
    if (!inputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u inputs", weighted->bias + 1);

    enum hy_code code = HY_OK;
    for (uint32_t i = 0; i < weighted->bias; i++)
        inputs[i] = hy_graph_node_input(node, i);
    if (filter) {
        tensor.data = filter;
        code = hy_uses_add_constant(uses, &tensor, &inputs[weighted->filter], err);
    }
    tensor = (struct hy_graph_tensor){.name = "",
                                      .element = HY_ELEMENT_FLOAT32,
                                      .rank = 1,
                                      .extents = {(int32_t)weighted->channels},
                                      .data = bias,
                                      .bytes = weighted->channels * sizeof *bias};
    if (code == HY_OK)
        code = hy_uses_add_constant(uses, &tensor, &inputs[weighted->bias], err);
    if (code == HY_OK)
        hy_uses_set_inputs(uses, weighted->node, weighted->bias + 1, inputs);
    return code;
}

/* *ret_changed: filter and bias hold the change now. */
static enum hy_code change_weights(struct hy_uses *uses, const struct weighted *weighted,
                                   const struct change *change, bool *ret_changed,
                                   struct hy_error *err)
{
    const struct hy_graph_tensor *filter = hy_uses_input(uses, weighted->node, weighted->filter);
    const struct hy_graph_tensor *bias;
    float *new_filter = NULL;
    uint64_t count;
    enum hy_code code = HY_OK;

    if (!bias_of(uses, weighted, &bias))
        return HY_OK;
    if (change->factor) {
        if (!is_float_constant(filter) || !hy_graph_tensor_elements(filter, &count))
            return HY_OK;
        new_filter = make(uses, count, err, &code);
        if (!new_filter || !change_filter(weighted, filter, change->factor, count, new_filter))
            return code;
    }
    float *new_bias = make(uses, weighted->channels, err, &code);
    if (!new_bias || !change_bias(weighted, bias, change, new_bias))
        return code;
    *ret_changed = true;
    return set_weights(uses, weighted, new_filter, new_bias, err);
}

/* ---- The pass -------------------------------------------------------------------------------- */

/* The change that a node makes to input `data`; false if the node is not a change by constants per
 * channel. */
static bool change_of(const struct hy_uses *uses, uint32_t node, uint32_t data,
                      const struct weighted *weighted, struct change *change)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    const struct hy_graph_tensor *constant = hy_uses_input(uses, node, 1 - data);

    if (!is_per_channel(constant, hy_uses_output(uses, node, 0), weighted->channels) ||
        of->attributes.binary.activation > HY_ACTIVATION_RELU6)
        return false;
    *change = (struct change){0};
    if (of->operator_ == HY_OPERATOR_MUL) {
        change->factor = constant;
        return true;
    }
    change->summand = constant;
    change->subtracts = of->operator_ == HY_OPERATOR_SUB;
    return !change->subtracts || data == 0;
}

enum hy_code hy_fuse_batch_norm(struct hy_uses *uses, uint32_t node, void *context,
                                struct hy_error *err)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    struct weighted weighted;
    struct change change;
    bool changed = false;
    (void)context;

    if ((of->operator_ != HY_OPERATOR_MUL && of->operator_ != HY_OPERATOR_ADD &&
         of->operator_ != HY_OPERATOR_SUB) ||
        of->input_count != 2 || of->output_count != 1)
        return HY_OK;
    uint32_t data = 0;
    uint32_t before = hy_uses_sole_producer(uses, node, 0);
    if (before == HY_NO_NODE) {
        data = 1;
        before = hy_uses_sole_producer(uses, node, 1);
    }
    if (before == HY_NO_NODE || of->inputs[1 - data] == HY_NO_TENSOR ||
        !weighted_of(uses, before, &weighted) ||
        !hy_graph_tensor_same_type(hy_uses_input(uses, node, data),
                                   hy_uses_output(uses, node, 0)) ||
        !hy_graph_tensor_same_shape(hy_uses_input(uses, node, data),
                                    hy_uses_output(uses, node, 0)) ||
        !change_of(uses, node, data, &weighted, &change))
        return HY_OK;

    const enum hy_code code = change_weights(uses, &weighted, &change, &changed, err);
    if (code == HY_OK && changed) {
        *weighted.activation = of->attributes.binary.activation;
        hy_uses_merge(uses, before, node);
    }
    return code;
}
