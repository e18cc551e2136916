#include "compile.h"

#include "driver_kit/message.h"
#include "xd_allocation.h"
#include "xnnpack_driver/lower/lower.h"

#include <string.h>

/* ---- The operands of a model as tensors ------------------------------------------------------ */

static void read_operand(const struct hy_operand *operand, struct xd_tensor *tensor)
{
    const bool has_dims = operand->rank <= XD_MAX_RANK && operand->dims;
    tensor->type = operand->type >= 0 && operand->type < XD_NO_TYPE ? operand->type : XD_NO_TYPE;
    tensor->lifetime = operand->lifetime;
    tensor->rank = operand->rank;
    if (has_dims)
        memcpy(tensor->dims, operand->dims, operand->rank * sizeof *operand->dims);
    tensor->quant = (struct xd_quant){operand->scale, operand->zero_point};
}

static void count_readers(const struct hy_subgraph *graph, struct xd_program *program)
{
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        for (uint32_t k = 0; k < operation->input_count; k++) {
            if (operation->inputs[k] < graph->operand_count)
                program->tensors[operation->inputs[k]].readers++;
        }
    }
}

/* The model's inputs and outputs: operands whose bytes come with each request. */
static bool read_arguments(struct xd_build *build, const struct hy_subgraph *graph)
{
    struct xd_program *program = build->program;
    program->input_count = graph->input_count;
    program->output_count = graph->output_count;
    if (!hy_read_model_arguments(&build->reader, program->arguments))
        return false;
    const uint64_t count = (uint64_t)graph->input_count + graph->output_count;
    for (uint64_t i = 0; i < count; i++) {
        struct xd_tensor *tensor = &program->tensors[program->arguments[i]];
        if (tensor->argument != XD_NO_TENSOR)
            return hy_refuse(&build->reader,
                             "operand %u is listed twice as an argument of the model",
                             program->arguments[i]);
        tensor->argument = (uint32_t)i;
    }
    return true;
}

static int32_t start(struct xd_build *build, const struct hy_host *host,
                     const struct hy_model *model)
{
    *build = (struct xd_build){
        .reader = {.host = host, .model = model, .limits = {XD_MAX_RANK, XD_MAX_ELEMENTS}},
        .program = xd_program_create(host, model)};
    if (!build->program) {
        hy_refuse_exhausted(&build->reader);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    build->reader.values = build->program->values;
    for (uint32_t i = 0; i < model->main->operand_count; i++)
        read_operand(&model->main->operands[i], xd_program_add_tensor(build->program));
    count_readers(model->main, build->program);
    return read_arguments(build, model->main) ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Another device will write what an operation of ours may read. */
static void leave_to_others(struct xd_build *build, const struct hy_operation *operation)
{
    for (uint32_t i = 0; i < operation->output_count; i++) {
        const uint32_t index = operation->outputs[i];
        if (index >= build->reader.model->main->operand_count)
            continue;
        struct xd_tensor *tensor = &build->program->tensors[index];
        tensor->is_written = true;
        tensor->writer = UINT32_MAX;
        tensor->base = index;
        tensor->constant = NULL;
    }
}

int32_t xd_supported_operations(const struct hy_host *host, const struct hy_model *model,
                                uint8_t *supported, const struct hy_refusals *refusals)
{
    struct xd_build build;
    const int32_t status = start(&build, host, model);
    const struct hy_subgraph *graph = model->main;
    for (uint32_t i = 0; status == HY_STATUS_OK && i < graph->operation_count; i++) {
        supported[i] = xd_lower(&build, i);
        if (supported[i])
            continue;
        leave_to_others(&build, &graph->operations[i]);
        if (refusals && refusals->refuse)
            refusals->refuse(refusals->context, i, build.reader.reason);
    }
    xd_program_destroy(build.program);
    return status;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

/* Worker threads spin from one operator to the next, but not from one run to the next. */
static void end_with_sleep(struct xd_program *program)
{
    if (program->node_count > 0)
        program->nodes[program->node_count - 1].flags |= XNN_FLAG_YIELD_WORKERS;
}

static bool lower_all(struct xd_build *build)
{
    const struct hy_subgraph *graph = build->reader.model->main;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!xd_lower(build, i))
            return false;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (!build->program->tensors[graph->outputs[i]].is_written)
            return hy_refuse(&build->reader, "no operation writes output %u of the model", i);
    }
    if (!xd_allocate(build->program, &build->reader))
        return false;
    end_with_sleep(build->program);
    return true;
}

int32_t xd_compile(const struct hy_host *host, const struct hy_model *model,
                   const struct hy_message *message, struct xd_program **ret)
{
    struct xd_build build;
    int32_t status = start(&build, host, model);
    if (status == HY_STATUS_OK && !lower_all(&build))
        status = build.reader.is_exhausted ? HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT
                                           : HY_STATUS_INVALID_ARGUMENT;
    if (status == HY_STATUS_OK) {
        *ret = build.program;
        return status;
    }
    hy_message_write(message, "%s", build.reader.reason);
    xd_program_destroy(build.program);
    return status;
}
