/* One execution. Any number of them run at once, so each has memory of its own. */
#include "frozen.h"

#include <stdlib.h>
#include <time.h>

struct run {
    const struct prepared *prepared;
    const struct hy_request *request;
    struct buffer
        *buffers[2 * MOST_ARGUMENTS]; /* inputs, then outputs; NULL: none, or shared memory */
    uint8_t *addresses[MOST_TENSORS];
    float *scratch;
    float *own_scratch;
};

/* ---- Arguments ------------------------------------------------------------------------------- */

static bool shape_fits(const struct hy_argument *argument, const struct tensor *tensor,
                       bool is_output)
{
    if (argument->rank == 0)
        return true; /* as in the model */
    if (argument->rank != tensor->rank || !argument->dims)
        return false;
    for (uint32_t i = 0; i < tensor->rank; i++)
        if (argument->dims[i] != tensor->dims[i] && !(is_output && argument->dims[i] == 0))
            return false;
    return true;
}

static bool is_for(const struct buffer *buffer, const struct prepared *prepared, bool is_output,
                   uint32_t index)
{
    for (uint32_t i = 0; i < buffer->role_count; i++) {
        const struct role *role = &buffer->roles[i];
        if (role->prepared == prepared && role->is_output == is_output && role->index == index)
            return true;
    }
    return false;
}

/* A buffer is used whole, in the roles that it was made for. */
static int32_t find_buffer(struct run *run, const struct hy_argument *argument, uint32_t number)
{
    const struct hy_request *request = run->request;
    const struct hy_location *at = &argument->location;
    const bool is_output = number >= request->input_count;
    const uint32_t index = is_output ? number - request->input_count : number;
    struct buffer *buffer =
        frozen_buffer_take(run->prepared->device, request->pools[at->pool].buffer_token);
    if (!buffer)
        return HY_STATUS_INVALID_ARGUMENT;
    run->buffers[number] = buffer;
    if (at->offset || at->length || at->padding || !is_for(buffer, run->prepared, is_output, index))
        return HY_STATUS_INVALID_ARGUMENT;
    for (uint32_t i = 0; is_output && i < number; i++) {
        if (run->buffers[i] == buffer)
            return HY_STATUS_INVALID_ARGUMENT; /* an output overlaps nothing else */
    }
    return HY_STATUS_OK;
}

