#include "libhalyard/graph/input_shape.h"

#include <string.h>

static enum hy_code check(const struct hy_graph_tensor *tensor, uint32_t input, uint32_t rank,
                          const int32_t *extents, struct hy_error *err)
{
    int32_t known[HY_GRAPH_MAX_RANK] = {0};
    uint64_t bytes;

    if (rank > HY_GRAPH_MAX_RANK)
        return hy_fail(err, HY_BAD_DATA, "input %u (%.64s): rank %u, at most %d", input,
                       tensor->name, rank, HY_GRAPH_MAX_RANK);
    for (uint32_t i = 0; i < rank; i++) {
        if (extents[i] < 0 && extents[i] != HY_UNKNOWN_EXTENT)
            return hy_fail(err, HY_BAD_DATA, "input %u (%.64s): extent %u is %d", input,
                           tensor->name, i, extents[i]);
        known[i] = extents[i] == HY_UNKNOWN_EXTENT ? 1 : extents[i];
    }
    if (!hy_element_bytes(tensor->element, rank, known, &bytes))
        return hy_fail(err, HY_BAD_DATA, "input %u (%.64s): the shape has more than 2^64 bits",
                       input, tensor->name);
    return HY_OK;
}

enum hy_code hy_graph_set_shape(struct hy_graph *graph, uint32_t input, uint32_t rank,
                                const int32_t *extents, struct hy_error *err)
{
    if (input >= hy_graph_own_input_count(graph))
        return hy_fail(err, HY_BAD_DATA, "input %u does not exist, the network has %u", input,
                       hy_graph_own_input_count(graph));
    struct hy_graph_tensor *tensor = &graph->tensors[graph->inputs[input]];
    const enum hy_code code = check(tensor, input, rank, extents, err);
    if (code != HY_OK)
        return code;
    tensor->rank = rank;
    if (rank > 0)
        memcpy(tensor->extents, extents, rank * sizeof *extents);
    return HY_OK;
}
