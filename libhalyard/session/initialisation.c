#include "libhalyard/session/initialisation.h"

#include "halyard/halyard.h"

/* The objects of one run. */
struct once {
    struct hy_network network;
    struct hy_states *states; /* none */
    struct hy_io_binding *binding;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksExecution *execution;
    float input; /* that nothing reads */
};

static enum hy_code code_of_result(int result, struct hy_error *err)
{
    if (result == ANEURALNETWORKS_NO_ERROR)
        return HY_OK;
    return hy_fail(err, (enum hy_code)result, "%s", halyard_last_error());
}

static enum hy_code bind(struct once *once, const struct hy_buffer *outputs, struct hy_error *err)
{
    const struct hy_buffer input = {.bytes = &once->input, .length = sizeof once->input};
    enum hy_code code =
        hy_states_create(&once->network.graph, once->network.model, &once->states, err);
    if (code == HY_OK)
        code = hy_io_binding_create(&once->network, once->states, &input, outputs, &once->binding,
                                    err);
    return code;
}

static enum hy_code compile(struct once *once, struct hy_error *err)
{
    /* The API has no const for models that it only reads. */
    ANeuralNetworksModel *model =
        (ANeuralNetworksModel *)hy_lowered_model_handle(once->network.model);
    enum hy_code code =
        code_of_result(ANeuralNetworksCompilation_create(model, &once->compilation), err);
    if (code == HY_OK)
        code = code_of_result(ANeuralNetworksCompilation_finish(once->compilation), err);
    if (code == HY_OK)
        code = code_of_result(ANeuralNetworksExecution_create(once->compilation, &once->execution),
                              err);
    return code;
}

static enum hy_code run(struct once *once, struct hy_error *err)
{
    enum hy_code code = hy_io_binding_set(once->binding, once->execution, err);
    if (code == HY_OK)
        code = hy_io_binding_before_run(once->binding, err);
    if (code == HY_OK)
        code = code_of_result(ANeuralNetworksExecution_compute(once->execution), err);
    if (code == HY_OK)
        hy_io_binding_after_run(once->binding);
    return code;
}

enum hy_code hy_run_initialisation(const struct hy_graph *graph, const struct hy_buffer *outputs,
                                   struct hy_error *err)
{
    struct once once = {.network.graph = *graph};

    enum hy_code code = hy_lower(graph, &once.network.model, err);
    if (code == HY_OK)
        code = bind(&once, outputs, err);
    if (code == HY_OK)
        code = compile(&once, err);
    if (code == HY_OK)
        code = run(&once, err);
    ANeuralNetworksExecution_free(once.execution);
    ANeuralNetworksCompilation_free(once.compilation);
    hy_io_binding_destroy(once.binding);
    hy_states_destroy(once.states);
    hy_lowered_model_destroy(once.network.model);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "first contents of variables");
}
