#include "bench/inference.h"
#include "bench/device_by_name.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/session/io_binding.h"

#define MAX_FILE_BYTES (UINT64_C(1) << 31)

/* The tensors on one side of the model. */
struct side {
    const struct hy_tflite_subgraph *subgraph;
    const struct hy_tflite_ints *indices;
    void **buffers;  /* one per index, of `lengths` bytes at least */
    size_t *lengths; /* in the type of the file and the shape of the graph, or of the last run */
};

struct hy_inference {
    struct hy_file file; /* zeroed when the bytes are the caller's */
    struct hy_network *network;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksExecution *reused;
    ANeuralNetworksBurst *burst;
    struct side inputs;
    struct side outputs;
    struct hy_states *states;
    struct hy_io_binding *binding;
};

/* Converts a result of the API to an hy_code; the values are the same. */
static enum hy_code code_of_result(int result, struct hy_error *err)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return HY_OK;
    return hy_fail(err, (enum hy_code)result, "%s", halyard_last_error());
}

static enum hy_code create_compilation(struct hy_inference *inference, const char *device_name,
                                       struct hy_error *err)
{
    /* The API has no const for models that it only reads. */
    ANeuralNetworksModel *model =
        (ANeuralNetworksModel *)hy_lowered_model_handle(inference->network->model);
    if (!device_name)
        return code_of_result(ANeuralNetworksCompilation_create(model, &inference->compilation),
                              err);

    const ANeuralNetworksDevice *device = hy_bench_device(device_name);
    if (!device)
        return hy_fail(err, HY_BAD_DATA, "device %s: there is none", device_name);
    return code_of_result(
        ANeuralNetworksCompilation_createForDevices(model, &device, 1, &inference->compilation),
        err);
}

static enum hy_code compile(struct hy_inference *inference,
                            const struct hy_inference_options *options, struct hy_error *err)
{
    enum hy_code code = create_compilation(inference, options->device, err);
    if (code == HY_OK)
        code = code_of_result(ANeuralNetworksCompilation_setPreference(
                                  inference->compilation, ANEURALNETWORKS_PREFER_SUSTAINED_SPEED),
                              err);
    if (code == HY_OK && options->split_operations)
        code =
            code_of_result(halyard_compilation_split_operations(inference->compilation, true), err);
    if (code == HY_OK)
        code = code_of_result(ANeuralNetworksCompilation_finish(inference->compilation), err);
    return code;
}

static const struct hy_tflite_tensor *side_tensor(const struct side *side, uint32_t index)
{
    return &side->subgraph->tensors[side->indices->values[index]];
}

/* Shapes are derived from the inputs, not from the file. */
static size_t length_of(const struct hy_graph *graph, int32_t index)
{
    const struct hy_graph_tensor *tensor = &graph->tensors[index];
    uint64_t bytes;

    return hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes)
               ? (size_t)bytes
               : HY_INFERENCE_OPEN_BYTES;
}

/* TensorFlow Lite aligns tensors to this boundary; copies with other alignments take a third
 * longer. */
#define TENSOR_ALIGNMENT ((size_t)64)

static void *allocate_tensor(uint64_t bytes)
{
    const size_t size = ((size_t)bytes / TENSOR_ALIGNMENT + 1) * TENSOR_ALIGNMENT;
    void *tensor = aligned_alloc(TENSOR_ALIGNMENT, size);

    if (tensor)
        memset(tensor, 0, size);
    return tensor;
}

static enum hy_code allocate_side(struct side *side, const struct hy_graph *graph,
                                  const struct hy_tflite_subgraph *subgraph,
                                  const struct hy_tflite_ints *indices, struct hy_error *err)
{
    *side = (struct side){.subgraph = subgraph,
                          .indices = indices,
                          .buffers = calloc((size_t)indices->count + 1, sizeof *side->buffers),
                          .lengths = calloc((size_t)indices->count + 1, sizeof *side->lengths)};
    if (!side->buffers || !side->lengths)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u buffers", indices->count);
    for (uint32_t i = 0; i < indices->count; i++) {
        const uint64_t in_file = side_tensor(side, i)->bytes;
        side->lengths[i] = length_of(graph, indices->values[i]);
        const uint64_t bytes = in_file > side->lengths[i] ? in_file : side->lengths[i];
        side->buffers[i] = allocate_tensor(bytes);
        if (!side->buffers[i])
            return hy_fail(err, HY_OUT_OF_MEMORY, "buffer of %llu bytes",
                           (unsigned long long)bytes);
    }
    return HY_OK;
}

static void free_side(struct side *side)
{
    for (uint32_t i = 0; side->buffers && i < side->indices->count; i++)
        free(side->buffers[i]);
    free(side->buffers);
    free(side->lengths);
}

static struct hy_buffer *buffers_of(const struct side *side)
{
    struct hy_buffer *buffers = calloc((size_t)side->indices->count + 1, sizeof *buffers);
    for (uint32_t i = 0; buffers && i < side->indices->count; i++)
        buffers[i] = (struct hy_buffer){.bytes = side->buffers[i], .length = side->lengths[i]};
    return buffers;
}

