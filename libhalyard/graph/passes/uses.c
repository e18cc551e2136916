#include "libhalyard/graph/passes/uses.h"

#include <stdlib.h>
#include <string.h>

/* ---- Counts ---------------------------------------------------------------------------------- */

static void free_counts(struct hy_uses *uses)
{
    free(uses->producers);
    free(uses->readers);
    free(uses->replacements);
    free(uses->is_output);
    free(uses->removed);
    *uses = (struct hy_uses){0};
}

static bool resize(void **list, uint32_t count, size_t size)
{
    void *resized = reallocarray(*list, (size_t)count + 1, size);
    if (resized)
        *list = resized;
    return resized;
}

static enum hy_code resize_tensors(struct hy_uses *uses, uint32_t capacity, struct hy_error *err)
{
    void *producers = uses->producers, *readers = uses->readers;
    void *replacements = uses->replacements, *is_output = uses->is_output;
    const bool resized = resize(&producers, capacity, sizeof *uses->producers) &&
                         resize(&readers, capacity, sizeof *uses->readers) &&
                         resize(&replacements, capacity, sizeof *uses->replacements) &&
                         resize(&is_output, capacity, sizeof *uses->is_output);
    uses->producers = producers;
    uses->readers = readers;
    uses->replacements = replacements;
    uses->is_output = is_output;
    if (!resized)
        return hy_fail(err, HY_OUT_OF_MEMORY, "uses of %u tensors", capacity);
    uses->tensor_capacity = capacity;
    return HY_OK;
}

static void init_tensor(struct hy_uses *uses, uint32_t tensor)
{
    uses->producers[tensor] = HY_NO_NODE;
    uses->readers[tensor] = 0;
    uses->replacements[tensor] = tensor;
    uses->is_output[tensor] = false;
}

static void count_inputs(struct hy_uses *uses, const struct hy_graph_node *node, uint32_t change)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] != HY_NO_TENSOR)
            uses->readers[node->inputs[i]] += change;
    }
}

static void set_producer(struct hy_uses *uses, uint32_t node)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    for (uint32_t i = 0; i < of->output_count; i++)
        uses->producers[of->outputs[i]] = node;
}

enum hy_code hy_uses_init(struct hy_uses *uses, struct hy_graph *graph, struct hy_error *err)
{
    *uses = (struct hy_uses){.graph = graph};
    enum hy_code code = resize_tensors(uses, graph->tensor_count, err);
    uses->removed = calloc((size_t)graph->node_count + 1, sizeof *uses->removed);
    if (code == HY_OK && !uses->removed)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "uses of %u nodes", graph->node_count);
    if (code != HY_OK) {
        free_counts(uses);
        return code;
    }
    for (uint32_t i = 0; i < graph->tensor_count; i++)
        init_tensor(uses, i);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        count_inputs(uses, &graph->nodes[i], 1);
        set_producer(uses, i);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        uses->readers[graph->outputs[i]]++;
        uses->is_output[graph->outputs[i]] = true;
    }
    return HY_OK;
}

void hy_uses_finish(struct hy_uses *uses)
{
    struct hy_graph *graph = uses->graph;
    uint32_t left = 0;

    for (uint32_t i = 0; graph && i < graph->node_count; i++) {
        if (!uses->removed[i])
            graph->nodes[left++] = graph->nodes[i];
    }
    if (graph)
        graph->node_count = left;
    free_counts(uses);
}

/* ---- Visits ---------------------------------------------------------------------------------- */

/* Replaces the outputs of removed nodes in the inputs of a node. */
static enum hy_code update_inputs(struct hy_uses *uses, uint32_t node, struct hy_error *err)
{
    struct hy_graph_node *of = &uses->graph->nodes[node];
    uint32_t *inputs = NULL;

    for (uint32_t i = 0; i < of->input_count; i++) {
        const uint32_t tensor = of->inputs[i];
        if (tensor == HY_NO_TENSOR || uses->replacements[tensor] == tensor)
            continue;
        if (!inputs) {
            inputs =
                hy_arena_copy(&uses->graph->arena, of->inputs, of->input_count, sizeof *inputs);
            if (!inputs)
                return hy_fail(err, HY_OUT_OF_MEMORY, "%u inputs", of->input_count);
        }
        inputs[i] = uses->replacements[tensor];
    }
    if (inputs)
        of->inputs = inputs; /* hy_uses_replace has counted them */
    return HY_OK;
}

static enum hy_code name_node(const struct hy_graph_node *node, enum hy_code code,
                              struct hy_error *err)
{
    hy_error_prefix(err, code, "operator %u %s", node->origin, node->operator_name);
    if (node->subgraph > 0)
        hy_error_prefix(err, code, "subgraph %u", node->subgraph);
    return code;
}

enum hy_code hy_uses_visit(struct hy_uses *uses, hy_node_visit *const *visits, uint32_t visit_count,
                           void *context, struct hy_error *err)
{
    for (uint32_t i = 0; i < uses->graph->node_count; i++) {
        if (uses->removed[i] || uses->graph->nodes[i].output_count == 0)
            continue;
        const struct hy_graph_node node = uses->graph->nodes[i];
        enum hy_code code = update_inputs(uses, i, err);
        for (uint32_t j = 0; code == HY_OK && j < visit_count && !uses->removed[i]; j++)
            code = visits[j](uses, i, context, err);
        if (code != HY_OK)
            return name_node(&node, code, err);
    }
    return HY_OK;
}

