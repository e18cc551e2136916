#include "cpu_fallback/program/graph.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/inference/infer.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "cpu_fallback/program/graph_operand.h"

/* State of loading a graph. */
struct loading {
    struct hy_cpu_graph *graph;
    const struct hy_model *model;
    const struct hy_subgraph *view;
    bool *defined; /* per operand: has a value before the next operation */
};

static enum hy_code no_memory(struct hy_error *err)
{
    return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");
}

/* The prefix of Halyard's own extension is the same in every host: its codes are constants. */
static enum hy_code check_extensions(const struct hy_model *model, struct hy_error *err)
{
    for (uint32_t i = 0; i < model->extension_count; i++) {
        const struct hy_extension_prefix *extension = &model->extensions[i];
        if (extension->prefix == HY_OPERATIONS_PREFIX &&
            strcmp(extension->name, HALYARD_OPERATIONS_NAME) != 0)
            return hy_fail(err, HY_BAD_DATA, "extension %s has the prefix %u of %s",
                           extension->name, extension->prefix, HALYARD_OPERATIONS_NAME);
    }
    return HY_OK;
}

static enum hy_code check_view(const struct hy_model *model, const struct hy_subgraph *view,
                               struct hy_error *err)
{
    if (!model || !HY_REACHES(model, feature_level) || !view || !HY_REACHES(view, outputs))
        return hy_fail(err, HY_BAD_DATA, "the model is NULL, or its struct_size is too small");
    if ((view->operand_count && !view->operands) || (view->operation_count && !view->operations) ||
        (view->input_count && !view->inputs) || (view->output_count && !view->outputs) ||
        (model->pool_count && !model->pools) || (model->values_size && !model->values) ||
        (model->extension_count && !model->extensions))
        return hy_fail(err, HY_BAD_DATA, "the model has a count above 0 and no array");
    if (view->operation_count == 0 || view->output_count == 0)
        return hy_fail(err, HY_BAD_DATA, "the model has %u operations and %u outputs",
                       view->operation_count, view->output_count);
    return HY_OK;
}

static enum hy_code load_operands(struct loading *load, const struct hy_host *host,
                                  struct hy_error *err)
{
    struct hy_cpu_graph *graph = load->graph;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < graph->operand_count && code == HY_OK; i++) {
        code = hy_cpu_graph_load_operand(graph, load->model, load->view, i, host, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operand %u", i);
        int32_t lifetime = graph->operands[i].lifetime;
        load->defined[i] = lifetime != HY_LIFETIME_TEMPORARY && lifetime != HY_LIFETIME_INPUT &&
                           lifetime != HY_LIFETIME_OUTPUT;
    }
    return code;
}

/* Copies a list of operand indices after checking their range. */
static enum hy_code load_indices(struct loading *load, const char *what, uint32_t count,
                                 const uint32_t *indices, const uint32_t **out,
                                 struct hy_error *err)
{
    if (count > 0 && !indices)
        return hy_fail(err, HY_BAD_DATA, "%u %ss, but the list is NULL", count, what);
    const uint32_t *copy = hy_arena_copy(&load->graph->memory, indices, count, sizeof *indices);
    if (!copy)
        return no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        if (copy[i] >= load->graph->operand_count)
            return hy_fail(err, HY_BAD_DATA, "%s %u is operand %u, the model has %u", what, i,
                           copy[i], load->graph->operand_count);
    }
    *out = copy;
    return HY_OK;
}

static enum hy_code load_inputs(struct loading *load, struct hy_error *err)
{
    struct hy_cpu_graph *graph = load->graph;
    enum hy_code code = load_indices(load, "model input", graph->input_count, load->view->inputs,
                                     &graph->inputs, err);

    for (uint32_t i = 0; i < graph->input_count && code == HY_OK; i++) {
        uint32_t operand = graph->inputs[i];
        if (graph->operands[operand].lifetime != HY_LIFETIME_INPUT || load->defined[operand])
            code =
                hy_fail(err, HY_BAD_DATA,
                        "model input %u: operand %u is not an input, or listed twice", i, operand);
        load->defined[operand] = true;
    }
    return code;
}

/* Copies constants in pools that determine shapes or parameters: these are read more than once, and
 * another process may write to the pool in between. */