static enum hy_code make_binding(struct hy_inference *inference, struct hy_error *err)
{
    const struct hy_network *network = inference->network;
    struct hy_buffer *inputs = buffers_of(&inference->inputs);
    struct hy_buffer *outputs = buffers_of(&inference->outputs);
    enum hy_code code = inputs && outputs ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "buffers");

    if (code == HY_OK)
        code = hy_states_create(&network->graph, network->model, &inference->states, err);
    if (code == HY_OK)
        code = hy_io_binding_create(network, inference->states, inputs, outputs,
                                    &inference->binding, err);
    free(inputs);
    free(outputs);
    return code;
}

static enum hy_code build(struct hy_inference *inference, const void *bytes, size_t length,
                          const struct hy_inference_options *options, struct hy_error *err)
{
    enum hy_code code = hy_network_open(bytes, length, options->limits, &inference->network, err);
    if (code == HY_OK)
        code = compile(inference, options, err);
    if (code != HY_OK)
        return code;

    const struct hy_tflite_subgraph *main = &inference->network->source->subgraphs[0];
    code = allocate_side(&inference->inputs, &inference->network->graph, main, &main->inputs, err);
    if (code == HY_OK)
        code = allocate_side(&inference->outputs, &inference->network->graph, main, &main->outputs,
                             err);
    return code == HY_OK ? make_binding(inference, err) : code;
}

enum hy_code hy_inference_create(const void *bytes, size_t length,
                                 const struct hy_inference_options *options,
                                 struct hy_inference **out, struct hy_error *err)
{
    struct hy_inference *inference = calloc(1, sizeof *inference);
    if (!inference)
        return hy_fail(err, HY_OUT_OF_MEMORY, "inference");

    enum hy_code code = build(inference, bytes, length, options, err);
    if (code != HY_OK) {
        hy_inference_destroy(inference);
        return code;
    }
    *out = inference;
    return HY_OK;
}

enum hy_code hy_inference_open(const char *path, const struct hy_inference_options *options,
                               struct hy_inference **out, struct hy_error *err)
{
    struct hy_file file = {0};
    enum hy_code code = hy_file_map(path, MAX_FILE_BYTES, &file, err);
    if (code != HY_OK)
        return code;
    code = hy_inference_create(file.bytes, file.length, options, out, err);
    if (code != HY_OK) {
        hy_file_unmap(&file);
        return hy_error_prefix(err, code, "%s", path);
    }
    (*out)->file = file;
    return HY_OK;
}

void hy_inference_destroy(struct hy_inference *inference)
{
    if (!inference)
        return;
    ANeuralNetworksBurst_free(inference->burst);
    ANeuralNetworksExecution_free(inference->reused);
    ANeuralNetworksCompilation_free(inference->compilation);
    hy_io_binding_destroy(inference->binding);
    hy_states_destroy(inference->states);
    free_side(&inference->inputs);
    free_side(&inference->outputs);
    hy_network_close(inference->network);
    hy_file_unmap(&inference->file);
    free(inference);
}

uint32_t hy_inference_input_count(const struct hy_inference *inference)
{
    return inference->inputs.indices->count;
}

uint32_t hy_inference_output_count(const struct hy_inference *inference)
{
    return inference->outputs.indices->count;
}

const struct hy_tflite_tensor *hy_inference_input_tensor(const struct hy_inference *inference,
                                                         uint32_t index)
{
    return side_tensor(&inference->inputs, index);
}

const struct hy_tflite_tensor *hy_inference_output_tensor(const struct hy_inference *inference,
                                                          uint32_t index)
{
    return side_tensor(&inference->outputs, index);
}

size_t hy_inference_output_bytes(const struct hy_inference *inference, uint32_t index)
{
    return inference->outputs.lengths[index];
}

void *hy_inference_input(const struct hy_inference *inference, uint32_t index)
{
    return inference->inputs.buffers[index];
}

const void *hy_inference_output(const struct hy_inference *inference, uint32_t index)
{
    return inference->outputs.buffers[index];
}

static void fill(void *buffer, enum hy_tflite_type type, size_t length, struct hy_random *random)
{
    const bool is_float = type == HY_TFLITE_FLOAT32;
    const size_t count = is_float ? length / sizeof(float)
                         : type == HY_TFLITE_INT8 || type == HY_TFLITE_UINT8 ? length
                                                                             : 0;
    float *floats = buffer;
    uint8_t *bytes = buffer;

    for (size_t i = 0; i < count; i++) {
        if (is_float)
            floats[i] = hy_random_real(random, -1, 1);
        else
            bytes[i] = (uint8_t)hy_random_next(random);
    }
}

void hy_inference_fill_inputs(struct hy_inference *inference)
{
    struct hy_random random = {1};

    for (uint32_t i = 0; i < hy_inference_input_count(inference); i++)
        fill(inference->inputs.buffers[i], hy_inference_input_tensor(inference, i)->type,
             inference->inputs.lengths[i], &random);
}