/* ---- Questions ------------------------------------------------------------------------------- */

uint32_t hy_uses_producer(const struct hy_uses *uses, uint32_t node, uint32_t input)
{
    const uint32_t tensor = hy_graph_node_input(&uses->graph->nodes[node], input);
    return tensor == HY_NO_TENSOR ? HY_NO_NODE : uses->producers[tensor];
}

static uint32_t sole_producer_of(const struct hy_uses *uses, uint32_t tensor)
{
    const uint32_t producer = uses->producers[tensor];
    const bool is_sole = producer != HY_NO_NODE && uses->readers[tensor] == 1 &&
                         uses->graph->nodes[producer].output_count == 1;
    return is_sole ? producer : HY_NO_NODE;
}

uint32_t hy_uses_sole_producer(const struct hy_uses *uses, uint32_t node, uint32_t input)
{
    const uint32_t tensor = hy_graph_node_input(&uses->graph->nodes[node], input);
    return tensor == HY_NO_TENSOR ? HY_NO_NODE : sole_producer_of(uses, tensor);
}

const struct hy_graph_tensor *hy_uses_input(const struct hy_uses *uses, uint32_t node,
                                            uint32_t input)
{
    static const struct hy_graph_tensor left_out = {.name = "", .element = HY_ELEMENT_VARIANT};
    const uint32_t tensor = hy_graph_node_input(&uses->graph->nodes[node], input);
    return tensor == HY_NO_TENSOR ? &left_out : &uses->graph->tensors[tensor];
}

const struct hy_graph_tensor *hy_uses_output(const struct hy_uses *uses, uint32_t node,
                                             uint32_t output)
{
    return &uses->graph->tensors[uses->graph->nodes[node].outputs[output]];
}

/* ---- Changes --------------------------------------------------------------------------------- */

void hy_uses_set_inputs(struct hy_uses *uses, uint32_t node, uint32_t count, const uint32_t *inputs)
{
    struct hy_graph_node *of = &uses->graph->nodes[node];
    count_inputs(uses, of, UINT32_MAX); /* one less: counts wrap */
    of->inputs = inputs;
    of->input_count = count;
    count_inputs(uses, of, 1);
}

enum hy_code hy_uses_set_input(struct hy_uses *uses, uint32_t node, uint32_t input, uint32_t tensor,
                               struct hy_error *err)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    uint32_t *inputs =
        hy_arena_copy(&uses->graph->arena, of->inputs, of->input_count, sizeof *inputs);
    if (!inputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u inputs", of->input_count);
    inputs[input] = tensor;
    hy_uses_set_inputs(uses, node, of->input_count, inputs);
    return HY_OK;
}

enum hy_code hy_uses_add_constant(struct hy_uses *uses, const struct hy_graph_tensor *tensor,
                                  uint32_t *ret_index, struct hy_error *err)
{
    uint32_t index;
    enum hy_code code = hy_graph_add_tensor(uses->graph, tensor, &index, err);
    if (code == HY_OK && index >= uses->tensor_capacity)
        code = resize_tensors(uses, 2 * index + 1, err);
    if (code != HY_OK)
        return code;
    init_tensor(uses, index);
    *ret_index = index;
    return HY_OK;
}

void hy_uses_remove(struct hy_uses *uses, uint32_t node)
{
    const struct hy_graph_node *of = &uses->graph->nodes[node];
    for (uint32_t i = 0; i < of->output_count; i++) {
        if (uses->producers[of->outputs[i]] == node)
            uses->producers[of->outputs[i]] = HY_NO_NODE;
    }
    count_inputs(uses, of, UINT32_MAX);
    uses->removed[node] = true;
}

void hy_uses_merge(struct hy_uses *uses, uint32_t producer, uint32_t node)
{
    struct hy_graph_node *merged = &uses->graph->nodes[producer];
    const struct hy_graph_node *gone = &uses->graph->nodes[node];

    uses->producers[merged->outputs[0]] = HY_NO_NODE;
    hy_uses_remove(uses, node);
    merged->outputs = gone->outputs;
    merged->output_count = gone->output_count;
    set_producer(uses, producer);
}

bool hy_uses_replace(struct hy_uses *uses, uint32_t node, uint32_t tensor)
{
    const uint32_t output = uses->graph->nodes[node].outputs[0];

    if (uses->is_output[output])
        return false;
    hy_uses_remove(uses, node);
    uses->replacements[output] = tensor;
    uses->readers[tensor] += uses->readers[output];
    uses->readers[output] = 0;
    return true;
}

void hy_uses_bypass(struct hy_uses *uses, uint32_t node)
{
    const uint32_t input = uses->graph->nodes[node].inputs[0];
    const uint32_t producer = sole_producer_of(uses, input);

    if (!hy_uses_replace(uses, node, input) && producer != HY_NO_NODE)
        hy_uses_merge(uses, producer, node);
}
