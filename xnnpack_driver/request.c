#include "request.h"

#include "driver_kit/message.h"
#include "operands.h"

#include <string.h>

/* No memory is protected in smaller pieces, on any machine. */
#define PAGE UINT64_C(4096)

/* An argument may leave its shape out, or must repeat the model's. An output may hold 0. */
static bool shape_fits(const struct hy_argument *argument, const struct xd_tensor *tensor,
                       bool is_output)
{
    if (argument->rank == 0)
        return true;
    if (argument->rank != tensor->rank || !argument->dims)
        return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        const bool is_open = is_output && argument->dims[i] == 0;
        if (argument->dims[i] != tensor->dims[i] && !is_open)
            return false;
    }
    return true;
}

/* The pool of an argument, if there is one. */
static const struct hy_pool *pool_of(const struct hy_request *request,
                                     const struct hy_argument *argument)
{
    const uint32_t pool = argument->location.pool;

    return argument->flags == 0 && pool < request->pool_count ? &request->pools[pool] : NULL;
}

/* Images and buffers are used whole: such an argument has no length. */
static bool is_of_kind(const struct hy_request *request, const struct hy_argument *argument,
                       uint32_t kind)
{
    const struct hy_pool *pool = pool_of(request, argument);

    return pool && pool->kind == kind;
}

