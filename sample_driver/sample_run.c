/*
 * An execution neither allocates nor locks, except when more threads than ever before run the same
 * program at once. Working memory is kept for later executions.
 */
#include "sample_run.h"

#include "driver_kit/clock.h"
#include "driver_kit/quota_memory.h"

/* Where the bytes of an operand are, for one execution. */
struct sample_location {
    const uint8_t *bytes; /* NULL: an input that was left out */
    uint32_t layout;      /* SAMPLE_ROWS or SAMPLE_COLUMNS */
};

/* The working memory of one execution, in one piece. */
struct sample_scratch {
    struct sample_location *locations; /* of each operand */
    struct hy_bound_argument *bound;   /* of each argument */
    uint8_t *memory;                   /* intermediate tensors, then the stage */
    uint8_t *staging;                  /* of the step that is running: see run_step */
};

/* ---- Scratch --------------------------------------------------------------------------------- */

/* The largest working memory of a step: all arguments in columns, and the memory of its kernel. */
static uint64_t staging_bytes(const struct sample_program *program, const struct sample_step *step)
{
    uint64_t bytes = sample_step_work_bytes(step);
    for (uint32_t i = 0; i < step->input_count; i++)
        if (step->inputs_in_columns >> i & 1)
            bytes += program->tensors[step->inputs[i]].bytes;
    for (uint32_t i = 0; i < step->output_count; i++)
        if (step->outputs_in_columns >> i & 1)
            bytes += program->tensors[step->outputs[i]].bytes;
    return bytes;
}

/* Zeroed, because an invalid model may read unwritten memory. */
static struct sample_scratch *scratch_create(const struct sample_program *program)
{
    const uint64_t arguments = (uint64_t)program->input_count + program->output_count;
    uint64_t staging = 0;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const uint64_t bytes = staging_bytes(program, &program->steps[i]);
        staging = bytes > staging ? bytes : staging;
    }
    struct sample_scratch *scratch =
        hy_quota_zeros(program->host,
                       sizeof *scratch + program->tensor_count * sizeof *scratch->locations +
                           arguments * sizeof *scratch->bound + program->scratch_bytes + staging,
                       1);
    if (!scratch)
        return NULL;
    scratch->locations = (struct sample_location *)(scratch + 1);
    scratch->bound = (struct hy_bound_argument *)(scratch->locations + program->tensor_count);
    scratch->memory = (uint8_t *)(scratch->bound + arguments);
    scratch->staging = scratch->memory + program->scratch_bytes;
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        const struct sample_tensor *tensor = &program->tensors[i];
        if (tensor->constant != SAMPLE_NO_CONSTANT)
            scratch->locations[i].bytes = program->constants[tensor->constant].data;
        else if (tensor->lifetime == HY_LIFETIME_TEMPORARY)
            scratch->locations[i] =
                (struct sample_location){scratch->memory + tensor->offset, tensor->layout};
    }
    return scratch;
}

bool sample_scratch_ready(struct sample_program *program)
{
    struct sample_scratch *scratch = scratch_create(program);
    if (scratch)
        hy_idle_memory_push(&program->idle, scratch);
    return scratch;
}

/* ---- Running --------------------------------------------------------------------------------- */

static void find_inputs(const struct sample_scratch *scratch, const struct sample_step *step,
                        const uint8_t *inputs[SAMPLE_MAX_INPUTS])
{
    for (uint32_t i = 0; i < step->input_count; i++)
        inputs[i] = scratch->locations[step->inputs[i]].bytes;
}

/* Whether each step has the inputs it needs. Checked before the first write. */
static bool are_steps_whole(const struct sample_program *program,
                            const struct sample_scratch *scratch)
{
    for (uint32_t i = 0; i < program->step_count; i++) {
        const uint8_t *inputs[SAMPLE_MAX_INPUTS];
        find_inputs(scratch, &program->steps[i], inputs);
        if (!sample_step_is_whole(&program->steps[i], inputs))
            return false;
    }
    return true;
}

/* Returns column memory for an argument of a step: the memory of the argument itself, or a part of
 * the stage. */
