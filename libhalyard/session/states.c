#include "libhalyard/graph/budget.h"
#include "libhalyard/session/initialisation.h"

#include <stdlib.h>
#include <string.h>

struct state {
    const struct hy_graph_tensor *tensor;
    struct hy_graph_state initial;
    struct hy_state_memory memory;
    void *first;  /* what an initialisation has computed; owned */
    bool is_read; /* by a run */
    bool is_set;  /* the state holds something */
};

struct hy_states {
    uint32_t count;
    struct state *at;
    uint64_t bytes; /* of their memories */
};

/* ---- Life ------------------------------------------------------------------------------------ */

static bool are_alike(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b)
{
    return a->element == b->element && a->rank == b->rank &&
           memcmp(a->extents, b->extents, a->rank * sizeof *a->extents) == 0;
}

static uint64_t memory_limit(const struct hy_graph *graph)
{
    return graph->budget ? graph->budget->memory_limit : UINT64_MAX;
}

/* A file of a few hundred bytes may have states of any size. */
static enum hy_code allocate(struct hy_states *states, uint64_t limit, uint64_t bytes, void **out,
                             struct hy_error *err)
{
    if (bytes > limit - states->bytes)
        return hy_fail(err, HY_OUT_OF_MEMORY,
                       "%llu bytes, with %llu bytes of other states; max_memory is %llu",
                       (unsigned long long)bytes, (unsigned long long)states->bytes,
                       (unsigned long long)limit);
    *out = calloc(1, (size_t)bytes + 1);
    if (!*out)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%llu bytes", (unsigned long long)bytes);
    states->bytes += bytes;
    return HY_OK;
}

static enum hy_code make_memory(struct hy_states *states, struct state *state, uint64_t limit,
                                bool changes, struct hy_error *err)
{
    const struct hy_graph_tensor *tensor = state->tensor;
    uint64_t bytes;

    if (hy_element_bits(tensor->element) == 0 ||
        !hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes))
        return hy_fail(err, HY_BAD_DATA, "no fixed size");
    state->memory.length = (size_t)bytes;
    enum hy_code code = allocate(states, limit, bytes, &state->memory.before, err);
    if (code == HY_OK && changes)
        code = allocate(states, limit, bytes, &state->memory.after, err);
    return code;
}

static enum hy_code make_state(const struct hy_graph *graph, const struct hy_lowered_model *model,
                               uint32_t index, struct hy_states *states, struct hy_error *err)
{
    struct state *state = &states->at[index];
    const uint32_t input = hy_graph_own_input_count(graph) + index;
    const uint32_t output = hy_graph_own_output_count(graph) + index;
    const struct hy_lowered_output *source = &hy_lowered_model_outputs(model)[output];
    const bool changes = source->source != HY_OUTPUT_INPUT || source->index != input;

    state->tensor = &graph->tensors[graph->inputs[input]];
    state->initial = graph->states[index];
    if (!are_alike(state->tensor, &graph->tensors[graph->outputs[output]]))
        return hy_fail(err, HY_BAD_DATA, "the type or shape differs after a run");
    return make_memory(states, state, memory_limit(graph), changes, err);
}

static void mark_read(const struct hy_graph *graph, uint32_t tensor, struct hy_states *states)
{
    const uint32_t *inputs = graph->inputs + hy_graph_own_input_count(graph);
    for (uint32_t i = 0; i < states->count; i++) {
        if (inputs[i] == tensor)
            states->at[i].is_read = true;
    }
}

static void find_reads(const struct hy_graph *graph, struct hy_states *states)
{
    for (uint32_t i = 0; states->count > 0 && i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i].input_count; j++)
            mark_read(graph, graph->nodes[i].inputs[j], states);
    }
    for (uint32_t i = 0; i < hy_graph_own_output_count(graph); i++)
        mark_read(graph, graph->outputs[i], states);
}

/* ---- First contents -------------------------------------------------------------------------- */

static bool is_computed_by(const struct state *state, const struct hy_graph *graph)
{
    return state->initial.initial == HY_INITIAL_COMPUTED && state->initial.computed_by == graph;
}

static enum hy_code run_initialisation(struct hy_states *states, const struct hy_graph *graph,
                                       struct hy_buffer *outputs, struct hy_error *err)
{
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct hy_graph_tensor *tensor = &graph->tensors[graph->outputs[i]];
        uint64_t bytes;
        if (!hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes))
            return hy_fail(err, HY_BAD_DATA, "first contents of variable %.64s: no fixed size",
                           tensor->name);
        outputs[i] = (struct hy_buffer){.bytes = calloc(1, (size_t)bytes + 1), .length = bytes};
        if (!outputs[i].bytes)
            return hy_fail(err, HY_OUT_OF_MEMORY, "%llu bytes", (unsigned long long)bytes);
    }
    const enum hy_code code = hy_run_initialisation(graph, outputs, err);
    for (uint32_t i = 0; code == HY_OK && i < states->count; i++) {
        struct state *state = &states->at[i];
        if (!is_computed_by(state, graph))
            continue;
        struct hy_buffer *output = &outputs[state->initial.output];
        if (output->length != state->memory.length)
            return hy_fail(err, HY_BAD_DATA,
                           "first contents of variable %.64s: %zu bytes, needs %zu",
                           state->tensor->name, output->length, state->memory.length);
        state->first = output->bytes;
        output->bytes = NULL;
    }
    return code;
}

