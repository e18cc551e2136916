#include "tests/unit/libhalyard/kit/graph_run.h"

#include <stdlib.h>

#include "common/random.h"
#include "halyard/halyard.h"
#include "libhalyard/lower/lower.h"
#include "tests/kit/test.h"

static uint64_t bytes_of(const struct hy_graph_tensor *tensor)
{
    uint64_t bytes = 0;
    EXPECT(hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes));
    return bytes;
}

static void *make_input(const struct hy_graph_tensor *tensor, struct hy_random *random)
{
    const uint64_t bytes = bytes_of(tensor);
    uint8_t *made = malloc(bytes + 1);

    for (uint64_t i = 0; made && i < bytes; i++)
        made[i] = (uint8_t)hy_random_next(random);
    for (uint64_t i = 0; made && tensor->element == HY_ELEMENT_FLOAT32 && i < bytes / 4; i++)
        ((float *)(void *)made)[i] = hy_random_real(random, -2, 2);
    return made;
}

static void expect_done(int result, int line)
{
    if (result != ANEURALNETWORKS_NO_ERROR)
        hy_test_fail(__FILE__, line, "%s", halyard_last_error());
}

#define EXPECT_DONE(call) expect_done(call, __LINE__)

static const ANeuralNetworksDevice *cpu(void)
{
    uint32_t count = 0;
    EXPECT_DONE(ANeuralNetworks_getDeviceCount(&count));
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        EXPECT_DONE(ANeuralNetworks_getDevice(i, &device));
        EXPECT_DONE(ANeuralNetworksDevice_getName(device, &name));
        if (strcmp(name, "halyard-cpu") == 0)
            return device;
    }
    return NULL;
}

static void compute(const struct hy_graph *graph, ANeuralNetworksCompilation *compilation,
                    uint64_t seed, struct hy_graph_result *ret)
{
    ANeuralNetworksExecution *execution = NULL;
    void *inputs[8] = {0};
    struct hy_random random = {seed};

    EXPECT_DONE(ANeuralNetworksExecution_create(compilation, &execution));
    for (uint32_t i = 0; i < graph->input_count && i < 8; i++) {
        const struct hy_graph_tensor *tensor = &graph->tensors[graph->inputs[i]];
        inputs[i] = make_input(tensor, &random);
        EXPECT_DONE(ANeuralNetworksExecution_setInput(execution, (int32_t)i, NULL, inputs[i],
                                                      bytes_of(tensor)));
    }
    for (uint32_t i = 0; i < graph->output_count && i < HY_RUN_MAX_OUTPUTS; i++) {
        const struct hy_graph_tensor *tensor = &graph->tensors[graph->outputs[i]];
        ret->outputs[i].element = tensor->element;
        ret->outputs[i].length = bytes_of(tensor);
        ret->outputs[i].bytes = calloc(1, ret->outputs[i].length + 1);
        EXPECT_DONE(ANeuralNetworksExecution_setOutput(
            execution, (int32_t)i, NULL, ret->outputs[i].bytes, ret->outputs[i].length));
    }
    ret->count = graph->output_count;
    EXPECT_DONE(ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
    for (uint32_t i = 0; i < 8; i++)
        free(inputs[i]);
}

void hy_graph_run(const struct hy_graph *graph, uint64_t seed, struct hy_graph_result *ret)
{
    struct hy_lowered_model *model = NULL;
    struct hy_error err = {0};
    ANeuralNetworksCompilation *compilation = NULL;
    const ANeuralNetworksDevice *device = cpu();

    *ret = (struct hy_graph_result){0};
    if (hy_lower(graph, &model, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)seed, err.text);
        return;
    }
    ret->operations = hy_lowered_model_operation_count(model);
    EXPECT_DONE(ANeuralNetworksCompilation_createForDevices(
        (ANeuralNetworksModel *)hy_lowered_model_handle(model), &device, 1, &compilation));
    EXPECT_DONE(ANeuralNetworksCompilation_finish(compilation));
    compute(graph, compilation, seed, ret);
    ANeuralNetworksCompilation_free(compilation);
    hy_lowered_model_destroy(model);
}

void hy_graph_result_finish(struct hy_graph_result *result)
{
    for (uint32_t i = 0; i < result->count; i++)
        free(result->outputs[i].bytes);
    *result = (struct hy_graph_result){0};
}
