#include "tests/scenarios/graphs/generator.h"

#include "common/half.h"

bool generator_reduce(struct generator *generator)
{
    static const struct {
        int32_t code;
        const char *letters;
    } all[] = {
        {ANEURALNETWORKS_MEAN, "FHQS"},
        {ANEURALNETWORKS_REDUCE_MAX, "FHQS"},
        {ANEURALNETWORKS_REDUCE_SUM, "FH"},
    };
    const uint32_t which = generator_below(generator, 3);
    const uint32_t input = generator_pick(generator, all[which].letters, 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    const int32_t axis = (int32_t)generator_below(generator, type.rank);
    type.dims[axis] = 1;
    const uint32_t inputs[] = {input, graph_ints(generator->graph, 1, &axis),
                               which == 0 ? graph_int(generator->graph, 1)
                                          : graph_bool(generator->graph, true)};
    return generator_add(generator, all[which].code, 3, inputs, &type);
}

bool generator_arg_min_max(struct generator *generator)
{
    const uint32_t input = generator_pick(generator, "FHIQS", 4);
    if (input == GENERATOR_NONE || generator_type_of(generator, input)->rank < 2)
        return false;
    const struct graph_type from = *generator_type_of(generator, input);
    const uint32_t axis = generator_below(generator, from.rank);
    struct graph_type type = generator_type(generator, 'I');
    for (uint32_t i = 0; i < from.rank; i++)
        if (i != axis)
            type.dims[type.rank++] = from.dims[i];
    const uint32_t inputs[] = {input, graph_int(generator->graph, (int32_t)axis)};
    return generator_add(
        generator, generator_below(generator, 2) ? ANEURALNETWORKS_ARGMAX : ANEURALNETWORKS_ARGMIN,
        2, inputs, &type);
}

bool generator_softmax(struct generator *generator)
{
    const uint32_t input = generator_pick(generator, "FHQS", 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    if (type.scale > 0) {
        type.zero_point = generator_is(&type, "Q") ? 0 : -128;
        type.scale = 1.0f / 256;
    }
    const uint32_t inputs[] = {input,
                               generator_is(&type, "H")
                                   ? graph_half(generator->graph, hy_half_from_float(0.5f))
                                   : graph_float(generator->graph, 0.5f),
                               graph_int(generator->graph, -1)};
    return generator_add(generator, ANEURALNETWORKS_SOFTMAX, 3, inputs, &type);
}

/* The bias of bytes is of 32 bits, and its scale is that of a product. */
static uint32_t make_bias(struct generator *generator, const struct graph_type *input,
                          const struct graph_type *weights, uint32_t units)
{
    struct graph_type type = *input;
    if (type.scale > 0) {
        type = generator_type(generator, 'I');
        type.scale = input->scale * weights->scale;
    }
    type.rank = 1;
    type.dims[0] = units;
    return generator_constant(generator, &type);
}

bool generator_fully_connected(struct generator *generator)
{
    const uint32_t input = generator_pick(generator, "FHQS", 4);
    if (input == GENERATOR_NONE || generator_type_of(generator, input)->rank < 2)
        return false;
    const struct graph_type from = *generator_type_of(generator, input);
    const uint32_t depth = from.dims[from.rank - 1], units = 1 + generator_below(generator, 5);
    struct graph_type weights = from, type = from;
    if (units * depth > GENERATOR_ELEMENTS_MAX ||
        graph_elements(&from) / depth * units > GENERATOR_ELEMENTS_MAX)
        return false;
    weights.rank = 2;
    weights.dims[0] = units;
    weights.dims[1] = depth;
    type.rank = 2;
    type.dims[0] = graph_elements(&from) / depth;
    type.dims[1] = units;
    if (type.scale > 0)
        type.scale = 0.25f; /* above that of a product */
    const uint32_t inputs[] = {input, generator_constant(generator, &weights),
                               make_bias(generator, &from, &weights, units),
                               graph_int(generator->graph, (int32_t)generator_below(generator, 4))};
    return generator_add(generator, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, &type);
}
