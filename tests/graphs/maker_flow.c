#include "tests/graphs/maker.h"

#include <string.h>

/* Operations of a body; its result is of the type that it started with. */
#define BODY_OPERATIONS 3u

static const struct graph_type counter = {
    .code = ANEURALNETWORKS_TENSOR_INT32, .rank = 1, .dims = {1}};
static const struct graph_type truth = {
    .code = ANEURALNETWORKS_TENSOR_BOOL8, .rank = 1, .dims = {1}};

/* An input of a body: the values come from the call. */
static uint32_t body_input(struct graph *body, const struct graph_type *type)
{
    static const uint64_t nothing[MAKER_ELEMENTS_MAX];
    return graph_input(body, type, nothing);
}

/* Sums and extremes with constants: whatever the type, it ends as it began. */
static uint32_t body_operations(struct maker *maker, struct graph *body, uint32_t from)
{
    struct maker own = {.graph = body, .chance = {hy_random_next(&maker->chance)}};
    const struct graph_type type = body->operands[from].type;
    const uint32_t count = 1 + maker_below(&own, BODY_OPERATIONS);
    uint32_t last = from;
    for (uint32_t i = 0; i < count; i++) {
        static const int32_t codes[] = {ANEURALNETWORKS_ADD, ANEURALNETWORKS_MAXIMUM,
                                        ANEURALNETWORKS_SUB, ANEURALNETWORKS_MINIMUM};
        const uint32_t which = maker_below(&own, 4);
        const bool activates = which % 2 == 0;
        const uint32_t inputs[] = {last, maker_constant(&own, &type),
                                   activates ? graph_int(body, 0) : 0};
        const uint32_t output = graph_result(body, &type);
        graph_operation(body, codes[which], activates ? 3 : 2, inputs, 1, &output);
        last = output;
    }
    return last;
}

static struct graph *make_branch(struct maker *maker, const struct graph_type *type)
{
    struct graph *body = graph_make(maker->graph->arena);
    if (!body)
        return NULL;
    const uint32_t result = body_operations(maker, body, body_input(body, type));
    body->operands[result].is_output = true;
    return body;
}

/* A tensor that the loop or branch works on: its shape has to be known. */
static uint32_t pick_state(struct maker *maker)
{
    return maker->is_flat ? MAKER_NONE : maker_pick(maker, "FHIQS", 4);
}

/* The model has to tell that it is one value. */
static uint32_t pick_condition(struct maker *maker)
{
    const uint32_t made = maker_constant(maker, &truth);
    const uint32_t found = maker_pick_like(maker, made, false);
    return maker->graph->operands[found].is_hidden[0] ? made : found;
}

bool maker_if(struct maker *maker)
{
    const uint32_t input = pick_state(maker);
    if (input == MAKER_NONE)
        return false;
    const struct graph_type type = *maker_type_of(maker, input);
    const uint32_t inputs[] = {pick_condition(maker),
                               graph_body(maker->graph, make_branch(maker, &type)),
                               graph_body(maker->graph, make_branch(maker, &type)), input};
    return maker_add(maker, ANEURALNETWORKS_IF, 4, inputs, &type);
}

static struct graph *make_condition(struct maker *maker, const struct graph_type *type)
{
    struct graph *body = graph_make(maker->graph->arena);
    if (!body)
        return NULL;
    const int32_t rounds = (int32_t)maker_below(maker, 4);
    const uint32_t first = body_input(body, &counter);
    body_input(body, type);
    const uint32_t inputs[] = {first, graph_constant(body, &counter, &rounds)};
    const uint32_t output = graph_result(body, &truth);
    graph_operation(body, ANEURALNETWORKS_LESS, 2, inputs, 1, &output);
    body->operands[output].is_output = true;
    return body;
}

static struct graph *make_round(struct maker *maker, const struct graph_type *type)
{
    struct graph *body = graph_make(maker->graph->arena);
    if (!body)
        return NULL;
    const int32_t one = 1;
    const uint32_t first = body_input(body, &counter), second = body_input(body, type);
    const uint32_t inputs[] = {first, graph_constant(body, &counter, &one), graph_int(body, 0)};
    const uint32_t next = graph_result(body, &counter);
    graph_operation(body, ANEURALNETWORKS_ADD, 3, inputs, 1, &next);
    body->operands[next].is_output = true;
    body->operands[body_operations(maker, body, second)].is_output = true;
    return body;
}

bool maker_while(struct maker *maker)
{
    const int32_t zero = 0;
    const uint32_t input = pick_state(maker);
    if (input == MAKER_NONE)
        return false;
    const struct graph_type type = *maker_type_of(maker, input);
    const uint32_t inputs[] = {graph_body(maker->graph, make_condition(maker, &type)),
                               graph_body(maker->graph, make_round(maker, &type)),
                               graph_constant(maker->graph, &counter, &zero), input};
    const uint32_t outputs[] = {maker_result(maker, &counter), maker_result(maker, &type)};
    graph_operation(maker->graph, ANEURALNETWORKS_WHILE, 4, inputs, 2, outputs);
    return true;
}
