#include "libhalyard/graph/fold/fold.h"

#include "libhalyard/graph/fold/folding.h"

#include <string.h>

/* ---- Types and shapes ------------------------------------------------------------------------ */

/* A sparse constant must store at least one element in MOST_SPARSE, so that the file bounds the
 * memory. */
enum { MOST_SPARSE = 1024 };

/* Expands a sparse constant with zeros. */
static bool densify(struct hy_folding *folding)
{
    const struct hy_graph_tensor *from = hy_folding_input(folding, 0);
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    const size_t size = hy_element_bits(from->element) / 8;

    if (!from->sparsity)
        return hy_fold_reuse_bytes(folding);
    if (from->element != to->element || size == 0 || from->bytes % size != 0)
        return false;
    if (folding->bytes / MOST_SPARSE > from->bytes) {
        folding->code = hy_fail(
            folding->err, HY_BAD_DATA,
            "a sparse constant stores %llu of %llu bytes, needs at least one in %d",
            (unsigned long long)from->bytes, (unsigned long long)folding->bytes, MOST_SPARSE);
        return false;
    }
    void *dense = hy_folding_make(folding);
    if (!dense)
        return false;
    memset(dense, 0, (size_t)folding->bytes);
    return hy_sparsity_expand(from->sparsity, to->rank, to->extents, from->data, from->bytes / size,
                              size, dense);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Each sets the contents of one output; false where the node cannot be folded, or after a failure.
 */
static bool (*const rules[HY_OPERATOR_COUNT])(struct hy_folding *folding) = {
    [HY_OPERATOR_ABS] = hy_fold_abs,
    [HY_OPERATOR_ADD] = hy_fold_add,
    [HY_OPERATOR_BITCAST] = hy_fold_bitcast,
    [HY_OPERATOR_BROADCAST_ARGS] = hy_fold_broadcast_args,
    [HY_OPERATOR_BROADCAST_TO] = hy_fold_broadcast_to,
    [HY_OPERATOR_CAST] = hy_fold_cast,
    [HY_OPERATOR_CONCATENATION] = hy_fold_concatenation,
    [HY_OPERATOR_DENSIFY] = densify,
    [HY_OPERATOR_DEQUANTIZE] = hy_fold_widen_halves,
    [HY_OPERATOR_DIV] = hy_fold_div,
    [HY_OPERATOR_EQUAL] = hy_fold_equal,
    [HY_OPERATOR_EXPAND_DIMS] = hy_fold_reuse_bytes,
    [HY_OPERATOR_FILL] = hy_fold_fill,
    [HY_OPERATOR_FLOOR_DIV] = hy_fold_floor_div,
    [HY_OPERATOR_GATHER] = hy_fold_gather,
    [HY_OPERATOR_GREATER] = hy_fold_greater,
    [HY_OPERATOR_GREATER_EQUAL] = hy_fold_greater_equal,
    [HY_OPERATOR_LESS] = hy_fold_less,
    [HY_OPERATOR_LESS_EQUAL] = hy_fold_less_equal,
    [HY_OPERATOR_LOGICAL_AND] = hy_fold_logical_and,
    [HY_OPERATOR_LOGICAL_NOT] = hy_fold_logical_not,
    [HY_OPERATOR_LOGICAL_OR] = hy_fold_logical_or,
    [HY_OPERATOR_MAXIMUM] = hy_fold_maximum,
    [HY_OPERATOR_MINIMUM] = hy_fold_minimum,
    [HY_OPERATOR_MUL] = hy_fold_mul,
    [HY_OPERATOR_NEG] = hy_fold_neg,
    [HY_OPERATOR_NOT_EQUAL] = hy_fold_not_equal,
    [HY_OPERATOR_PACK] = hy_fold_pack,
    [HY_OPERATOR_RANGE] = hy_fold_range,
    [HY_OPERATOR_RANK] = hy_fold_rank,
    [HY_OPERATOR_REDUCE_ALL] = hy_fold_reduce_all,
    [HY_OPERATOR_REDUCE_ANY] = hy_fold_reduce_any,
    [HY_OPERATOR_REDUCE_MAX] = hy_fold_reduce_max,
    [HY_OPERATOR_REDUCE_MIN] = hy_fold_reduce_min,
    [HY_OPERATOR_REDUCE_PROD] = hy_fold_reduce_prod,
    [HY_OPERATOR_RESHAPE] = hy_fold_reuse_bytes,
    [HY_OPERATOR_REVERSE] = hy_fold_reverse,
    [HY_OPERATOR_SELECT] = hy_fold_select,
    [HY_OPERATOR_SELECT_V2] = hy_fold_select,
    [HY_OPERATOR_SHAPE] = hy_fold_shape,
    [HY_OPERATOR_SLICE] = hy_fold_slice,
    [HY_OPERATOR_SPLIT] = hy_fold_split,
    [HY_OPERATOR_SPLIT_V] = hy_fold_split_v,
    [HY_OPERATOR_SQUARE] = hy_fold_square,
    [HY_OPERATOR_SQUEEZE] = hy_fold_reuse_bytes,
    [HY_OPERATOR_STRIDED_SLICE] = hy_fold_strided_slice,
    [HY_OPERATOR_SUB] = hy_fold_sub,
    [HY_OPERATOR_SUM] = hy_fold_sum,
    [HY_OPERATOR_TILE] = hy_fold_tile,
    [HY_OPERATOR_TRANSPOSE] = hy_fold_transpose,
    [HY_OPERATOR_UNPACK] = hy_fold_unpack,
    [HY_OPERATOR_WHERE] = hy_fold_where,
    [HY_OPERATOR_ZEROS_LIKE] = hy_fold_zeros_like,
};

static bool has_constants_alone(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t tensor = node->inputs[i];
        if (tensor != HY_NO_TENSOR &&
            (!graph->tensors[tensor].data ||
             (graph->tensors[tensor].sparsity && node->operator_ != HY_OPERATOR_DENSIFY)))
            return false;
    }
    return true;
}

