#include "libhalyard/lower/legal/legalise.h"

#include "libhalyard/graph/budget.h"
#include "libhalyard/graph/passes/dead_nodes.h"
#include "libhalyard/lower/legal/legal_rules.h"

#include <stdlib.h>

/* More than rules emit within rules. */
enum { MAX_DEPTH = 16 };

/* Rules apply to nodes with at least `inputs` inputs, none of them omitted. */
static const struct rule {
    bool (*replace)(struct hy_legaliser *legaliser);
    uint32_t inputs;
} rules[HY_OPERATOR_COUNT] = {
#define RULE(NAME, name, inputs) [HY_OPERATOR_##NAME] = {hy_legalise_##name, inputs}
    RULE(ADD, broadcast_two, 2),
    RULE(ARG_MAX, arg_min_max, 2),
    RULE(ARG_MIN, arg_min_max, 2),
    RULE(ATAN2, broadcast_two, 2),
    RULE(BATCH_TO_SPACE_ND, batch_to_space, 3),
    RULE(BITCAST, any_rank, 1),
    RULE(BITWISE_XOR, broadcast_two, 2),
    RULE(BROADCAST_TO, broadcast_to, 2),
    RULE(CONCATENATION, concatenation, 1),
    RULE(CONV_3D, any_rank, 2),
    RULE(CUMSUM, cumsum, 2),
    RULE(DILATE, any_rank, 3),
    RULE(DIV, broadcast_two, 2),
    RULE(DYNAMIC_UPDATE_SLICE, dynamic_update_slice, 3),
    RULE(EMBEDDING_LOOKUP, embedding_lookup, 2),
    RULE(EQUAL, broadcast_two, 2),
    RULE(EXPAND_DIMS, new_shape, 1),
    RULE(FILL, fill, 2),
    RULE(FLOOR_DIV, broadcast_two, 2),
    RULE(FLOOR_MOD, broadcast_two, 2),
    RULE(GATHER, gather, 2),
    RULE(GATHER_ND, any_rank, 2),
    RULE(GREATER, broadcast_two, 2),
    RULE(GREATER_EQUAL, broadcast_two, 2),
    RULE(L2_NORMALIZATION, last_axis, 1),
    RULE(LESS, broadcast_two, 2),
    RULE(LESS_EQUAL, broadcast_two, 2),
    RULE(LOGICAL_AND, broadcast_two, 2),
    RULE(LOGICAL_OR, broadcast_two, 2),
    RULE(LOG_SOFTMAX, last_axis, 1),
    RULE(MATRIX_DIAG, any_rank, 1),
    RULE(MATRIX_SET_DIAG, any_rank, 2),
    RULE(MAXIMUM, broadcast_two, 2),
    RULE(MEAN, reduce, 2),
    RULE(MINIMUM, broadcast_two, 2),
    RULE(MIRROR_PAD, pad, 2),
    RULE(MUL, broadcast_two, 2),
    RULE(NOT_EQUAL, broadcast_two, 2),
    RULE(ONE_HOT, any_rank, 4),
    RULE(PACK, pack, 1),
    RULE(PAD, pad, 2),
    RULE(PAD_V2, pad, 3),
    RULE(POW, broadcast_two, 2),
    RULE(PRELU, broadcast_two, 2),
    RULE(REDUCE_ALL, reduce, 2),
    RULE(REDUCE_ANY, reduce, 2),
    RULE(REDUCE_MAX, reduce, 2),
    RULE(REDUCE_MIN, reduce, 2),
    RULE(REDUCE_PROD, reduce, 2),
    RULE(REVERSE, reverse, 2),
    RULE(REVERSE_SEQUENCE, any_rank, 2),
    RULE(RIGHT_SHIFT, broadcast_two, 2),
    RULE(SCATTER_ND, scatter_nd, 3),
    RULE(SEGMENT_SUM, segments, 2),
    RULE(SELECT, select, 3),
    RULE(SELECT_V2, select, 3),
    RULE(SLICE, slice, 3),
    RULE(SOFTMAX, last_axis, 1),
    RULE(SPACE_TO_BATCH_ND, space_to_batch, 3),
    RULE(SPARSE_TO_DENSE, any_rank, 4),
    RULE(SPLIT, split, 2),
    RULE(SPLIT_V, split_v, 3),
    RULE(SQUARED_DIFFERENCE, broadcast_two, 2),
    RULE(SQUEEZE, new_shape, 1),
    RULE(STRIDED_SLICE, strided_slice, 4),
    RULE(SUB, broadcast_two, 2),
    RULE(SUM, reduce, 2),
    RULE(TILE, tile, 2),
    RULE(TOPK_V2, topk, 2),
    RULE(TRANSPOSE, transpose, 2),
    RULE(TRANSPOSE_CONV_3D, any_rank, 3),
    RULE(UNPACK, unpack, 1),
    RULE(UNSORTED_SEGMENT_MAX, segments, 3),
    RULE(UNSORTED_SEGMENT_MIN, segments, 3),
    RULE(UNSORTED_SEGMENT_PROD, segments, 3),
    RULE(UNSORTED_SEGMENT_SUM, segments, 3),
    RULE(ZEROS_LIKE, zeros_like, 1),
#undef RULE
};

