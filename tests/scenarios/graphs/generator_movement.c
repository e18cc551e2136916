#include "tests/scenarios/graphs/generator.h"

bool generator_reshape(struct generator *generator)
{
    const uint32_t input = generator_pick(generator, "FHQS", 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    const uint32_t count = graph_elements(&type),
                   rows = generator_below(generator, 2) ? type.dims[0] : 1;
    int32_t shape[] = {(int32_t)rows, (int32_t)(count / rows)};
    type.rank = 2;
    type.dims[0] = rows;
    type.dims[1] = count / rows;
    if (generator_below(generator, 3) == 0)
        shape[generator_below(generator, 2)] = -1;
    const uint32_t inputs[] = {input, graph_ints(generator->graph, 2, shape)};
    return generator_add(generator, ANEURALNETWORKS_RESHAPE, 2, inputs, &type);
}

bool generator_transpose(struct generator *generator)
{
    const uint32_t input = generator_pick(generator, "FHQS", 4);
    if (input == GENERATOR_NONE)
        return false;
    const struct graph_type from = *generator_type_of(generator, input);
    const uint32_t rotation = generator_below(generator, from.rank);
    struct graph_type type = from;
    int32_t order[GRAPH_RANK_MAX];
    for (uint32_t i = 0; i < from.rank; i++) {
        order[i] = (int32_t)((i + rotation) % from.rank);
        type.dims[i] = from.dims[order[i]];
    }
    const uint32_t inputs[] = {input, graph_ints(generator->graph, from.rank, order)};
    return generator_add(generator, ANEURALNETWORKS_TRANSPOSE, 2, inputs, &type);
}

bool generator_concatenate(struct generator *generator)
{
    const uint32_t first = generator_pick(generator, "FHQS", 4);
    if (first == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, first);
    const uint32_t axis = generator_below(generator, type.rank);
    type.dims[axis] *= 2;
    if (graph_elements(&type) > GENERATOR_ELEMENTS_MAX)
        return false;
    const uint32_t inputs[] = {first, generator_pick_like(generator, first, true),
                               graph_int(generator->graph, (int32_t)axis)};
    return generator_add(generator, ANEURALNETWORKS_CONCATENATION, 3, inputs, &type);
}

/* Where a part of a tensor starts and how large it is; `type` becomes the part's. */
static void choose_part(struct generator *generator, struct graph_type *type, int32_t *start,
                        int32_t *size)
{
    for (uint32_t i = 0; i < type->rank; i++) {
        start[i] = (int32_t)generator_below(generator, type->dims[i]);
        type->dims[i] = 1 + generator_below(generator, type->dims[i] - (uint32_t)start[i]);
        size[i] = (int32_t)type->dims[i];
    }
}

bool generator_slice(struct generator *generator)
{
    int32_t start[GRAPH_RANK_MAX], size[GRAPH_RANK_MAX];
    const uint32_t input = generator_pick(generator, "FHIQS", 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    choose_part(generator, &type, start, size);
    const uint32_t inputs[] = {input, graph_ints(generator->graph, type.rank, start),
                               graph_ints(generator->graph, type.rank, size)};
    return generator_add(generator, ANEURALNETWORKS_SLICE, 3, inputs, &type);
}

/* The part is told with the inputs: nobody knows the shape before. */
bool generator_dynamic_slice(struct generator *generator)
{
    int32_t start[GRAPH_RANK_MAX], size[GRAPH_RANK_MAX];
    const uint32_t input =
        generator->is_dynamic ? generator_pick(generator, "FHIQS", 4) : GENERATOR_NONE;
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    choose_part(generator, &type, start, size);
    const struct graph_type part = {
        .code = ANEURALNETWORKS_TENSOR_INT32, .rank = 1, .dims = {type.rank}};
    const uint32_t inputs[] = {input, graph_input(generator->graph, &part, start),
                               graph_input(generator->graph, &part, size)};
    const uint32_t output = graph_result(generator->graph, &type);
    for (uint32_t i = 0; i < type.rank; i++)
        generator->graph->operands[output].is_hidden[i] = true;
    graph_operation(generator->graph, ANEURALNETWORKS_SLICE, 3, inputs, 1, &output);
    return true;
}

bool generator_pad(struct generator *generator)
{
    int32_t edges[2 * GRAPH_RANK_MAX];
    const uint32_t input = generator_pick(generator, "FHQS", 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    for (uint32_t i = 0; i < type.rank; i++) {
        edges[2 * i] = (int32_t)generator_below(generator, 2);
        edges[2 * i + 1] = (int32_t)generator_below(generator, 2);
        type.dims[i] += (uint32_t)(edges[2 * i] + edges[2 * i + 1]);
    }
    if (graph_elements(&type) > GENERATOR_ELEMENTS_MAX)
        return false;
    const struct graph_type pairs = {
        .code = ANEURALNETWORKS_TENSOR_INT32, .rank = 2, .dims = {type.rank, 2}};
    const uint32_t inputs[] = {input, graph_constant(generator->graph, &pairs, edges)};
    return generator_add(generator, ANEURALNETWORKS_PAD, 2, inputs, &type);
}

bool generator_split(struct generator *generator)
{
    const uint32_t input = generator_pick(generator, "FHIQS", 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    const uint32_t axis = generator_below(generator, type.rank), parts = type.dims[axis];
    if (parts < 2 || parts > GRAPH_OUTPUTS_MAX)
        return false;
    type.dims[axis] = 1;
    const uint32_t inputs[] = {input, graph_int(generator->graph, (int32_t)axis),
                               graph_int(generator->graph, (int32_t)parts)};
    uint32_t outputs[GRAPH_OUTPUTS_MAX];
    for (uint32_t i = 0; i < parts; i++)
        outputs[i] = generator_result(generator, &type);
    graph_operation(generator->graph, ANEURALNETWORKS_SPLIT, 3, inputs, parts, outputs);
    return true;
}

bool generator_expand(struct generator *generator)
{
    const uint32_t input = generator_pick(generator, "FHIQS", 3);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    const uint32_t axis = generator_below(generator, type.rank + 1);
    for (uint32_t i = type.rank; i > axis; i--)
        type.dims[i] = type.dims[i - 1];
    type.dims[axis] = 1;
    type.rank++;
    const uint32_t inputs[] = {input, graph_int(generator->graph, (int32_t)axis)};
    return generator_add(generator, ANEURALNETWORKS_EXPAND_DIMS, 2, inputs, &type);
}

bool generator_tile(struct generator *generator)
{
    int32_t times[GRAPH_RANK_MAX];
    const uint32_t input = generator_pick(generator, "FHIQS", 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    for (uint32_t i = 0; i < type.rank; i++) {
        times[i] = 1 + (int32_t)generator_below(generator, 2);
        type.dims[i] *= (uint32_t)times[i];
    }
    if (graph_elements(&type) > GENERATOR_ELEMENTS_MAX)
        return false;
    const uint32_t inputs[] = {input, graph_ints(generator->graph, type.rank, times)};
    return generator_add(generator, ANEURALNETWORKS_TILE, 2, inputs, &type);
}

bool generator_reverse(struct generator *generator)
{
    const uint32_t input = generator_pick(generator, "FHIQS", 4);
    if (input == GENERATOR_NONE)
        return false;
    const struct graph_type type = *generator_type_of(generator, input);
    const int32_t axis = (int32_t)generator_below(generator, type.rank);
    const uint32_t inputs[] = {input, graph_ints(generator->graph, 1, &axis)};
    return generator_add(generator, ANEURALNETWORKS_REVERSE, 2, inputs, &type);
}
