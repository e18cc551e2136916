#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/passes/pass_visits.h"

#include <float.h>

/* ---- RESHAPE, SQUEEZE, EXPAND_DIMS ----------------------------------------------------------- */

static bool is_reshape(enum hy_operator operator_)
{
    return operator_ == HY_OPERATOR_RESHAPE || operator_ == HY_OPERATOR_SQUEEZE ||
           operator_ == HY_OPERATOR_EXPAND_DIMS;
}

/* Makes a node the RESHAPE of `from` to the shape of its output. */
static enum hy_code set_reshape(struct hy_uses *uses, uint32_t node, uint32_t from,
                                struct hy_error *err)
{
    struct hy_graph_node *of = &uses->graph->nodes[node];
    const struct hy_graph_tensor *output = hy_uses_output(uses, node, 0);
    const uint32_t *inputs = hy_arena_copy(&uses->graph->arena, &from, 1, sizeof from);
    const int32_t *extents =
        hy_arena_copy(&uses->graph->arena, output->extents, output->rank, sizeof *output->extents);
    if (!inputs || !extents)
        return hy_fail(err, HY_OUT_OF_MEMORY, "shape of operator %u", of->origin);
    hy_uses_set_inputs(uses, node, 1, inputs);
    of->operator_ = HY_OPERATOR_RESHAPE;
    of->attributes.reshape =
        (struct hy_attributes_reshape){.count = (int32_t)output->rank, .extents = extents};
    return HY_OK;
}

static enum hy_code cancel_reshapes(struct hy_uses *uses, uint32_t node, uint32_t before,
                                    struct hy_error *err)
{
    const struct hy_graph_tensor *from = hy_uses_input(uses, before, 0);
    const struct hy_graph_tensor *to = hy_uses_output(uses, node, 0);
    uint64_t from_elements, to_elements;

    if (!is_reshape(uses->graph->nodes[before].operator_) || !hy_graph_tensor_same_type(from, to) ||
        !hy_graph_tensor_elements(from, &from_elements) ||
        !hy_graph_tensor_elements(to, &to_elements) || from_elements != to_elements)
        return HY_OK;
    return set_reshape(uses, node, uses->graph->nodes[before].inputs[0], err);
}

/* ---- TRANSPOSE ------------------------------------------------------------------------------- */

/* The order of a TRANSPOSE, whose rank is returned; 0: the order is not known. */
static uint32_t transpose_order(const struct hy_uses *uses, uint32_t node,
                                int64_t order[HY_GRAPH_MAX_RANK])
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    if (of->operator_ != HY_OPERATOR_TRANSPOSE || of->input_count != 2)
        return 0;
    const uint32_t rank = hy_uses_input(uses, node, 0)->rank;
    if (hy_constant_ints(hy_uses_input(uses, node, 1), order, HY_GRAPH_MAX_RANK) != (int64_t)rank)
        return 0;
    for (uint32_t i = 0; i < rank; i++) {
        order[i] += order[i] < 0 ? (int64_t)rank : 0;
        if (order[i] < 0 || order[i] >= (int64_t)rank)
            return 0;
    }
    return rank;
}

static enum hy_code set_order(struct hy_uses *uses, uint32_t node, uint32_t rank,
                              const int32_t *order, struct hy_error *err)
{
    struct hy_graph_tensor tensor = {.name = "",
                                     .element = HY_ELEMENT_INT32,
                                     .rank = 1,
                                     .extents = {(int32_t)rank},
                                     .bytes = rank * sizeof *order};
    uint32_t index;

    tensor.data = hy_arena_copy(&uses->graph->arena, order, rank, sizeof *order);
    if (!tensor.data)
        return hy_fail(err, HY_OUT_OF_MEMORY, "order of a TRANSPOSE");
    const enum hy_code code = hy_uses_add_constant(uses, &tensor, &index, err);
    return code == HY_OK ? hy_uses_set_input(uses, node, 1, index, err) : code;
}

/* Dimension i of the second's output is dimension second[i] of the first's. */
static enum hy_code cancel_transposes(struct hy_uses *uses, uint32_t node, uint32_t before,
                                      struct hy_error *err)
{
    int64_t first[HY_GRAPH_MAX_RANK], second[HY_GRAPH_MAX_RANK];
    int32_t order[HY_GRAPH_MAX_RANK];
    const uint32_t rank = transpose_order(uses, node, second);

    if (rank == 0 || transpose_order(uses, before, first) != rank ||
        !hy_graph_tensor_same_type(hy_uses_input(uses, before, 0), hy_uses_output(uses, node, 0)))
        return HY_OK;
    for (uint32_t i = 0; i < rank; i++)
        order[i] = (int32_t)first[second[i]];
    const enum hy_code code = set_order(uses, node, rank, order, err);
    return code == HY_OK
               ? hy_uses_set_input(uses, node, 0, uses->graph->nodes[before].inputs[0], err)
               : code;
}

