#include "libhalyard/lower/lower.h"

#include "common/operations/operation.h"
#include "halyard/halyard.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/legal/legalise.h"
#include "libhalyard/lower/model.h"

#include <math.h>
#include <stdlib.h>

/* The lowering of each operator: by a function, by a function shared by several operators, or as
 * one operation with all inputs in order. */
struct row {
    void (*lower)(struct hy_lowering *lowering);
    void (*lower_as)(struct hy_lowering *lowering, int32_t type);
    bool as_it_stands;
    bool accepts_open_extents; /* of functions: others compute with extents */
    int32_t type;
    const char *refusal; /* why nodes of the operator that are left have no form */
};

static const char of_shape[] = "a shape known only at run time has no NNAPI form";

static const struct row rows[HY_OPERATOR_COUNT] = {
#define BY(name)                      .lower = hy_lower_##name
#define BY_TYPE(name, operation)      .lower_as = hy_lower_##name, .type = ANEURALNETWORKS_##operation
#define AS_IT_STANDS(operation)       .as_it_stands = true, .type = ANEURALNETWORKS_##operation
#define BY_EXTENSION(name, operation) .lower_as = hy_lower_##name, .type = HY_EXT_##operation
#define AS_EXTENSION(operation)       .as_it_stands = true, .type = HY_EXT_##operation
#define OPEN(row)                     row, .accepts_open_extents = true
#define REFUSED(why)                  .refusal = why
#define NO_FORM                       .refusal = NULL

#define OPERATOR(NAME, attributes, lowering) [HY_OPERATOR_##NAME] = {lowering},
#include "libhalyard/graph/operators.def"
};

static bool is_open(const struct hy_graph_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->extents[i] < 0)
            return true;
    }
    return false;
}

/* Unknown extents come from loops that change a shape, and from shapes that a run computes. */
static void check_extents(struct hy_lowering *lowering, const struct hy_graph_node *node)
{
    const struct hy_graph_tensor *tensors = lowering->graph->tensors;
    const struct row *row = &rows[node->operator_];
    bool open = false;

    /* a refusal has its own text */
    if (row->accepts_open_extents || row->as_it_stands || row->refusal)
        return;
    for (uint32_t i = 0; i < node->input_count; i++)
        open |= node->inputs[i] != HY_NO_TENSOR && is_open(&tensors[node->inputs[i]]);
    for (uint32_t i = 0; i < node->output_count; i++)
        open |= is_open(&tensors[node->outputs[i]]);
    hy_expect(lowering, !open, "a shape known only at run time");
}

/* Of one scale: filters with a scale for each channel are left to the runtime. */
static void check_scale(struct hy_lowering *lowering, uint32_t index)
{
    if (lowering->code != HY_OK || index == HY_NO_TENSOR)
        return;
    const struct hy_graph_tensor *tensor = &lowering->graph->tensors[index];
    const struct hy_graph_quantisation *quantisation = &tensor->quantisation;
    if (quantisation->count == 1 && hy_has_steps(tensor) &&
        !(quantisation->scales[0] > 0.0f && isfinite(quantisation->scales[0])))
        lowering->code = hy_fail(lowering->err, HY_BAD_DATA,
                                 "tensor %u (%.64s): scale is %g, must be finite and above 0",
                                 index, tensor->name, (double)quantisation->scales[0]);
}

/* Lowerings divide by scales. */
static void check_scales(struct hy_lowering *lowering, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        check_scale(lowering, node->inputs[i]);
    for (uint32_t i = 0; i < node->output_count; i++)
        check_scale(lowering, node->outputs[i]);
}

static bool has_form(const struct row *row)
{
    return row->lower || row->lower_as || row->as_it_stands;
}

void hy_lower_node(struct hy_lowering *lowering, const struct hy_graph_node *node)
{
    const struct row *row = &rows[node->operator_];

    lowering->node = node;
    hy_arena_reset(&lowering->scratch);
    check_extents(lowering, node);
    check_scales(lowering, node);
    if (has_form(row) && lowering->code != HY_OK)
        return;
    if (row->lower) {
        row->lower(lowering);
    } else if (row->lower_as) {
        row->lower_as(lowering, row->type);
    } else if (row->as_it_stands) {
        hy_push_inputs(lowering);
        hy_emit(lowering, row->type);
    } else if (node->operator_ == HY_OPERATOR_FOREIGN && node->attributes.foreign.reason) {
        lowering->code = hy_fail(lowering->err, HY_BAD_DATA, "%s", node->attributes.foreign.reason);
    } else {
        lowering->code = hy_fail(lowering->err, HY_BAD_DATA, "%s",
                                 row->refusal ? row->refusal : "the operator has no NNAPI form");
    }
}

static void note(struct hy_lowering *lowering, int result)
{
    if (result != ANEURALNETWORKS_NO_ERROR)
        lowering->code = hy_fail(lowering->err, (enum hy_code)result, "%s", halyard_last_error());
}

/* The index of a tensor in a list; `count` if the tensor is not in the list. */
static uint32_t find(const uint32_t *tensors, uint32_t count, uint32_t tensor)
{
    uint32_t i = 0;
    while (i < count && tensors[i] != tensor)
        i++;
    return i;
}

