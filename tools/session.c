#include "tools/session.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <string.h>

#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/session/io_binding.h"
#include "tools/api_result.h"

struct hy_session {
    const struct hy_device_choice *choice;
    struct hy_file file;
    struct hy_network *network;
    struct hy_states *states;
    struct hy_io_binding *binding;
    ANeuralNetworksCompilation *compilation;
    const char *cache_folder; /* NULL: it is not asked for */
    uint64_t cache_number;

    /* Made at the first run: a reusable execution, bound to the buffers, and what runs it. */
    ANeuralNetworksExecution *execution;
    struct hy_runner runner;

    uint32_t input_count;
    uint32_t output_count;
    struct hy_session_tensor *inputs;
    struct hy_session_tensor *outputs;
};

static void drop_execution(struct hy_session *session)
{
    hy_runner_stop(&session->runner);
    ANeuralNetworksExecution_free(session->execution);
    session->execution = NULL;
}

void hy_session_drop_compilation(struct hy_session *session)
{
    drop_execution(session);
    ANeuralNetworksCompilation_free(session->compilation);
    session->compilation = NULL;
}

static void free_tensors(struct hy_session_tensor *tensors, uint32_t count)
{
    for (uint32_t i = 0; tensors && i < count; i++)
        free(tensors[i].bytes);
    free(tensors);
}

void hy_session_close(struct hy_session *session)
{
    if (!session)
        return;
    hy_session_drop_compilation(session);
    free_tensors(session->inputs, session->input_count);
    free_tensors(session->outputs, session->output_count);
    hy_io_binding_destroy(session->binding);
    hy_states_destroy(session->states);
    hy_network_close(session->network);
    hy_file_unmap(&session->file);
    free(session);
}

/* Buffers for some tensors of the graph. */
static enum hy_code make_tensors(const struct hy_graph *graph, const uint32_t *indices,
                                 uint32_t count, const char *what, struct hy_session_tensor **out,
                                 struct hy_error *err)
{
    struct hy_session_tensor *tensors = calloc((size_t)count + 1, sizeof *tensors);
    if (!tensors)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u %ss", count, what);
    *out = tensors;

    for (uint32_t i = 0; i < count; i++) {
        const struct hy_graph_tensor *tensor = &graph->tensors[indices[i]];
        uint64_t bytes;
        tensors[i].tensor = tensor;
        if (hy_element_bits(tensor->element) == 0 ||
            !hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes) ||
            bytes >= SIZE_MAX)
            return hy_fail(err, HY_BAD_DATA, "%s %u (%s) has no fixed size", what, i, tensor->name);
        tensors[i].length = (size_t)bytes;
        tensors[i].bytes = calloc(1, tensors[i].length + 1); /* a place also for no bytes */
        if (!tensors[i].bytes)
            return hy_fail(err, HY_OUT_OF_MEMORY, "%s %u (%s): %zu bytes", what, i, tensor->name,
                           tensors[i].length);
    }
    return HY_OK;
}

static struct hy_buffer *buffers_of(const struct hy_session_tensor *tensors, uint32_t count)
{
    struct hy_buffer *buffers = calloc((size_t)count + 1, sizeof *buffers);
    for (uint32_t i = 0; buffers && i < count; i++)
        buffers[i] = (struct hy_buffer){.bytes = tensors[i].bytes, .length = tensors[i].length};
    return buffers;
}

static enum hy_code make_binding(struct hy_session *session, struct hy_error *err)
{
    struct hy_buffer *inputs = buffers_of(session->inputs, session->input_count);
    struct hy_buffer *outputs = buffers_of(session->outputs, session->output_count);
    const enum hy_code code = inputs && outputs
                                  ? hy_io_binding_create(session->network, session->states, inputs,
                                                         outputs, &session->binding, err)
                                  : hy_fail(err, HY_OUT_OF_MEMORY, "buffers");
    free(inputs);
    free(outputs);
    return code;
}

static enum hy_code read_model(struct hy_session *session, struct hy_error *err)
{
    enum hy_code code =
        hy_network_open(session->file.bytes, session->file.length, NULL, &session->network, err);
    if (code != HY_OK)
        return code;

    const struct hy_graph *graph = hy_session_graph(session);
    session->input_count = hy_graph_own_input_count(graph);
    session->output_count = hy_graph_own_output_count(graph);
    code = make_tensors(graph, graph->inputs, session->input_count, "input", &session->inputs, err);
    if (code == HY_OK)
        code = make_tensors(graph, graph->outputs, session->output_count, "output",
                            &session->outputs, err);
    if (code == HY_OK)
        code = hy_states_create(graph, session->network->model, &session->states, err);
    return code == HY_OK ? make_binding(session, err) : code;
}

enum hy_code hy_session_open(const char *path, const struct hy_device_choice *choice,
                             struct hy_session **out, struct hy_error *err)
{
    struct hy_session *session = calloc(1, sizeof *session);
    if (!session)
        return hy_fail(err, HY_OUT_OF_MEMORY, "session of %s", path);
    session->choice = choice;

    enum hy_code code = hy_file_map(path, hy_tflite_default_limits.file_bytes, &session->file, err);
    if (code == HY_OK) {
        code = read_model(session, err);
        if (code != HY_OK)
            hy_error_prefix(err, code, "%s", path);
    }
    if (code != HY_OK) {
        hy_session_close(session);
        return code;
    }
    *out = session;
    return HY_OK;
}

