#include "request.h"

#include "driver_kit/message.h"

#include <string.h>

bool sample_request_fits(const struct sample_program *program, const struct hy_request *request,
                         const struct hy_run_options *options, const struct hy_result *result)
{
    return HY_REACHES(request, pools) && HY_REACHES(options, scratch_bytes) &&
           HY_REACHES(result, time_in_driver) && request->input_count == program->input_count &&
           request->output_count == program->output_count &&
           result->output_count == program->output_count;
}

/* ---- One argument ---------------------------------------------------------------------------- */

/* Arguments by one number: the inputs, then the outputs. */
static const struct hy_argument *argument_at(const struct sample_binding *binding, uint32_t number)
{
    const uint32_t inputs = binding->program->input_count;
    return number < inputs ? &binding->request->inputs[number]
                           : &binding->request->outputs[number - inputs];
}

/* NULL where the argument names none. */
static const struct hy_pool *pool_of(const struct hy_request *request,
                                     const struct hy_argument *argument)
{
    const uint32_t pool = argument->location.pool;
    return pool < request->pool_count ? &request->pools[pool] : NULL;
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

/* A burst knows memory that it has seen before; else the host is asked. */
static int32_t find_address(const struct sample_binding *binding, const struct hy_pool *pool,
                            uint32_t protection, void **address)
{
    const struct hy_host *host = binding->program->host;
    struct hy_pool_map *pools = binding->owner->pools;
    return pools ? hy_pool_map_find(pools, pool, protection, address)
                 : host->map(host->context, pool, protection, address);
}

/* Memory that is shared: the bytes in the order of the API. */
static int32_t map(const struct sample_binding *binding, const struct hy_pool *pool,
                   const struct hy_location *location, uint32_t protection,
                   struct sample_place *place)
{
    if (location->offset > pool->size || location->length > pool->size - location->offset)
        return HY_STATUS_INVALID_ARGUMENT;

    void *base = NULL;
    const int32_t status = find_address(binding, pool, protection, &base);
    if (status == HY_STATUS_OK)
        *place = (struct sample_place){(const uint8_t *)base + location->offset, SAMPLE_PLAIN};
    return status;
}

/* Memory of our own, which is used whole, and for nothing but what it was made for. */
static int32_t take_buffer(const struct sample_binding *binding, uint32_t number,
                           const struct hy_pool *pool, struct sample_place *place)
{
    const struct hy_location *location = &argument_at(binding, number)->location;
    const uint32_t inputs = binding->program->input_count;
    if (!binding->owner->buffers)
        return HY_STATUS_GENERAL_FAILURE;
    if (location->offset != 0 || location->length != 0 || location->padding != 0)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_buffer_use use = {.prepared = binding->owner->prepared,
                                      .is_output = number >= inputs,
                                      .index = number < inputs ? number : number - inputs};
    struct hy_device_buffer *buffer =
        hy_device_buffer_hold(binding->owner->buffers, pool->buffer_token, use);
    if (!buffer)
        return HY_STATUS_INVALID_ARGUMENT;
    binding->held[number] = buffer;
    *place = (struct sample_place){buffer->memory, buffer->tensor.layout};
    return HY_STATUS_OK;
}

static int32_t bind_input(const struct sample_binding *binding, uint32_t number)
{
    const struct hy_argument *argument = argument_at(binding, number);
    const uint32_t operand = binding->program->arguments[number];
    const struct sample_tensor *tensor = &binding->program->tensors[operand];
    struct sample_place *place = &binding->places[operand];
    *place = (struct sample_place){NULL, SAMPLE_PLAIN};
    if (!tensor->is_read)
        return HY_STATUS_OK;
    if (argument->flags == HY_ARGUMENT_NO_VALUE && !tensor->is_needed)
        return HY_STATUS_OK;
    const struct hy_pool *pool = pool_of(binding->request, argument);
    if (argument->flags != 0 || !pool || !shape_fits(argument, tensor, false))
        return HY_STATUS_INVALID_ARGUMENT;
    if (pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE; /* we read tensors alone */
    if (pool->kind == HY_POOL_BUFFER)
        return take_buffer(binding, number, pool, place);
    if (argument->location.length != tensor->bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    return map(binding, pool, &argument->location, HY_PROTECT_READ, place);
}

static int32_t bind_output(const struct sample_binding *binding, uint32_t number)
{
    const struct hy_argument *argument = argument_at(binding, number);
    const uint32_t operand = binding->program->arguments[number];
    const struct sample_tensor *tensor = &binding->program->tensors[operand];
    struct sample_place *place = &binding->places[operand];
    const struct hy_pool *pool = pool_of(binding->request, argument);
    if (argument->flags != 0 || !shape_fits(argument, tensor, true))
        return HY_STATUS_INVALID_ARGUMENT;
    if (pool && pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE;
    if (pool && pool->kind == HY_POOL_BUFFER)
        return take_buffer(binding, number, pool, place);
    if (argument->location.length < tensor->bytes)
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    if (!pool)
        return HY_STATUS_INVALID_ARGUMENT;
    const uint32_t protection = HY_PROTECT_WRITE | (tensor->is_read ? HY_PROTECT_READ : 0);
    return map(binding, pool, &argument->location, protection, place);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static uint32_t argument_count(const struct sample_program *program)
{
    return program->input_count + program->output_count;
}

/* A buffer that is written is used for nothing else. */
static bool are_outputs_apart(const struct sample_binding *binding)
{
    const uint32_t inputs = binding->program->input_count;
    for (uint32_t i = inputs; i < argument_count(binding->program); i++)
        for (uint32_t k = 0; k < i; k++)
            if (binding->held[i] && binding->held[i] == binding->held[k])
                return false;
    return true;
}

static bool are_inputs_written(const struct sample_binding *binding)
{
    for (uint32_t i = 0; i < binding->program->input_count; i++)
        if (binding->held[i] && !atomic_load(&binding->held[i]->is_written))
            return false;
    return true;
}

/* Too small an output does not stop us: the caller wants to hear of each. */
static int32_t bind_all(const struct sample_binding *binding, const struct hy_message *message)
{
    const uint32_t inputs = binding->program->input_count;
    int32_t answer = HY_STATUS_OK;
    for (uint32_t i = 0; i < argument_count(binding->program); i++) {
        const int32_t status = i < inputs ? bind_input(binding, i) : bind_output(binding, i);
        if (status == HY_STATUS_OK)
            continue;
        answer = status;
        hy_message_write(message, "%s %u does not fit (status %d)", i < inputs ? "input" : "output",
                         i < inputs ? i : i - inputs, status);
        if (status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
            break;
    }
    return answer;
}

int32_t sample_request_bind(const struct sample_binding *binding, const struct hy_message *message)
{
    memset(binding->held, 0, argument_count(binding->program) * sizeof *binding->held);
    const int32_t status = bind_all(binding, message);
    if (status != HY_STATUS_OK)
        return status;
    if (!are_outputs_apart(binding)) {
        hy_message_write(message, "a buffer is an output and something else, too");
        return HY_STATUS_INVALID_ARGUMENT;
    }
    if (!are_inputs_written(binding)) {
        hy_message_write(message, "a buffer is an input, and nothing has been written to it");
        return HY_STATUS_GENERAL_FAILURE;
    }
    return HY_STATUS_OK;
}

void sample_request_release(const struct sample_binding *binding, int32_t status)
{
    for (uint32_t i = 0; i < argument_count(binding->program); i++) {
        struct hy_device_buffer *buffer = binding->held[i];
        if (!buffer)
            continue;
        if (i >= binding->program->input_count)
            atomic_store(&buffer->is_written, status == HY_STATUS_OK);
        hy_device_buffer_release(buffer);
    }
}

static bool has_room(const struct hy_request *request, const struct hy_argument *argument,
                     const struct sample_tensor *tensor)
{
    const struct hy_pool *pool = pool_of(request, argument);
    return argument->location.length >= tensor->bytes || (pool && pool->kind == HY_POOL_BUFFER);
}

void sample_request_tell_shapes(const struct sample_program *program,
                                const struct hy_request *request, struct hy_result *result)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        const struct sample_tensor *tensor =
            &program->tensors[program->arguments[program->input_count + i]];
        struct hy_output_shape *shape = &result->outputs[i];
        *shape = (struct hy_output_shape){
            .rank = tensor->rank, .sufficient = has_room(request, &request->outputs[i], tensor)};
        memcpy(shape->dims, tensor->dims, tensor->rank * sizeof *tensor->dims);
    }
}