/* Runs each graph that computes first contents, once. */
static enum hy_code compute_first(struct hy_states *states, uint64_t limit, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < states->count; i++) {
        const struct state *state = &states->at[i];
        if (state->initial.initial != HY_INITIAL_COMPUTED || state->first)
            continue;
        const struct hy_graph *graph = state->initial.computed_by;
        code = hy_graph_check_memory(graph, limit, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "first contents of variables");
        struct hy_buffer *outputs = calloc(graph->output_count, sizeof *outputs);
        if (!outputs)
            return hy_fail(err, HY_OUT_OF_MEMORY, "%u first contents", graph->output_count);
        code = run_initialisation(states, graph, outputs, err);
        for (uint32_t j = 0; j < graph->output_count; j++)
            free(outputs[j].bytes);
        free(outputs);
    }
    return code;
}

/* ---- Creation -------------------------------------------------------------------------------- */

enum hy_code hy_states_create(const struct hy_graph *graph, const struct hy_lowered_model *model,
                              struct hy_states **out, struct hy_error *err)
{
    struct hy_states *states = calloc(1, sizeof *states);
    if (states)
        states->at = calloc((size_t)graph->state_count + 1, sizeof *states->at);
    if (!states || !states->at) {
        free(states);
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u states", graph->state_count);
    }
    states->count = graph->state_count;
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < states->count; i++) {
        code = make_state(graph, model, i, states, err);
        if (code != HY_OK)
            hy_error_prefix(err, code, "state %u (%.64s)", i, states->at[i].tensor->name);
    }
    if (code != HY_OK) {
        hy_states_destroy(states);
        return code;
    }
    find_reads(graph, states);
    code = compute_first(states, memory_limit(graph), err);
    if (code != HY_OK) {
        hy_states_destroy(states);
        return code;
    }
    hy_states_reset(states);
    *out = states;
    return HY_OK;
}

void hy_states_destroy(struct hy_states *states)
{
    if (!states)
        return;
    for (uint32_t i = 0; i < states->count; i++) {
        free(states->at[i].memory.before);
        free(states->at[i].memory.after);
        free(states->at[i].first);
    }
    free(states->at);
    free(states);
}

/* ---- Contents -------------------------------------------------------------------------------- */

uint32_t hy_states_count(const struct hy_states *states)
{
    return states->count;
}

const struct hy_graph_tensor *hy_states_tensor(const struct hy_states *states, uint32_t index)
{
    return states->at[index].tensor;
}

struct hy_state_memory hy_states_memory(const struct hy_states *states, uint32_t index)
{
    return states->at[index].memory;
}

static enum hy_code check_index(const struct hy_states *states, uint32_t index, size_t length,
                                struct hy_error *err)
{
    if (index >= states->count)
        return hy_fail(err, HY_BAD_DATA, "state %u does not exist, there are %u", index,
                       states->count);
    if (length != states->at[index].memory.length)
        return hy_fail(err, HY_BAD_DATA, "state %u (%.64s) has %zu bytes, not %zu", index,
                       states->at[index].tensor->name, states->at[index].memory.length, length);
    return HY_OK;
}

enum hy_code hy_states_read(const struct hy_states *states, uint32_t index, void *bytes,
                            size_t length, struct hy_error *err)
{
    const enum hy_code code = check_index(states, index, length, err);
    if (code == HY_OK && length > 0)
        memcpy(bytes, states->at[index].memory.before, length);
    return code;
}

enum hy_code hy_states_write(struct hy_states *states, uint32_t index, const void *bytes,
                             size_t length, struct hy_error *err)
{
    const enum hy_code code = check_index(states, index, length, err);
    if (code != HY_OK)
        return code;
    if (length > 0)
        memcpy(states->at[index].memory.before, bytes, length);
    states->at[index].is_set = true;
    return HY_OK;
}

/* Zeros as TensorFlow Lite stores them: int8 alone has its zero point. */
static void clear(const struct hy_graph_tensor *tensor, struct hy_state_memory *memory)
{
    const bool is_int8 = tensor->element == HY_ELEMENT_INT8 && tensor->quantisation.count == 1;

    memset(memory->before, is_int8 ? tensor->quantisation.zero_points[0] : 0, memory->length);
}

void hy_states_reset(struct hy_states *states)
{
    for (uint32_t i = 0; i < states->count; i++) {
        struct state *state = &states->at[i];
        state->is_set = state->initial.initial != HY_INITIAL_NONE;
        const void *first = state->first ? state->first : state->initial.contents;
        if (first)
            memcpy(state->memory.before, first, state->memory.length);
        else
            clear(state->tensor, &state->memory);
    }
}

/* ---- Runs ------------------------------------------------------------------------------------ */

enum hy_code hy_states_check(const struct hy_states *states, struct hy_error *err)
{
    for (uint32_t i = 0; i < states->count; i++) {
        if (states->at[i].is_read && !states->at[i].is_set)
            return hy_fail(err, HY_BAD_DATA, "variable %.64s is read before an assignment",
                           states->at[i].tensor->name);
    }
    return HY_OK;
}

void hy_states_advance(struct hy_states *states)
{
    for (uint32_t i = 0; i < states->count; i++) {
        struct state *state = &states->at[i];
        if (!state->memory.after)
            continue;
        memcpy(state->memory.before, state->memory.after, state->memory.length);
        state->is_set = true;
    }
}
