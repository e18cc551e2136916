#include "libhalyard/graph/fold.h"

#include "common/half.h"

#include <string.h>

/* The constant that a node computes; false where the node stays. `bytes` is what the shape of
 * `output` needs. */
typedef bool (*folding)(const struct hy_graph *graph, const struct hy_graph_node *node, void *made,
                        uint64_t elements);

/* float16 weights, which every value of has a float32. */
static bool widen_halves(const struct hy_graph *graph, const struct hy_graph_node *node, void *made,
                         uint64_t elements)
{
    const struct hy_graph_tensor *input = &graph->tensors[node->inputs[0]];
    const struct hy_graph_tensor *output = &graph->tensors[node->outputs[0]];
    float *to = made;

    if (input->element != HY_ELEMENT_FLOAT16 || output->element != HY_ELEMENT_FLOAT32 ||
        input->bytes != elements * sizeof(uint16_t))
        return false;
    for (uint64_t i = 0; i < elements; i++) {
        uint16_t half; /* of any alignment in the file */
        memcpy(&half, (const char *)input->data + i * sizeof half, sizeof half);
        to[i] = hy_half_to_float(half);
    }
    return true;
}

static const folding foldings[HY_OPERATOR_COUNT] = {
    [HY_OPERATOR_DEQUANTIZE] = widen_halves,
    [HY_OPERATOR_CAST] = widen_halves,
};

static bool has_constants_alone(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t input = node->inputs[i];
        if (input != HY_NO_TENSOR &&
            (!graph->tensors[input].data || graph->tensors[input].is_sparse))
            return false;
    }
    return node->input_count > 0;
}

/* Makes the output of a node a constant, where that is possible. */
static enum hy_code fold_node(struct hy_graph *graph, const struct hy_graph_node *node,
                              bool *ret_folded, struct hy_error *err)
{
    const folding fold = foldings[node->operator_];
    uint64_t elements, bytes;

    *ret_folded = false;
    if (!fold || node->output_count != 1 || !has_constants_alone(graph, node))
        return HY_OK;
    struct hy_graph_tensor *output = &graph->tensors[node->outputs[0]];
    if (!hy_graph_tensor_elements(output, &elements) ||
        !hy_element_bytes(output->element, output->rank, output->extents, &bytes))
        return HY_OK;

    void *made = hy_arena_alloc(&graph->arena, (size_t)bytes);
    if (!made)
        return hy_fail(err, HY_OUT_OF_MEMORY, "operator %u %s: constant of %llu bytes",
                       node->origin, node->title, (unsigned long long)bytes);
    *ret_folded = fold(graph, node, made, elements);
    if (*ret_folded) {
        output->data = made;
        output->bytes = bytes;
    }
    return HY_OK;
}

enum hy_code hy_graph_fold(struct hy_graph *graph, struct hy_error *err)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        bool folded;
        const enum hy_code code = fold_node(graph, &graph->nodes[i], &folded, err);
        if (code != HY_OK)
            return code;
        if (!folded)
            graph->nodes[kept++] = graph->nodes[i];
    }
    graph->node_count = kept;
    return HY_OK;
}
