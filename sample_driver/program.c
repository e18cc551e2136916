#include "program.h"

#include "driver_kit/message.h"
#include "driver_kit/quota_memory.h"
#include "driver_kit/tensor.h"
#include "lstm.h"

#include <string.h>

#define ALIGNMENT   64u
#define MAX_SCRATCH (UINT64_C(1) << 31) /* bytes of intermediate tensors */

/* ---- Its memory ------------------------------------------------------------------------------ */

/* Allocates a program with the array sizes in `counts`, plus `spare` tensors and constants. */
static struct sample_program *create(const struct sample_program *counts, uint32_t extra)
{
    struct sample_program *program = hy_quota_zeros(counts->host, 1, sizeof *program);
    if (!program)
        return NULL;
    *program = (struct sample_program){.host = counts->host,
                                       .memory = {.host = counts->host},
                                       .step_count = counts->step_count,
                                       .tensor_count = counts->tensor_count,
                                       .input_count = counts->input_count,
                                       .output_count = counts->output_count,
                                       .constant_count = counts->constant_count,
                                       .scratch_bytes = counts->scratch_bytes};
    struct hy_quota_arena *memory = &program->memory;
    const uint64_t arguments = (uint64_t)counts->input_count + counts->output_count;
    const uint64_t tensors = (uint64_t)counts->tensor_count + extra;
    const uint64_t constants = (uint64_t)counts->constant_count + extra;
    program->steps = hy_quota_arena_zeros(memory, counts->step_count, sizeof *program->steps);
    program->tensors = hy_quota_arena_zeros(memory, tensors, sizeof *program->tensors);
    program->arguments = hy_quota_arena_zeros(memory, arguments, sizeof *program->arguments);
    program->constants = hy_quota_arena_zeros(memory, constants, sizeof *program->constants);
    if (program->steps && program->tensors && program->arguments && program->constants)
        return program;
    sample_program_destroy(program);
    return NULL;
}

/* A NULL array leaves zeros. */
static void copy(void *to, const void *from, uint64_t count, size_t size)
{
    if (from && count > 0)
        memcpy(to, from, count * size);
}

struct sample_program *sample_program_copy(const struct sample_program *other, uint32_t extra)
{
    struct sample_program *made = create(other, extra);
    if (!made)
        return NULL;
    const uint64_t arguments = (uint64_t)other->input_count + other->output_count;
    copy(made->steps, other->steps, other->step_count, sizeof *made->steps);
    copy(made->tensors, other->tensors, other->tensor_count, sizeof *made->tensors);
    copy(made->arguments, other->arguments, arguments, sizeof *made->arguments);
    copy(made->constants, other->constants, other->constant_count, sizeof *made->constants);
    return made;
}

void sample_program_destroy(struct sample_program *program)
{
    if (!program)
        return;
    hy_idle_memory_free(&program->idle);
    hy_quota_arena_free(&program->memory);
    hy_quota_free(program);
}

/* ---- From a model ---------------------------------------------------------------------------- */

/* Notes the model's inputs and outputs: operands whose bytes come with each request. */
static bool bind_arguments(struct sample_program *program, struct sample_source *source)
{
    if (!hy_read_model_arguments(&source->reader, program->arguments))
        return false;
    for (uint32_t i = 0; i < program->input_count + program->output_count; i++)
        program->tensors[program->arguments[i]].is_bound = true;
    return true;
}

static bool add_constant(struct sample_program *program, struct sample_tensor *tensor,
                         const uint8_t *bytes)
{
    if (!bytes)
        return false;
    tensor->constant = program->constant_count;
    program->constants[program->constant_count++] = (struct hy_bytes){bytes, tensor->bytes};
    return true;
}

/* Describes a tensor used by a step. sample_step_make has checked type and shape; `dims` replaces
 * extents unknown in the model. */
static void describe_tensor(struct sample_tensor *tensor, const struct hy_operand *operand,
                            uint32_t rank, const uint32_t *dims)
{
    tensor->lifetime = operand->lifetime;
    tensor->type = operand->type;
    tensor->scale = operand->scale;
    tensor->zero_point = operand->zero_point;
    tensor->rank = rank;
    memcpy(tensor->dims, dims, rank * sizeof *dims);
    tensor->bytes = hy_tensor_element_size(operand->type);
    for (uint32_t i = 0; i < rank; i++)
        tensor->bytes *= dims[i];
}

/* Finds the bytes of a tensor. Intermediate tensors get their offset at the end. */
static bool find_bytes(struct sample_program *program, uint32_t index, struct sample_source *source)
{
    const struct hy_operand *operand = &source->reader.model->main->operands[index];
    struct sample_tensor *tensor = &program->tensors[index];
    switch (operand->lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
    case HY_LIFETIME_CONSTANT_POOL:
        return add_constant(program, tensor,
                            hy_read_constant(&source->reader, operand, tensor->bytes));
    case HY_LIFETIME_TEMPORARY:
        return true;
    default:
        return tensor->is_bound ||
               hy_refuse(&source->reader, "operand %u is not an input or output of the model",
                         index);
    }
}

