#include "libhalyard/session/io_binding.h"

#include "halyard/halyard.h"

#include <stdlib.h>
#include <string.h>

/* Buffers are in the order of the graph's inputs and outputs, followed by the states' buffers. */
struct hy_io_binding {
    const struct hy_network *network;
    struct hy_states *states;
    struct hy_buffer *inputs;
    struct hy_buffer *outputs;
    float *placeholder; /* of the model's placeholder input and output */
};

static const struct hy_graph_tensor *input_tensor(const struct hy_io_binding *binding, uint32_t i)
{
    return &binding->network->graph.tensors[binding->network->graph.inputs[i]];
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Copies `own` buffers of the caller into an array of `count`. */
static struct hy_buffer *copy_buffers(const struct hy_buffer *from, uint32_t own, uint32_t count)
{
    struct hy_buffer *buffers = calloc((size_t)count + 1, sizeof *buffers);

    if (buffers && own > 0)
        memcpy(buffers, from, own * sizeof *from);
    return buffers;
}

static void add_states(struct hy_io_binding *binding)
{
    struct hy_buffer *inputs = binding->inputs + hy_graph_own_input_count(&binding->network->graph);
    struct hy_buffer *outputs =
        binding->outputs + hy_graph_own_output_count(&binding->network->graph);

    for (uint32_t i = 0; i < hy_states_count(binding->states); i++) {
        const struct hy_state_memory memory = hy_states_memory(binding->states, i);
        inputs[i] = (struct hy_buffer){.bytes = memory.before, .length = memory.length};
        if (memory.after)
            outputs[i] = (struct hy_buffer){.bytes = memory.after, .length = memory.length};
    }
}

enum hy_code hy_io_binding_create(const struct hy_network *network, struct hy_states *states,
                                  const struct hy_buffer *inputs, const struct hy_buffer *outputs,
                                  struct hy_io_binding **out, struct hy_error *err)
{
    const struct hy_graph *graph = &network->graph;
    struct hy_io_binding *binding = calloc(1, sizeof *binding);
    if (!binding)
        return hy_fail(err, HY_OUT_OF_MEMORY, "buffers");

    binding->network = network;
    binding->states = states;
    binding->inputs = copy_buffers(inputs, hy_graph_own_input_count(graph), graph->input_count);
    binding->outputs = copy_buffers(outputs, hy_graph_own_output_count(graph), graph->output_count);
    binding->placeholder = calloc(2, sizeof *binding->placeholder);
    if (!binding->inputs || !binding->outputs || !binding->placeholder) {
        hy_io_binding_destroy(binding);
        return hy_fail(err, HY_OUT_OF_MEMORY, "buffers");
    }
    add_states(binding);
    *out = binding;
    return HY_OK;
}

void hy_io_binding_destroy(struct hy_io_binding *binding)
{
    if (!binding)
        return;
    free(binding->placeholder);
    free(binding->inputs);
    free(binding->outputs);
    free(binding);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static enum hy_code checked(int result, const char *what, uint32_t index, struct hy_error *err)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return HY_OK;
    return hy_fail(err, (enum hy_code)result, "%s %u: %s", what, index, halyard_last_error());
}

enum hy_code hy_io_binding_set(const struct hy_io_binding *binding,
                               ANeuralNetworksExecution *execution, struct hy_error *err)
{
    const struct hy_graph *graph = &binding->network->graph;
    const struct hy_lowered_output *sources = hy_lowered_model_outputs(binding->network->model);
    enum hy_code code = HY_OK;

    uint32_t next = 0;
    for (uint32_t i = 0; code == HY_OK && i < graph->input_count; i++) {
        if (hy_graph_tensor_is_empty(input_tensor(binding, i)))
            continue;
        const struct hy_buffer *at = &binding->inputs[i];
        code = checked(ANeuralNetworksExecution_setInput(execution, (int32_t)next++, NULL,
                                                         at->bytes, at->length),
                       "input", i, err);
    }
    if (code == HY_OK && hy_lowered_model_has_placeholder(binding->network->model))
        code = checked(ANeuralNetworksExecution_setInput(execution, (int32_t)next, NULL,
                                                         &binding->placeholder[0], sizeof(float)),
                       "placeholder input", next, err);
    /* An output that occurs twice is bound once, at its first index. */
    next = 0;
    for (uint32_t i = 0; code == HY_OK && i < graph->output_count; i++) {
        if (sources[i].source != HY_OUTPUT_COMPUTED || sources[i].index != next)
            continue;
        const struct hy_buffer *at = &binding->outputs[i];
        code = checked(ANeuralNetworksExecution_setOutput(execution, (int32_t)next, NULL, at->bytes,
                                                          at->length),
                       "output", i, err);
        next++;
    }
    if (code == HY_OK && hy_lowered_model_has_placeholder(binding->network->model))
        code = checked(ANeuralNetworksExecution_setOutput(execution, (int32_t)next, NULL,
                                                          &binding->placeholder[1], sizeof(float)),
                       "placeholder output", next, err);
    return code;
}

enum hy_code hy_io_binding_before_run(const struct hy_io_binding *binding, struct hy_error *err)
{
    return hy_states_check(binding->states, err);
}

static void fill(const struct hy_buffer *output, const void *bytes, size_t length)
{
    if (output->length > 0)
        memcpy(output->bytes, bytes, length < output->length ? length : output->length);
}

void hy_io_binding_after_run(const struct hy_io_binding *binding)
{
    const struct hy_graph *graph = &binding->network->graph;
    const struct hy_lowered_output *sources = hy_lowered_model_outputs(binding->network->model);

    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct hy_lowered_output *from = &sources[i];
        if (from->source == HY_OUTPUT_INPUT) {
            fill(&binding->outputs[i], binding->inputs[from->index].bytes,
                 binding->inputs[from->index].length);
        } else if (from->source == HY_OUTPUT_CONSTANT) {
            const struct hy_graph_tensor *constant = &graph->tensors[graph->outputs[i]];
            fill(&binding->outputs[i], constant->data, (size_t)constant->bytes);
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) { /* those listed twice */
        for (uint32_t j = 0; sources[i].source == HY_OUTPUT_COMPUTED && j < i; j++) {
            if (graph->outputs[i] == graph->outputs[j])
                fill(&binding->outputs[i], binding->outputs[j].bytes, binding->outputs[j].length);
        }
    }
    hy_states_advance(binding->states);
}
