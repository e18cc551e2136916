#include "runtime/plan/slice.h"

#include "common/operand_type.h"
#include "runtime/extension/extension.h"
#include "runtime/plan/take.h"

#include <stdio.h>

#define NONE UINT32_MAX

/* Who touches an operand. */
enum {
    READ = 1,    /* operations of the slice */
    WRITTEN = 2, /* one of the slice */
    WANTED = 4,  /* operations that are left out read it */
};

/* What is at work while a slice is made. */
struct slicer {
    const struct hy_model *model;
    const struct hy_device_info *device;
    struct hy_arena *arena;
    const char **reasons; /* [operation] */
    uint8_t *touched;     /* [operand] */
    uint32_t *local_of;   /* [operand]: its number in the slice, or NONE */
    uint32_t operation_count;
    uint32_t operand_count;
};

/* ---- What is left out ------------------------------------------------------------------------ */

static bool knows(const struct hy_device_info *device, int32_t code)
{
    return !hy_type_is_extension(code) ||
           hy_extension_is_offered(hy_extension_prefix_of(code), device);
}

static bool knows_all_extensions(const struct hy_model *model, const struct hy_device_info *device)
{
    for (uint32_t i = 0; i < model->extension_count; i++) {
        if (!hy_extension_is_offered(model->extensions[i].prefix, device))
            return false;
    }
    return true;
}

/* The first operand of the list whose type the device cannot know, or NONE. */
static uint32_t find_unknown(const struct slicer *slicer, uint32_t count, const uint32_t *operands)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!knows(slicer->device, slicer->model->main->operands[operands[i]].type))
            return operands[i];
    }
    return NONE;
}

/* "extension operation com.acme.fft#3"; NULL: no memory. */
static const char *reason_of(const struct slicer *slicer, const char *what, int32_t code)
{
    const char *name = hy_extension_name(hy_extension_prefix_of(code));
    const int length = snprintf(NULL, 0, "%s %s#%d", what, name, code & 0xffff);
    char *text = hy_plan_take(slicer->arena, (size_t)length + 1, 1);

    if (text)
        snprintf(text, (size_t)length + 1, "%s %s#%d", what, name, code & 0xffff);
    return text;
}

/* Decides on one operation; false: no memory. */
static bool judge(struct slicer *slicer, uint32_t index)
{
    const struct hy_operation *operation = &slicer->model->main->operations[index];
    uint32_t operand = find_unknown(slicer, operation->input_count, operation->inputs);

    if (operand == NONE)
        operand = find_unknown(slicer, operation->output_count, operation->outputs);
    if (!knows(slicer->device, operation->type))
        slicer->reasons[index] = reason_of(slicer, "extension operation", operation->type);
    else if (operand != NONE)
        slicer->reasons[index] = reason_of(slicer, "extension operand type",
                                           slicer->model->main->operands[operand].type);
    else if (slicer->model->referenced_count > 0)
        slicer->reasons[index] = "the model needs extensions, and has bodies that may use them";
    else {
        slicer->operation_count++;
        return true;
    }
    return slicer->reasons[index] != NULL;
}

/* ---- What is left ---------------------------------------------------------------------------- */

static void touch(struct slicer *slicer, uint32_t count, const uint32_t *operands, uint8_t how)
{
    for (uint32_t i = 0; i < count; i++)
        slicer->touched[operands[i]] |= how;
}

static void touch_all(struct slicer *slicer)
{
    const struct hy_subgraph *graph = slicer->model->main;

    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        const bool is_left = slicer->reasons[i] == NULL;
        touch(slicer, operation->input_count, operation->inputs, is_left ? READ : WANTED);
        if (is_left)
            touch(slicer, operation->output_count, operation->outputs, WRITTEN);
    }
    for (uint32_t i = 0; i < graph->operand_count; i++)
        slicer->local_of[i] =
            slicer->touched[i] & (READ | WRITTEN) ? slicer->operand_count++ : NONE;
}

/* The part that an operand of the model plays in the slice. A result that nobody reads is an
 * output, so that there is always one. */
static int32_t lifetime_in_slice(int32_t lifetime, uint8_t touched)
{
    if (lifetime != HY_LIFETIME_TEMPORARY && lifetime != HY_LIFETIME_OUTPUT)
        return lifetime;
    if (!(touched & WRITTEN))
        return HY_LIFETIME_INPUT;
    if (lifetime == HY_LIFETIME_TEMPORARY && (touched & READ) && !(touched & WANTED))
        return HY_LIFETIME_TEMPORARY;
    return HY_LIFETIME_OUTPUT;
}

