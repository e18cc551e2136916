#include "tests/graphs/maker.h"

#include "common/half.h"

bool maker_reduce(struct maker *maker)
{
    static const struct {
        int32_t code;
        const char *letters;
    } all[] = {
        {ANEURALNETWORKS_MEAN, "FHQS"},
        {ANEURALNETWORKS_REDUCE_MAX, "FHQS"},
        {ANEURALNETWORKS_REDUCE_SUM, "FH"},
    };
    const uint32_t which = maker_below(maker, 3);
    const uint32_t input = maker_pick(maker, all[which].letters, 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    const int32_t axis = (int32_t)maker_below(maker, type.rank);
    type.dims[axis] = 1;
    const uint32_t inputs[] = {input, graph_ints(maker->graph, 1, &axis),
                               which == 0 ? graph_int(maker->graph, 1)
                                          : graph_bool(maker->graph, true)};
    return maker_add(maker, all[which].code, 3, inputs, &type);
}

bool maker_arg_extreme(struct maker *maker)
{
    const uint32_t input = maker_pick(maker, "FHIQS", 4);
    if (input == MAKER_NONE || maker_type_of(maker, input)->rank < 2)
        return false;
    const struct graph_type from = *maker_type_of(maker, input);
    const uint32_t axis = maker_below(maker, from.rank);
    struct graph_type type = maker_type(maker, 'I');
    for (uint32_t i = 0; i < from.rank; i++)
        if (i != axis)
            type.dims[type.rank++] = from.dims[i];
    const uint32_t inputs[] = {input, graph_int(maker->graph, (int32_t)axis)};
    return maker_add(maker, maker_below(maker, 2) ? ANEURALNETWORKS_ARGMAX : ANEURALNETWORKS_ARGMIN,
                     2, inputs, &type);
}

bool maker_softmax(struct maker *maker)
{
    const uint32_t input = maker_pick(maker, "FHQS", 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    if (type.scale > 0) {
        type.zero_point = maker_is(&type, "Q") ? 0 : -128;
        type.scale = 1.0f / 256;
    }
    const uint32_t inputs[] = {input,
                               maker_is(&type, "H")
                                   ? graph_half(maker->graph, hy_half_from_float(0.5f))
                                   : graph_float(maker->graph, 0.5f),
                               graph_int(maker->graph, -1)};
    return maker_add(maker, ANEURALNETWORKS_SOFTMAX, 3, inputs, &type);
}

/* The bias of bytes is of 32 bits, and its scale is that of a product. */
static uint32_t make_bias(struct maker *maker, const struct graph_type *input,
                          const struct graph_type *weights, uint32_t units)
{
    struct graph_type type = *input;
    if (type.scale > 0) {
        type = maker_type(maker, 'I');
        type.scale = input->scale * weights->scale;
    }
    type.rank = 1;
    type.dims[0] = units;
    return maker_constant(maker, &type);
}

bool maker_fully_connected(struct maker *maker)
{
    const uint32_t input = maker_pick(maker, "FHQS", 4);
    if (input == MAKER_NONE || maker_type_of(maker, input)->rank < 2)
        return false;
    const struct graph_type from = *maker_type_of(maker, input);
    const uint32_t depth = from.dims[from.rank - 1], units = 1 + maker_below(maker, 5);
    struct graph_type weights = from, type = from;
    if (units * depth > MAKER_ELEMENTS_MAX ||
        graph_elements(&from) / depth * units > MAKER_ELEMENTS_MAX)
        return false;
    weights.rank = 2;
    weights.dims[0] = units;
    weights.dims[1] = depth;
    type.rank = 2;
    type.dims[0] = graph_elements(&from) / depth;
    type.dims[1] = units;
    if (type.scale > 0)
        type.scale = 0.25f; /* above that of a product */
    const uint32_t inputs[] = {input, maker_constant(maker, &weights),
                               make_bias(maker, &from, &weights, units),
                               graph_int(maker->graph, (int32_t)maker_below(maker, 4))};
    return maker_add(maker, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, &type);
}