/* A TRANSPOSE that moves nothing but dimensions of 1 keeps the order of the elements. */
static enum hy_code reshape_for_transpose(struct hy_uses *uses, uint32_t node, struct hy_error *err)
{
    const struct hy_graph_tensor *from = hy_uses_input(uses, node, 0);
    int64_t order[HY_GRAPH_MAX_RANK];
    int64_t last = -1;
    const uint32_t rank = transpose_order(uses, node, order);

    if (rank == 0 || !hy_graph_tensor_same_type(from, hy_uses_output(uses, node, 0)))
        return HY_OK;
    for (uint32_t i = 0; i < rank; i++) {
        const int32_t extent = from->extents[order[i]];
        if (extent < 0 || (extent != 1 && order[i] < last))
            return HY_OK;
        last = extent != 1 ? order[i] : last;
    }
    return set_reshape(uses, node, uses->graph->nodes[node].inputs[0], err);
}

/* ---- CAST and QUANTIZE ----------------------------------------------------------------------- */

/* Every number of the first type is a number of the second. */
static bool widens(enum hy_element from, enum hy_element to)
{
    static const uint32_t wider[HY_ELEMENT_COUNT] = {
        [HY_ELEMENT_FLOAT16] = 1u << HY_ELEMENT_FLOAT32 | 1u << HY_ELEMENT_FLOAT64,
        [HY_ELEMENT_FLOAT32] = 1u << HY_ELEMENT_FLOAT64,
        [HY_ELEMENT_INT8] = 1u << HY_ELEMENT_INT16 | 1u << HY_ELEMENT_INT32 |
                            1u << HY_ELEMENT_INT64 | 1u << HY_ELEMENT_FLOAT32,
        [HY_ELEMENT_UINT8] = 1u << HY_ELEMENT_INT16 | 1u << HY_ELEMENT_INT32 |
                             1u << HY_ELEMENT_INT64 | 1u << HY_ELEMENT_FLOAT32,
        [HY_ELEMENT_INT16] =
            1u << HY_ELEMENT_INT32 | 1u << HY_ELEMENT_INT64 | 1u << HY_ELEMENT_FLOAT32,
        [HY_ELEMENT_INT32] = 1u << HY_ELEMENT_INT64 | 1u << HY_ELEMENT_FLOAT64,
        [HY_ELEMENT_BOOL] = 1u << HY_ELEMENT_UINT8 | 1u << HY_ELEMENT_INT8 |
                            1u << HY_ELEMENT_INT32 | 1u << HY_ELEMENT_INT64 |
                            1u << HY_ELEMENT_FLOAT32,
    };
    return wider[from] & 1u << to;
}

static void cancel_casts(struct hy_uses *uses, uint32_t node, uint32_t before)
{
    const struct hy_graph_tensor *from = hy_uses_input(uses, before, 0);
    const struct hy_graph_tensor *middle = hy_uses_output(uses, before, 0);

    if (uses->graph->nodes[before].operator_ == HY_OPERATOR_CAST &&
        widens(from->element, middle->element) &&
        hy_graph_tensor_same_type(from, hy_uses_output(uses, node, 0)))
        hy_uses_replace(uses, node, uses->graph->nodes[before].inputs[0]);
}

/* (q - zero point) * scale / scale differs from the integer q - zero point by at most 2 units in
 * the last place, and rounding restores q. The bound does not hold for a scale near the ends of the
 * range of float32. */
static void cancel_quantisation(struct hy_uses *uses, uint32_t node, uint32_t before)
{
    const struct hy_graph_tensor *from = hy_uses_input(uses, before, 0);
    const bool is_byte = from->element == HY_ELEMENT_INT8 || from->element == HY_ELEMENT_UINT8;

    if (uses->graph->nodes[before].operator_ == HY_OPERATOR_DEQUANTIZE && is_byte &&
        from->quantisation.count == 1 && from->quantisation.scales[0] >= FLT_MIN &&
        from->quantisation.scales[0] <= FLT_MAX / 512 &&
        hy_uses_output(uses, before, 0)->element == HY_ELEMENT_FLOAT32 &&
        hy_graph_tensor_same_type(from, hy_uses_output(uses, node, 0)))
        hy_uses_replace(uses, node, uses->graph->nodes[before].inputs[0]);
}

enum hy_code hy_cancel_pair(struct hy_uses *uses, uint32_t node, void *context,
                            struct hy_error *err)
{
    const enum hy_operator operator_ = uses->graph->nodes[node].operator_;
    const uint32_t before = hy_uses_producer(uses, node, 0);
    enum hy_code code = HY_OK;
    (void)context;

    if (before != HY_NO_NODE &&
        hy_graph_node_input(&uses->graph->nodes[before], 0) != HY_NO_TENSOR) {
        if (is_reshape(operator_))
            code = cancel_reshapes(uses, node, before, err);
        else if (operator_ == HY_OPERATOR_TRANSPOSE)
            code = cancel_transposes(uses, node, before, err);
        else if (operator_ == HY_OPERATOR_CAST)
            cancel_casts(uses, node, before);
        else if (operator_ == HY_OPERATOR_QUANTIZE)
            cancel_quantisation(uses, node, before);
    }
    if (code == HY_OK && operator_ == HY_OPERATOR_TRANSPOSE)
        code = reshape_for_transpose(uses, node, err);
    return code;
}
