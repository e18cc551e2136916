#include "tests/graphs/maker.h"

#include <string.h>

/* Something for the second input: a tensor like the first, or a constant that is broadcast. */
static uint32_t pick_second(struct maker *maker, uint32_t first)
{
    if (maker_below(maker, 3))
        return maker_pick_like(maker, first, false);
    struct graph_type type = *maker_type_of(maker, first);
    type.dims[0] = maker_below(maker, 2) ? type.dims[type.rank - 1] : 1;
    type.rank = 1;
    return maker_constant(maker, &type);
}

/* Products need a scale above that of both factors together. */
static struct graph_type result_like(struct maker *maker, uint32_t first)
{
    struct graph_type type = *maker_type_of(maker, first);
    if (type.scale > 0)
        type.scale = 0.25f;
    if (type.scale > 0)
        type.zero_point = maker_type(maker, maker_is(&type, "Q") ? 'Q' : 'S').zero_point;
    return type;
}

bool maker_arithmetic(struct maker *maker)
{
    static const int32_t codes[] = {ANEURALNETWORKS_ADD, ANEURALNETWORKS_SUB, ANEURALNETWORKS_MUL,
                                    ANEURALNETWORKS_MAXIMUM, ANEURALNETWORKS_MINIMUM};
    const uint32_t which = maker_below(maker, 5), first = maker_pick(maker, "FHIQS", 4);
    if (first == MAKER_NONE)
        return false;
    const struct graph_type type = result_like(maker, first);
    const bool activates = which < 3;
    const uint32_t second = pick_second(maker, first);
    const int32_t activation = maker_is(&type, "I") ? 0 : (int32_t)maker_below(maker, 4);
    const uint32_t inputs[] = {first, second, activates ? graph_int(maker->graph, activation) : 0};
    return maker_add(maker, codes[which], activates ? 3 : 2, inputs, &type);
}

/* LOGISTIC and TANH have their scales from the specification. */
static void set_fixed(int32_t code, struct graph_type *type)
{
    const bool is_unsigned = maker_is(type, "Q");
    if (type->scale == 0 || (code != ANEURALNETWORKS_LOGISTIC && code != ANEURALNETWORKS_TANH))
        return;
    type->scale = code == ANEURALNETWORKS_LOGISTIC ? 1.0f / 256 : 1.0f / 128;
    type->zero_point =
        code == ANEURALNETWORKS_LOGISTIC ? (is_unsigned ? 0 : -128) : (is_unsigned ? 128 : 0);
}

bool maker_unary(struct maker *maker)
{
    static const struct {
        int32_t code;
        const char *letters;
    } all[] = {
        {ANEURALNETWORKS_RELU, "FHQS"},       {ANEURALNETWORKS_RELU6, "FHQS"},
        {ANEURALNETWORKS_LOGISTIC, "FHQS"},   {ANEURALNETWORKS_TANH, "FHQS"},
        {ANEURALNETWORKS_ABS, "FHI"},         {ANEURALNETWORKS_NEG, "FHI"},
        {ANEURALNETWORKS_FLOOR, "FH"},        {ANEURALNETWORKS_SIN, "FH"},
        {ANEURALNETWORKS_HARD_SWISH, "FHQS"},
    };
    const uint32_t which = maker_below(maker, sizeof all / sizeof *all);
    const uint32_t input = maker_pick(maker, all[which].letters, 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = *maker_type_of(maker, input);
    set_fixed(all[which].code, &type);
    return maker_add(maker, all[which].code, 1, &input, &type);
}

bool maker_compare(struct maker *maker)
{
    static const int32_t codes[] = {ANEURALNETWORKS_EQUAL, ANEURALNETWORKS_NOT_EQUAL,
                                    ANEURALNETWORKS_LESS, ANEURALNETWORKS_GREATER_EQUAL};
    const uint32_t first = maker_pick(maker, "BFHIQS", 4);
    if (first == MAKER_NONE)
        return false;
    const uint32_t inputs[] = {first, pick_second(maker, first)};
    struct graph_type type = maker_type(maker, 'B');
    type.rank = maker_type_of(maker, first)->rank;
    memcpy(type.dims, maker_type_of(maker, first)->dims, sizeof type.dims);
    return maker_add(maker, codes[maker_below(maker, 4)], 2, inputs, &type);
}

bool maker_logical(struct maker *maker)
{
    static const int32_t codes[] = {ANEURALNETWORKS_LOGICAL_AND, ANEURALNETWORKS_LOGICAL_OR,
                                    ANEURALNETWORKS_LOGICAL_NOT};
    const uint32_t which = maker_below(maker, 3), first = maker_pick(maker, "B", 4);
    if (first == MAKER_NONE)
        return false;
    const uint32_t inputs[] = {first, maker_pick_like(maker, first, false)};
    const struct graph_type type = *maker_type_of(maker, first);
    return maker_add(maker, codes[which], which < 2 ? 2 : 1, inputs, &type);
}

bool maker_select(struct maker *maker)
{
    const uint32_t chosen = maker_pick(maker, "FHIQS", 4);
    if (chosen == MAKER_NONE)
        return false;
    struct graph_type condition = maker_type(maker, 'B');
    condition.rank = maker_type_of(maker, chosen)->rank;
    memcpy(condition.dims, maker_type_of(maker, chosen)->dims, sizeof condition.dims);
    const uint32_t made = maker_constant(maker, &condition);
    const uint32_t inputs[] = {maker_pick_like(maker, made, false), chosen,
                               maker_pick_like(maker, chosen, false)};
    const struct graph_type type = *maker_type_of(maker, chosen);
    return maker_add(maker, ANEURALNETWORKS_SELECT, 3, inputs, &type);
}

bool maker_convert(struct maker *maker)
{
    static const struct {
        int32_t code;
        const char *from, *to;
    } all[] = {
        {ANEURALNETWORKS_CAST, "FHIQ", "FHIQ"},
        {ANEURALNETWORKS_QUANTIZE, "FH", "QS"},
        {ANEURALNETWORKS_DEQUANTIZE, "QS", "FH"},
    };
    const uint32_t which = maker_below(maker, 3);
    const uint32_t input = maker_pick(maker, all[which].from, 4);
    if (input == MAKER_NONE)
        return false;
    struct graph_type type = maker_type(maker, maker_letter(maker, all[which].to));
    type.rank = maker_type_of(maker, input)->rank;
    memcpy(type.dims, maker_type_of(maker, input)->dims, sizeof type.dims);
    return maker_add(maker, all[which].code, 1, &input, &type);
}