static bool copy_operands(const struct slicer *slicer, struct hy_subgraph *slice)
{
    const struct hy_subgraph *graph = slicer->model->main;
    const uint32_t count = slicer->operand_count;
    struct hy_operand *operands = hy_plan_take(slicer->arena, count, sizeof *operands);
    uint32_t *inputs = hy_plan_take(slicer->arena, count, sizeof *inputs);
    uint32_t *outputs = hy_plan_take(slicer->arena, count, sizeof *outputs);
    if (!operands || !inputs || !outputs)
        return false;

    for (uint32_t i = 0; i < graph->operand_count; i++) {
        const uint32_t local = slicer->local_of[i];
        if (local == NONE)
            continue;
        operands[local] = graph->operands[i];
        operands[local].lifetime =
            lifetime_in_slice(graph->operands[i].lifetime, slicer->touched[i]);
        if (operands[local].lifetime == HY_LIFETIME_INPUT)
            inputs[slice->input_count++] = local;
        else if (operands[local].lifetime == HY_LIFETIME_OUTPUT)
            outputs[slice->output_count++] = local;
    }
    slice->operands = operands;
    slice->operand_count = count;
    slice->inputs = inputs;
    slice->outputs = outputs;
    return true;
}

static const uint32_t *local_list(const struct slicer *slicer, uint32_t count,
                                  const uint32_t *operands)
{
    uint32_t *list = hy_plan_take(slicer->arena, count, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = slicer->local_of[operands[i]];
    return list;
}

static bool copy_operations(const struct slicer *slicer, struct hy_subgraph *slice,
                            const uint32_t **ret_numbers)
{
    const struct hy_subgraph *graph = slicer->model->main;
    const uint32_t count = slicer->operation_count;
    struct hy_operation *operations = hy_plan_take(slicer->arena, count, sizeof *operations);
    uint32_t *numbers = hy_plan_take(slicer->arena, count, sizeof *numbers);
    uint32_t copied = 0;

    for (uint32_t i = 0; operations && numbers && i < graph->operation_count; i++) {
        if (slicer->reasons[i])
            continue;
        const struct hy_operation *from = &graph->operations[i];
        struct hy_operation *to = &operations[copied];
        *to = *from;
        to->inputs = local_list(slicer, from->input_count, from->inputs);
        to->outputs = local_list(slicer, from->output_count, from->outputs);
        if (!to->inputs || !to->outputs)
            return false;
        numbers[copied++] = i;
    }
    slice->operations = operations;
    slice->operation_count = count;
    *ret_numbers = numbers;
    return operations && numbers;
}

static struct hy_model *take_model(const struct slicer *slicer, const struct hy_subgraph *graph)
{
    struct hy_model *model = hy_plan_take(slicer->arena, 1, sizeof *model);
    if (model) {
        *model = *slicer->model;
        model->main = graph;
    }
    return model;
}

static bool make(struct slicer *slicer, struct hy_model_slice *slice)
{
    const struct hy_subgraph *graph = slicer->model->main;

    slicer->reasons = hy_plan_take(slicer->arena, graph->operation_count, sizeof *slicer->reasons);
    slicer->touched = hy_plan_take(slicer->arena, graph->operand_count, 1);
    slicer->local_of = hy_plan_take(slicer->arena, graph->operand_count, sizeof(uint32_t));
    if (!slicer->reasons || !slicer->touched || !slicer->local_of)
        return false;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!judge(slicer, i))
            return false;
    }
    *slice = (struct hy_model_slice){.reasons = slicer->reasons};
    if (slicer->operation_count == 0)
        return true;

    struct hy_subgraph *left = hy_plan_take(slicer->arena, 1, sizeof *left);
    struct hy_model *model = take_model(slicer, left);
    if (!left || !model)
        return false;
    left->struct_size = sizeof *left;
    touch_all(slicer);
    slice->model = model;
    return copy_operands(slicer, left) && copy_operations(slicer, left, &slice->operations);
}

enum hy_code hy_model_slice_make(const struct hy_model *model, const struct hy_device_info *device,
                                 struct hy_arena *arena, struct hy_model_slice *ret,
                                 struct hy_error *err)
{
    struct slicer slicer = {.model = model, .device = device, .arena = arena};

    if (knows_all_extensions(model, device)) {
        *ret = (struct hy_model_slice){.model = model};
        return HY_OK;
    }
    if (!make(&slicer, ret))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the part of a model for %s", device->name);
    return HY_OK;
}
