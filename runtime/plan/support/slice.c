#include "runtime/plan/support/slice.h"

#include "common/operations/control_flow.h"
#include "common/operations/operand_type.h"
#include "common/operations/signature.h"
#include "runtime/driver_status.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/extension.h"
#include "runtime/plan/alloc.h"

#include <stdio.h>

#define NONE UINT32_MAX

/* Uses of an operand. */
enum {
    READ = 1,    /* read by operations of the slice */
    WRITTEN = 2, /* written by an operation of the slice */
    WANTED = 4,  /* read by omitted operations */
};

/* State while a slice is made. */
struct slicer {
    const struct hy_model *model;
    const struct hy_device_info *device;
    uint32_t abi;                    /* ABI version of the driver's build */
    const char *const *wrong_scales; /* [operation] of all devices, or NULL */
    struct hy_arena *arena;
    const char **reasons; /* [operation] */
    uint8_t *touched;     /* [operand] */
    uint32_t *local_of;   /* [operand]: number in the slice, or NONE */
    uint32_t operation_count;
    uint32_t operand_count;
    uint32_t level;          /* of the remaining operations */
    uint32_t bodies_level;   /* of all bodies */
    const char *body_reason; /* reason why the device cannot know a body, or NULL */
    bool knows_bodies;       /* the body members are valid */
    bool has_bodies;         /* a remaining operation has bodies */
};

/* ---- Omitted operations ---------------------------------------------------------------------- */

static bool knows_operation(const struct hy_device_info *device, int32_t code)
{
    return !hy_type_is_extension(code) ||
           hy_extension_is_offered(hy_extension_prefix_of(code), device);
}

/* A device may list a part of an extension's operand types. */
static bool knows_type(const struct hy_device_info *device, int32_t code)
{
    return !hy_type_is_extension(code) || hy_extension_type_is_offered(code, device);
}

static bool knows_extensions(const struct hy_subgraph *graph, const struct hy_device_info *device)
{
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        if (!knows_type(device, graph->operands[i].type))
            return false;
    }
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!knows_operation(device, graph->operations[i].type))
            return false;
    }
    return true;
}

static bool knows_all_extensions(const struct hy_model *model, const struct hy_device_info *device)
{
    if (model->extension_count == 0)
        return true;
    for (uint32_t i = 0; i < model->referenced_count; i++) {
        if (!knows_extensions(model->referenced[i], device))
            return false;
    }
    return knows_extensions(model->main, device);
}

/* Hosts of ABI 1.0 refuse products that are finer than the product of the inputs' scales. */
static bool knows_product(uint32_t abi, const struct hy_subgraph *graph,
                          const struct hy_operation *operation)
{
    return abi >= HY_ABI(1, 1) || !hy_signature_has_fine_product(graph->operands, operation);
}

static bool knows_products(uint32_t abi, const struct hy_subgraph *graph)
{
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!knows_product(abi, graph, &graph->operations[i]))
            return false;
    }
    return true;
}

static bool knows_all_products(uint32_t abi, const struct hy_model *model)
{
    if (abi >= HY_ABI(1, 1))
        return true;
    for (uint32_t i = 0; i < model->referenced_count; i++) {
        if (!knows_products(abi, model->referenced[i]))
            return false;
    }
    return knows_products(abi, model->main);
}

/* The first operand of the list with a type unknown to the device, or NONE. */
static uint32_t find_unknown(const struct slicer *slicer, const struct hy_subgraph *graph,
                             uint32_t count, const uint32_t *operands)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!knows_type(slicer->device, graph->operands[operands[i]].type))
            return operands[i];
    }
    return NONE;
}

/* "the device does not know com.acme.fft#3"; NULL: out of memory. */
static const char *name_unknown(const struct slicer *slicer, const char *what)
{
    char text[HY_ERROR_TEXT_SIZE];

    snprintf(text, sizeof text, "the device does not know %s", what);
    return hy_plan_strdup(slicer->arena, text);
}

static const char *name_level(const struct slicer *slicer, uint32_t level)
{
    char text[96];

    snprintf(text, sizeof text, "the operation needs feature level %u, the device has %u", level,
             slicer->device->feature_level);
    return hy_plan_strdup(slicer->arena, text);
}

/* True if the device cannot know the operation, with the reason. `*level`: feature level of the
 * operation. */
static bool is_unknown(const struct slicer *slicer, const struct hy_subgraph *graph,
                       const struct hy_operation *operation, uint32_t *level,
                       const char **ret_reason)
{
    uint32_t operand = find_unknown(slicer, graph, operation->input_count, operation->inputs);

    if (operand == NONE)
        operand = find_unknown(slicer, graph, operation->output_count, operation->outputs);
    *level = hy_signature_level(graph->operands, operation);
    if (!knows_operation(slicer->device, operation->type))
        *ret_reason = name_unknown(slicer, hy_operation_text(operation->type));
    else if (operand != NONE)
        *ret_reason = name_unknown(slicer, hy_operand_type_text(graph->operands[operand].type));
    else if (*level > slicer->device->feature_level)
        *ret_reason = name_level(slicer, *level);
    else if (!knows_product(slicer->abi, graph, operation))
        *ret_reason = "the output scale is not above the product of the inputs' scales; drivers of "
                      "ABI 1.0 do not support this";
    else
        return false;
    return true;
}

static void raise_level(uint32_t *level, uint32_t needed)
{
    if (*level < needed)
        *level = needed;
}

