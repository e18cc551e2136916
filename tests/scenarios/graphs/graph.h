#ifndef HY_TESTS_SCENARIOS_GRAPHS_GRAPH_H
#define HY_TESTS_SCENARIOS_GRAPHS_GRAPH_H

#include "common/error.h"
#include "common/memory/arena.h"

#include <android/NeuralNetworks.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A model written down by a test before building. Every shape and value is known here, even if the
 * built model leaves shapes open. All memory belongs to an arena.
 */
#define GRAPH_RANK_MAX     4u
#define GRAPH_INPUTS_MAX   8u
#define GRAPH_OUTPUTS_MAX  4u
#define GRAPH_OPERANDS_MAX 1024u

/* Type and shape of a tensor. */
struct graph_type {
    int32_t code; /* ANEURALNETWORKS_ */
    uint32_t rank;
    uint32_t dims[GRAPH_RANK_MAX];
    float scale;
    int32_t zero_point;
};

enum graph_role {
    GRAPH_INPUT,
    GRAPH_RESULT, /* of an operation */
    GRAPH_CONSTANT,
    GRAPH_BODY, /* a model for IF and WHILE */
};

struct graph_operand {
    struct graph_type type;
    enum graph_role role;
    bool is_hidden[GRAPH_RANK_MAX]; /* extents left open in the built model */
    bool is_read;                   /* by an operation */
    bool is_output;
    const void *value; /* for inputs and constants */
    const struct graph *body;
};

struct graph_operation {
    int32_t code;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t inputs[GRAPH_INPUTS_MAX];
    uint32_t outputs[GRAPH_OUTPUTS_MAX];
};

struct graph {
    struct hy_arena *arena;
    bool failed; /* out of memory or capacity */
    uint32_t operand_count;
    uint32_t operation_count;
    struct graph_operand operands[GRAPH_OPERANDS_MAX];
    struct graph_operation operations[GRAPH_OPERANDS_MAX];
};

/* Returns NULL if out of memory. */
struct graph *graph_make(struct hy_arena *arena);

uint32_t graph_elements(const struct graph_type *type);
size_t graph_bytes(const struct graph_type *type);

/* Each function adds an operand and returns its index. Values are copied. */
uint32_t graph_input(struct graph *graph, const struct graph_type *type, const void *value);
uint32_t graph_constant(struct graph *graph, const struct graph_type *type, const void *value);
uint32_t graph_int(struct graph *graph, int32_t value);   /* INT32 */
uint32_t graph_float(struct graph *graph, float value);   /* FLOAT32 */
uint32_t graph_bool(struct graph *graph, bool value);     /* BOOL */
uint32_t graph_half(struct graph *graph, uint16_t value); /* FLOAT16 */
uint32_t graph_ints(struct graph *graph, uint32_t count, const int32_t *values);
uint32_t graph_body(struct graph *graph, const struct graph *body);
uint32_t graph_result(struct graph *graph, const struct graph_type *type);

void graph_operation(struct graph *graph, int32_t code, uint32_t input_count,
                     const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs);

/* Models of the API with a common lifetime; the graph must outlive the models. */
struct graph_models {
    ANeuralNetworksModel *main;
    uint32_t body_count;
    ANeuralNetworksModel *bodies[GRAPH_OPERANDS_MAX];
};

/* `models` must be zeroed. Call graph_models_finish in any case. */
HY_MUST_CHECK enum hy_code graph_build(const struct graph *graph, struct graph_models *models,
                                       struct hy_error *err);
void graph_models_finish(struct graph_models *models);

#endif