static enum hy_code copy_parameters(struct hy_cpu_graph *graph,
                                    const struct hy_cpu_operation *operation, struct hy_error *err)
{
    for (uint32_t i = 0; i < operation->input_count; i++) {
        uint32_t operand = operation->inputs[i];
        struct hy_value *value = &graph->values[operand];
        uint64_t bytes;
        if (graph->operands[operand].lifetime != HY_LIFETIME_CONSTANT_POOL || !value->data ||
            !hy_infer_needs_value(operation->type, i, operation->input_count))
            continue;
        (void)hy_shape_bytes(&value->shape, hy_operand_type_bytes(value->type), &bytes);
        value->data = hy_arena_copy(&graph->memory, value->data, bytes, 1);
        if (!value->data)
            return no_memory(err);
    }
    return HY_OK;
}

static enum hy_code load_operation(struct loading *load, uint32_t index, struct hy_error *err)
{
    struct hy_cpu_graph *graph = load->graph;
    const struct hy_operation *view = &load->view->operations[index];
    struct hy_cpu_operation *operation = &graph->operations[index];

    *operation = (struct hy_cpu_operation){
        .type = view->type, .input_count = view->input_count, .output_count = view->output_count};
    enum hy_code code =
        load_indices(load, "input", operation->input_count, view->inputs, &operation->inputs, err);
    if (code == HY_OK)
        code = load_indices(load, "output", operation->output_count, view->outputs,
                            &operation->outputs, err);
    if (code == HY_OK)
        code = copy_parameters(graph, operation, err);
    for (uint32_t i = 0; i < operation->input_count && code == HY_OK; i++) {
        if (!load->defined[operation->inputs[i]])
            code = hy_fail(err, HY_BAD_DATA, "input %u (operand %u) has no value yet", i,
                           operation->inputs[i]);
    }
    for (uint32_t i = 0; i < operation->output_count && code == HY_OK; i++) {
        uint32_t operand = operation->outputs[i];
        int32_t lifetime = graph->operands[operand].lifetime;
        if ((lifetime != HY_LIFETIME_TEMPORARY && lifetime != HY_LIFETIME_OUTPUT) ||
            load->defined[operand])
            code = hy_fail(err, HY_BAD_DATA,
                           "output %u (operand %u) cannot be written, or is written twice", i,
                           operand);
        load->defined[operand] = true;
    }
    return code;
}

static enum hy_code load_operations(struct loading *load, struct hy_error *err)
{
    for (uint32_t i = 0; i < load->graph->operation_count; i++) {
        enum hy_code code = load_operation(load, i, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operation %u %s", i,
                                   hy_operation_name(load->view->operations[i].type));
    }
    return HY_OK;
}

static enum hy_code load_outputs(struct loading *load, struct hy_error *err)
{
    struct hy_cpu_graph *graph = load->graph;
    enum hy_code code = load_indices(load, "model output", graph->output_count, load->view->outputs,
                                     &graph->outputs, err);

    for (uint32_t i = 0; i < graph->output_count && code == HY_OK; i++) {
        uint32_t operand = graph->outputs[i];
        if (graph->operands[operand].lifetime != HY_LIFETIME_OUTPUT || !load->defined[operand])
            code = hy_fail(err, HY_BAD_DATA,
                           "model output %u: operand %u is not a written output, or listed twice",
                           i, operand);
        load->defined[operand] = false;
    }
    for (uint32_t i = 0; i < graph->operand_count && code == HY_OK; i++) {
        if (graph->operands[i].lifetime == HY_LIFETIME_OUTPUT && load->defined[i])
            code = hy_fail(err, HY_BAD_DATA,
                           "operand %u has the lifetime of an output, but is not listed", i);
    }
    return code;
}

static enum hy_code allocate(struct loading *load, struct hy_error *err)
{
    struct hy_cpu_graph *graph = load->graph;
    size_t operands = graph->operand_count, operations = graph->operation_count;

    graph->values = graph->own_values = hy_cpu_calloc(graph->host, operands, sizeof *graph->values);
    graph->operands = hy_arena_alloc(&graph->memory, operands * sizeof *graph->operands);
    graph->operations = hy_arena_alloc(&graph->memory, operations * sizeof *graph->operations);
    load->defined = hy_arena_alloc(&graph->memory, operands * sizeof *load->defined);
    if (!graph->values || !graph->operands || !graph->operations || !load->defined)
        return no_memory(err);
    return HY_OK;
}

