#include "cpu_fallback/buffers/arguments.h"

#include "cpu_fallback/buffers/cpu_buffer.h"

bool hy_cpu_argument_is_buffer(const struct hy_request *request, const struct hy_argument *argument)
{
    const uint32_t pool = argument->location.pool;

    return !(argument->flags & HY_ARGUMENT_NO_VALUE) && pool < request->pool_count &&
           request->pools[pool].kind == HY_POOL_BUFFER;
}

/* Holds the buffer of the pool, once for all arguments in the pool. */
static enum hy_code hold(struct hy_cpu_buffers *owner, const struct hy_request *request,
                         uint32_t pool, struct hy_cpu_context *context, struct hy_error *err)
{
    struct hy_cpu_buffer **held = &context->mappings[pool].buffer;
    const uint32_t token = request->pools[pool].buffer_token;

    if (*held)
        return HY_OK;
    *held = owner ? hy_token_table_hold(&owner->tokens, token) : NULL;
    if (!*held)
        return hy_fail(err, HY_BAD_DATA, "pool %u: buffer %u does not exist on the device", pool,
                       token);
    context->has_buffers = true;
    context->pool_count = request->pool_count;
    return HY_OK;
}

static enum hy_code find_role(const struct hy_cpu_prepared *prepared,
                              const struct hy_request *request, bool is_output, uint32_t index,
                              struct hy_cpu_context *context, struct hy_cpu_buffer_role **ret,
                              struct hy_error *err)
{
    const struct hy_location *at =
        is_output ? &request->outputs[index].location : &request->inputs[index].location;

    enum hy_code code = hold(prepared->buffers, request, at->pool, context, err);
    if (code != HY_OK)
        return code;
    struct hy_cpu_buffer *buffer = context->mappings[at->pool].buffer;
    if (at->offset != 0 || at->length != 0 || at->padding != 0)
        return hy_fail(err, HY_BAD_DATA,
                       "a buffer needs offset 0 and length 0, not %llu bytes at %llu",
                       (unsigned long long)at->length, (unsigned long long)at->offset);
    *ret = hy_cpu_buffer_role(buffer, prepared, is_output, index);
    return *ret ? HY_OK
                : hy_fail(err, HY_BAD_DATA, "buffer %u was not made for this role", buffer->token);
}

static enum hy_code combine(const struct hy_shape *held, struct hy_shape *shape,
                            struct hy_error *err)
{
    char text[2][HY_SHAPE_TEXT_SIZE];
    struct hy_shape both;

    if (!hy_shape_combine(shape, held, &both))
        return hy_fail(err, HY_BAD_DATA, "the shape is %s, the buffer has %s",
                       hy_shape_text(shape, text[0]), hy_shape_text(held, text[1]));
    *shape = both;
    return HY_OK;
}

enum hy_code hy_cpu_buffers_bind_input(const struct hy_cpu_prepared *prepared,
                                       const struct hy_request *request, uint32_t index,
                                       struct hy_cpu_context *context, struct hy_error *err)
{
    struct hy_cpu_input *input = &context->inputs[index];
    struct hy_cpu_buffer_role *role;
    char text[2][HY_SHAPE_TEXT_SIZE];
    struct hy_shape held;

    enum hy_code code = find_role(prepared, request, false, index, context, &role, err);
    if (code != HY_OK)
        return code;
    struct hy_cpu_buffer *buffer = context->mappings[request->inputs[index].location.pool].buffer;
    const uint64_t writes = atomic_load_explicit(&buffer->writes, memory_order_acquire);
    if (!hy_cpu_content_look(&buffer->content, &held, &context->input_data[index]))
        return hy_fail(err, HY_FAILED, "buffer %u has no contents", buffer->token);
    code = combine(&held, &input->shape, err);
    if (code == HY_OK && !hy_shape_equal(&held, &input->shape))
        code = hy_fail(err, HY_BAD_DATA, "the shape is %s, the buffer has %s",
                       hy_shape_text(&input->shape, text[0]), hy_shape_text(&held, text[1]));
    if (code == HY_OK && !hy_cpu_context_set_cached_weights(
                             context, prepared->program.graph.inputs[index],
                             (struct hy_cpu_cached_weights_ref){&role->cached_weights, writes}))
        code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for an execution");
    return code;
}

/* True if the argument is the buffer. */
static bool is_in(const struct hy_cpu_context *context, const struct hy_request *request,
                  const struct hy_argument *argument, const struct hy_cpu_buffer *buffer)
{
    return hy_cpu_argument_is_buffer(request, argument) &&
           context->mappings[argument->location.pool].buffer == buffer;
}

static enum hy_code check_alone(const struct hy_cpu_context *context,
                                const struct hy_request *request, uint32_t index,
                                const struct hy_cpu_buffer *buffer, struct hy_error *err)
{
    for (uint32_t i = 0; i < request->input_count; i++) {
        if (is_in(context, request, &request->inputs[i], buffer))
            return hy_fail(err, HY_BAD_DATA, "buffer %u is also input %u", buffer->token, i);
    }
    for (uint32_t i = 0; i < index; i++) {
        if (is_in(context, request, &request->outputs[i], buffer))
            return hy_fail(err, HY_BAD_DATA, "buffer %u is also output %u", buffer->token, i);
    }
    return HY_OK;
}

enum hy_code hy_cpu_buffers_bind_output(const struct hy_cpu_prepared *prepared,
                                        const struct hy_request *request, uint32_t index,
                                        struct hy_cpu_context *context, struct hy_error *err)
{
    struct hy_cpu_target *target = &context->targets[index];
    struct hy_cpu_buffer_role *role;

    enum hy_code code = find_role(prepared, request, true, index, context, &role, err);
    if (code != HY_OK)
        return code;
    struct hy_cpu_buffer *buffer = context->mappings[request->outputs[index].location.pool].buffer;
    code = combine(&buffer->shape, &target->declared, err);
    if (code == HY_OK)
        code = check_alone(context, request, index, buffer, err);
    if (code == HY_OK)
        target->buffer = buffer;
    return code;
}

void hy_cpu_buffers_begin(struct hy_cpu_context *context, const struct hy_cpu_graph *graph)
{
    for (uint32_t i = 0; context->has_buffers && i < graph->output_count; i++) {
        if (context->targets[i].buffer)
            hy_cpu_buffer_begin_write(context->targets[i].buffer);
    }
}

void hy_cpu_buffers_end(struct hy_cpu_context *context, const struct hy_cpu_graph *graph,
                        enum hy_code code)
{
    for (uint32_t i = 0; context->has_buffers && i < graph->output_count; i++) {
        const struct hy_cpu_target *target = &context->targets[i];
        if (!target->buffer)
            continue;
        if (code == HY_OK)
            hy_cpu_buffer_end_write(target->buffer, &context->values[graph->outputs[i]].shape,
                                    target->destination);
        else
            hy_cpu_buffer_end_write(target->buffer, NULL, NULL);
    }
}

void hy_cpu_buffers_leave(struct hy_cpu_context *context, const struct hy_cpu_graph *graph)
{
    if (!context->has_buffers)
        return;
    for (uint32_t i = 0; context->cached_weights && i < graph->input_count; i++)
        context->cached_weights[graph->inputs[i]] = (struct hy_cpu_cached_weights_ref){0};
    for (uint32_t i = 0; i < context->pool_count; i++) {
        if (context->mappings[i].buffer)
            hy_cpu_buffer_release(context->mappings[i].buffer);
        context->mappings[i].buffer = NULL;
    }
    context->has_buffers = false;
}
