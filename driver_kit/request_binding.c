#include "driver_kit/request_binding.h"

#include "driver_kit/message.h"

#include <string.h>

static uint32_t argument_count(const struct hy_request_target *target)
{
    return target->input_count + target->output_count;
}

static const struct hy_argument *argument_at(const struct hy_request_target *target,
                                             const struct hy_request *request, uint32_t number)
{
    return number < target->input_count ? &request->inputs[number]
                                        : &request->outputs[number - target->input_count];
}

static struct hy_buffer_use use_of(const struct hy_request_target *target, uint32_t number)
{
    const bool is_output = number >= target->input_count;
    return (struct hy_buffer_use){target->prepared, is_output,
                                  is_output ? number - target->input_count : number};
}

static bool describe(const struct hy_request_target *target, uint32_t number,
                     struct hy_buffer_tensor *tensor)
{
    const struct hy_buffer_use use = use_of(target, number);
    return target->buffers->functions->argument(use.prepared, use.is_output, use.index, tensor);
}

static bool is_buffer(const struct hy_pool *pool)
{
    return pool && pool->kind == HY_POOL_BUFFER;
}

bool hy_request_fits(const struct hy_request_target *target, const struct hy_request *request,
                     const struct hy_run_options *options, const struct hy_result *result)
{
    return HY_REACHES(request, pools) && HY_REACHES(options, scratch_bytes) &&
           HY_REACHES(result, time_in_driver) && request->input_count == target->input_count &&
           request->output_count == target->output_count &&
           result->output_count == target->output_count;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

/* Holds the buffer of an argument, which must use the whole buffer. NULL: no matching buffer. */
static struct hy_device_buffer *hold(const struct hy_request_target *target,
                                     const struct hy_argument *argument, const struct hy_pool *pool,
                                     uint32_t number)
{
    const struct hy_location *location = &argument->location;
    if (location->offset != 0 || location->length != 0 || location->padding != 0)
        return NULL;
    return hy_device_buffer_hold(target->buffers, pool->buffer_token, use_of(target, number));
}

/* An output buffer must not occur a second time in its request. */
static int32_t bind_buffer(const struct hy_request_target *target,
                           const struct hy_argument *argument, const struct hy_pool *pool,
                           struct hy_bound_argument *bound, uint32_t number)
{
    if (target->buffers->tokens.capacity == 0)
        return HY_STATUS_GENERAL_FAILURE;
    struct hy_device_buffer *buffer = hold(target, argument, pool, number);
    if (!buffer)
        return HY_STATUS_INVALID_ARGUMENT;
    for (uint32_t i = 0; number >= target->input_count && i < number; i++) {
        if (bound[i].buffer == buffer) {
            hy_device_buffer_release(buffer);
            return HY_STATUS_INVALID_ARGUMENT;
        }
    }
    bound[number] = (struct hy_bound_argument){.address = buffer->memory, .buffer = buffer};
    return HY_STATUS_OK;
}

void hy_request_release(const struct hy_request_target *target, const struct hy_request *request,
                        struct hy_bound_argument *bound, int32_t status)
{
    for (uint32_t i = 0; i < argument_count(target); i++) {
        struct hy_device_buffer *buffer = bound[i].buffer;
        if (!buffer)
            continue;
        bound[i].buffer = NULL;
        if (i >= target->input_count && status == HY_STATUS_OK)
            atomic_store(&buffer->is_written, true);
        hy_device_buffer_release(buffer);
    }
    if (status != HY_STATUS_OK)
        hy_request_fail(target, request);
}

void hy_request_fail(const struct hy_request_target *target, const struct hy_request *request)
{
    for (uint32_t i = target->input_count; i < argument_count(target); i++) {
        const struct hy_argument *argument = argument_at(target, request, i);
        const struct hy_pool *pool = hy_argument_pool(request, argument);
        struct hy_device_buffer *buffer = is_buffer(pool) ? hold(target, argument, pool, i) : NULL;
        if (!buffer)
            continue;
        atomic_store(&buffer->is_written, false);
        hy_device_buffer_release(buffer);
    }
}

/* ---- Other memory ---------------------------------------------------------------------------- */

static int32_t map(const struct hy_request_target *target, const struct hy_location *location,
                   const struct hy_pool *pool, uint32_t protection, struct hy_bound_argument *bound)
{
    const struct hy_host *host = target->buffers->host;
    void *base = NULL;
    if (location->offset > pool->size || location->length > pool->size - location->offset)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status = target->pools ? hy_pool_map_find(target->pools, pool, protection, &base)
                                         : host->map(host->context, pool, protection, &base);
    if (status == HY_STATUS_OK)
        *bound = (struct hy_bound_argument){.address = (uint8_t *)base + location->offset,
                                            .trailing =
                                                pool->size - location->offset - location->length};
    return status;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* An argument has no shape or the shape of the model. An extent of an output may be 0. */
static bool shape_fits(const struct hy_argument *argument, const struct hy_buffer_tensor *tensor,
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

static int32_t check_length(uint64_t length, uint64_t bytes, bool is_output)
{
    if (!is_output)
        return length == bytes ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT;
    return length >= bytes ? HY_STATUS_OK : HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
}

static int32_t bind_argument(const struct hy_request_target *target,
                             const struct hy_request *request, struct hy_bound_argument *bound,
                             uint32_t number)
{
    const struct hy_argument *argument = argument_at(target, request, number);
    const struct hy_pool *pool = hy_argument_pool(request, argument);
    const bool is_output = number >= target->input_count;
    struct hy_buffer_tensor tensor;
    if (!describe(target, number, &tensor))
        return HY_STATUS_INVALID_ARGUMENT;
    if (!is_output && tensor.bytes == 0)
        return HY_STATUS_OK;
    if (!is_output && tensor.is_optional && argument->flags == HY_ARGUMENT_NO_VALUE)
        return HY_STATUS_OK;
    if (argument->flags != 0 || !shape_fits(argument, &tensor, is_output))
        return HY_STATUS_INVALID_ARGUMENT;
    if (pool && pool->kind == HY_POOL_HARDWARE_BUFFER)
        return HY_STATUS_GENERAL_FAILURE;
    if (is_buffer(pool))
        return bind_buffer(target, argument, pool, bound, number);
    const int32_t status = check_length(argument->location.length, tensor.bytes, is_output);
    if (status != HY_STATUS_OK || !pool)
        return status != HY_STATUS_OK ? status : HY_STATUS_INVALID_ARGUMENT;
    const uint32_t read = tensor.is_read ? HY_PROTECT_READ : 0;
    return map(target, &argument->location, pool,
               is_output ? HY_PROTECT_WRITE | read : HY_PROTECT_READ, &bound[number]);
}

static void report(const struct hy_request_target *target, const struct hy_request *request,
                   uint32_t number, int32_t status, const struct hy_message *message)
{
    const struct hy_buffer_use use = use_of(target, number);
    const struct hy_pool *pool = hy_argument_pool(request, argument_at(target, request, number));
    const char *side = use.is_output ? "output" : "input";
    if (is_buffer(pool))
        hy_message_write(message,
                         "%s %u: buffer %u does not exist, has another role or is used twice", side,
                         use.index, pool->buffer_token);
    else
        hy_message_write(message, "%s %u does not fit (status %d)", side, use.index, (int)status);
}

/* An output that is too small does not stop the checks, because the caller needs the sizes of all
 * outputs. */
static int32_t bind_all(const struct hy_request_target *target, const struct hy_request *request,
                        struct hy_bound_argument *bound, const struct hy_message *message)
{
    int32_t final_status = HY_STATUS_OK;
    for (uint32_t i = 0; i < argument_count(target); i++) {
        const int32_t status = bind_argument(target, request, bound, i);
        if (status == HY_STATUS_OK)
            continue;
        final_status = status;
        report(target, request, i, status, message);
        if (status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
            break;
    }
    return final_status;
}

int32_t hy_request_bind(const struct hy_request_target *target, const struct hy_request *request,
                        struct hy_bound_argument *bound, const struct hy_message *message)
{
    memset(bound, 0, argument_count(target) * sizeof *bound);
    const int32_t status = bind_all(target, request, bound, message);
    for (uint32_t i = 0; status == HY_STATUS_OK && i < target->input_count; i++) {
        if (!bound[i].buffer || atomic_load(&bound[i].buffer->is_written))
            continue;
        hy_message_write(message, "input %u: the buffer has no contents", i);
        return HY_STATUS_GENERAL_FAILURE;
    }
    return status;
}

static void write_shapes(const struct hy_request_target *target, const struct hy_request *request,
                         struct hy_result *result)
{
    for (uint32_t i = 0; i < target->output_count; i++) {
        const struct hy_argument *argument = &request->outputs[i];
        struct hy_output_shape *shape = &result->outputs[i];
        struct hy_buffer_tensor tensor;
        if (!describe(target, target->input_count + i, &tensor))
            continue;
        *shape =
            (struct hy_output_shape){.rank = tensor.rank,
                                     .sufficient = argument->location.length >= tensor.bytes ||
                                                   is_buffer(hy_argument_pool(request, argument))};
        memcpy(shape->dims, tensor.dims, tensor.rank * sizeof *tensor.dims);
    }
}

void hy_request_write_result(const struct hy_request_target *target,
                             const struct hy_request *request, int32_t status,
                             uint64_t time_on_device, uint64_t time_in_driver,
                             struct hy_result *result)
{
    const bool is_ok = status == HY_STATUS_OK;
    if (is_ok || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        write_shapes(target, request, result);
    result->time_on_device = is_ok ? time_on_device : HY_NO_TIME;
    result->time_in_driver = is_ok ? time_in_driver : HY_NO_TIME;
}