enum hy_code hy_cpu_graph_init(struct hy_cpu_graph *graph, const struct hy_model *model,
                               const struct hy_subgraph *view, const struct hy_host *host,
                               struct hy_error *err)
{
    enum hy_code code = check_view(model, view, err);

    if (code == HY_OK)
        code = check_extensions(model, err);
    if (code != HY_OK)
        return code;
    struct loading load = {.graph = graph, .model = model, .view = view};
    *graph = (struct hy_cpu_graph){
        .host = host,
        .memory = hy_cpu_arena(host),
        .operand_count = view->operand_count,
        .operand_capacity = view->operand_count,
        .operation_count = view->operation_count,
        .input_count = view->input_count,
        .output_count = view->output_count,
    };
    code = allocate(&load, err);
    if (code == HY_OK)
        code = load_operands(&load, host, err);
    if (code == HY_OK)
        code = load_inputs(&load, err);
    if (code == HY_OK)
        code = load_operations(&load, err);
    if (code == HY_OK)
        code = load_outputs(&load, err);
    if (code != HY_OK)
        hy_cpu_graph_finish(graph);
    return code;
}

void hy_cpu_graph_finish(struct hy_cpu_graph *graph)
{
    hy_arena_finish(&graph->memory);
    hy_cpu_free(graph->own_values);
    *graph = (struct hy_cpu_graph){0};
}

void hy_cpu_graph_adopt_values(struct hy_cpu_graph *graph, struct hy_value *values)
{
    hy_cpu_free(graph->own_values);
    graph->own_values = NULL;
    graph->values = values;
}

/* Capacity for at least one more operand, and half as many again, so that growing stays cheap. */
static bool grow(struct hy_cpu_graph *graph)
{
    const size_t count = graph->operand_count, capacity = count + count / 2 + 16;
    struct hy_value *values = hy_cpu_calloc(graph->host, capacity, sizeof *values);
    struct hy_cpu_operand *operands = hy_arena_alloc(&graph->memory, capacity * sizeof *operands);

    if (capacity >= HY_CPU_NO_OPERAND || !values || !operands) {
        hy_cpu_free(values);
        return false;
    }
    memcpy(values, graph->values, count * sizeof *values);
    memcpy(operands, graph->operands, count * sizeof *operands);
    hy_cpu_free(graph->own_values);
    graph->values = graph->own_values = values;
    graph->operands = operands;
    graph->operand_capacity = (uint32_t)capacity;
    return true;
}

uint32_t hy_cpu_graph_add_int(struct hy_cpu_graph *graph, int32_t number)
{
    int32_t *data = hy_arena_copy(&graph->memory, &number, 1, sizeof number);

    if (!data || (graph->operand_count == graph->operand_capacity && !grow(graph)))
        return HY_CPU_NO_OPERAND;
    graph->values[graph->operand_count] =
        (struct hy_value){.type = ANEURALNETWORKS_INT32, .known = true, .data = data};
    graph->operands[graph->operand_count] =
        (struct hy_cpu_operand){.lifetime = HY_LIFETIME_CONSTANT_COPY, .is_constant = true};
    return graph->operand_count++;
}

struct hy_call hy_cpu_graph_call(const struct hy_cpu_graph *graph, uint32_t index,
                                 struct hy_value *values)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];

    return (struct hy_call){
        .operation = operation->type,
        .input_count = operation->input_count,
        .output_count = operation->output_count,
        .inputs = operation->inputs,
        .outputs = operation->outputs,
        .values = values,
    };
}

bool hy_cpu_graph_can_pack(const struct hy_cpu_graph *graph, uint32_t index)
{
    const struct hy_cpu_operation *operation = &graph->operations[index];
    const struct hy_cpu_op *op = hy_cpu_op_find(operation->type);
    bool any = false;

    for (uint32_t i = 0; op && i < operation->input_count; i++) {
        const struct hy_cpu_operand *operand = &graph->operands[operation->inputs[i]];
        if (!hy_cpu_op_packs(op, i) || operand->lifetime == HY_LIFETIME_NO_VALUE)
            continue;
        if (!operand->is_constant)
            return false;
        any = true;
    }
    return any;
}
