#include "tests/unit/libhalyard/kit/network_run.h"

#include <stdlib.h>

#include "tests/kit/test.h"

static struct hy_buffer buffer_of(const struct hy_graph *graph, uint32_t tensor, uint8_t *bytes)
{
    const struct hy_graph_tensor *of = &graph->tensors[tensor];
    uint64_t length = 0;
    if (!hy_element_bytes(of->element, of->rank, of->extents, &length))
        length = HY_NETWORK_RUN_BYTES; /* only a run can tell */
    EXPECT(length <= HY_NETWORK_RUN_BYTES);
    return (struct hy_buffer){.bytes = bytes, .length = (size_t)length};
}

static enum hy_code bind(struct hy_network_run *run)
{
    const struct hy_graph *graph = &run->network->graph;
    struct hy_buffer inputs[HY_NETWORK_RUN_TENSORS], outputs[HY_NETWORK_RUN_TENSORS];

    for (uint32_t i = 0; i < hy_graph_own_input_count(graph); i++)
        inputs[i] = buffer_of(graph, graph->inputs[i], run->inputs[i]);
    for (uint32_t i = 0; i < hy_graph_own_output_count(graph); i++)
        outputs[i] = buffer_of(graph, graph->outputs[i], run->outputs[i]);
    enum hy_code code = hy_states_create(graph, run->network->model, &run->states, &run->err);
    if (code == HY_OK)
        code = hy_io_binding_create(run->network, run->states, inputs, outputs, &run->binding,
                                    &run->err);
    return code;
}

static enum hy_code prepare(struct hy_network_run *run)
{
    ANeuralNetworksModel *model =
        (ANeuralNetworksModel *)hy_lowered_model_handle(run->network->model);

    EXPECT_INT(ANeuralNetworksCompilation_create(model, &run->compilation), 0);
    EXPECT_INT(ANeuralNetworksCompilation_finish(run->compilation), 0);
    EXPECT_INT(ANeuralNetworksExecution_create(run->compilation, &run->execution), 0);
    EXPECT_INT(ANeuralNetworksExecution_setReusable(run->execution, true), 0);
    return hy_io_binding_set(run->binding, run->execution, &run->err);
}

enum hy_code hy_network_run_try(struct hy_network_run *run, struct hy_builder *builder)
{
    size_t length;

    *run = (struct hy_network_run){0};
    run->bytes = hy_builder_finish(builder, &length);
    const enum hy_code code = hy_network_open(run->bytes, length, NULL, &run->network, &run->err);
    if (code != HY_OK)
        hy_network_run_close(run);
    return code;
}

bool hy_network_run_open(struct hy_network_run *run, struct hy_builder *builder)
{
    enum hy_code code = hy_network_run_try(run, builder);
    if (code == HY_OK)
        code = bind(run);
    if (code == HY_OK)
        code = prepare(run);
    if (code == HY_OK)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s", run->err.text);
    hy_network_run_close(run);
    return false;
}

enum hy_code hy_network_run(struct hy_network_run *run)
{
    enum hy_code code = hy_io_binding_before_run(run->binding, &run->err);
    if (code == HY_OK)
        code = (enum hy_code)ANeuralNetworksExecution_compute(run->execution);
    if (code == HY_OK)
        hy_io_binding_after_run(run->binding);
    return code;
}

void hy_network_run_close(struct hy_network_run *run)
{
    ANeuralNetworksExecution_free(run->execution);
    ANeuralNetworksCompilation_free(run->compilation);
    hy_io_binding_destroy(run->binding);
    hy_states_destroy(run->states);
    hy_network_close(run->network);
    free(run->bytes);
    run->network = NULL;
    run->bytes = NULL;
}
