/*
 * An execution neither allocates nor locks, unless more threads run the same program at once than
 * ever before: their working memory is kept.
 */
#include "run.h"

#include "arguments.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NANOSECONDS INT64_C(1000000000)

/* The working memory of one execution. */
struct sample_scratch {
    const uint8_t **addresses; /* of each operand */
    uint8_t *memory;
};

/* ---- Scratch --------------------------------------------------------------------------------- */

static void scratch_destroy(struct sample_scratch *scratch)
{
    if (!scratch)
        return;
    free(scratch->addresses);
    free(scratch->memory);
    free(scratch);
}

static struct sample_scratch *scratch_create(const struct sample_program *program)
{
    struct sample_scratch *scratch = calloc(1, sizeof *scratch);
    if (!scratch)
        return NULL;
    scratch->addresses = calloc((size_t)program->tensor_count + 1, sizeof *scratch->addresses);
    /* Zeroed: a wrong model may read what no step has written. */
    scratch->memory = calloc(1, program->scratch_bytes + 1);
    if (!scratch->addresses || !scratch->memory) {
        scratch_destroy(scratch);
        return NULL;
    }
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        const struct sample_tensor *tensor = &program->tensors[i];
        if (tensor->block != SAMPLE_NO_BLOCK)
            scratch->addresses[i] = program->blocks[tensor->block].data;
        else if (tensor->lifetime == HY_LIFETIME_TEMPORARY)
            scratch->addresses[i] = scratch->memory + tensor->offset;
    }
    return scratch;
}

/* Threads take idle scratches by exchanging pointers: nobody waits for anybody. */
static struct sample_scratch *scratch_take(struct sample_program *program)
{
    for (uint32_t i = 0; i < SAMPLE_SCRATCH_SLOTS; i++) {
        struct sample_scratch *scratch = atomic_exchange(&program->idle[i], NULL);
        if (scratch)
            return scratch;
    }
    return scratch_create(program);
}

static void scratch_give_back(struct sample_program *program, struct sample_scratch *scratch)
{
    for (uint32_t i = 0; i < SAMPLE_SCRATCH_SLOTS; i++) {
        struct sample_scratch *empty = NULL;
        if (atomic_compare_exchange_strong(&program->idle[i], &empty, scratch))
            return;
    }
    scratch_destroy(scratch);
}

bool sample_scratch_ready(struct sample_program *program)
{
    struct sample_scratch *scratch = scratch_create(program);
    if (scratch)
        scratch_give_back(program, scratch);
    return scratch != NULL;
}

void sample_scratch_clear(struct sample_program *program)
{
    for (uint32_t i = 0; i < SAMPLE_SCRATCH_SLOTS; i++)
        scratch_destroy(atomic_exchange(&program->idle[i], NULL));
}

/* ---- Running --------------------------------------------------------------------------------- */

int64_t sample_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

bool sample_is_late(int64_t deadline)
{
    return deadline != HY_NO_DEADLINE && sample_now() > deadline;
}

/* An argument may leave its shape out, or must repeat the model's. An output may hold 0. */
static bool shape_fits(const struct hy_argument *argument, const struct sample_tensor *tensor,
                       bool is_output)
{
    if (argument->rank == 0)
        return true;
    if (argument->rank != tensor->rank || !argument->dims)
        return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        bool is_open = is_output && argument->dims[i] == 0;
        if (argument->dims[i] != tensor->dims[i] && !is_open)
            return false;
    }
    return true;
}

/* Maps the bytes of an argument. */
static int32_t map_argument(const struct sample_program *program, const struct hy_request *request,
                            const struct hy_location *location, uint32_t protection,
                            const uint8_t **address)
{
    if (location->pool >= request->pool_count)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_pool *pool = &request->pools[location->pool];
    if (pool->kind == HY_POOL_BUFFER)
        return HY_STATUS_GENERAL_FAILURE; /* buffers of our own we do not have */
    if (location->offset > pool->size || location->length > pool->size - location->offset)
        return HY_STATUS_INVALID_ARGUMENT;

    void *base = NULL;
    int32_t status = program->host->map(program->host->context, pool, protection, &base);
    if (status == HY_STATUS_OK)
        *address = (const uint8_t *)base + location->offset;
    return status;
}

/* An argument that has no length, because it is an image. */
static bool is_image(const struct hy_request *request, const struct hy_argument *argument)
{
    const uint32_t pool = argument->location.pool;

    return argument->flags == 0 && pool < request->pool_count &&
           request->pools[pool].kind == HY_POOL_HARDWARE_BUFFER;
}

