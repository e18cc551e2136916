/* Graphs of nodes that make no sense, as files may have them, go through the passes unharmed. */
#include "tests/kit/test.h"

#include <stdlib.h>

#include "common/random.h"
#include "libhalyard/graph/passes/passes.h"
#include "tests/unit/libhalyard/kit/drawn_graph.h"

enum { SEEDS = 20000, TENSORS = 12, NODES = 16 };

static enum hy_element pick_element(struct hy_random *random)
{
    static const enum hy_element elements[] = {
        HY_ELEMENT_FLOAT32, HY_ELEMENT_FLOAT32, HY_ELEMENT_UINT8, HY_ELEMENT_INT8,
        HY_ELEMENT_INT32,   HY_ELEMENT_INT32,   HY_ELEMENT_INT64, HY_ELEMENT_FLOAT16,
        HY_ELEMENT_BOOL,    HY_ELEMENT_INT4,    HY_ELEMENT_STRING};
    return elements[hy_random_below(random, sizeof elements / sizeof *elements)];
}

/* The operators that passes look at come more often than the others. */
static enum hy_operator pick_operator(struct hy_random *random)
{
    static const enum hy_operator operators[] = {HY_OPERATOR_TRANSPOSE,
                                                 HY_OPERATOR_RESHAPE,
                                                 HY_OPERATOR_SQUEEZE,
                                                 HY_OPERATOR_CAST,
                                                 HY_OPERATOR_QUANTIZE,
                                                 HY_OPERATOR_DEQUANTIZE,
                                                 HY_OPERATOR_PAD,
                                                 HY_OPERATOR_CONV_2D,
                                                 HY_OPERATOR_DEPTHWISE_CONV_2D,
                                                 HY_OPERATOR_MUL,
                                                 HY_OPERATOR_ADD,
                                                 HY_OPERATOR_SUB,
                                                 HY_OPERATOR_RELU,
                                                 HY_OPERATOR_FULLY_CONNECTED,
                                                 HY_OPERATOR_TRANSPOSE_CONV_2D,
                                                 HY_OPERATOR_SLICE,
                                                 HY_OPERATOR_STRIDED_SLICE,
                                                 HY_OPERATOR_TILE};
    enum hy_operator any;

    if (hy_random_below(random, 4) > 0)
        return operators[hy_random_below(random, sizeof operators / sizeof *operators)];
    do {
        any = (enum hy_operator)hy_random_below(random, HY_OPERATOR_COUNT);
    } while (any == HY_OPERATOR_IF || any == HY_OPERATOR_WHILE); /* readers make their bodies */
    return any;
}

static uint32_t draw_tensor(struct hy_drawn_graph *drawn, struct hy_random *random)
{
    int32_t extents[6] = {0};
    const uint32_t rank = hy_random_below(random, 6);
    for (uint32_t i = 0; i < rank; i++)
        extents[i] = (int32_t)hy_random_below(random, 5);
    extents[rank] = -1;
    const uint32_t index = hy_draw_tensor(drawn, pick_element(random), extents);
    struct hy_graph_tensor *tensor = &drawn->graph.tensors[index];
    if (hy_element_bits(tensor->element) > 0 && hy_random_below(random, 2)) {
        EXPECT(hy_element_bytes(tensor->element, rank, tensor->extents, &tensor->bytes));
        uint8_t *bytes = hy_arena_alloc(&drawn->graph.arena, tensor->bytes + 1);
        for (uint64_t i = 0; i < tensor->bytes; i++)
            bytes[i] = hy_random_below(random, 3) ? 0 : (uint8_t)(hy_random_below(random, 8) - 2);
        tensor->data = bytes;
    } else if (rank > 0 && hy_random_below(random, 4) == 0) {
        tensor->extents[hy_random_below(random, rank)] = HY_UNKNOWN_EXTENT;
    }
    if (hy_random_below(random, 3) == 0)
        hy_draw_scale(drawn, index, 0.5f, 3);
    return index;
}