/* Sets the source of each output, and pushes outputs that operations compute. */
static uint32_t push_outputs(struct hy_lowering *lowering)
{
    const struct hy_graph *graph = lowering->graph;
    struct hy_lowered_output *outputs = lowering->model->outputs;
    uint32_t computed = 0;

    for (uint32_t i = 0; i < graph->output_count; i++) {
        const uint32_t tensor = graph->outputs[i];
        const uint32_t input = find(graph->inputs, graph->input_count, tensor);
        const uint32_t same = find(graph->outputs, i, tensor);
        if (input < graph->input_count) {
            outputs[i] = (struct hy_lowered_output){HY_OUTPUT_INPUT, input};
        } else if (graph->tensors[tensor].data) {
            outputs[i] = (struct hy_lowered_output){HY_OUTPUT_CONSTANT, tensor};
        } else if (same < i) {
            outputs[i] = outputs[same];
        } else {
            outputs[i] = (struct hy_lowered_output){HY_OUTPUT_COMPUTED, computed++};
            hy_push_tensor(lowering, tensor, "model output", i);
        }
    }
    return computed;
}

/* Pushes the inputs that NNAPI supports: in NNAPI an extent of 0 is unknown. */
static uint32_t push_inputs(struct hy_lowering *lowering)
{
    const struct hy_graph *graph = lowering->graph;
    uint32_t input_count = 0;

    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (hy_graph_tensor_is_empty(&graph->tensors[graph->inputs[i]]))
            continue;
        hy_push_tensor(lowering, graph->inputs[i], "model input", i);
        input_count++;
    }
    return input_count;
}

static bool is_computed(const struct hy_graph *graph, uint32_t output)
{
    const uint32_t tensor = graph->outputs[output];
    return find(graph->inputs, graph->input_count, tensor) == graph->input_count &&
           !graph->tensors[tensor].data;
}

/* An operation of an input and an output of its own, where NNAPI wants an input or an output that
 * the graph does not have. */
static void add_placeholder(struct hy_lowering *lowering, uint32_t placeholder[2])
{
    const struct hy_graph *graph = lowering->graph;
    const struct hy_graph_tensor one = {.name = "", .element = HY_ELEMENT_FLOAT32};
    static const struct hy_graph_node none = {.operator_name = "placeholder"};
    bool has_input = false, has_output = false;

    for (uint32_t i = 0; i < graph->input_count; i++)
        has_input |= !hy_graph_tensor_is_empty(&graph->tensors[graph->inputs[i]]);
    for (uint32_t i = 0; i < graph->output_count; i++)
        has_output |= is_computed(graph, i);
    lowering->model->has_placeholder = !has_input || !has_output;
    if (!lowering->model->has_placeholder)
        return;
    lowering->node = &none;
    for (int i = 0; i < 2; i++)
        placeholder[i] = hy_temporary_operand(lowering, &one);
    hy_push(lowering, placeholder[0]);
    hy_emit_to(lowering, ANEURALNETWORKS_FLOOR, placeholder[1]);
}

/* Names inputs and outputs and finishes the model. */
static void finish_model(struct hy_lowering *lowering)
{
    const struct hy_graph *graph = lowering->graph;
    ANeuralNetworksModel *model = lowering->model->handle;

    lowering->model->outputs =
        calloc((size_t)graph->output_count + 1, sizeof *lowering->model->outputs);
    if (!lowering->model->outputs) {
        lowering->code =
            hy_fail(lowering->err, HY_OUT_OF_MEMORY, "%u outputs", graph->output_count);
        return;
    }
    uint32_t placeholder[2] = {0};
    add_placeholder(lowering, placeholder);
    uint32_t input_count = push_inputs(lowering);
    if (lowering->model->has_placeholder) {
        hy_push(lowering, placeholder[0]);
        input_count++;
    }
    uint32_t computed = push_outputs(lowering);
    if (lowering->model->has_placeholder) {
        hy_push(lowering, placeholder[1]);
        computed++;
    }
    if (lowering->code == HY_OK)
        note(lowering,
             ANeuralNetworksModel_identifyInputsAndOutputs(
                 model, input_count, lowering->pushed, computed, lowering->pushed + input_count));
    if (lowering->code == HY_OK && graph->relaxed)
        note(lowering, ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
    if (lowering->code == HY_OK)
        note(lowering, ANeuralNetworksModel_finish(model));
}

/* A graph may list a tensor several times as an output, or list an input as an output; the model of
 * a body may not. `outputs` gets an operand for each output. */
static void copy_outputs(struct hy_lowering *lowering, uint32_t *outputs)
{
    static const struct hy_graph_node no_node = {.operator_name = "outputs"};
    const struct hy_graph *graph = lowering->graph;
    bool *is_used = hy_scratch_memory(lowering, (size_t)graph->tensor_count + 1, sizeof *is_used);

    if (!is_used)
        return;
    lowering->node = &no_node;
    for (uint32_t i = 0; i < graph->tensor_count; i++)
        is_used[i] = graph->tensors[i].data != NULL;
    for (uint32_t i = 0; i < graph->input_count; i++)
        is_used[graph->inputs[i]] = true;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const uint32_t tensor = graph->outputs[i];
        outputs[i] = is_used[tensor] ? hy_emit_copy(lowering, tensor)
                                     : hy_tensor_operand(lowering, tensor, "output", i);
        is_used[tensor] = true;
    }
}

