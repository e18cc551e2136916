#include "cpu_fallback/cache/compiled_view.h"

#include "common/operations/operand_type.h"

static enum hy_code apply_folded(const struct hy_cpu_compiled_view *compiled_view,
                                 struct hy_cpu_graph *graph, uint32_t operand, struct hy_error *err)
{
    struct hy_value *value = &graph->values[operand];

    if (graph->operands[operand].lifetime != HY_LIFETIME_TEMPORARY || !value->known ||
        hy_operand_type_bytes(value->type) == 0)
        return hy_fail(err, HY_BAD_DATA, "operand %u cannot have been folded", operand);
    value->data = (void *)compiled_view->folded[operand]; /* constants are never written */
    graph->operands[operand].is_constant = true;
    return HY_OK;
}

static enum hy_code apply_packed(struct hy_cpu_graph *graph, uint32_t operand, struct hy_error *err)
{
    struct hy_cpu_operand *packed = &graph->operands[operand];

    if ((!packed->is_unreachable && packed->lifetime != HY_LIFETIME_TEMPORARY) ||
        !graph->values[operand].known)
        return hy_fail(err, HY_BAD_DATA, "operand %u cannot have been packed", operand);
    packed->is_unreachable = false;
    packed->is_constant = true;
    return HY_OK;
}

static enum hy_code apply_operands(const struct hy_cpu_compiled_view *compiled_view,
                                   struct hy_cpu_graph *graph, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < graph->operand_count && code == HY_OK; i++) {
        if (compiled_view->folded[i])
            code = apply_folded(compiled_view, graph, i, err);
        else if (compiled_view->is_packed[i])
            code = apply_packed(graph, i, err);
    }
    return code;
}

/* True if the operation reads this input from its packed weights. */
static bool has_packed(const struct hy_cpu_compiled_view *compiled_view,
                       const struct hy_cpu_graph *graph, uint32_t index, uint32_t input)
{
    const struct hy_cpu_op *op = hy_cpu_op_find(graph->operations[index].type);

    return op && hy_cpu_op_packs(op, input) && compiled_view->packed[index] &&
           hy_cpu_graph_can_pack(graph, index);
}

/* True if the input has a value, or the operation has it packed. */
static bool is_served(const struct hy_cpu_compiled_view *compiled_view,
                      const struct hy_cpu_graph *graph, uint32_t index, uint32_t input)
{
    const uint32_t operand = graph->operations[index].inputs[input];

    return !compiled_view->is_packed[operand] || has_packed(compiled_view, graph, index, input);
}

static enum hy_code check_operation(const struct hy_cpu_compiled_view *compiled_view,
                                    const struct hy_cpu_graph *graph, uint32_t index, bool *is_set,
                                    struct hy_error *err)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];

    for (uint32_t i = 0; i < operation->input_count; i++) {
        if (!is_set[operation->inputs[i]] || !is_served(compiled_view, graph, index, i))
            return hy_fail(err, HY_BAD_DATA, "operation %u: operand %u has no value", index,
                           operation->inputs[i]);
    }
    for (uint32_t i = 0; i < operation->output_count; i++) {
        if (graph->operands[operation->outputs[i]].is_constant)
            return hy_fail(err, HY_BAD_DATA, "operation %u writes to constant %u", index,
                           operation->outputs[i]);
        is_set[operation->outputs[i]] = true;
    }
    return HY_OK;
}

/* Checks that every operand has a value when it is read. Outputs of dropped operations have a value
 * only if folded. */
static enum hy_code check_order(const struct hy_cpu_compiled_view *compiled_view,
                                const struct hy_cpu_graph *graph, bool *is_set,
                                struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < graph->operand_count; i++) {
        const int32_t lifetime = graph->operands[i].lifetime;
        is_set[i] = graph->operands[i].is_constant ||
                    (lifetime != HY_LIFETIME_TEMPORARY && lifetime != HY_LIFETIME_OUTPUT);
    }
    for (uint32_t i = 0; i < graph->operation_count && code == HY_OK; i++) {
        if (!graph->operations[i].is_dropped)
            code = check_operation(compiled_view, graph, i, is_set, err);
    }
    for (uint32_t i = 0; i < graph->output_count && code == HY_OK; i++) {
        if (!is_set[graph->outputs[i]])
            code = hy_fail(err, HY_BAD_DATA, "no operation writes model output %u", i);
    }
    return code;
}

enum hy_code hy_cpu_compiled_view_apply(const struct hy_cpu_compiled_view *compiled_view,
                                        struct hy_cpu_graph *graph, struct hy_error *err)
{
    enum hy_code code = apply_operands(compiled_view, graph, err);
    bool *is_set = hy_arena_alloc(&graph->memory, graph->operand_count);

    if (code == HY_OK && !is_set)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");
    for (uint32_t i = 0; i < graph->operation_count; i++)
        graph->operations[i].is_dropped = compiled_view->is_dropped[i];
    return code == HY_OK ? check_order(compiled_view, graph, is_set, err) : code;
}
