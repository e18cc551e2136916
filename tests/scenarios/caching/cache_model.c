#include "tests/scenarios/caching/cache_model.h"

#include "common/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PADDING_VALID 2

/* ---- Values ---------------------------------------------------------------------------------- */

static void fill_element(int32_t code, void *values, uint32_t i, struct hy_random *random)
{
    const uint32_t number = (uint32_t)hy_random_next(random);

    switch (code) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        ((float *)values)[i] = (float)(number % 2001) / 1000 - 1;
        break;
    case ANEURALNETWORKS_TENSOR_INT32:
        ((int32_t *)values)[i] = (int32_t)(number % 401) - 200;
        break;
    case ANEURALNETWORKS_TENSOR_BOOL8:
        ((uint8_t *)values)[i] = 1;
        break;
    default:
        ((int8_t *)values)[i] = (int8_t)(number % 201 - 100);
    }
}

/* An operand whose values follow from the seed. */
static uint32_t filled(struct graph *graph, bool is_input, const struct graph_type *type,
                       struct hy_random *random)
{
    const uint32_t count = graph_elements(type);
    void *values = hy_arena_alloc(graph->arena, graph_bytes(type));
    if (!values) {
        graph->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        fill_element(type->code, values, i, random);
    return is_input ? graph_input(graph, type, values) : graph_constant(graph, type, values);
}

static struct graph_type floats(uint32_t rows, uint32_t columns)
{
    return (struct graph_type){
        .code = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 2, .dims = {rows, columns}};
}

static struct graph_type bytes_of(float scale, int32_t zero, uint32_t rank, const uint32_t *dims)
{
    struct graph_type type = {.code = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
                              .rank = rank,
                              .scale = scale,
                              .zero_point = zero};
    memcpy(type.dims, dims, rank * sizeof *dims);
    return type;
}

static uint32_t bias(struct graph *graph, bool is_float, uint32_t count, float scale,
                     struct hy_random *random)
{
    const struct graph_type type = {.code = is_float ? ANEURALNETWORKS_TENSOR_FLOAT32
                                                     : ANEURALNETWORKS_TENSOR_INT32,
                                    .rank = 1,
                                    .dims = {count},
                                    .scale = scale};
    return filled(graph, false, &type, random);
}

/* ---- Layers ---------------------------------------------------------------------------------- */

static uint32_t dense(struct graph *graph, uint32_t input, uint32_t rows, uint32_t depth,
                      uint32_t units, int32_t activation, struct hy_random *random)
{
    const struct graph_type weights = floats(units, depth), result = floats(rows, units);
    const uint32_t operands[] = {input, filled(graph, false, &weights, random),
                                 bias(graph, true, units, 0, random), graph_int(graph, activation)};
    const uint32_t output = graph_result(graph, &result);

    graph_operation(graph, ANEURALNETWORKS_FULLY_CONNECTED, 4, operands, 1, &output);
    return output;
}

static uint32_t dense8(struct graph *graph, uint32_t input, uint32_t rows, uint32_t depth,
                       uint32_t units, struct hy_random *random)
{
    const struct graph_type weights = bytes_of(.02f, 0, 2, (uint32_t[]){units, depth});
    const struct graph_type result = bytes_of(.5f, 3, 2, (uint32_t[]){rows, units});
    const uint32_t operands[] = {input, filled(graph, false, &weights, random),
                                 bias(graph, false, units, .5f * .02f, random),
                                 graph_int(graph, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t output = graph_result(graph, &result);

    graph_operation(graph, ANEURALNETWORKS_FULLY_CONNECTED, 4, operands, 1, &output);
    return output;
}

/* A convolution of 3 x 3, [1, extent + 2, extent + 2, depth] to [1, extent, extent, 4]. */
static uint32_t convolution(struct graph *graph, bool is_depthwise, uint32_t input, uint32_t depth,
                            uint32_t extent, struct hy_random *random)
{
    const struct graph_type filter = is_depthwise
                                         ? bytes_of(.02f, 0, 4, (uint32_t[]){1, 3, 3, depth})
                                         : bytes_of(.02f, 0, 4, (uint32_t[]){4, 3, 3, depth});
    const struct graph_type result = bytes_of(.5f, 3, 4, (uint32_t[]){1, extent, extent, 4});
    uint32_t operands[8] = {input,
                            filled(graph, false, &filter, random),
                            bias(graph, false, 4, .5f * .02f, random),
                            graph_int(graph, PADDING_VALID),
                            graph_int(graph, 1),
                            graph_int(graph, 1)};
    uint32_t count = 6;
    const uint32_t output = graph_result(graph, &result);

    if (is_depthwise)
        operands[count++] = graph_int(graph, 1); /* the multiplier of channels */
    operands[count++] = graph_int(graph, ANEURALNETWORKS_FUSED_NONE);
    graph_operation(graph,
                    is_depthwise ? ANEURALNETWORKS_DEPTHWISE_CONV_2D : ANEURALNETWORKS_CONV_2D,
                    count, operands, 1, &output);
    return output;
}

/* ---- Models ---------------------------------------------------------------------------------- */

static uint32_t make_cnn8(struct graph *graph, struct hy_random *random)
{
    const struct graph_type type = bytes_of(.5f, 3, 4, (uint32_t[]){1, 6, 6, 2});
    const uint32_t input = filled(graph, true, &type, random);
    const uint32_t wide = convolution(graph, false, input, 2, 4, random);
    const uint32_t narrow = convolution(graph, true, wide, 4, 2, random);

    return dense8(graph, narrow, 1, 16, 5, random);
}

static uint32_t make_dense(struct graph *graph, uint32_t depth, uint32_t units,
                           struct hy_random *random)
{
    const struct graph_type type = floats(2, depth), result = floats(2, 4);
    const uint32_t input = filled(graph, true, &type, random);
    const uint32_t middle =
        dense(graph, input, 2, depth, units, ANEURALNETWORKS_FUSED_RELU, random);
    const uint32_t operands[] = {
        dense(graph, middle, 2, units, 4, ANEURALNETWORKS_FUSED_NONE, random),
        graph_float(graph, 1)};
    const uint32_t output = graph_result(graph, &result);

    graph_operation(graph, ANEURALNETWORKS_SOFTMAX, 2, operands, 1, &output);
    return output;
}

/* Few inputs and outputs, and many weights between them. */
static uint32_t make_wide(struct graph *graph, uint32_t units, struct hy_random *random)
{
    enum { DEPTH = 64 };
    const struct graph_type type = floats(1, DEPTH);
    const uint32_t input = filled(graph, true, &type, random);
    const uint32_t wide = dense(graph, input, 1, DEPTH, units, ANEURALNETWORKS_FUSED_RELU, random);
    const uint32_t wide_again =
        dense(graph, wide, 1, units, units, ANEURALNETWORKS_FUSED_RELU, random);

    return dense(graph, wide_again, 1, units, 4, ANEURALNETWORKS_FUSED_NONE, random);
}

static uint32_t make_dense8(struct graph *graph, struct hy_random *random)
{
    const struct graph_type type = bytes_of(.5f, 3, 2, (uint32_t[]){2, 8});
    const uint32_t input = filled(graph, true, &type, random);

    return dense8(graph, dense8(graph, input, 2, 8, 12, random), 2, 12, 4, random);
}

static uint32_t make_pooled(struct graph *graph, struct hy_random *random)
{
    const int32_t settings[] = {0, 0, 0, 0, 2, 2, 2};
    const struct graph_type type = {
        .code = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 4, .dims = {1, 4, 4, 3}};
    const struct graph_type half = {
        .code = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 4, .dims = {1, 2, 2, 3}};
    const uint32_t input = filled(graph, true, &type, random);
    const uint32_t same = PADDING_VALID, none = ANEURALNETWORKS_FUSED_NONE;
    const uint32_t pool[] = {input,
                             graph_int(graph, (int32_t)same),
                             graph_int(graph, settings[4]),
                             graph_int(graph, settings[4]),
                             graph_int(graph, settings[5]),
                             graph_int(graph, settings[6]),
                             graph_int(graph, (int32_t)none)};
    const uint32_t pooled = graph_result(graph, &half);
    graph_operation(graph, ANEURALNETWORKS_AVERAGE_POOL_2D, 7, pool, 1, &pooled);
    const uint32_t sum[] = {pooled, filled(graph, false, &half, random),
                            graph_int(graph, (int32_t)none)};
    const uint32_t output = graph_result(graph, &half);

    graph_operation(graph, ANEURALNETWORKS_ADD, 3, sum, 1, &output);
    return output;
}

static uint32_t make_body(struct graph *graph, uint32_t units, struct hy_random *random)
{
    struct graph *body = graph_make(graph->arena);
    const struct graph_type type = floats(2, 6);
    if (!body) {
        graph->failed = true;
        return 0;
    }
    const uint32_t input = filled(body, true, &type, random);
    const uint32_t middle = dense(body, input, 2, 6, units, ANEURALNETWORKS_FUSED_RELU, random);
    const uint32_t output = dense(body, middle, 2, units, 5, ANEURALNETWORKS_FUSED_NONE, random);
    body->operands[output].is_output = true;
    return graph_body(graph, body);
}

static uint32_t make_branch(struct graph *graph, struct hy_random *random)
{
    const struct graph_type type = floats(2, 6), result = floats(2, 5);
    const struct graph_type condition = {
        .code = ANEURALNETWORKS_TENSOR_BOOL8, .rank = 1, .dims = {1}};
    const uint32_t which = filled(graph, true, &condition, random);
    const uint32_t then_body = make_body(graph, 7, random);
    const uint32_t else_body = make_body(graph, 9, random);
    const uint32_t operands[] = {which, then_body, else_body, filled(graph, true, &type, random)};
    const uint32_t output = graph_result(graph, &result);

    graph_operation(graph, ANEURALNETWORKS_IF, 4, operands, 1, &output);
    return output;
}

static uint32_t make(struct graph *graph, enum cache_model_kind kind, struct hy_random *random)
{
    switch (kind) {
    case CACHE_MODEL_CNN8:
        return make_cnn8(graph, random);
    case CACHE_MODEL_DENSE:
        return make_dense(graph, 8, 12, random);
    case CACHE_MODEL_BRANCH:
        return make_branch(graph, random);
    case CACHE_MODEL_DENSE8:
        return make_dense8(graph, random);
    case CACHE_MODEL_POOLED:
        return make_pooled(graph, random);
    case CACHE_MODEL_MAPPED:
        return make_wide(graph, 800, random);
    case CACHE_MODEL_HUGE:
        return make_wide(graph, 4160, random);
    default:
        return make_dense(graph, 128, 160, random);
    }
}

bool cache_model_init(struct cache_model *cache_model, enum cache_model_kind kind, uint32_t seed)
{
    struct hy_random random = {hy_random_mix(seed, kind)};

    memset(cache_model, 0, sizeof *cache_model);
    cache_model->kind = kind;
    cache_model->graph = graph_make(&cache_model->memory);
    if (!cache_model->graph)
        return false;
    cache_model->output = make(cache_model->graph, kind, &random);
    cache_model->graph->operands[cache_model->output].is_output = true;
    cache_model->output_bytes =
        graph_bytes(&cache_model->graph->operands[cache_model->output].type);
    struct hy_error err = {0};
    if (graph_build(cache_model->graph, &cache_model->models, &err) == HY_OK)
        return true;
    fprintf(stderr, "%s: %s\n", cache_model_name(kind), err.text);
    return false;
}

void cache_model_finish(struct cache_model *cache_model)
{
    graph_models_finish(&cache_model->models);
    hy_arena_finish(&cache_model->memory);
    memset(cache_model, 0, sizeof *cache_model);
}

const char *cache_model_name(enum cache_model_kind kind)
{
    static const char *const names[] = {"cnn8",   "dense", "branch", "dense8",
                                        "pooled", "large", "huge"};
    return kind < sizeof names / sizeof *names ? names[kind] : "of no kind";
}
