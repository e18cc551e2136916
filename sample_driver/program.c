#include "program.h"

#include "driver_kit/message.h"
#include "driver_kit/quota_memory.h"
#include "lstm.h"
#include "run.h"

#include <string.h>

#define ALIGNMENT   64u
#define MAX_SCRATCH (UINT64_C(1) << 31) /* bytes of intermediate tensors */

/* ---- Its memory ------------------------------------------------------------------------------ */

/* One piece, the arrays behind the struct. */
struct sample_program *sample_program_create(const struct hy_host *host, uint32_t steps,
                                             uint32_t tensors, uint32_t arguments, uint32_t blocks)
{
    struct sample_program *program =
        hy_quota_zeros(host,
                       sizeof *program + (uint64_t)steps * sizeof *program->steps +
                           (uint64_t)tensors * sizeof *program->tensors +
                           (uint64_t)blocks * sizeof *program->blocks +
                           (uint64_t)arguments * sizeof *program->arguments,
                       1);
    if (!program)
        return NULL;
    program->host = host;
    program->step_count = steps;
    program->tensor_count = tensors;
    program->steps = (struct sample_step *)(program + 1);
    program->tensors = (struct sample_tensor *)(program->steps + steps);
    program->blocks = (struct sample_block *)(program->tensors + tensors);
    program->arguments = (uint32_t *)(program->blocks + blocks);
    for (uint32_t i = 0; i < tensors; i++)
        program->tensors[i].block = SAMPLE_NO_BLOCK;
    return program;
}

void sample_program_destroy(struct sample_program *program)
{
    if (!program)
        return;
    sample_scratch_clear(program);
    for (uint32_t i = 0; i < program->block_count; i++)
        hy_quota_free(program->blocks[i].own);
    hy_quota_free(program->values);
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

static bool add_block(struct sample_program *program, struct sample_tensor *tensor,
                      const uint8_t *bytes)
{
    if (!bytes)
        return false;
    tensor->block = program->block_count;
    program->blocks[program->block_count++] =
        (struct sample_block){.data = bytes, .length = tensor->bytes};
    return true;
}

/* What there is to know of a tensor that a step uses; sample_step_make has checked its type and
 * shape, and `dims` says what the model may leave open. */
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

/* Where its bytes are; those of intermediate tensors get their place at the end. */
static bool find_bytes(struct sample_program *program, uint32_t index, struct sample_source *source)
{
    const struct hy_operand *operand = &source->reader.model->main->operands[index];
    struct sample_tensor *tensor = &program->tensors[index];
    switch (operand->lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
    case HY_LIFETIME_CONSTANT_POOL:
        return add_block(program, tensor,
                         hy_read_constant(&source->reader, operand, tensor->bytes));
    case HY_LIFETIME_TEMPORARY:
        return true;
    default:
        return tensor->is_bound ||
               hy_refuse(&source->reader, "operand %u is no input or output of the model", index);
    }
}

/* One more step uses a tensor, in lanes or not. */
static bool use_tensor(struct sample_program *program, uint32_t index, uint32_t rank,
                       const uint32_t *dims, bool is_in_lanes, struct sample_source *source)
{
    const struct hy_operand *operand = &source->reader.model->main->operands[index];
    struct sample_tensor *tensor = &program->tensors[index];
    if (tensor->bytes > 0) {
        tensor->layout = is_in_lanes ? tensor->layout : SAMPLE_PLAIN;
        return true;
    }
    describe_tensor(tensor, operand, rank, dims);
    tensor->layout = is_in_lanes && !hy_is_constant(operand) ? SAMPLE_IN_LANES : SAMPLE_PLAIN;
    return find_bytes(program, index, source);
}

static bool use_input(struct sample_program *program, const struct sample_step *step,
                      uint32_t input, struct sample_source *source)
{
    const uint32_t index = step->inputs[input];
    const struct hy_operand *operand = &source->reader.model->main->operands[index];
    const bool is_optional = step->optional_inputs >> input & 1;
    const bool is_in_lanes = step->inputs_in_lanes >> input & 1;
    uint32_t dims[2], rank = 0;
    if (is_optional)
        rank = sample_lstm_shape(&step->as.lstm, input, dims);
    if (!use_tensor(program, index, is_optional ? rank : operand->rank,
                    is_optional ? dims : operand->dims, is_in_lanes, source))
        return false;
    program->tensors[index].is_read = true;
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
                        step->outputs_in_lanes >> i & 1, source))
            return false;
        program->tensors[step->outputs[i]].is_written = true;
    }
    return true;
}

/* Now that their layouts are known. */
static bool place_temporaries(struct sample_program *program, struct sample_source *source)
{
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        struct sample_tensor *tensor = &program->tensors[i];
        if (tensor->bytes == 0 || tensor->lifetime != HY_LIFETIME_TEMPORARY)
            continue;
        tensor->offset = program->scratch_bytes;
        const uint64_t bytes = sample_layout_bytes(tensor->layout, tensor->dims, tensor->bytes);
        program->scratch_bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (program->scratch_bytes > MAX_SCRATCH)
            return hy_refuse(&source->reader, "intermediate tensors need more than %llu bytes",
                             (unsigned long long)MAX_SCRATCH);
    }
    return true;
}

static bool lay_out(struct sample_program *program, struct sample_source *source)
{
    const struct hy_subgraph *graph = source->reader.model->main;
    if (source->reader.model->values_size > 0)
        memcpy(program->values, source->reader.model->values, source->reader.model->values_size);
    source->reader.values = program->values;
    if (!bind_arguments(program, source))
        return false;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!make_step(program, i, source))
            return false;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (!program->tensors[graph->outputs[i]].is_written)
            return hy_refuse(&source->reader, "output %u of the model is written by no operation",
                             i);
    }
    return place_temporaries(program, source);
}

int32_t sample_program_make(struct sample_source *source, const struct hy_message *message,
                            struct sample_program **program)
{
    const struct hy_model *model = source->reader.model;
    const struct hy_subgraph *graph = model->main;
    const uint64_t arguments = (uint64_t)graph->input_count + graph->output_count;
    struct sample_program *made = NULL;
    if (arguments <= UINT32_MAX)
        made =
            sample_program_create(source->reader.host, graph->operation_count, graph->operand_count,
                                  (uint32_t)arguments, graph->operand_count);
    if (made) {
        made->input_count = graph->input_count;
        made->output_count = graph->output_count;
        made->values = hy_quota_bytes(source->reader.host, model->values_size + 1);
    }
    int32_t status = HY_STATUS_OK;
    if (!made || !made->values) {
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
