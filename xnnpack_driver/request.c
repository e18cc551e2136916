#include "request.h"

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

/* An argument that has no length, because it is an image. */
static bool is_image(const struct hy_request *request, const struct hy_argument *argument)
{
    const uint32_t pool = argument->location.pool;

    return argument->flags == 0 && pool < request->pool_count &&
           request->pools[pool].kind == HY_POOL_HARDWARE_BUFFER;
}

/* The address of an argument, and how many bytes of its pool follow it. */
static int32_t map_argument(const struct hy_host *host, const struct hy_request *request,
                            const struct hy_location *location, uint32_t protection,
                            const uint8_t **address, uint64_t *behind)
{
    if (location->pool >= request->pool_count)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_pool *pool = &request->pools[location->pool];
    if (pool->kind == HY_POOL_BUFFER)
        return HY_STATUS_GENERAL_FAILURE; /* buffers of our own we do not have */
    if (location->offset > pool->size || location->length > pool->size - location->offset)
        return HY_STATUS_INVALID_ARGUMENT;

    void *base = NULL;
    const int32_t status = host->map(host->context, pool, protection, &base);
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

static int32_t bind_input(const struct hy_host *host, const struct xd_program *program,
                          const struct hy_request *request, uint32_t index,
                          struct xd_instance *instance)
{
    const struct hy_argument *argument = &request->inputs[index];
    const struct xd_tensor *tensor = &program->tensors[program->arguments[index]];
    const uint8_t *address = NULL;
    uint64_t behind = 0;
    if (tensor->readers == 0)
        return HY_STATUS_OK;
    if (is_image(request, argument))
        return HY_STATUS_GENERAL_FAILURE; /* we read tensors alone */
    if (argument->flags != 0 || !shape_fits(argument, tensor, false) ||
        argument->location.length != tensor->bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status =
        map_argument(host, request, &argument->location, HY_PROTECT_READ, &address, &behind);
    if (status != HY_STATUS_OK)
        return status;
    if (!can_stay(address, tensor, behind))
        address = memcpy(xd_instance_input_room(instance, index), address, tensor->bytes);
    xd_instance_arguments(instance)[index] = address;
    return HY_STATUS_OK;
}

static int32_t bind_output(const struct hy_host *host, const struct xd_program *program,
                           const struct hy_request *request, uint32_t index,
                           struct xd_instance *instance)
{
    const struct hy_argument *argument = &request->outputs[index];
    const uint32_t position = program->input_count + index;
    const struct xd_tensor *tensor = &program->tensors[program->arguments[position]];
    uint64_t behind = 0;
    if (is_image(request, argument))
        return HY_STATUS_GENERAL_FAILURE;
    if (argument->flags != 0 || !shape_fits(argument, tensor, true))
        return HY_STATUS_INVALID_ARGUMENT;
    if (argument->location.length < tensor->bytes)
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    return map_argument(host, request, &argument->location, HY_PROTECT_WRITE,
                        &xd_instance_arguments(instance)[position], &behind);
}

/* Too small an output does not stop us: the caller wants to hear of each. */
int32_t xd_request_bind(const struct hy_host *host, const struct xd_program *program,
                        const struct hy_request *request, struct xd_instance *instance,
                        const struct hy_message *message)
{
    int32_t answer = HY_STATUS_OK;
    for (uint32_t i = 0; i < program->input_count + program->output_count; i++) {
        const bool is_input = i < program->input_count;
        const uint32_t index = is_input ? i : i - program->input_count;
        const int32_t status = is_input ? bind_input(host, program, request, index, instance)
                                        : bind_output(host, program, request, index, instance);
        if (status == HY_STATUS_OK)
            continue;
        answer = status;
        xd_say(message, "%s %u does not fit (status %d)", is_input ? "input" : "output", index,
               (int)status);
        if (status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
            break;
    }
    return answer;
}
