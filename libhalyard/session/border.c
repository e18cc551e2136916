#include "libhalyard/session/border.h"

#include "halyard/halyard.h"

#include <stdlib.h>
#include <string.h>

struct hy_border {
    const struct hy_network *network;
    struct hy_buffer *inputs;
    struct hy_buffer *outputs;
    int32_t **narrow_inputs; /* NULL where the tensor is not int64 */
    int32_t **narrow_outputs;
};

static const struct hy_graph_tensor *input_tensor(const struct hy_border *border, uint32_t i)
{
    return &border->network->graph.tensors[border->network->graph.inputs[i]];
}

static const struct hy_graph_tensor *output_tensor(const struct hy_border *border, uint32_t i)
{
    return &border->network->graph.tensors[border->network->graph.outputs[i]];
}

static bool is_wide(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_INT64;
}

static size_t count_of(const struct hy_buffer *buffer)
{
    return buffer->length / sizeof(int64_t);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static bool copy_buffers(const struct hy_buffer *from, uint32_t count, struct hy_buffer **buffers,
                         int32_t ***narrow)
{
    *buffers = calloc((size_t)count + 1, sizeof **buffers);
    *narrow = calloc((size_t)count + 1, sizeof **narrow);
    if (*buffers && count > 0)
        memcpy(*buffers, from, count * sizeof *from);
    return *buffers && *narrow;
}

static bool make_narrow(const struct hy_graph_tensor *tensor, const struct hy_buffer *buffer,
                        int32_t **narrow)
{
    if (is_wide(tensor))
        *narrow = calloc(count_of(buffer) + 1, sizeof **narrow);
    return !is_wide(tensor) || *narrow;
}

enum hy_code hy_border_create(const struct hy_network *network, const struct hy_buffer *inputs,
                              const struct hy_buffer *outputs, struct hy_border **out,
                              struct hy_error *err)
{
    const struct hy_graph *graph = &network->graph;
    struct hy_border *border = calloc(1, sizeof *border);
    if (!border)
        return hy_fail(err, HY_OUT_OF_MEMORY, "buffers");

    border->network = network;
    bool made =
        copy_buffers(inputs, graph->input_count, &border->inputs, &border->narrow_inputs) &&
        copy_buffers(outputs, graph->output_count, &border->outputs, &border->narrow_outputs);
    for (uint32_t i = 0; made && i < graph->input_count; i++)
        made = make_narrow(input_tensor(border, i), &border->inputs[i], &border->narrow_inputs[i]);
    for (uint32_t i = 0; made && i < graph->output_count; i++)
        made =
            make_narrow(output_tensor(border, i), &border->outputs[i], &border->narrow_outputs[i]);
    if (!made) {
        hy_border_destroy(border);
        return hy_fail(err, HY_OUT_OF_MEMORY, "buffers of int64 inputs and outputs");
    }
    *out = border;
    return HY_OK;
}

static void free_narrow(int32_t **narrow, uint32_t count)
{
    for (uint32_t i = 0; narrow && i < count; i++)
        free(narrow[i]);
    free(narrow);
}

void hy_border_destroy(struct hy_border *border)
{
    if (!border)
        return;
    free_narrow(border->narrow_inputs, border->network->graph.input_count);
    free_narrow(border->narrow_outputs, border->network->graph.output_count);
    free(border->inputs);
    free(border->outputs);
    free(border);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* What NNAPI sees of a tensor: its buffer, or the narrow copy. */
static struct hy_buffer bound(const struct hy_buffer *buffer, int32_t *narrow)
{
    if (!narrow)
        return *buffer;
    return (struct hy_buffer){.bytes = narrow, .length = count_of(buffer) * sizeof *narrow};
}

static enum hy_code checked(int result, const char *what, uint32_t index, struct hy_error *err)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return HY_OK;
    return hy_fail(err, (enum hy_code)result, "%s %u: %s", what, index, halyard_last_error());
}

enum hy_code hy_border_bind(const struct hy_border *border, ANeuralNetworksExecution *execution,
                            struct hy_error *err)
{
    const struct hy_graph *graph = &border->network->graph;
    const struct hy_lowered_output *sources = hy_lowered_model_outputs(border->network->model);
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < graph->input_count; i++) {
        const struct hy_buffer at = bound(&border->inputs[i], border->narrow_inputs[i]);
        code = checked(
            ANeuralNetworksExecution_setInput(execution, (int32_t)i, NULL, at.bytes, at.length),
            "input", i, err);
    }
    /* An output that is listed twice is bound once, in its first place. */
    uint32_t next = 0;
    for (uint32_t i = 0; code == HY_OK && i < graph->output_count; i++) {
        if (sources[i].source != HY_OUTPUT_COMPUTED || sources[i].index != next)
            continue;
        const struct hy_buffer at = bound(&border->outputs[i], border->narrow_outputs[i]);
        code = checked(
            ANeuralNetworksExecution_setOutput(execution, (int32_t)next, NULL, at.bytes, at.length),
            "output", i, err);
        next++;
    }
    return code;
}

enum hy_code hy_border_enter(const struct hy_border *border, struct hy_error *err)
{
    for (uint32_t i = 0; i < border->network->graph.input_count; i++) {
        int32_t *narrow = border->narrow_inputs[i];
        const int64_t *wide = border->inputs[i].bytes;
        for (size_t j = 0; narrow && j < count_of(&border->inputs[i]); j++) {
            narrow[j] = (int32_t)wide[j];
            if (narrow[j] != wide[j])
                return hy_fail(err, HY_BAD_DATA,
                               "input %u (%.64s): element %zu is %lld, which needs more than "
                               "32 bits",
                               i, input_tensor(border, i)->name, j, (long long)wide[j]);
        }
    }
    return HY_OK;
}

static void widen(const struct hy_border *border, uint32_t output)
{
    const int32_t *narrow = border->narrow_outputs[output];
    int64_t *wide = border->outputs[output].bytes;
    for (size_t i = 0; narrow && i < count_of(&border->outputs[output]); i++)
        wide[i] = narrow[i];
}

static void fill(const struct hy_buffer *output, const void *bytes, size_t length)
{
    if (output->length > 0)
        memcpy(output->bytes, bytes, length < output->length ? length : output->length);
}

void hy_border_leave(const struct hy_border *border)
{
    const struct hy_graph *graph = &border->network->graph;
    const struct hy_lowered_output *sources = hy_lowered_model_outputs(border->network->model);
    uint32_t next = 0;

    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct hy_lowered_output *from = &sources[i];
        if (from->source == HY_OUTPUT_INPUT) {
            fill(&border->outputs[i], border->inputs[from->index].bytes,
                 border->inputs[from->index].length);
        } else if (from->source == HY_OUTPUT_CONSTANT) {
            fill(&border->outputs[i], graph->tensors[from->index].data,
                 (size_t)graph->tensors[from->index].bytes);
        } else if (from->index == next) {
            widen(border, i);
            next++;
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) { /* those listed twice */
        for (uint32_t j = 0; j < i; j++) {
            if (graph->outputs[i] == graph->outputs[j])
                fill(&border->outputs[i], border->outputs[j].bytes, border->outputs[j].length);
        }
    }
}