/* What shapes alone decide. */
static bool reads_shapes(enum hy_operator operator_)
{
    return operator_ == HY_OPERATOR_SHAPE || operator_ == HY_OPERATOR_RANK;
}

static bool may_fold(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    if ((!rules[node->operator_] && !hy_fold_supports_float(node->operator_)) ||
        node->output_count == 0 || node->input_count == 0)
        return false;
    return reads_shapes(node->operator_) || has_constants_alone(graph, node);
}

/* Outputs without elements are constants, whatever the node computes. */
static bool fold_empty(struct hy_graph *graph, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!hy_graph_tensor_is_empty(&graph->tensors[node->outputs[i]]))
            return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        graph->tensors[node->outputs[i]].data = "";
    return node->output_count > 0;
}

static bool fold_output(struct hy_folding *folding)
{
    const struct hy_graph_tensor *made = hy_folding_output(folding);

    return hy_graph_tensor_elements(made, &folding->elements) &&
           hy_element_bytes(made->element, made->rank, made->extents, &folding->bytes) &&
           ((rules[folding->node->operator_] && rules[folding->node->operator_](folding)) ||
            (folding->code == HY_OK && hy_fold_float(folding)));
}

/* The first outputs are no constants after all. */
static void unfold(struct hy_graph *graph, const struct hy_graph_node *node, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        graph->tensors[node->outputs[i]].data = NULL;
        graph->tensors[node->outputs[i]].bytes = 0;
    }
}

enum hy_code hy_graph_fold(struct hy_graph *graph, const struct hy_graph_node *node,
                           bool *ret_folded, struct hy_error *err)
{
    struct hy_folding folding = {.graph = graph, .node = node, .code = HY_OK, .err = err};

    *ret_folded = fold_empty(graph, node);
    if (*ret_folded || !may_fold(graph, node))
        return HY_OK;
    for (uint32_t i = 0; i < node->output_count; i++) {
        folding.output = i;
        const bool folded = fold_output(&folding);
        if (folding.code != HY_OK)
            return hy_error_prefix(err, folding.code, "operator %u %s", node->origin,
                                   node->operator_name);
        if (!folded) {
            unfold(graph, node, i);
            return HY_OK;
        }
        struct hy_graph_tensor *made = &graph->tensors[node->outputs[i]];
        made->data = folding.data;
        made->bytes = folding.bytes;
    }
    *ret_folded = true;
    return HY_OK;
}