/* A node that reads anything that is there, or nothing. */
static void draw_node(struct hy_drawn_graph *drawn, struct hy_random *random)
{
    uint32_t inputs[5];
    union hy_attributes attributes = {0};
    const uint32_t count = hy_random_below(random, 5);

    for (uint32_t i = 0; i < sizeof attributes / 4; i++)
        ((uint32_t *)(void *)&attributes)[i] = hy_random_below(random, 2); /* any bool, too */
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = hy_random_below(random, 12) ? hy_random_below(random, drawn->graph.tensor_count)
                                                : HY_NO_TENSOR;
    const enum hy_operator operator_ = pick_operator(random);
    if (operator_ == HY_OPERATOR_RESHAPE || operator_ == HY_OPERATOR_SQUEEZE ||
        operator_ == HY_OPERATOR_FOREIGN)
        attributes = (union hy_attributes){0}; /* these have pointers */
    const uint32_t output =
        hy_draw_node(drawn, operator_, &attributes, pick_element(random), count, inputs);
    if (hy_random_below(random, 3) == 0)
        hy_draw_scale(drawn, output, 0.5f, 3);
}

static void expect_order(const struct hy_graph *graph, uint64_t seed)
{
    bool *later = calloc((size_t)graph->tensor_count + 1, sizeof *later);

    for (uint32_t i = 0; i < graph->node_count; i++)
        later[graph->nodes[i].outputs[0]] = true;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct hy_graph_node *node = &graph->nodes[i];
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != HY_NO_TENSOR && later[node->inputs[j]])
                hy_test_fail(__FILE__, __LINE__, "seed %llu: node %u reads what comes later",
                             (unsigned long long)seed, i);
        }
        later[node->outputs[0]] = false;
    }
    free(later);
}

/* Every tensor that is read, or is an output, is computed, or nothing has computed it before. */
static void expect_sources(const struct hy_graph *graph, const bool *computed, uint64_t seed)
{
    bool *is_there = calloc((size_t)graph->tensor_count + 1, sizeof *is_there);

    for (uint32_t i = 0; i < graph->tensor_count; i++)
        is_there[i] = i >= TENSORS + NODES || !computed[i] || graph->tensors[i].data;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct hy_graph_node *node = &graph->nodes[i];
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != HY_NO_TENSOR && !is_there[node->inputs[j]])
                hy_test_fail(__FILE__, __LINE__, "seed %llu: node %u reads what nothing computes",
                             (unsigned long long)seed, i);
        }
        is_there[node->outputs[0]] = true;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (!is_there[graph->outputs[i]])
            hy_test_fail(__FILE__, __LINE__, "seed %llu: nothing computes output %u",
                         (unsigned long long)seed, i);
    }
    free(is_there);
}

TEST(passes_malformed, graphs_that_make_no_sense_stay_graphs)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct hy_drawn_graph drawn = {0};
        bool computed[TENSORS + NODES] = {false};
        struct hy_random random = {seed};
        uint32_t outputs[2];

        for (uint32_t i = 0; i < TENSORS; i++)
            draw_tensor(&drawn, &random);
        for (uint32_t i = 0; i < NODES; i++)
            draw_node(&drawn, &random);
        memset(computed + TENSORS, true, NODES);
        for (uint32_t i = 0; i < 2; i++)
            outputs[i] = TENSORS + hy_random_below(&random, NODES);
        hy_draw_outputs(&drawn, 2, outputs);
        if (hy_graph_run_passes(&drawn.graph, NULL) == HY_OK) {
            EXPECT(drawn.graph.outputs[0] == outputs[0] && drawn.graph.outputs[1] == outputs[1]);
            expect_order(&drawn.graph, seed);
            expect_sources(&drawn.graph, computed, seed);
        }
        hy_draw_finish(&drawn);
    }
}
