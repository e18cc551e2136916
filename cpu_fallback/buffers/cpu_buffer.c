#include "cpu_fallback/buffers/cpu_buffer.h"

#include <stdlib.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/buffers/description.h"
#include "cpu_fallback/program/graph.h"

/* ---- Life ------------------------------------------------------------------------------------ */

static void finish(struct hy_cpu_buffer *buffer)
{
    for (uint32_t i = 0; i < buffer->role_count; i++)
        hy_cpu_cached_weights_finish(&buffer->roles[i].cached_weights);
    hy_cpu_backing_finish(&buffer->backing);
    hy_cpu_free(buffer);
}

/* Allocates the memory of a buffer of known shape. */
static enum hy_code alloc_backing(struct hy_cpu_buffer *buffer, struct hy_error *err)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(buffer->type);
    uint64_t bytes;
    void *memory;

    if (!info || info->element_bytes == 0)
        return hy_fail(err, HY_FAILED, "buffers of %s are not supported",
                       hy_operand_type_name(buffer->type));
    if (!info->is_scalar && !hy_shape_is_complete(&buffer->shape))
        return HY_OK;
    if (!hy_shape_bytes(&buffer->shape, info->element_bytes, &bytes) || bytes > HY_CPU_TENSOR_LIMIT)
        return hy_fail(err, HY_EXHAUSTED_FOR_GOOD, "the buffer has more than %llu bytes",
                       (unsigned long long)HY_CPU_TENSOR_LIMIT);
    buffer->content.fixed = &buffer->shape;
    return hy_cpu_buffer_reserve(buffer, bytes, &memory, err);
}

static enum hy_code add_token(struct hy_token_table *tokens, struct hy_cpu_buffer *buffer,
                              struct hy_error *err)
{
    if (!hy_token_table_reserve(tokens))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the list of buffers");
    return hy_token_table_add(tokens, buffer, &buffer->token)
               ? HY_OK
               : hy_fail(err, HY_EXHAUSTED, "%u buffers exist, the limit", tokens->capacity);
}

enum hy_code hy_cpu_buffer_create(struct hy_cpu_buffers *owner, const struct hy_buffer_desc *desc,
                                  struct hy_cpu_buffer **out, struct hy_error *err)
{
    struct hy_cpu_buffer *buffer;

    enum hy_code code = hy_cpu_buffer_describe(owner, desc, &buffer, err);
    if (code != HY_OK)
        return code;
    code = alloc_backing(buffer, err);
    if (code == HY_OK)
        code = add_token(&owner->tokens, buffer, err);
    if (code != HY_OK) {
        finish(buffer);
        return code;
    }
    *out = buffer;
    return HY_OK;
}

void hy_cpu_buffer_destroy(struct hy_cpu_buffer *buffer)
{
    if (buffer && hy_token_table_remove(&buffer->owner->tokens, buffer->token))
        finish(buffer);
}

void hy_cpu_buffer_release(struct hy_cpu_buffer *buffer)
{
    if (hy_token_table_release(&buffer->owner->tokens, buffer->token))
        finish(buffer);
}

/* ---- Use ------------------------------------------------------------------------------------- */

struct hy_cpu_buffer_role *hy_cpu_buffer_role(struct hy_cpu_buffer *buffer,
                                              const struct hy_cpu_prepared *prepared,
                                              bool is_output, uint32_t index)
{
    const struct hy_cpu_buffer_role wanted = {prepared, is_output, index, {0}};

    return bsearch(&wanted, buffer->roles, buffer->role_count, sizeof wanted,
                   hy_cpu_buffer_role_compare);
}

void hy_cpu_buffer_begin_write(struct hy_cpu_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->writes, 1, memory_order_acq_rel);
}

/* The content is set before the count: a thread that reads the new count also reads the new
 * content. */
void hy_cpu_buffer_end_write(struct hy_cpu_buffer *buffer, const struct hy_shape *shape,
                             void *bytes)
{
    hy_cpu_content_set(&buffer->content, shape, bytes);
    atomic_fetch_add_explicit(&buffer->writes, 1, memory_order_acq_rel);
}

enum hy_code hy_cpu_buffer_reserve(struct hy_cpu_buffer *buffer, uint64_t size, void **bytes,
                                   struct hy_error *err)
{
    *bytes = hy_cpu_backing_get(&buffer->backing, size);
    return *bytes ? HY_OK
                  : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a buffer of %llu bytes",
                            (unsigned long long)size);
}
