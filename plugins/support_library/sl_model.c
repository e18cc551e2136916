#include "plugins/support_library/sl_model.h"

#include "common/operations/control_flow.h"
#include "common/operations/operand_type.h"
#include "plugins/support_library/builder.h"
#include "plugins/support_library/result.h"

#include <inttypes.h>
#include <string.h>

/* ---- Operations ------------------------------------------------------------------------------ */

static enum hy_code map_operation_type(const struct hy_sl_builder *builder,
                                       ANeuralNetworksModel *model, int32_t type,
                                       ANeuralNetworksOperationType *ret)
{
    const char *name;

    *ret = type;
    if (!hy_type_is_extension(type))
        return HY_OK;
    enum hy_code code = hy_sl_find_extension(builder, type, &name);
    if (code != HY_OK)
        return code;
    int result = builder->api->ANeuralNetworksModel_getExtensionOperationType(model, name,
                                                                              (uint16_t)type, ret);
    return hy_sl_result(result, "Model_getExtensionOperationType", builder->err);
}

static enum hy_code add_operations(struct hy_sl_builder *builder, const struct hy_sl_graph *graph)
{
    for (uint32_t i = 0; i < graph->view->operation_count; i++) {
        const struct hy_operation *operation = &graph->view->operations[i];
        ANeuralNetworksOperationType type;

        enum hy_code code = map_operation_type(builder, graph->handle, operation->type, &type);
        if (code == HY_OK)
            code = hy_sl_result(builder->api->ANeuralNetworksModel_addOperation(
                                    graph->handle, type, operation->input_count, operation->inputs,
                                    operation->output_count, operation->outputs),
                                "Model_addOperation", builder->err);
        if (code != HY_OK)
            return hy_error_prefix(builder->err, code, "operation %u", i);
    }
    return HY_OK;
}

/* ---- Subgraphs ------------------------------------------------------------------------------- */

/* Builds the content of a subgraph whose bodies have been built. */
static enum hy_code fill_graph(struct hy_sl_builder *builder, const struct hy_sl_graph *graph,
                               bool is_main)
{
    const NnApiSLDriverImplFL5 *api = builder->api;
    const struct hy_subgraph *view = graph->view;

    if (view->input_count == 0 || view->output_count == 0)
        return hy_fail(builder->err, HY_FAILED,
                       "%u inputs and %u outputs, a support library needs one of each",
                       view->input_count, view->output_count);
    enum hy_code code = hy_sl_add_operands(builder, graph);
    if (code == HY_OK)
        code = add_operations(builder, graph);
    if (code == HY_OK)
        code = hy_sl_result(
            api->ANeuralNetworksModel_identifyInputsAndOutputs(
                graph->handle, view->input_count, view->inputs, view->output_count, view->outputs),
            "Model_identifyInputsAndOutputs", builder->err);
    if (code == HY_OK && is_main && builder->view->relaxed_float)
        code = hy_sl_result(
            api->ANeuralNetworksModel_relaxComputationFloat32toFloat16(graph->handle, true),
            "Model_relaxComputationFloat32toFloat16", builder->err);
    if (code == HY_OK)
        code = hy_sl_result(api->ANeuralNetworksModel_finish(graph->handle), "Model_finish",
                            builder->err);
    return code;
}

static enum hy_code build_graph(struct hy_sl_builder *builder, const struct hy_subgraph *view,
                                unsigned depth, struct hy_sl_graph *graph);

/* Builds a body after its own bodies; a cycle would recurse without end and is refused. */
static enum hy_code build_body(struct hy_sl_builder *builder, uint64_t index, unsigned depth)
{
    const struct hy_model *view = builder->view;
    struct hy_sl_graph graph;

    if (index >= view->referenced_count)
        return hy_fail(builder->err, HY_BAD_DATA,
                       "subgraph %" PRIu64 " does not exist, there are %u", index,
                       view->referenced_count);
    if (builder->bodies[index])
        return HY_OK;
    if (depth > HY_CONTROL_FLOW_DEPTH)
        return hy_fail(builder->err, HY_BAD_DATA, "subgraphs nest deeper than %u levels",
                       HY_CONTROL_FLOW_DEPTH);
    enum hy_code code = build_graph(builder, view->referenced[index], depth, &graph);
    if (code != HY_OK)
        return hy_error_prefix(builder->err, code, "subgraph %" PRIu64, index);
    builder->bodies[index] = graph.handle;
    return HY_OK;
}

static enum hy_code build_bodies_of(struct hy_sl_builder *builder, const struct hy_subgraph *view,
                                    unsigned depth)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < view->operand_count; i++) {
        if (view->operands[i].lifetime == HY_LIFETIME_SUBGRAPH)
            code = build_body(builder, view->operands[i].location.offset, depth + 1);
    }
    return code;
}

static enum hy_code build_graph(struct hy_sl_builder *builder, const struct hy_subgraph *view,
                                unsigned depth, struct hy_sl_graph *graph)
{
    struct hy_sl_model *out = builder->out;

    enum hy_code code = build_bodies_of(builder, view, depth);
    if (code != HY_OK)
        return code;
    *graph = (struct hy_sl_graph){
        .view = view,
        .types = hy_arena_alloc(&out->memory, view->operand_count * sizeof(int32_t)),
    };
    if (!graph->types)
        return hy_fail(builder->err, HY_OUT_OF_MEMORY, "types of %u operands", view->operand_count);

    int result = builder->api->ANeuralNetworksModel_create(&graph->handle);
    code = hy_sl_result_made(result, graph->handle, "Model_create", builder->err);
    if (code != HY_OK)
        return code;
    out->graphs[out->graph_count++] = graph->handle;
    return fill_graph(builder, graph, depth == 0);
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Allocates a zeroed list of pointers. */
static void *alloc_list(struct hy_arena *arena, size_t count)
{
    void *list = hy_arena_alloc(arena, count * sizeof(void *));
    if (list)
        memset(list, 0, count * sizeof(void *));
    return list;
}

enum hy_code hy_sl_model_build(const NnApiSLDriverImplFL5 *api, const struct hy_model *view,
                               struct hy_sl_model *out, struct hy_error *err)
{
    struct hy_sl_graph main;

    *out = (struct hy_sl_model){.api = api};
    if (!HY_REACHES(view, feature_level) || !HY_REACHES(view->main, outputs))
        return hy_fail(err, HY_BAD_DATA, "struct_size of the model is %u, of its main subgraph %u",
                       view->struct_size, view->main->struct_size);
    struct hy_sl_builder builder = {
        .api = api,
        .view = view,
        .out = out,
        .bodies = alloc_list(&out->memory, view->referenced_count),
        .err = err,
    };
    out->graphs = alloc_list(&out->memory, (size_t)view->referenced_count + 1);
    out->memories = alloc_list(&out->memory, view->pool_count);
    if (!builder.bodies || !out->graphs || !out->memories)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u subgraphs, %u pools", view->referenced_count,
                       view->pool_count);
    out->memory_count = view->pool_count;
    enum hy_code code = build_graph(&builder, view->main, 0, &main);
    if (code != HY_OK)
        return code;
    out->main = main.handle;
    out->types = main.types;
    return HY_OK;
}

void hy_sl_model_finish(struct hy_sl_model *model)
{
    while (model->graph_count > 0)
        model->api->ANeuralNetworksModel_free(model->graphs[--model->graph_count]);
    for (uint32_t i = 0; i < model->memory_count; i++) {
        if (model->memories[i])
            model->api->ANeuralNetworksMemory_free(model->memories[i]);
    }
    hy_arena_finish(&model->memory);
}