/* Checks all bodies together, as a driver sees them. False: out of memory. */
static bool check_bodies(struct slicer *slicer)
{
    const struct hy_model *model = slicer->model;

    slicer->knows_bodies = true;
    for (uint32_t i = 0; i < model->referenced_count; i++) {
        const struct hy_subgraph *graph = model->referenced[i];
        for (uint32_t j = 0; j < graph->operation_count; j++) {
            uint32_t level;
            if (is_unknown(slicer, graph, &graph->operations[j], &level, &slicer->body_reason))
                return slicer->body_reason != NULL;
            raise_level(&slicer->bodies_level, level);
        }
    }
    return true;
}

/* Decides about one operation. False: out of memory. */
static bool evaluate(struct slicer *slicer, uint32_t index)
{
    const struct hy_subgraph *graph = slicer->model->main;
    const struct hy_operation *operation = &graph->operations[index];
    const bool has_bodies = hy_is_control_flow(operation->type);
    uint32_t level;

    if (slicer->wrong_scales && slicer->wrong_scales[index]) {
        slicer->reasons[index] = slicer->wrong_scales[index];
        return true;
    }
    if (is_unknown(slicer, graph, operation, &level, &slicer->reasons[index]))
        return slicer->reasons[index] != NULL;
    if (has_bodies && !slicer->knows_bodies && !check_bodies(slicer))
        return false;
    if (has_bodies && slicer->body_reason) {
        slicer->reasons[index] = slicer->body_reason;
        return true;
    }
    raise_level(&slicer->level, level);
    if (has_bodies)
        raise_level(&slicer->level, slicer->bodies_level);
    slicer->has_bodies |= has_bodies;
    slicer->operation_count++;
    return true;
}

/* ---- Remaining operations -------------------------------------------------------------------- */

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

/* The lifetime of an operand in the slice. An unread result is an output, so that a slice always
 * has an output. */
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
    struct hy_operand *operands = hy_plan_alloc(slicer->arena, count, sizeof *operands);
    uint32_t *inputs = hy_plan_alloc(slicer->arena, count, sizeof *inputs);
    uint32_t *outputs = hy_plan_alloc(slicer->arena, count, sizeof *outputs);
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
    uint32_t *list = hy_plan_alloc(slicer->arena, count, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = slicer->local_of[operands[i]];
    return list;
}

static bool copy_operations(const struct slicer *slicer, struct hy_subgraph *slice,
                            const uint32_t **ret_numbers)
{
    const struct hy_subgraph *graph = slicer->model->main;
    const uint32_t count = slicer->operation_count;
    struct hy_operation *operations = hy_plan_alloc(slicer->arena, count, sizeof *operations);
    uint32_t *numbers = hy_plan_alloc(slicer->arena, count, sizeof *numbers);
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

static struct hy_model *alloc_model(const struct slicer *slicer, const struct hy_subgraph *graph)
{
    struct hy_model *model = hy_plan_alloc(slicer->arena, 1, sizeof *model);
    if (model) {
        *model = *slicer->model;
        model->main = graph;
        model->feature_level = slicer->level;
        if (!slicer->has_bodies) {
            model->referenced = NULL;
            model->referenced_count = 0;
        }
    }
    return model;
}

static bool make(struct slicer *slicer, struct hy_model_slice *slice)
{
    const struct hy_subgraph *graph = slicer->model->main;

    slicer->reasons = hy_plan_alloc(slicer->arena, graph->operation_count, sizeof *slicer->reasons);
    slicer->touched = hy_plan_alloc(slicer->arena, graph->operand_count, 1);
    slicer->local_of = hy_plan_alloc(slicer->arena, graph->operand_count, sizeof(uint32_t));
    if (!slicer->reasons || !slicer->touched || !slicer->local_of)
        return false;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!evaluate(slicer, i))
            return false;
    }
    *slice = (struct hy_model_slice){.reasons = slicer->reasons};
    if (slicer->operation_count == 0)
        return true;

    struct hy_subgraph *left = hy_plan_alloc(slicer->arena, 1, sizeof *left);
    struct hy_model *model = alloc_model(slicer, left);
    if (!left || !model)
        return false;
    left->struct_size = sizeof *left;
    touch_all(slicer);
    slice->model = model;
    return copy_operands(slicer, left) && copy_operations(slicer, left, &slice->operations);
}

static uint32_t graph_level(const struct hy_subgraph *graph, bool *has_bodies)
{
    uint32_t highest = 1;

    for (uint32_t i = 0; i < graph->operation_count; i++) {
        raise_level(&highest, hy_signature_level(graph->operands, &graph->operations[i]));
        *has_bodies |= hy_is_control_flow(graph->operations[i].type);
    }
    return highest;
}

uint32_t hy_model_slice_level(const struct hy_model *model, const struct hy_subgraph *part,
                              uint32_t *bodies_level)
{
    bool has_bodies = false;
    uint32_t highest = graph_level(part, &has_bodies);

    if (!has_bodies)
        return highest;
    if (*bodies_level == 0) {
        for (uint32_t i = 0; i < model->referenced_count; i++)
            raise_level(bodies_level, graph_level(model->referenced[i], &has_bodies));
    }
    raise_level(&highest, *bodies_level);
    return highest;
}

enum hy_code hy_model_slice_make(const struct hy_model *model, const struct hy_device_info *device,
                                 uint32_t abi, const char *const *wrong_scales,
                                 struct hy_arena *arena, struct hy_model_slice *ret,
                                 struct hy_error *err)
{
    struct slicer slicer = {.model = model,
                            .device = device,
                            .abi = abi,
                            .wrong_scales = wrong_scales,
                            .arena = arena,
                            .level = 1,
                            .bodies_level = 1};

    if (!wrong_scales && device->feature_level >= model->feature_level &&
        knows_all_extensions(model, device) && knows_all_products(abi, model)) {
        *ret = (struct hy_model_slice){.model = model};
        return HY_OK;
    }
    if (!make(&slicer, ret))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the part of a model for %s", device->name);
    return HY_OK;
}
