/* Reading a model: nothing in it is believed. Asking and preparing go the same way. */
#include "frozen.h"

#include <stdlib.h>

enum { ADD = 0, INT32 = 1, TENSOR_FLOAT32 = 3 }; /* of <android/NeuralNetworks.h> */

/* Elements of a float32 tensor of known shape; 0 for everything else. */
static uint32_t count_elements(const struct hy_operand *operand)
{
    uint64_t count = 1;
    if (operand->type != TENSOR_FLOAT32 || operand->rank < 1 || operand->rank > MAX_RANK ||
        !operand->dims)
        return 0;
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (operand->dims[i] > MAX_ELEMENTS)
            return 0;
        count *= operand->dims[i];
        if (count > MAX_ELEMENTS)
            return 0;
    }
    return (uint32_t)count;
}

/* The bytes of a constant; NULL where it is none, or does not lie where it says. */
static const void *constant_bytes(const struct hy_host *host, const struct hy_model *model,
                                  const struct hy_operand *operand, uint64_t length)
{
    const struct hy_location *at = &operand->location;
    const uint8_t *base = model->values;
    uint64_t size = model->values_size;
    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL) {
        void *address;
        if (at->pool >= model->pool_count || host->map(host->context, &model->pools[at->pool],
                                                       HY_PROTECT_READ, &address) != HY_STATUS_OK)
            return NULL;
        base = address;
        size = model->pools[at->pool].size;
    } else if (operand->lifetime != HY_LIFETIME_CONSTANT_COPY) {
        return NULL;
    }
    const bool fits = at->length == length && at->offset <= size && length <= size - at->offset;
    return fits ? base + at->offset : NULL;
}

static bool is_constant(const struct hy_operand *operand)
{
    return operand->lifetime == HY_LIFETIME_CONSTANT_COPY ||
           operand->lifetime == HY_LIFETIME_CONSTANT_POOL;
}

static const struct hy_operand *tensor_at(const struct hy_host *host, const struct hy_model *model,
                                          uint32_t index)
{
    if (index >= model->main->operand_count)
        return NULL;
    const struct hy_operand *operand = &model->main->operands[index];
    const uint32_t count = count_elements(operand);
    if (count == 0 || (is_constant(operand) &&
                       !constant_bytes(host, model, operand, (uint64_t)count * sizeof(float))))
        return NULL;
    return is_constant(operand) || operand->lifetime <= HY_LIFETIME_OUTPUT ? operand : NULL;
}

static bool same_shape(const struct hy_operand *a, const struct hy_operand *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

static const char *read_step(const struct hy_host *host, const struct hy_model *model,
                             const struct hy_operation *operation, struct step *step)
{
    const struct hy_subgraph *graph = model->main;
    if (graph->operand_count > MOST_TENSORS || graph->operation_count > MOST_STEPS ||
        graph->input_count > MOST_ARGUMENTS || graph->output_count > MOST_ARGUMENTS)
        return "the model is too large";
    if (operation->type != ADD || operation->input_count != 3 || operation->output_count != 1)
        return "only ADD is served";

    *step = (struct step){
        .a = operation->inputs[0], .b = operation->inputs[1], .out = operation->outputs[0]};
    const struct hy_operand *a = tensor_at(host, model, step->a),
                            *b = tensor_at(host, model, step->b),
                            *out = tensor_at(host, model, step->out);
    if (!a || !b || !out || !same_shape(a, b) || !same_shape(a, out))
        return "operands have to be float32 tensors of one known shape, of rank 1 to 4";
    if (out->lifetime != HY_LIFETIME_OUTPUT && out->lifetime != HY_LIFETIME_TEMPORARY)
        return "the output cannot be written";
    if (operation->inputs[2] >= graph->operand_count ||
        graph->operands[operation->inputs[2]].type != INT32)
        return "the activation is no INT32";
    const void *bytes = constant_bytes(host, model, &graph->operands[operation->inputs[2]], 4);
    int32_t activation = 0;
    if (!bytes)
        return "the activation is no constant";
    memcpy(&activation, bytes, sizeof activation);
    if (activation != 0 && activation != 1)
        return "only the activations NONE and RELU are served";
    step->has_relu = activation == 1;
    return NULL;
}

const char *frozen_refusal(const struct hy_host *host, const struct hy_model *model,
                           uint32_t operation)
{
    struct step step;
    return read_step(host, model, &model->main->operations[operation], &step);
}

/* ---- Compiling ------------------------------------------------------------------------------- */

static void use_tensor(struct program *program, const struct hy_operand *operand, uint32_t index)
{
    struct tensor *tensor = &program->tensors[index];
    if (tensor->count > 0)
        return;
    tensor->count = count_elements(operand);
    tensor->rank = operand->rank;
    tensor->lifetime = operand->lifetime;
    memcpy(tensor->dims, operand->dims, operand->rank * sizeof *operand->dims);
    uint32_t *used = is_constant(operand)                         ? &program->constant_floats
                     : operand->lifetime == HY_LIFETIME_TEMPORARY ? &program->scratch_floats
                                                                  : NULL;
    if (used) {
        tensor->place = *used;
        *used += tensor->count;
    }
}

static bool copy_arguments(const struct hy_subgraph *graph, const uint32_t *indices, uint32_t count,
                           int32_t lifetime, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (indices[i] >= graph->operand_count || graph->operands[indices[i]].lifetime != lifetime)
            return false;
        out[i] = indices[i];
    }
    return true;
}

