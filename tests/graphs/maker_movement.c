#include "tests/graphs/maker.h"

bool maker_reshape(struct maker *maker)
{
    const uint32_t input = maker_pick(maker, "FHQS", 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    const uint32_t count = graph_elements(&type), rows = maker_below(maker, 2) ? type.dims[0] : 1;
    int32_t shape[] = {(int32_t)rows, (int32_t)(count / rows)};
    type.rank = 2;
    type.dims[0] = rows;
    type.dims[1] = count / rows;
    if (maker_below(maker, 3) == 0)
        shape[maker_below(maker, 2)] = -1;
    const uint32_t inputs[] = {input, graph_ints(maker->graph, 2, shape)};
    return maker_add(maker, ANEURALNETWORKS_RESHAPE, 2, inputs, &type);
}

bool maker_transpose(struct maker *maker)
{
    const uint32_t input = maker_pick(maker, "FHQS", 4);
    if (input == MAKER_NONE)
        return false;
    const struct graph_type from = *maker_type_of(maker, input);
    const uint32_t turn = maker_below(maker, from.rank);
    struct graph_type type = from;
    int32_t order[GRAPH_RANK_MAX];
    for (uint32_t i = 0; i < from.rank; i++) {
        order[i] = (int32_t)((i + turn) % from.rank);
        type.dims[i] = from.dims[order[i]];
    }
    const uint32_t inputs[] = {input, graph_ints(maker->graph, from.rank, order)};
    return maker_add(maker, ANEURALNETWORKS_TRANSPOSE, 2, inputs, &type);
}

bool maker_concatenate(struct maker *maker)
{
    const uint32_t first = maker_pick(maker, "FHQS", 4);
    if (first == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, first);
    const uint32_t axis = maker_below(maker, type.rank);
    type.dims[axis] *= 2;
    if (graph_elements(&type) > MAKER_ELEMENTS_MAX)
        return false;
    const uint32_t inputs[] = {first, maker_pick_like(maker, first, true),
                               graph_int(maker->graph, (int32_t)axis)};
    return maker_add(maker, ANEURALNETWORKS_CONCATENATION, 3, inputs, &type);
}

/* Where a part of a tensor starts and how large it is; `type` becomes the part's. */
static void choose_part(struct maker *maker, struct graph_type *type, int32_t *start, int32_t *size)
{
    for (uint32_t i = 0; i < type->rank; i++) {
        start[i] = (int32_t)maker_below(maker, type->dims[i]);
        type->dims[i] = 1 + maker_below(maker, type->dims[i] - (uint32_t)start[i]);
        size[i] = (int32_t)type->dims[i];
    }
}

bool maker_slice(struct maker *maker)
{
    int32_t start[GRAPH_RANK_MAX], size[GRAPH_RANK_MAX];
    const uint32_t input = maker_pick(maker, "FHIQS", 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    choose_part(maker, &type, start, size);
    const uint32_t inputs[] = {input, graph_ints(maker->graph, type.rank, start),
                               graph_ints(maker->graph, type.rank, size)};
    return maker_add(maker, ANEURALNETWORKS_SLICE, 3, inputs, &type);
}

/* The part is told with the inputs: nobody knows the shape before. */
bool maker_late_slice(struct maker *maker)
{
    int32_t start[GRAPH_RANK_MAX], size[GRAPH_RANK_MAX];
    const uint32_t input = maker->is_dynamic ? maker_pick(maker, "FHIQS", 4) : MAKER_NONE;
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    choose_part(maker, &type, start, size);
    const struct graph_type part = {
        .code = ANEURALNETWORKS_TENSOR_INT32, .rank = 1, .dims = {type.rank}};
    const uint32_t inputs[] = {input, graph_input(maker->graph, &part, start),
                               graph_input(maker->graph, &part, size)};
    const uint32_t output = graph_result(maker->graph, &type);
    for (uint32_t i = 0; i < type.rank; i++)
        maker->graph->operands[output].is_hidden[i] = true;
    graph_operation(maker->graph, ANEURALNETWORKS_SLICE, 3, inputs, 1, &output);
    return true;
}

bool maker_pad(struct maker *maker)
{
    int32_t edges[2 * GRAPH_RANK_MAX];
    const uint32_t input = maker_pick(maker, "FHQS", 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    for (uint32_t i = 0; i < type.rank; i++) {
        edges[2 * i] = (int32_t)maker_below(maker, 2);
        edges[2 * i + 1] = (int32_t)maker_below(maker, 2);
        type.dims[i] += (uint32_t)(edges[2 * i] + edges[2 * i + 1]);
    }
    if (graph_elements(&type) > MAKER_ELEMENTS_MAX)
        return false;
    const struct graph_type pairs = {
        .code = ANEURALNETWORKS_TENSOR_INT32, .rank = 2, .dims = {type.rank, 2}};
    const uint32_t inputs[] = {input, graph_constant(maker->graph, &pairs, edges)};
    return maker_add(maker, ANEURALNETWORKS_PAD, 2, inputs, &type);
}

bool maker_split(struct maker *maker)
{
    const uint32_t input = maker_pick(maker, "FHIQS", 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    const uint32_t axis = maker_below(maker, type.rank), parts = type.dims[axis];
    if (parts < 2 || parts > GRAPH_OUTPUTS_MAX)
        return false;
    type.dims[axis] = 1;
    const uint32_t inputs[] = {input, graph_int(maker->graph, (int32_t)axis),
                               graph_int(maker->graph, (int32_t)parts)};
    uint32_t outputs[GRAPH_OUTPUTS_MAX];
    for (uint32_t i = 0; i < parts; i++)
        outputs[i] = maker_result(maker, &type);
    graph_operation(maker->graph, ANEURALNETWORKS_SPLIT, 3, inputs, parts, outputs);
    return true;
}

bool maker_expand(struct maker *maker)
{
    const uint32_t input = maker_pick(maker, "FHIQS", 3);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    const uint32_t axis = maker_below(maker, type.rank + 1);
    for (uint32_t i = type.rank; i > axis; i--)
        type.dims[i] = type.dims[i - 1];
    type.dims[axis] = 1;
    type.rank++;
    const uint32_t inputs[] = {input, graph_int(maker->graph, (int32_t)axis)};
    return maker_add(maker, ANEURALNETWORKS_EXPAND_DIMS, 2, inputs, &type);
}

bool maker_tile(struct maker *maker)
{
    int32_t times[GRAPH_RANK_MAX];
    const uint32_t input = maker_pick(maker, "FHIQS", 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    for (uint32_t i = 0; i < type.rank; i++) {
        times[i] = 1 + (int32_t)maker_below(maker, 2);
        type.dims[i] *= (uint32_t)times[i];
    }
    if (graph_elements(&type) > MAKER_ELEMENTS_MAX)
        return false;
    const uint32_t inputs[] = {input, graph_ints(maker->graph, type.rank, times)};
    return maker_add(maker, ANEURALNETWORKS_TILE, 2, inputs, &type);
}

bool maker_reverse(struct maker *maker)
{
    const uint32_t input = maker_pick(maker, "FHIQS", 4);
    if (input == MAKER_NONE)
        return false;
    const struct graph_type type = *maker_type_of(maker, input);
    const int32_t axis = (int32_t)maker_below(maker, type.rank);
    const uint32_t inputs[] = {input, graph_ints(maker->graph, 1, &axis)};
    return maker_add(maker, ANEURALNETWORKS_REVERSE, 2, inputs, &type);
}