static int32_t find_memory(struct run *run, const struct hy_argument *argument, uint32_t operand,
                           bool is_output)
{
    const struct hy_host *host = run->prepared->device->host;
    const struct tensor *tensor = &run->prepared->program.tensors[operand];
    const struct hy_location *at = &argument->location;
    const struct hy_pool *pool = &run->request->pools[at->pool];
    const uint64_t bytes = (uint64_t)tensor->count * sizeof(float);
    void *base;
    if (pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE;
    if (at->offset > pool->size || at->length > pool->size - at->offset)
        return HY_STATUS_INVALID_ARGUMENT;
    if (at->length < bytes)
        return is_output ? HY_STATUS_OUTPUT_INSUFFICIENT_SIZE : HY_STATUS_INVALID_ARGUMENT;
    if (!is_output && at->length != bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    const uint32_t protection =
        (is_output ? HY_PROTECT_WRITE : 0) | (!is_output || tensor->is_read ? HY_PROTECT_READ : 0);
    const int32_t status = host->map(host->context, pool, protection, &base);
    if (status == HY_STATUS_OK)
        run->addresses[operand] = (uint8_t *)base + at->offset;
    return status;
}

static int32_t find(struct run *run, uint32_t number)
{
    const struct program *program = &run->prepared->program;
    const struct hy_request *request = run->request;
    const bool is_output = number >= request->input_count;
    const struct hy_argument *argument =
        is_output ? &request->outputs[number - request->input_count] : &request->inputs[number];
    const uint32_t operand =
        is_output ? program->outputs[number - request->input_count] : program->inputs[number];
    if (program->tensors[operand].count == 0)
        return HY_STATUS_OK; /* no step uses it */
    if (argument->flags || !shape_fits(argument, &program->tensors[operand], is_output) ||
        argument->location.pool >= request->pool_count)
        return HY_STATUS_INVALID_ARGUMENT;
    if (request->pools[argument->location.pool].kind != HY_POOL_BUFFER)
        return find_memory(run, argument, operand, is_output);
    const int32_t status = find_buffer(run, argument, number);
    if (status == HY_STATUS_OK)
        run->addresses[operand] = (uint8_t *)run->buffers[number]->data;
    return status;
}

/* Too small an output does not end it: a wrong argument is worse. Empty buffers come last. */
static int32_t find_all(struct run *run)
{
    const struct hy_request *request = run->request;
    int32_t answer = HY_STATUS_OK;
    for (uint32_t i = 0; i < request->input_count + request->output_count; i++) {
        const int32_t status = find(run, i);
        if (status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
            answer = status;
        else if (status != HY_STATUS_OK)
            return status;
    }
    for (uint32_t i = 0; i < request->input_count; i++) {
        if (run->buffers[i] && !atomic_load(&run->buffers[i]->is_written))
            return HY_STATUS_GENERAL_FAILURE;
    }
    return answer;
}

/* ---- Computing ------------------------------------------------------------------------------- */

struct part_of_step {
    const struct step *step;
    uint8_t *a, *b, *out;
    uint32_t count, parts;
};

/* Tensors lie at any address: bytes are copied, not cast. */
static void compute_part(void *argument, uint32_t part)
{
    const struct part_of_step *work = argument;
    const uint32_t first = (uint32_t)((uint64_t)work->count * part / work->parts),
                   end = (uint32_t)((uint64_t)work->count * (part + 1) / work->parts);
    for (uint32_t i = first; i < end; i++) {
        float a, b;
        memcpy(&a, work->a + (size_t)i * sizeof a, sizeof a);
        memcpy(&b, work->b + (size_t)i * sizeof b, sizeof b);
        a += b;
        if (work->step->has_relu && a < 0)
            a = 0;
        memcpy(work->out + (size_t)i * sizeof a, &a, sizeof a);
    }
}

static void compute(const struct run *run, const struct step *step)
{
    const struct hy_host *host = run->prepared->device->host;
    const uint32_t workers = host->worker_count(host->context);
    struct part_of_step work = {.step = step,
                                .a = run->addresses[step->a],
                                .b = run->addresses[step->b],
                                .out = run->addresses[step->out],
                                .count = run->prepared->program.tensors[step->out].count};
    work.parts = work.count < workers ? work.count : workers;
    host->parallel(host->context, work.parts, compute_part, &work);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int32_t run_steps(const struct run *run, int64_t deadline)
{
    for (uint32_t i = 0; i < run->prepared->program.step_count; i++) {
        if (deadline != HY_NO_DEADLINE && now() > deadline)
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
        compute(run, &run->prepared->program.steps[i]);
    }
    return HY_STATUS_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

int32_t frozen_scratch_needed(void *self, struct hy_scratch *scratch)
{
    const struct prepared *prepared = self;
    const struct hy_scratch need = {
        .struct_size = sizeof need,
        .alignment = prepared->program.scratch_floats > 0 ? sizeof(float) : 0,
        .bytes = (uint64_t)prepared->program.scratch_floats * sizeof(float)};
    hy_fill(scratch, &need);
    return HY_STATUS_OK;
}

static bool find_scratch(struct run *run, const struct hy_run_options *options)
{
    const struct program *program = &run->prepared->program;
    const uint64_t bytes = (uint64_t)program->scratch_floats * sizeof(float);
    if (options->scratch && options->scratch_bytes >= bytes &&
        (uintptr_t)options->scratch % sizeof(float) == 0)
        run->scratch = options->scratch;
    else
        run->scratch = run->own_scratch = malloc(bytes + 1);
    for (uint32_t i = 0; run->scratch && i < program->tensor_count; i++) {
        const struct tensor *tensor = &program->tensors[i];
        if (tensor->lifetime == HY_LIFETIME_TEMPORARY)
            run->addresses[i] = (uint8_t *)(run->scratch + tensor->place);
        else if (tensor->lifetime == HY_LIFETIME_CONSTANT_COPY ||
                 tensor->lifetime == HY_LIFETIME_CONSTANT_POOL)
            run->addresses[i] = (uint8_t *)(uintptr_t)(run->prepared->constants + tensor->place);
    }
    return run->scratch != NULL;
}

static void tell(const struct run *run, struct hy_result *result)
{
    const struct program *program = &run->prepared->program;
    for (uint32_t i = 0; i < program->output_count; i++) {
        const struct tensor *tensor = &program->tensors[program->outputs[i]];
        struct hy_output_shape *shape = &result->outputs[i];
        shape->rank = tensor->rank;
        shape->sufficient =
            run->buffers[run->request->input_count + i] ||
            run->request->outputs[i].location.length >= (uint64_t)tensor->count * sizeof(float);
        memset(shape->dims, 0, sizeof shape->dims);
        memcpy(shape->dims, tensor->dims, sizeof tensor->dims);
    }
}

/* Buffers that an execution was to write hold nothing where it has failed. */
static void let_go(struct run *run, int32_t status)
{
    for (uint32_t i = 0; i < run->request->input_count + run->request->output_count; i++) {
        if (!run->buffers[i])
            continue;
        if (i >= run->request->input_count)
            atomic_store(&run->buffers[i]->is_written, status == HY_STATUS_OK);
        frozen_buffer_put(run->buffers[i]);
    }
    free(run->own_scratch);
}

static bool request_fits(const struct program *program, const struct hy_request *request,
                         const struct hy_run_options *options, const struct hy_result *result)
{
    return HY_REACHES(request, pools) && HY_REACHES(options, scratch_bytes) &&
           HY_REACHES(result, time_in_driver) && request->input_count == program->input_count &&
           request->output_count == program->output_count &&
           result->output_count == program->output_count;
}

int32_t frozen_execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct run run = {.prepared = self, .request = request};
    const int64_t start = now();
    if (!request_fits(&run.prepared->program, request, options, result))
        return HY_STATUS_INVALID_ARGUMENT;
    int32_t status =
        find_scratch(&run, options) ? find_all(&run) : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (status == HY_STATUS_OK)
        status = run_steps(&run, options->deadline);
    if (status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        tell(&run, result);
    let_go(&run, status);
    result->time_on_device = result->time_in_driver = HY_NO_TIME;
    if (status == HY_STATUS_OK && options->measure)
        result->time_on_device = result->time_in_driver = (uint64_t)(now() - start);
    return status;
}