/* Registers a further use of a tensor by a step, in columns or rows. */
static bool use_tensor(struct sample_program *program, uint32_t index, uint32_t rank,
                       const uint32_t *dims, bool is_in_columns, struct sample_source *source)
{
    const struct hy_operand *operand = &source->reader.model->main->operands[index];
    struct sample_tensor *tensor = &program->tensors[index];
    if (tensor->bytes > 0) {
        tensor->layout = is_in_columns ? tensor->layout : SAMPLE_ROWS;
        return true;
    }
    describe_tensor(tensor, operand, rank, dims);
    tensor->layout = is_in_columns && !hy_is_constant(operand) ? SAMPLE_COLUMNS : SAMPLE_ROWS;
    return find_bytes(program, index, source);
}

static bool use_input(struct sample_program *program, const struct sample_step *step,
                      uint32_t input, struct sample_source *source)
{
    const uint32_t index = step->inputs[input];
    const struct hy_operand *operand = &source->reader.model->main->operands[index];
    const bool is_optional = step->optional_inputs >> input & 1;
    const bool is_in_columns = step->inputs_in_columns >> input & 1;
    uint32_t dims[2], rank = 0;
    if (is_optional)
        rank = sample_lstm_shape(&step->as.lstm, input, dims);
    if (!use_tensor(program, index, is_optional ? rank : operand->rank,
                    is_optional ? dims : operand->dims, is_in_columns, source))
        return false;
    program->tensors[index].readers++;
    program->tensors[index].is_needed |= !is_optional;
    return true;
}

static bool make_step(struct sample_program *program, uint32_t index, struct sample_source *source)
{
    const struct hy_subgraph *graph = source->reader.model->main;
    struct sample_step *step = &program->steps[index];
    if (!sample_step_make(source, &graph->operations[index], step))
        return false;
    for (uint32_t i = 0; i < step->input_count; i++) {
        if (!use_input(program, step, i, source))
            return false;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        const struct hy_operand *output = &graph->operands[step->outputs[i]];
        if (!use_tensor(program, step->outputs[i], output->rank, output->dims,
                        step->outputs_in_columns >> i & 1, source))
            return false;
        program->tensors[step->outputs[i]].is_written = true;
    }
    return true;
}

static bool assign_temporary_offsets(struct sample_program *program, struct sample_source *source)
{
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        struct sample_tensor *tensor = &program->tensors[i];
        if (tensor->bytes == 0 || tensor->lifetime != HY_LIFETIME_TEMPORARY)
            continue;
        tensor->offset = program->scratch_bytes;
        program->scratch_bytes += (tensor->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (program->scratch_bytes > MAX_SCRATCH)
            return hy_refuse(&source->reader, "intermediate tensors need more than %llu bytes",
                             (unsigned long long)MAX_SCRATCH);
    }
    return true;
}

static bool lay_out(struct sample_program *program, struct sample_source *source)
{
    const struct hy_subgraph *graph = source->reader.model->main;
    if (!bind_arguments(program, source))
        return false;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!make_step(program, i, source))
            return false;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (!program->tensors[graph->outputs[i]].is_written)
            return hy_refuse(&source->reader, "no operation writes output %u of the model", i);
    }
    return assign_temporary_offsets(program, source);
}

/* Creates an empty program with a copy of the small constants of the model, which are invalid after
 * prepare. */
static bool begin(struct sample_source *source, struct sample_program **program)
{
    const struct hy_model *model = source->reader.model;
    const struct sample_program counts = {.host = source->reader.host,
                                          .step_count = model->main->operation_count,
                                          .tensor_count = model->main->operand_count,
                                          .input_count = model->main->input_count,
                                          .output_count = model->main->output_count,
                                          .constant_count = model->main->operand_count};
    struct sample_program *made = create(&counts, 0);
    uint8_t *values = made ? hy_quota_arena_zeros(&made->memory, model->values_size, 1) : NULL;
    *program = made;
    if (!values)
        return false;
    copy(values, model->values, model->values_size, 1);
    source->reader.values = values;
    made->constant_count = 0; /* counted again below, one by one */
    for (uint32_t i = 0; i < made->tensor_count; i++)
        made->tensors[i].constant = SAMPLE_NO_CONSTANT;
    return true;
}

int32_t sample_program_make(struct sample_source *source, const struct hy_message *message,
                            struct sample_program **program)
{
    struct sample_program *made;
    int32_t status = HY_STATUS_OK;
    if (!begin(source, &made)) {
        hy_message_write(message, "out of memory");
        status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    } else if (!lay_out(made, source)) {
        hy_message_write(message, "%s", source->reader.reason);
        status = HY_STATUS_INVALID_ARGUMENT;
    }
    if (status == HY_STATUS_OK)
        *program = made;
    else
        sample_program_destroy(made);
    return status;
}
