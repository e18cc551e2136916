#include "cpu_fallback/support.h"

#include "common/infer.h"
#include "common/operation.h"
#include "common/signature.h"
#include "cpu_fallback/program.h"

enum hy_code hy_cpu_operation_check(const struct hy_cpu_graph *graph, const struct hy_model *model,
                                    uint32_t index, struct hy_error *err)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];

    if (!hy_cpu_op_find(operation->type) || !hy_infer_knows(operation->type))
        return hy_fail(err, HY_FAILED, "no kernel");
    for (uint32_t i = 0; i < operation->input_count; i++) {
        if (graph->operands[operation->inputs[i]].is_unreachable)
            return hy_fail(err, HY_UNMAPPABLE,
                           "input %u (operand %u) is in memory that cannot be mapped", i,
                           operation->inputs[i]);
    }
    return hy_signature_check(model->main->operands, graph->operand_count,
                              &model->main->operations[index], NULL, err);
}

/* The operation by itself, then its shapes where they can be told. */
static enum hy_code check_operation(struct hy_cpu_graph *graph, const struct hy_model *model,
                                    uint32_t index, struct hy_error *err)
{
    struct hy_call call = hy_cpu_graph_call(graph, index, graph->values);
    enum hy_code code = hy_cpu_operation_check(graph, model, index, err);

    if (code == HY_OK && hy_cpu_call_is_ready(&call))
        code = hy_cpu_call_settle(&call, &graph->memory, err);
    return code;
}

enum hy_code hy_cpu_supported_operations(const struct hy_model *model, const struct hy_host *host,
                                         uint8_t *supported, const struct hy_refusals *refusals,
                                         struct hy_error *err)
{
    struct hy_cpu_graph graph;
    struct hy_error reason;
    enum hy_code code = hy_cpu_graph_init(&graph, model, host, err);

    for (uint32_t i = 0; code == HY_OK && i < graph.operation_count; i++) {
        enum hy_code answer = check_operation(&graph, model, i, &reason);
        supported[i] = answer == HY_OK;
        if (answer == HY_OK)
            continue;
        hy_cpu_program_blame(&graph, i, answer, &reason);
        if (refusals && refusals->refuse)
            refusals->refuse(refusals->context, i, reason.text);
    }
    if (code == HY_OK)
        hy_cpu_graph_finish(&graph);
    return code;
}
