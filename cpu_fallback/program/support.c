#include "cpu_fallback/program/support.h"
#include "cpu_fallback/run/execution_limits.h"

#include "common/inference/infer.h"
#include "common/model/body_order.h"
#include "common/operations/control_flow.h"
#include "common/operations/signature.h"
#include "cpu_fallback/program/op.h"

/* The subgraph index in input `input` of an IF or WHILE; the index has been checked. */
static uint32_t body_of(const struct hy_cpu_graph *graph, const struct hy_cpu_operation *operation,
                        uint32_t input)
{
    return graph->operands[operation->inputs[input]].body;
}

static enum hy_code check_bodies(const struct hy_cpu_graph *graph,
                                 const struct hy_cpu_source *source, uint32_t index,
                                 struct hy_error *err)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];
    const uint32_t input = hy_control_flow_first_model(operation->type);

    for (uint32_t i = input; i < input + 2; i++) {
        if (graph->operands[operation->inputs[i]].lifetime != HY_LIFETIME_SUBGRAPH)
            return hy_fail(err, HY_BAD_DATA, "input %u (operand %u) is not a model", i,
                           operation->inputs[i]);
    }
    return hy_control_flow_check(source->view->operands, &source->view->operations[index],
                                 source->model->referenced[body_of(graph, operation, input)],
                                 source->model->referenced[body_of(graph, operation, input + 1)],
                                 err);
}

enum hy_code hy_cpu_operation_check(const struct hy_cpu_graph *graph,
                                    const struct hy_cpu_source *source, uint32_t index,
                                    struct hy_error *err)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];
    const bool has_bodies = hy_is_control_flow(operation->type);

    if (!has_bodies && (!hy_cpu_op_find(operation->type) || !hy_infer_knows(operation->type)))
        return hy_fail(err, HY_FAILED, "no kernel");
    for (uint32_t i = 0; i < operation->input_count; i++) {
        if (graph->operands[operation->inputs[i]].is_unreachable)
            return hy_fail(err, HY_UNMAPPABLE,
                           "input %u (operand %u) lies in memory that cannot be mapped", i,
                           operation->inputs[i]);
    }
    enum hy_code code = hy_signature_check(source->view->operands, graph->operand_count,
                                           &source->view->operations[index], NULL, err);
    return code == HY_OK && has_bodies ? check_bodies(graph, source, index, err) : code;
}

/* ---- Answering for a whole model ------------------------------------------------------------- */

/* A supported_operations query. */
struct inquiry {
    const struct hy_model *model;
    const struct hy_host *host;
    struct hy_error *body_errors; /* per referenced subgraph: HY_OK, or why it is unsupported */
};

static enum hy_code check_body_results(const struct inquiry *inquiry,
                                       const struct hy_cpu_graph *graph, uint32_t index,
                                       struct hy_error *err)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];
    const uint32_t input = hy_control_flow_first_model(operation->type);

    for (uint32_t i = input; i < input + 2; i++) {
        const uint32_t body = body_of(graph, operation, i);
        const struct hy_error *body_error = &inquiry->body_errors[body];
        /* Bodies have results. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        if (body_error->code != HY_OK)
            return hy_fail(err, body_error->code, "model %u: %s", body, body_error->text);
    }
    return HY_OK;
}

/* Checks the operation by itself, then its shapes if known, or its bodies. */
static enum hy_code check_operation(const struct inquiry *inquiry, struct hy_cpu_graph *graph,
                                    const struct hy_cpu_source *source, uint32_t index,
                                    struct hy_error *err)
{
    struct hy_call call = hy_cpu_graph_call(graph, index, graph->values);
    enum hy_code code = hy_cpu_operation_check(graph, source, index, err);

    if (code == HY_OK && hy_is_control_flow(call.operation))
        code = check_body_results(inquiry, graph, index, err);
    if (code == HY_OK && hy_cpu_call_is_ready(&call))
        code = hy_cpu_call_infer_shapes(&call, &graph->memory, err);
    if (hy_infer_gives_limits(call.operation))
        hy_cpu_call_invalidate_outputs(&call);
    if (code != HY_OK)
        return hy_cpu_program_annotate_error(graph, index, code, err);
    return HY_OK;
}

/* A body is supported if all of its operations are. */
static enum hy_code check_body_model(const struct inquiry *inquiry, uint32_t body,
                                     struct hy_error *err)
{
    const struct hy_cpu_source source = {.model = inquiry->model,
                                         .view = inquiry->model->referenced[body]};
    struct hy_cpu_graph graph;
    enum hy_code code = hy_cpu_graph_init(&graph, source.model, source.view, inquiry->host, err);

    if (code != HY_OK)
        return hy_error_prefix(err, code, "model %u", body);
    for (uint32_t i = 0; i < graph.operation_count && code == HY_OK; i++) {
        code = hy_cpu_check_wanted(err);
        if (check_operation(inquiry, &graph, &source, i, &inquiry->body_errors[body]) != HY_OK)
            break;
    }
    hy_cpu_graph_finish(&graph);
    return code;
}

static enum hy_code check_body_models(struct inquiry *inquiry, struct hy_arena *memory,
                                      struct hy_error *err)
{
    struct hy_body_order order;

    enum hy_code code = hy_body_order_find(inquiry->model, memory, &order, err);
    if (code != HY_OK || order.count == 0)
        return code;
    inquiry->body_errors = hy_cpu_calloc(inquiry->host, inquiry->model->referenced_count,
                                         sizeof *inquiry->body_errors);
    if (!inquiry->body_errors)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u models", order.count);
    for (uint32_t i = 0; i < order.count && code == HY_OK; i++)
        code = check_body_model(inquiry, order.bodies[i], err);
    return code;
}

static enum hy_code check_main_model(const struct inquiry *inquiry, uint8_t *supported,
                                     const struct hy_refusals *refusals, struct hy_error *err)
{
    const struct hy_cpu_source source = {.model = inquiry->model, .view = inquiry->model->main};
    struct hy_cpu_graph graph;
    struct hy_error reason;
    enum hy_code code = hy_cpu_graph_init(&graph, source.model, source.view, inquiry->host, err);

    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < graph.operation_count && code == HY_OK; i++) {
        code = hy_cpu_check_wanted(err);
        supported[i] = check_operation(inquiry, &graph, &source, i, &reason) == HY_OK;
        if (!supported[i] && refusals && refusals->refuse)
            refusals->refuse(refusals->context, i, reason.text);
    }
    hy_cpu_graph_finish(&graph);
    return code;
}

enum hy_code hy_cpu_supported_operations(const struct hy_model *model, const struct hy_host *host,
                                         uint8_t *supported, const struct hy_refusals *refusals,
                                         struct hy_error *err)
{
    struct inquiry inquiry = {.model = model, .host = host};
    struct hy_arena memory = hy_cpu_arena(host);

    enum hy_code code = check_body_models(&inquiry, &memory, err);

    if (code == HY_OK)
        code = check_main_model(&inquiry, supported, refusals, err);
    hy_cpu_free(inquiry.body_errors);
    hy_arena_finish(&memory);
    return code;
}