static int32_t bind_input(const struct sample_program *program, const struct hy_request *request,
                          uint32_t index, const uint8_t **addresses)
{
    const struct hy_argument *argument = &request->inputs[index];
    uint32_t operand = program->arguments[index];
    const struct sample_tensor *tensor = &program->tensors[operand];
    if (!tensor->is_read)
        return HY_STATUS_OK;
    if (is_image(request, argument))
        return HY_STATUS_GENERAL_FAILURE; /* we read tensors alone */
    if (argument->flags != 0 || !shape_fits(argument, tensor, false) ||
        argument->location.length != tensor->bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    return map_argument(program, request, &argument->location, HY_PROTECT_READ,
                        &addresses[operand]);
}

static int32_t bind_output(const struct sample_program *program, const struct hy_request *request,
                           uint32_t index, const uint8_t **addresses)
{
    const struct hy_argument *argument = &request->outputs[index];
    uint32_t operand = program->arguments[program->input_count + index];
    const struct sample_tensor *tensor = &program->tensors[operand];
    if (is_image(request, argument))
        return HY_STATUS_GENERAL_FAILURE;
    if (argument->flags != 0 || !shape_fits(argument, tensor, true))
        return HY_STATUS_INVALID_ARGUMENT;
    if (argument->location.length < tensor->bytes)
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    uint32_t protection = HY_PROTECT_WRITE | (tensor->is_read ? HY_PROTECT_READ : 0);
    return map_argument(program, request, &argument->location, protection, &addresses[operand]);
}

/* A table of a peer that knows less than we do, or a request for another model. */
static bool request_fits(const struct sample_program *program, const struct hy_request *request,
                         const struct hy_run_options *options, const struct hy_result *result)
{
    return request->struct_size >= sizeof *request && options->struct_size >= sizeof *options &&
           result->struct_size >= sizeof *result && request->input_count == program->input_count &&
           request->output_count == program->output_count &&
           result->output_count == program->output_count;
}

/* Finds all arguments. Too small an output does not stop us: the caller wants to hear of each. */
static int32_t bind_request(const struct sample_program *program, const struct hy_request *request,
                            const uint8_t **addresses, const struct hy_message *message)
{
    int32_t answer = HY_STATUS_OK;
    for (uint32_t i = 0; i < program->input_count + program->output_count; i++) {
        bool is_input = i < program->input_count;
        uint32_t index = is_input ? i : i - program->input_count;
        int32_t status = is_input ? bind_input(program, request, index, addresses)
                                  : bind_output(program, request, index, addresses);
        if (status == HY_STATUS_OK)
            continue;
        answer = status;
        sample_say(message, "%s %u does not fit (status %d)", is_input ? "input" : "output", index,
                   status);
        if (status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
            break;
    }
    return answer;
}

static void tell_shapes(const struct sample_program *program, const struct hy_request *request,
                        struct hy_result *result)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        const struct sample_tensor *tensor =
            &program->tensors[program->arguments[program->input_count + i]];
        struct hy_output_shape *shape = &result->outputs[i];
        *shape = (struct hy_output_shape){.rank = tensor->rank,
                                          .sufficient =
                                              request->outputs[i].location.length >= tensor->bytes};
        memcpy(shape->dims, tensor->dims, tensor->rank * sizeof *tensor->dims);
    }
}

static int32_t run_steps(const struct sample_program *program, const uint8_t *const *addresses,
                         int64_t deadline)
{
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct sample_step *step = &program->steps[i];
        if (sample_is_late(deadline))
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
        const uint8_t *inputs[SAMPLE_MAX_TENSORS - 1] = {0};
        for (uint32_t k = 0; k < step->input_count; k++)
            inputs[k] = addresses[step->inputs[k]];
        sample_step_run(step, inputs, (uint8_t *)addresses[step->output]);
    }
    return HY_STATUS_OK;
}

int32_t sample_program_run(struct sample_program *program, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result)
{
    if (!request_fits(program, request, options, result))
        return HY_STATUS_INVALID_ARGUMENT;
    int64_t start = options->measure ? sample_now() : 0;
    struct sample_scratch *scratch = scratch_take(program);
    if (!scratch)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;

    int32_t status = bind_request(program, request, scratch->addresses, &options->message);
    if (status == HY_STATUS_OK)
        status = run_steps(program, scratch->addresses, options->deadline);
    scratch_give_back(program, scratch);

    if (status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        tell_shapes(program, request, result);
    result->time_on_device = result->time_in_driver = HY_NO_TIME;
    if (status == HY_STATUS_OK && options->measure)
        result->time_on_device = result->time_in_driver = (uint64_t)(sample_now() - start);
    return status;
}