bool xd_request_has_room(const struct hy_request *request, const struct hy_argument *argument,
                         const struct xd_tensor *tensor)
{
    return argument->location.length >= tensor->bytes ||
           is_of_kind(request, argument, HY_POOL_BUFFER);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

/* The buffer of argument `number`, inputs first, to be given back. NULL: there is none that the
 * argument may be. */
static struct hy_device_buffer *take(const struct xd_caller *caller,
                                     const struct hy_request *request, uint32_t number)
{
    const uint32_t inputs = caller->program->input_count;
    const bool is_output = number >= inputs;
    const uint32_t index = is_output ? number - inputs : number;
    const struct hy_argument *argument =
        is_output ? &request->outputs[index] : &request->inputs[index];
    const struct hy_location *location = &argument->location;
    if (location->offset != 0 || location->length != 0 || location->padding != 0)
        return NULL;

    const struct hy_buffer_use use = {caller->prepared, is_output, index};
    return hy_device_buffer_hold(caller->buffers, request->pools[location->pool].buffer_token, use);
}

/* An output is nothing else in the same request. */
static bool is_held(struct hy_device_buffer *const *held, uint32_t count,
                    const struct hy_device_buffer *buffer)
{
    for (uint32_t i = 0; i < count; i++) {
        if (held[i] == buffer)
            return true;
    }
    return false;
}

/* Holds the buffer of argument `number` for the run, which works in it. */
static int32_t bind_buffer(const struct xd_caller *caller, const struct hy_request *request,
                           uint32_t number, struct xd_instance *instance)
{
    struct hy_device_buffer **held = xd_instance_held(instance);
    const bool is_output = number >= caller->program->input_count;
    struct hy_device_buffer *buffer = take(caller, request, number);
    if (!buffer)
        return HY_STATUS_INVALID_ARGUMENT;
    if (is_output && is_held(held, number, buffer)) {
        hy_device_buffer_release(buffer);
        return HY_STATUS_INVALID_ARGUMENT;
    }
    held[number] = buffer;
    xd_instance_arguments(instance)[number] = buffer->memory;
    return HY_STATUS_OK;
}

void xd_request_release(const struct xd_caller *caller, const struct hy_request *request,
                        struct xd_instance *instance, int32_t status)
{
    const struct xd_program *program = caller->program;
    struct hy_device_buffer **held = xd_instance_held(instance);
    for (uint32_t i = 0; i < program->input_count + program->output_count; i++) {
        struct hy_device_buffer *buffer = held[i];
        if (!buffer)
            continue;
        held[i] = NULL;
        if (i >= program->input_count && status == HY_STATUS_OK)
            atomic_store(&buffer->is_written, true);
        hy_device_buffer_release(buffer);
    }
    if (status != HY_STATUS_OK)
        xd_request_fail(caller, request);
}

void xd_request_fail(const struct xd_caller *caller, const struct hy_request *request)
{
    const struct xd_program *program = caller->program;
    for (uint32_t i = 0; i < program->output_count; i++) {
        if (!is_of_kind(request, &request->outputs[i], HY_POOL_BUFFER))
            continue;
        struct hy_device_buffer *buffer = take(caller, request, program->input_count + i);
        if (!buffer)
            continue;
        atomic_store(&buffer->is_written, false);
        hy_device_buffer_release(buffer);
    }
}

/* ---- Other memory ---------------------------------------------------------------------------- */

/* A burst knows memory that it has seen before; else the host is asked. */
static int32_t find_address(const struct xd_caller *caller, const struct hy_pool *pool,
                            uint32_t protection, void **address)
{
    return caller->pools ? hy_pool_map_find(caller->pools, pool, protection, address)
                         : caller->host->map(caller->host->context, pool, protection, address);
}

/* The address of an argument, and how many bytes of its pool follow it. */
static int32_t map_argument(const struct xd_caller *caller, const struct hy_request *request,
                            const struct hy_location *location, uint32_t protection,
                            const uint8_t **address, uint64_t *behind)
{
    if (location->pool >= request->pool_count)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_pool *pool = &request->pools[location->pool];
    if (location->offset > pool->size || location->length > pool->size - location->offset)
        return HY_STATUS_INVALID_ARGUMENT;

    void *base = NULL;
    const int32_t status = find_address(caller, pool, protection, &base);
    if (status == HY_STATUS_OK) {
        *address = (const uint8_t *)base + location->offset;
        *behind = pool->size - location->offset - location->length;
    }
    return status;
}

/* Kernels read up to XNN_EXTRA_BYTES beyond an input. What lies in the same pool, or else in the
 * same page, can be read. */
static bool can_stay(const uint8_t *address, const struct xd_tensor *tensor, uint64_t behind)
{
    const uintptr_t end = (uintptr_t)address + tensor->bytes;
    const bool has_room =
        behind >= XNN_EXTRA_BYTES || (end - 1) / PAGE == (end + XNN_EXTRA_BYTES - 1) / PAGE;
    return has_room && (uintptr_t)address % xd_element_size(tensor->type) == 0;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static int32_t bind_input(const struct xd_caller *caller, const struct hy_request *request,
                          uint32_t index, struct xd_instance *instance)
{
    const struct xd_program *program = caller->program;
    const struct hy_argument *argument = &request->inputs[index];
    const struct xd_tensor *tensor = &program->tensors[program->arguments[index]];
    const uint8_t *address = NULL;
    uint64_t behind = 0;
    if (tensor->readers == 0 && !is_of_kind(request, argument, HY_POOL_BUFFER))
        return HY_STATUS_OK;
    if (is_of_kind(request, argument, HY_POOL_HARDWARE_BUFFER))
        return HY_STATUS_GENERAL_FAILURE; /* we read tensors alone */
    if (argument->flags != 0 || !shape_fits(argument, tensor, false))
        return HY_STATUS_INVALID_ARGUMENT;
    if (is_of_kind(request, argument, HY_POOL_BUFFER))
        return bind_buffer(caller, request, index, instance);
    if (argument->location.length != tensor->bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status =
        map_argument(caller, request, &argument->location, HY_PROTECT_READ, &address, &behind);
    if (status != HY_STATUS_OK)
        return status;
    if (!can_stay(address, tensor, behind))
        address = memcpy(xd_instance_input_room(instance, index), address, tensor->bytes);
    xd_instance_arguments(instance)[index] = address;
    return HY_STATUS_OK;
}

static int32_t bind_output(const struct xd_caller *caller, const struct hy_request *request,
                           uint32_t index, struct xd_instance *instance)
{
    const struct xd_program *program = caller->program;
    const struct hy_argument *argument = &request->outputs[index];
    const uint32_t position = program->input_count + index;
    const struct xd_tensor *tensor = &program->tensors[program->arguments[position]];
    uint64_t behind = 0;
    if (is_of_kind(request, argument, HY_POOL_HARDWARE_BUFFER))
        return HY_STATUS_GENERAL_FAILURE;
    if (argument->flags != 0 || !shape_fits(argument, tensor, true))
        return HY_STATUS_INVALID_ARGUMENT;
    if (is_of_kind(request, argument, HY_POOL_BUFFER))
        return bind_buffer(caller, request, position, instance);
    if (argument->location.length < tensor->bytes)
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    return map_argument(caller, request, &argument->location, HY_PROTECT_WRITE,
                        &xd_instance_arguments(instance)[position], &behind);
}

static void tell_misfit(const struct hy_request *request, bool is_input, uint32_t index,
                        int32_t status, const struct hy_message *message)
{
    const struct hy_argument *argument =
        is_input ? &request->inputs[index] : &request->outputs[index];
    const char *side = is_input ? "input" : "output";

    if (is_of_kind(request, argument, HY_POOL_BUFFER))
        hy_message_write(message, "%s %u: buffer %u is not there, not for this, or used twice",
                         side, index, pool_of(request, argument)->buffer_token);
    else
        hy_message_write(message, "%s %u does not fit (status %d)", side, index, (int)status);
}

/* Too small an output does not stop us: the caller wants to hear of each. */
static int32_t bind_all(const struct xd_caller *caller, const struct hy_request *request,
                        struct xd_instance *instance, const struct hy_message *message)
{
    const struct xd_program *program = caller->program;
    int32_t answer = HY_STATUS_OK;
    for (uint32_t i = 0; i < program->input_count + program->output_count; i++) {
        const bool is_input = i < program->input_count;
        const uint32_t index = is_input ? i : i - program->input_count;
        const int32_t status = is_input ? bind_input(caller, request, index, instance)
                                        : bind_output(caller, request, index, instance);
        if (status == HY_STATUS_OK)
            continue;
        answer = status;
        tell_misfit(request, is_input, index, status, message);
        if (status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
            break;
    }
    return answer;
}

int32_t xd_request_bind(const struct xd_caller *caller, const struct hy_request *request,
                        struct xd_instance *instance, const struct hy_message *message)
{
    const int32_t status = bind_all(caller, request, instance, message);
    struct hy_device_buffer *const *held = xd_instance_held(instance);
    for (uint32_t i = 0; status == HY_STATUS_OK && i < caller->program->input_count; i++) {
        if (!held[i] || atomic_load(&held[i]->is_written))
            continue;
        hy_message_write(message, "input %u is a buffer that holds nothing", i);
        return HY_STATUS_GENERAL_FAILURE;
    }
    return status;
}
