#include "tests/scenarios/graphs/generator.h"

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
    static const uint64_t nothing[GENERATOR_ELEMENTS_MAX];
    return graph_input(body, type, nothing);
}

/* Sums and extremes with constants: whatever the type, it ends as it began. */
static uint32_t body_operations(struct generator *generator, struct graph *body, uint32_t from)
{
    struct generator own = {.graph = body, .chance = {hy_random_next(&generator->chance)}};
    const struct graph_type type = body->operands[from].type;
    const uint32_t count = 1 + generator_below(&own, BODY_OPERATIONS);
    uint32_t last = from;
    for (uint32_t i = 0; i < count; i++) {
        static const int32_t codes[] = {ANEURALNETWORKS_ADD, ANEURALNETWORKS_MAXIMUM,
                                        ANEURALNETWORKS_SUB, ANEURALNETWORKS_MINIMUM};
        const uint32_t which = generator_below(&own, 4);
        const bool activates = which % 2 == 0;
        const uint32_t inputs[] = {last, generator_constant(&own, &type),
                                   activates ? graph_int(body, 0) : 0};
        const uint32_t output = graph_result(body, &type);
        graph_operation(body, codes[which], activates ? 3 : 2, inputs, 1, &output);
        last = output;
    }
    return last;
}

static struct graph *make_branch(struct generator *generator, const struct graph_type *type)
{
    struct graph *body = graph_make(generator->graph->arena);
    if (!body)
        return NULL;
    const uint32_t result = body_operations(generator, body, body_input(body, type));
    body->operands[result].is_output = true;
    return body;
}

/* A tensor that the loop or branch works on: its shape has to be known. */
static uint32_t pick_state(struct generator *generator)
{
    return generator->is_flat ? GENERATOR_NONE : generator_pick(generator, "FHIQS", 4);
}

/* The model has to tell that it is one value. */
static uint32_t pick_condition(struct generator *generator)
{
    const uint32_t made = generator_constant(generator, &truth);
    const uint32_t found = generator_pick_like(generator, made, false);
    return generator->graph->operands[found].is_hidden[0] ? made : found;
}

bool generator_if(struct generator *generator)
{
    const uint32_t input = pick_state(generator);
    if (input == GENERATOR_NONE)
        return false;
    const struct graph_type type = *generator_type_of(generator, input);
    const uint32_t inputs[] = {pick_condition(generator),
                               graph_body(generator->graph, make_branch(generator, &type)),
                               graph_body(generator->graph, make_branch(generator, &type)), input};
    return generator_add(generator, ANEURALNETWORKS_IF, 4, inputs, &type);
}

static struct graph *make_condition(struct generator *generator, const struct graph_type *type)
{
    struct graph *body = graph_make(generator->graph->arena);
    if (!body)
        return NULL;
    const int32_t rounds = (int32_t)generator_below(generator, 4);
    const uint32_t first = body_input(body, &counter);
    body_input(body, type);
    const uint32_t inputs[] = {first, graph_constant(body, &counter, &rounds)};
    const uint32_t output = graph_result(body, &truth);
    graph_operation(body, ANEURALNETWORKS_LESS, 2, inputs, 1, &output);
    body->operands[output].is_output = true;
    return body;
}

static struct graph *make_round(struct generator *generator, const struct graph_type *type)
{
    struct graph *body = graph_make(generator->graph->arena);
    if (!body)
        return NULL;
    const int32_t one = 1;
    const uint32_t first = body_input(body, &counter), second = body_input(body, type);
    const uint32_t inputs[] = {first, graph_constant(body, &counter, &one), graph_int(body, 0)};
    const uint32_t next = graph_result(body, &counter);
    graph_operation(body, ANEURALNETWORKS_ADD, 3, inputs, 1, &next);
    body->operands[next].is_output = true;
    body->operands[body_operations(generator, body, second)].is_output = true;
    return body;
}

bool generator_while(struct generator *generator)
{
    const int32_t zero = 0;
    const uint32_t input = pick_state(generator);
    if (input == GENERATOR_NONE)
        return false;
    const struct graph_type type = *generator_type_of(generator, input);
    const uint32_t inputs[] = {graph_body(generator->graph, make_condition(generator, &type)),
                               graph_body(generator->graph, make_round(generator, &type)),
                               graph_constant(generator->graph, &counter, &zero), input};
    const uint32_t outputs[] = {generator_result(generator, &counter),
                                generator_result(generator, &type)};
    graph_operation(generator->graph, ANEURALNETWORKS_WHILE, 4, inputs, 2, outputs);
    return true;
}