static bool copy_constants(struct prepared *prepared, const struct hy_model *model)
{
    const struct program *program = &prepared->program;
    prepared->own_constants = calloc((size_t)program->constant_floats + 1, sizeof(float));
    prepared->constants = prepared->own_constants;
    for (uint32_t i = 0; prepared->own_constants && i < program->tensor_count; i++) {
        const struct tensor *tensor = &program->tensors[i];
        const struct hy_operand *operand = &model->main->operands[i];
        const uint64_t bytes = (uint64_t)tensor->count * sizeof(float);
        if (tensor->count == 0 || !is_constant(operand))
            continue;
        const void *from = constant_bytes(prepared->device->host, model, operand, bytes);
        if (!from)
            return false;
        memcpy(prepared->own_constants + tensor->place, from, bytes);
    }
    return prepared->own_constants != NULL;
}

static const char *compile(struct prepared *prepared, const struct hy_model *model)
{
    const struct hy_subgraph *graph = model->main;
    struct program *program = &prepared->program;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        struct step step;
        const char *why = read_step(prepared->device->host, model, &graph->operations[i], &step);
        if (why)
            return why;
        program->steps[i] = step;
        use_tensor(program, &graph->operands[step.a], step.a);
        use_tensor(program, &graph->operands[step.b], step.b);
        use_tensor(program, &graph->operands[step.out], step.out);
        program->tensors[step.a].is_read = program->tensors[step.b].is_read = 1;
    }
    memcpy(program->magic, "FROZEN1", 8);
    program->tensor_count = graph->operand_count;
    program->step_count = graph->operation_count;
    program->input_count = graph->input_count;
    program->output_count = graph->output_count;
    if (!copy_arguments(graph, graph->inputs, graph->input_count, HY_LIFETIME_INPUT,
                        program->inputs) ||
        !copy_arguments(graph, graph->outputs, graph->output_count, HY_LIFETIME_OUTPUT,
                        program->outputs))
        return "an input or output of the model is none";
    return NULL;
}

int32_t frozen_compile(struct prepared *prepared, const struct hy_model *model, const char **why)
{
    if (model->main->operation_count == 0 || model->main->operation_count > MOST_STEPS) {
        *why = "there is nothing to do, or too much";
        return HY_STATUS_INVALID_ARGUMENT;
    }
    *why = compile(prepared, model);
    if (*why)
        return HY_STATUS_INVALID_ARGUMENT;
    *why = "out of memory";
    return copy_constants(prepared, model) ? HY_STATUS_OK : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
}

/* ---- A program out of a cache file ----------------------------------------------------------- */

static bool tensor_is_sound(const struct program *program, const struct tensor *tensor)
{
    uint64_t count = 1;
    if (tensor->count == 0)
        return true;
    if (tensor->rank < 1 || tensor->rank > MAX_RANK || tensor->count > MAX_ELEMENTS)
        return false;
    for (uint32_t i = 0; i < tensor->rank; i++)
        count = tensor->dims[i] <= MAX_ELEMENTS && count <= MAX_ELEMENTS ? count * tensor->dims[i]
                                                                         : UINT64_MAX;
    const uint32_t end = tensor->lifetime == HY_LIFETIME_TEMPORARY ? program->scratch_floats
                                                                   : program->constant_floats;
    const bool is_placed = tensor->lifetime == HY_LIFETIME_TEMPORARY ||
                           tensor->lifetime == HY_LIFETIME_CONSTANT_COPY ||
                           tensor->lifetime == HY_LIFETIME_CONSTANT_POOL;
    return count == tensor->count &&
           (!is_placed || (tensor->place <= end && tensor->count <= end - tensor->place));
}

static bool are_below(const uint32_t *indices, uint32_t count, uint32_t end)
{
    for (uint32_t i = 0; i < count; i++) {
        if (indices[i] >= end)
            return false;
    }
    return true;
}

bool frozen_program_is_sound(const struct program *program, uint64_t constant_bytes)
{
    if (memcmp(program->magic, "FROZEN1", 8) != 0 || program->tensor_count > MOST_TENSORS ||
        program->step_count > MOST_STEPS || program->input_count > MOST_ARGUMENTS ||
        program->output_count > MOST_ARGUMENTS ||
        program->constant_floats != constant_bytes / sizeof(float))
        return false;
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        if (!tensor_is_sound(program, &program->tensors[i]))
            return false;
    }
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (!are_below(&program->steps[i].a, 3, program->tensor_count))
            return false;
    }
    return are_below(program->inputs, program->input_count, program->tensor_count) &&
           are_below(program->outputs, program->output_count, program->tensor_count);
}