static void finish_body(struct hy_lowering *lowering)
{
    const struct hy_graph *graph = lowering->graph;
    ANeuralNetworksModel *model = lowering->model->handle;
    uint32_t *outputs =
        hy_scratch_memory(lowering, (size_t)graph->output_count + 1, sizeof *outputs);

    if (outputs)
        copy_outputs(lowering, outputs);
    for (uint32_t i = 0; i < graph->input_count; i++)
        hy_push_tensor(lowering, graph->inputs[i], "input", i);
    if (lowering->code == HY_OK)
        note(lowering, ANeuralNetworksModel_identifyInputsAndOutputs(model, graph->input_count,
                                                                     lowering->pushed,
                                                                     graph->output_count, outputs));
    if (lowering->code == HY_OK)
        note(lowering, ANeuralNetworksModel_finish(model));
}

/* More than most operations have operands. */
enum { PUSHED_CAPACITY = 32 };

static enum hy_code make_lists(struct hy_lowering *lowering)
{
    const uint32_t count = lowering->graph->tensor_count;

    lowering->operands = malloc(((size_t)count + 1) * sizeof *lowering->operands);
    lowering->pushed = malloc(PUSHED_CAPACITY * sizeof *lowering->pushed);
    lowering->pushed_capacity = PUSHED_CAPACITY;
    if (!lowering->operands || !lowering->pushed)
        return hy_fail(lowering->err, HY_OUT_OF_MEMORY, "model of %u tensors", count);
    for (uint32_t i = 0; i < count; i++)
        lowering->operands[i] = HY_NO_OPERAND;
    for (uint32_t i = 0; i < lowering->graph->input_count; i++)
        lowering->operands[lowering->graph->inputs[i]] = HY_INPUT_OPERAND;
    return HY_OK;
}

enum hy_code hy_lowering_begin(struct hy_lowering *lowering, const struct hy_graph *graph,
                               struct hy_budget *budget, const struct hy_legal_refusals *refusals,
                               struct hy_error *err)
{
    *lowering = (struct hy_lowering){.err = err};
    enum hy_code code = hy_lowered_model_create(&lowering->model, err);
    if (code != HY_OK)
        return lowering->code = code;
    if (!budget && graph->budget) {
        budget = &lowering->model->budget;
        *budget = *graph->budget;
    }
    hy_arena_use_budget(&lowering->scratch, budget);
    code = hy_legalise(graph, budget, &lowering->model->graph, refusals, err);
    if (code == HY_OK) {
        lowering->graph = &lowering->model->graph;
        code = make_lists(lowering);
    }
    if (code != HY_OK) {
        hy_lowering_end(lowering);
        hy_lowered_model_destroy(lowering->model);
    }
    lowering->code = code;
    return code;
}

void hy_lowering_end(struct hy_lowering *lowering)
{
    free(lowering->operands);
    free(lowering->pushed);
    hy_arena_finish(&lowering->scratch);
    lowering->operands = NULL;
    lowering->pushed = NULL;
}

static void name_node(const struct hy_graph_node *node, enum hy_code code, struct hy_error *err)
{
    hy_error_prefix(err, code, "operator %u %s", node->origin, node->operator_name);
    if (node->subgraph > 0)
        hy_error_prefix(err, code, "subgraph %u", node->subgraph);
}

static enum hy_code lower(const struct hy_graph *graph, struct hy_budget *budget,
                          void (*finish)(struct hy_lowering *), struct hy_lowered_model **out,
                          struct hy_error *err)
{
    struct hy_lowering lowering;

    const enum hy_code code = hy_lowering_begin(&lowering, graph, budget, NULL, err);
    if (code != HY_OK)
        return code;
    lowering.is_body = finish == finish_body;
    for (uint32_t i = 0; lowering.code == HY_OK && i < lowering.graph->node_count; i++) {
        const struct hy_graph_node *node = &lowering.graph->nodes[i];
        hy_lower_node(&lowering, node);
        if (lowering.code != HY_OK)
            name_node(node, lowering.code, err);
    }
    if (lowering.code == HY_OK)
        finish(&lowering);
    hy_lowering_end(&lowering);
    if (lowering.code != HY_OK) {
        hy_lowered_model_destroy(lowering.model);
        return lowering.code;
    }
    hy_legalise_retain_constants(&lowering.model->graph);
    *out = lowering.model;
    return lowering.code;
}

enum hy_code hy_lower(const struct hy_graph *graph, struct hy_lowered_model **out,
                      struct hy_error *err)
{
    return lower(graph, NULL, finish_model, out, err);
}

enum hy_code hy_lower_body(const struct hy_graph *graph, struct hy_budget *budget,
                           struct hy_lowered_model **out, struct hy_error *err)
{
    return lower(graph, budget, finish_body, out, err);
}