const struct hy_network *hy_inference_network(const struct hy_inference *inference)
{
    return inference->network;
}

ANeuralNetworksCompilation *hy_inference_compilation(const struct hy_inference *inference)
{
    return inference->compilation;
}

static enum hy_code create_execution(const struct hy_inference *inference, bool reusable,
                                     ANeuralNetworksExecution **out, struct hy_error *err)
{
    ANeuralNetworksExecution *execution = NULL;
    enum hy_code code =
        code_of_result(ANeuralNetworksExecution_create(inference->compilation, &execution), err);
    if (code == HY_OK && reusable)
        code = code_of_result(ANeuralNetworksExecution_setReusable(execution, true), err);
    if (code == HY_OK)
        code = hy_io_binding_set(inference->binding, execution, err);
    if (code != HY_OK) {
        ANeuralNetworksExecution_free(execution);
        return code;
    }
    *out = execution;
    return HY_OK;
}

/* The bytes that a run has given an output. */
static enum hy_code measure_output(const ANeuralNetworksExecution *execution, uint32_t output,
                                   enum hy_element element, size_t *length, struct hy_error *err)
{
    ANeuralNetworksExecution *of = (ANeuralNetworksExecution *)execution;
    uint32_t rank = 0, extents[HY_GRAPH_MAX_RANK];
    size_t bytes = hy_element_bits(element) / 8;

    enum hy_code code = code_of_result(
        ANeuralNetworksExecution_getOutputOperandRank(of, (int32_t)output, &rank), err);
    if (code == HY_OK)
        code = code_of_result(
            ANeuralNetworksExecution_getOutputOperandDimensions(of, (int32_t)output, extents), err);
    for (uint32_t i = 0; code == HY_OK && i < rank; i++)
        bytes *= extents[i];
    if (code == HY_OK)
        *length = bytes;
    return code;
}

static enum hy_code measure_outputs(struct hy_inference *inference,
                                    const ANeuralNetworksExecution *execution, struct hy_error *err)
{
    const struct hy_graph *graph = &inference->network->graph;
    const struct hy_lowered_output *outputs = hy_lowered_model_outputs(inference->network->model);
    const struct side *side = &inference->outputs;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < side->indices->count; i++) {
        const struct hy_graph_tensor *tensor = &graph->tensors[side->indices->values[i]];
        if (outputs[i].source == HY_OUTPUT_COMPUTED && hy_graph_unknown_extents(tensor) > 0)
            code = measure_output(execution, outputs[i].index, tensor->element, &side->lengths[i],
                                  err);
    }
    return code;
}

static enum hy_code start_and_wait(ANeuralNetworksExecution *execution, struct hy_error *err)
{
    ANeuralNetworksEvent *event = NULL;
    enum hy_code code =
        code_of_result(ANeuralNetworksExecution_startCompute(execution, &event), err);
    if (code == HY_OK)
        code = code_of_result(ANeuralNetworksEvent_wait(event), err);
    ANeuralNetworksEvent_free(event);
    return code;
}

static enum hy_code run_reused(struct hy_inference *inference, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (!inference->reused)
        code = create_execution(inference, true, &inference->reused, err);
    if (code == HY_OK)
        code = code_of_result(ANeuralNetworksExecution_compute(inference->reused), err);
    return code == HY_OK ? measure_outputs(inference, inference->reused, err) : code;
}

static enum hy_code run_burst(struct hy_inference *inference, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (!inference->reused)
        code = create_execution(inference, true, &inference->reused, err);
    if (code == HY_OK && !inference->burst)
        code = code_of_result(
            ANeuralNetworksBurst_create(inference->compilation, &inference->burst), err);
    if (code == HY_OK)
        code = code_of_result(
            ANeuralNetworksExecution_burstCompute(inference->reused, inference->burst), err);
    return code == HY_OK ? measure_outputs(inference, inference->reused, err) : code;
}

static enum hy_code run(struct hy_inference *inference, enum hy_inference_mode mode,
                        struct hy_error *err)
{
    if (mode == HY_INFERENCE_REUSED)
        return run_reused(inference, err);
    if (mode == HY_INFERENCE_BURST)
        return run_burst(inference, err);

    ANeuralNetworksExecution *execution = NULL;
    enum hy_code code = create_execution(inference, false, &execution, err);
    if (code == HY_OK && mode == HY_INFERENCE_ASYNC)
        code = start_and_wait(execution, err);
    else if (code == HY_OK)
        code = code_of_result(ANeuralNetworksExecution_compute(execution), err);
    if (code == HY_OK)
        code = measure_outputs(inference, execution, err);
    ANeuralNetworksExecution_free(execution);
    return code;
}

enum hy_code hy_inference_run(struct hy_inference *inference, enum hy_inference_mode mode,
                              struct hy_error *err)
{
    enum hy_code code = hy_io_binding_before_run(inference->binding, err);
    if (code == HY_OK)
        code = run(inference, mode, err);
    if (code == HY_OK)
        hy_io_binding_after_run(inference->binding);
    return code;
}