static uint8_t *staging_for(const struct sample_tensor *tensor,
                            const struct sample_location *location, uint8_t **staging)
{
    uint8_t *bytes = *staging;
    if (location->layout == SAMPLE_COLUMNS)
        return (uint8_t *)location->bytes;
    *staging += tensor->bytes;
    return bytes;
}

/* Runs a step. Inputs in columns are converted before the kernel, outputs in columns after the
 * kernel. Arguments already in columns are used in place. */
static void run_step(const struct sample_program *program, const struct sample_scratch *scratch,
                     const struct sample_step *step)
{
    const uint8_t *inputs[SAMPLE_MAX_INPUTS];
    uint8_t *outputs[SAMPLE_MAX_OUTPUTS], *staging = scratch->staging;
    find_inputs(scratch, step, inputs);
    for (uint32_t i = 0; i < step->input_count; i++) {
        const struct sample_tensor *tensor = &program->tensors[step->inputs[i]];
        if (!(step->inputs_in_columns >> i & 1))
            continue;
        uint8_t *columns = staging_for(tensor, &scratch->locations[step->inputs[i]], &staging);
        if (columns != inputs[i])
            sample_transpose(tensor->dims[0], tensor->dims[1], inputs[i], columns);
        inputs[i] = columns;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        const struct sample_location *location = &scratch->locations[step->outputs[i]];
        outputs[i] = (uint8_t *)location->bytes;
        if (step->outputs_in_columns >> i & 1)
            outputs[i] = staging_for(&program->tensors[step->outputs[i]], location, &staging);
    }
    sample_step_run(step, inputs, outputs, staging);
    for (uint32_t i = 0; i < step->output_count; i++) {
        const struct sample_tensor *tensor = &program->tensors[step->outputs[i]];
        uint8_t *rows = (uint8_t *)scratch->locations[step->outputs[i]].bytes;
        if (outputs[i] != rows)
            sample_transpose(tensor->dims[1], tensor->dims[0], outputs[i], rows);
    }
}

static int32_t run_steps(const struct sample_program *program, const struct sample_scratch *scratch,
                         const struct hy_run_options *options)
{
    if (!are_steps_whole(program, scratch))
        return HY_STATUS_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (hy_deadline_is_past(options->deadline) || hy_is_cancelled(HY_CANCELLED_WORD(options)))
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
        run_step(program, scratch, &program->steps[i]);
    }
    return HY_STATUS_OK;
}

/* Buffers have a layout of their own; all other memory is in rows. */
static void locate_arguments(const struct sample_program *program,
                             const struct sample_scratch *scratch)
{
    for (uint32_t i = 0; i < program->input_count + program->output_count; i++) {
        const struct hy_bound_argument *bound = &scratch->bound[i];
        const uint32_t layout = bound->buffer ? bound->buffer->tensor.layout : SAMPLE_ROWS;
        scratch->locations[program->arguments[i]] =
            (struct sample_location){bound->address, layout};
    }
}

int32_t sample_program_run(struct sample_program *program, const struct hy_request_target *target,
                           const struct hy_request *request, const struct hy_run_options *options,
                           struct hy_result *result)
{
    if (!hy_request_fits(target, request, options, result))
        return HY_STATUS_INVALID_ARGUMENT;
    int64_t start = options->measure ? hy_boottime() : 0;
    struct sample_scratch *scratch = hy_idle_memory_pop(&program->idle);
    if (!scratch)
        scratch = scratch_create(program);
    if (!scratch) {
        hy_request_fail(target, request);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    int32_t status = hy_request_bind(target, request, scratch->bound, &options->message);
    if (status == HY_STATUS_OK) {
        locate_arguments(program, scratch);
        status = run_steps(program, scratch, options);
    }
    hy_request_release(target, request, scratch->bound, status);
    hy_idle_memory_push(&program->idle, scratch);

    const uint64_t time = options->measure ? (uint64_t)(hy_boottime() - start) : HY_NO_TIME;
    hy_request_write_result(target, request, status, time, time, result);
    return status;
}
