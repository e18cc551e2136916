#include "tests/scenarios/graphs/generator.h"

#include <string.h>

/* Something for the second input: a tensor like the first, or a constant that is broadcast. */
static uint32_t pick_second(struct generator *generator, uint32_t first)
{
    if (generator_below(generator, 3))
        return generator_pick_like(generator, first, false);
    struct graph_type type = *generator_type_of(generator, first);
    type.dims[0] = generator_below(generator, 2) ? type.dims[type.rank - 1] : 1;
    type.rank = 1;
    return generator_constant(generator, &type);
}

/* Products need a scale above that of both factors together. */
static struct graph_type result_like(struct generator *generator, uint32_t first)
{
    struct graph_type type = *generator_type_of(generator, first);
    if (type.scale > 0)
        type.scale = 0.25f;
    if (type.scale > 0)
        type.zero_point =
            generator_type(generator, generator_is(&type, "Q") ? 'Q' : 'S').zero_point;
    return type;
}

bool generator_arithmetic(struct generator *generator)
{
    static const int32_t codes[] = {ANEURALNETWORKS_ADD, ANEURALNETWORKS_SUB, ANEURALNETWORKS_MUL,
                                    ANEURALNETWORKS_MAXIMUM, ANEURALNETWORKS_MINIMUM};
    const uint32_t which = generator_below(generator, 5),
                   first = generator_pick(generator, "FHIQS", 4);
    if (first == GENERATOR_NONE)
        return false;
    const struct graph_type type = result_like(generator, first);
    const bool activates = which < 3;
    const uint32_t second = pick_second(generator, first);
    const int32_t activation =
        generator_is(&type, "I") ? 0 : (int32_t)generator_below(generator, 4);
    const uint32_t inputs[] = {first, second,
                               activates ? graph_int(generator->graph, activation) : 0};
    return generator_add(generator, codes[which], activates ? 3 : 2, inputs, &type);
}

/* LOGISTIC and TANH have their scales from the specification. */
static void set_fixed(int32_t code, struct graph_type *type)
{
    const bool is_unsigned = generator_is(type, "Q");
    if (type->scale == 0 || (code != ANEURALNETWORKS_LOGISTIC && code != ANEURALNETWORKS_TANH))
        return;
    type->scale = code == ANEURALNETWORKS_LOGISTIC ? 1.0f / 256 : 1.0f / 128;
    type->zero_point =
        code == ANEURALNETWORKS_LOGISTIC ? (is_unsigned ? 0 : -128) : (is_unsigned ? 128 : 0);
}

bool generator_unary(struct generator *generator)
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
    const uint32_t which = generator_below(generator, sizeof all / sizeof *all);
    const uint32_t input = generator_pick(generator, all[which].letters, 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = *generator_type_of(generator, input);
    set_fixed(all[which].code, &type);
    return generator_add(generator, all[which].code, 1, &input, &type);
}

bool generator_compare(struct generator *generator)
{
    static const int32_t codes[] = {ANEURALNETWORKS_EQUAL, ANEURALNETWORKS_NOT_EQUAL,
                                    ANEURALNETWORKS_LESS, ANEURALNETWORKS_GREATER_EQUAL};
    const uint32_t first = generator_pick(generator, "BFHIQS", 4);
    if (first == GENERATOR_NONE)
        return false;
    const uint32_t inputs[] = {first, pick_second(generator, first)};
    struct graph_type type = generator_type(generator, 'B');
    type.rank = generator_type_of(generator, first)->rank;
    memcpy(type.dims, generator_type_of(generator, first)->dims, sizeof type.dims);
    return generator_add(generator, codes[generator_below(generator, 4)], 2, inputs, &type);
}

bool generator_logical(struct generator *generator)
{
    static const int32_t codes[] = {ANEURALNETWORKS_LOGICAL_AND, ANEURALNETWORKS_LOGICAL_OR,
                                    ANEURALNETWORKS_LOGICAL_NOT};
    const uint32_t which = generator_below(generator, 3), first = generator_pick(generator, "B", 4);
    if (first == GENERATOR_NONE)
        return false;
    const uint32_t inputs[] = {first, generator_pick_like(generator, first, false)};
    const struct graph_type type = *generator_type_of(generator, first);
    return generator_add(generator, codes[which], which < 2 ? 2 : 1, inputs, &type);
}

bool generator_select(struct generator *generator)
{
    const uint32_t chosen = generator_pick(generator, "FHIQS", 4);
    if (chosen == GENERATOR_NONE)
        return false;
    struct graph_type condition = generator_type(generator, 'B');
    condition.rank = generator_type_of(generator, chosen)->rank;
    memcpy(condition.dims, generator_type_of(generator, chosen)->dims, sizeof condition.dims);
    const uint32_t made = generator_constant(generator, &condition);
    const uint32_t inputs[] = {generator_pick_like(generator, made, false), chosen,
                               generator_pick_like(generator, chosen, false)};
    const struct graph_type type = *generator_type_of(generator, chosen);
    return generator_add(generator, ANEURALNETWORKS_SELECT, 3, inputs, &type);
}

bool generator_convert(struct generator *generator)
{
    static const struct {
        int32_t code;
        const char *from, *to;
    } all[] = {
        {ANEURALNETWORKS_CAST, "FHIQ", "FHIQ"},
        {ANEURALNETWORKS_QUANTIZE, "FH", "QS"},
        {ANEURALNETWORKS_DEQUANTIZE, "QS", "FH"},
    };
    const uint32_t which = generator_below(generator, 3);
    const uint32_t input = generator_pick(generator, all[which].from, 4);
    if (input == GENERATOR_NONE)
        return false;
    struct graph_type type = generator_type(generator, generator_letter(generator, all[which].to));
    type.rank = generator_type_of(generator, input)->rank;
    memcpy(type.dims, generator_type_of(generator, input)->dims, sizeof type.dims);
    return generator_add(generator, all[which].code, 1, &input, &type);
}