uint32_t hy_session_input_count(const struct hy_session *session)
{
    return session->input_count;
}

uint32_t hy_session_output_count(const struct hy_session *session)
{
    return session->output_count;
}

const struct hy_session_tensor *hy_session_input(const struct hy_session *session, uint32_t index)
{
    return &session->inputs[index];
}

const struct hy_session_tensor *hy_session_output(const struct hy_session *session, uint32_t index)
{
    return &session->outputs[index];
}

ANeuralNetworksCompilation *hy_session_compilation(const struct hy_session *session)
{
    return session->compilation;
}

const struct hy_lowered_model *hy_session_model(const struct hy_session *session)
{
    return session->network->model;
}

const struct hy_graph *hy_session_graph(const struct hy_session *session)
{
    return &session->network->graph;
}

enum hy_code hy_session_load_input(struct hy_session *session, uint32_t index, const char *path,
                                   struct hy_input_note *note, struct hy_error *err)
{
    const struct hy_session_tensor *input = &session->inputs[index];
    const struct hy_graph_tensor *tensor = input->tensor;
    const bool quantised = tensor->quantisation.count > 0;
    const struct hy_input_spec spec = {
        .type = tensor->element,
        .rank = tensor->rank,
        .dims = tensor->extents,
        .scale = quantised ? tensor->quantisation.scales[0] : 0,
        .zero_point = quantised ? tensor->quantisation.zero_points[0] : 0,
    };
    const enum hy_code code = hy_input_load(path, &spec, input->bytes, input->length, note, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "input %u (%s)", index, tensor->name);
    return HY_OK;
}

/* splitmix64: one addition and three mixing steps, good enough for noise. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void fill(const struct hy_session_tensor *input, uint64_t *state)
{
    if (input->tensor->element == HY_ELEMENT_FLOAT32) {
        float *floats = input->bytes;
        for (size_t i = 0; i < input->length / sizeof *floats; i++)
            floats[i] = (float)(next_random(state) >> 40) * 0x1p-24f;
        return;
    }
    uint8_t *bytes = input->bytes;
    for (size_t i = 0; i < input->length; i++)
        bytes[i] = (uint8_t)(next_random(state) >> 56);
}

void hy_session_fill_inputs(struct hy_session *session, uint32_t first)
{
    uint64_t state = 1;
    for (uint32_t i = first; i < session->input_count; i++)
        fill(&session->inputs[i], &state);
}

void hy_session_use_cache(struct hy_session *session, const char *folder, uint64_t number)
{
    session->cache_folder = folder;
    session->cache_number = number;
}

/* Whose entry it is; the library adds which model it is. */
static enum hy_code ask_for_cache(struct hy_session *session, struct hy_error *err)
{
    uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = "halyard";
    memcpy(token + sizeof token - sizeof session->cache_number, &session->cache_number,
           sizeof session->cache_number);
    return hy_api_result(
        ANeuralNetworksCompilation_setCaching(session->compilation, session->cache_folder, token),
        "Compilation_setCaching", err);
}

static enum hy_code compile(struct hy_session *session, bool split, struct hy_error *err)
{
    hy_session_drop_compilation(session);
    enum hy_code code =
        hy_device_choice_compile(session->choice, hy_lowered_model_handle(session->network->model),
                                 &session->compilation, err);
    if (code == HY_OK && split)
        code = hy_api_result(halyard_compilation_split_operations(session->compilation, true),
                             "compilation_split_operations", err);
    if (code == HY_OK && session->cache_folder)
        code = ask_for_cache(session, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksCompilation_finish(session->compilation),
                             "Compilation_finish", err);
    return code;
}

enum hy_code hy_session_compile(struct hy_session *session, struct hy_error *err)
{
    return compile(session, false, err);
}

enum hy_code hy_session_compile_split(struct hy_session *session, struct hy_error *err)
{
    return compile(session, true, err);
}

static enum hy_code bind_buffers(struct hy_session *session, struct hy_error *err)
{
    ANeuralNetworksExecution *execution = session->execution;
    const enum hy_code code = hy_api_result(ANeuralNetworksExecution_setReusable(execution, true),
                                            "Execution_setReusable", err);
    return code == HY_OK ? hy_io_binding_set(session->binding, execution, err) : code;
}

static enum hy_code make_execution(struct hy_session *session, enum hy_run_mode mode,
                                   struct hy_error *err)
{
    enum hy_code code =
        hy_api_result(ANeuralNetworksExecution_create(session->compilation, &session->execution),
                      "Execution_create", err);
    if (code == HY_OK)
        code = bind_buffers(session, err);
    if (code == HY_OK)
        code = hy_runner_start(&session->runner, mode, session->compilation, err);
    if (code != HY_OK)
        drop_execution(session);
    return code;
}

enum hy_code hy_session_run(struct hy_session *session, enum hy_run_mode mode, struct hy_error *err)
{
    if (session->runner.mode != mode)
        drop_execution(session);
    if (!session->execution) {
        const enum hy_code code = make_execution(session, mode, err);
        if (code != HY_OK)
            return code;
    }
    enum hy_code code = hy_io_binding_before_run(session->binding, err);
    if (code == HY_OK)
        code = hy_runner_compute(&session->runner, session->execution, err);
    if (code == HY_OK)
        hy_io_binding_after_run(session->binding);
    return code;
}