/* ---- The walk -------------------------------------------------------------------------------- */

static bool is_empty(const struct hy_graph *graph, uint32_t tensor)
{
    return tensor != HY_NO_TENSOR && hy_graph_tensor_is_empty(&graph->tensors[tensor]);
}

/* Rules multiply some of the extents with each other, not always all: an extent of 0 does not make
 * the others small. */
static bool is_small(const struct hy_graph_tensor *tensor)
{
    int64_t elements = 1;

    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->extents[i] < 0)
            return false;
        elements *= tensor->extents[i] > 0 ? tensor->extents[i] : 1;
        if (elements > INT32_MAX)
            return false;
    }
    return true;
}

static bool has_small_tensors(const struct hy_graph *graph, const uint32_t *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tensors[i] != HY_NO_TENSOR && !is_small(&graph->tensors[tensors[i]]))
            return false;
    }
    return true;
}

/* Outputs without elements need no node: they are constants. */
static bool replace_empty(struct hy_legaliser *legaliser, const struct hy_graph_node *node)
{
    if (node->output_count == 0)
        return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!is_empty(legaliser->graph, node->outputs[i]))
            return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        legaliser->graph->tensors[node->outputs[i]].data = "";
    return true;
}

static bool may_replace(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    const bool has_several =
        node->operator_ == HY_OPERATOR_SPLIT || node->operator_ == HY_OPERATOR_SPLIT_V ||
        node->operator_ == HY_OPERATOR_TOPK_V2 || node->operator_ == HY_OPERATOR_UNPACK;

    if (node->input_count < rules[node->operator_].inputs || node->input_count == 0 ||
        (node->output_count != 1 && !has_several))
        return false;
    for (uint32_t i = 0; i < rules[node->operator_].inputs; i++) {
        if (node->inputs[i] == HY_NO_TENSOR)
            return false;
    }
    return has_small_tensors(graph, node->inputs, node->input_count) &&
           has_small_tensors(graph, node->outputs, node->output_count);
}

/* Input 0 is the data, and the only data. */
static bool has_data_first(enum hy_operator operator_)
{
    return operator_ != HY_OPERATOR_CONCATENATION && operator_ != HY_OPERATOR_FILL &&
           operator_ != HY_OPERATOR_SCATTER_ND;
}

static bool replace(struct hy_legaliser *legaliser, const struct hy_graph_node *node)
{
    const struct rule *rule = &rules[node->operator_];

    if (replace_empty(legaliser, node))
        return true;
    if (hy_legalise_indices(legaliser)) /* whatever extents are known */
        return true;
    if (!may_replace(legaliser->graph, node))
        return false;
    if (is_empty(legaliser->graph, node->inputs[0]) && has_data_first(node->operator_))
        return hy_legalise_of_nothing(legaliser);
    return hy_legalise_types(legaliser) || (rule->replace && rule->replace(legaliser));
}

/* A RESHAPE whose result has at most one unknown extent needs no shape input. */
static struct hy_graph_node without_shape(const struct hy_graph *graph,
                                          const struct hy_graph_node *node)
{
    struct hy_graph_node reshape = *node;
    if (node->operator_ == HY_OPERATOR_RESHAPE && node->input_count > 1 &&
        node->output_count == 1 && hy_graph_unknown_extents(&graph->tensors[node->outputs[0]]) <= 1)
        reshape.input_count = 1;
    return reshape;
}

