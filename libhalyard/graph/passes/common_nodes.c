#include "libhalyard/graph/passes/pass_visits.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Operators whose result follows from inputs, attributes and the output's type alone: what is not
 * listed depends on chance or is not worth a comparison. `size` is that of the
 * attributes up to their last member. */
struct row {
    bool is_shared;
    size_t size;
};

#define PLAIN(NAME) [HY_OPERATOR_##NAME] = {.is_shared = true}
#define WITH(NAME, attributes, last) \
    [HY_OPERATOR_##NAME] = {.is_shared = true, \
                            .size = offsetof(struct hy_attributes_##attributes, last) + \
                                    sizeof(((struct hy_attributes_##attributes *)0)->last)}

static const struct row rows[HY_OPERATOR_COUNT] = {
    PLAIN(ABS),
    WITH(ADD, binary, activation),
    WITH(AVERAGE_POOL_2D, pool, activation),
    PLAIN(BATCH_TO_SPACE_ND),
    PLAIN(BROADCAST_TO),
    PLAIN(CAST),
    WITH(CONCATENATION, axis, activation),
    WITH(CONV_2D, conv, padding_right),
    WITH(DEPTHWISE_CONV_2D, conv, padding_right),
    PLAIN(DEQUANTIZE),
    WITH(DIV, binary, activation),
    PLAIN(EXP),
    WITH(FULLY_CONNECTED, fully_connected, shuffled),
    WITH(GATHER, gather, batch_dimensions),
    PLAIN(HARD_SWISH),
    PLAIN(LOGISTIC),
    WITH(MAX_POOL_2D, pool, activation),
    PLAIN(MAXIMUM),
    WITH(MEAN, reduce, keep_dimensions),
    PLAIN(MINIMUM),
    WITH(MUL, binary, activation),
    PLAIN(NEG),
    PLAIN(PAD),
    PLAIN(QUANTIZE),
    PLAIN(RELU),
    PLAIN(RELU1),
    PLAIN(RELU6),
    WITH(RESIZE_BILINEAR, resize, half_pixel_centers),
    WITH(RESIZE_NEAREST_NEIGHBOR, resize, half_pixel_centers),
    PLAIN(RSQRT),
    PLAIN(SLICE),
    PLAIN(SPACE_TO_BATCH_ND),
    PLAIN(SQRT),
    WITH(STRIDED_SLICE, strided_slice, end_is_offset),
    WITH(SUB, binary, activation),
    PLAIN(TANH),
    PLAIN(TILE),
    PLAIN(TRANSPOSE),
};

enum hy_code hy_common_nodes_init(struct hy_common_nodes *nodes, uint32_t node_count,
                                  struct hy_error *err)
{
    size_t count = 16;
    while (count < 2 * (size_t)node_count) /* half of the slots stay empty */
        count *= 2;
    nodes->slots = malloc(count * sizeof *nodes->slots);
    if (!nodes->slots || count > UINT32_MAX) {
        hy_common_nodes_finish(nodes);
        return hy_fail(err, HY_OUT_OF_MEMORY, "table of %u nodes", node_count);
    }
    memset(nodes->slots, 0xff, count * sizeof *nodes->slots); /* HY_NO_NODE */
    nodes->mask = (uint32_t)count - 1;
    return HY_OK;
}

void hy_common_nodes_finish(struct hy_common_nodes *nodes)
{
    free(nodes->slots);
    nodes->slots = NULL;
}

/* Nodes with a hash in common that are compared at most: a file may be made of such nodes. */
enum { MOST_COMPARED = 32 };

/* The inputs spread nodes well; equal nodes are compared in full. */
static uint32_t hash_of(const struct hy_graph_node *node)
{
    uint64_t hash = node->operator_;
    for (uint32_t i = 0; i < node->input_count; i++)
        hash = (hash ^ node->inputs[i]) * UINT64_C(0x9e3779b97f4a7c15) + i;
    return (uint32_t)(hash >> 32);
}

static bool same_node(const struct hy_uses *uses, uint32_t a, uint32_t b)
{
    const struct hy_graph_node *first = &uses->graph->nodes[a], *second = &uses->graph->nodes[b];

    if (first->operator_ != second->operator_ || first->input_count != second->input_count)
        return false;
    const struct hy_graph_tensor *of_a = hy_uses_output(uses, a, 0);
    const struct hy_graph_tensor *of_b = hy_uses_output(uses, b, 0);
    return memcmp(first->inputs, second->inputs, first->input_count * sizeof *first->inputs) == 0 &&
           memcmp(&first->attributes, &second->attributes, rows[first->operator_].size) == 0 &&
           hy_graph_tensor_same_type(of_a, of_b) && hy_graph_tensor_same_shape(of_a, of_b);
}

enum hy_code hy_merge_common_node(struct hy_uses *uses, uint32_t node, void *context,
                                  struct hy_error *err)
{
    const struct hy_common_nodes *nodes = context;
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    (void)err;

    if (!rows[of->operator_].is_shared || of->output_count != 1 || of->input_count == 0)
        return HY_OK;
    uint32_t slot = hash_of(of) & nodes->mask;
    for (uint32_t i = 0; i < MOST_COMPARED; i++, slot = (slot + 1) & nodes->mask) {
        const uint32_t earlier = nodes->slots[slot];
        if (earlier == HY_NO_NODE) {
            nodes->slots[slot] = node;
            break;
        }
        if (!uses->removed[earlier] && same_node(uses, earlier, node)) {
            hy_uses_replace(uses, node, uses->graph->nodes[earlier].outputs[0]);
            break;
        }
    }
    return HY_OK;
}