static void legalise_node(struct hy_legaliser *legaliser, const struct hy_graph_node *node)
{
    const struct hy_graph_node *outer = legaliser->node;

    if (legaliser->code != HY_OK)
        return;
    legaliser->node = node;
    legaliser->depth++;
    if (legaliser->depth > MAX_DEPTH || !replace(legaliser, node)) {
        const struct hy_graph_node copy = without_shape(legaliser->graph, node);
        if (legaliser->code == HY_OK)
            legaliser->code = hy_graph_add_node(legaliser->graph, &copy, legaliser->err);
    }
    legaliser->depth--;
    legaliser->node = outer;
}

/* Merges the leading dimensions of a tensor of too many dimensions. A product beyond 31 bits stays,
 * and lowering refuses the tensor. */
static void merge_leading(struct hy_graph_tensor *tensor)
{
    const uint32_t more = tensor->rank - HY_LEGAL_RANK;
    int64_t leading = 1;

    for (uint32_t i = 0; i <= more; i++) {
        if (tensor->extents[i] < 0)
            return;
        leading *= tensor->extents[i];
        if (leading > INT32_MAX)
            return;
    }
    tensor->extents[0] = (int32_t)leading;
    for (uint32_t i = 1; i < HY_LEGAL_RANK; i++)
        tensor->extents[i] = tensor->extents[more + i];
    tensor->rank = HY_LEGAL_RANK;
}

/* Node `index` of the graph that is legalised. */
static void legalise_own(struct hy_legaliser *legaliser, const struct hy_graph_node *node,
                         uint32_t index, const struct hy_legal_refusals *refusals)
{
    struct hy_graph *legal = legaliser->graph;
    const uint32_t first = legal->node_count;

    legalise_node(legaliser, node);
    for (uint32_t i = first; i < legal->node_count; i++)
        legal->nodes[i].source = index;
    if (legaliser->code == HY_OK)
        return;
    if (refusals) {
        refusals->refuse(refusals->context, index, legaliser->err);
        legal->node_count = first;
        legaliser->code = HY_OK;
    } else {
        hy_error_prefix(legaliser->err, legaliser->code, "operator %u %s", node->origin,
                        node->operator_name);
        if (node->subgraph > 0)
            hy_error_prefix(legaliser->err, legaliser->code, "subgraph %u", node->subgraph);
    }
}

static enum hy_code copy_tensors(const struct hy_graph *graph, struct hy_graph *legal,
                                 struct hy_error *err)
{
    enum hy_code code = HY_OK;
    uint32_t index;

    for (uint32_t i = 0; code == HY_OK && i < graph->tensor_count; i++)
        code = hy_graph_add_tensor(legal, &graph->tensors[i], &index, err);
    return code;
}

enum hy_code hy_legalise(const struct hy_graph *graph, struct hy_budget *budget,
                         struct hy_graph *legal, const struct hy_legal_refusals *refusals,
                         struct hy_error *err)
{
    struct hy_legaliser legaliser = {.graph = legal, .legalise = legalise_node, .err = err};

    hy_graph_init(legal);
    legal->relaxed = graph->relaxed;
    hy_graph_use_budget(legal, budget);
    legal->input_count = graph->input_count;
    legal->inputs = graph->inputs;
    legal->output_count = graph->output_count;
    legal->outputs = graph->outputs;
    legal->state_count = graph->state_count;
    legal->states = graph->states;
    legal->body_count = graph->body_count;
    legal->bodies = graph->bodies;
    legaliser.code = copy_tensors(graph, legal, err);
    for (uint32_t i = 0; legaliser.code == HY_OK && i < graph->node_count; i++)
        legalise_own(&legaliser, &graph->nodes[i], i, refusals);
    if (legaliser.code == HY_OK)
        legaliser.code = hy_graph_remove_dead_nodes(legal, err); /* shapes of RESHAPE, for one */
    for (uint32_t i = 0; i < legal->tensor_count; i++) {
        if (legal->tensors[i].rank > HY_LEGAL_RANK && !legal->tensors[i].is_whole)
            merge_leading(&legal->tensors[i]);
    }
    if (legaliser.code != HY_OK)
        hy_legalise_finish(legal);
    return legaliser.code;
}

void hy_legalise_retain_constants(struct hy_graph *legal)
{
    free(legal->tensors);
    free(legal->nodes);
    legal->tensors = NULL;
    legal->nodes = NULL;
    legal->tensor_count = legal->node_count = 0;
}

void hy_legalise_finish(struct hy_graph *legal)
{
    legal->body_count = 0; /* those of the graph */
    legal->bodies = NULL;
    hy_graph_finish(legal);
}
