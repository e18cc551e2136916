#include "cpu_fallback/buffers/buffer_copy.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/program/graph.h"
#include "cpu_fallback/run/pool.h"

/* The type of a buffer always has an element size. */
static bool measure(const struct hy_cpu_buffer *buffer, const struct hy_shape *shape, uint64_t *ret)
{
    return hy_shape_bytes(shape, hy_operand_type_bytes(buffer->type), ret) &&
           *ret <= HY_CPU_TENSOR_LIMIT;
}

static enum hy_code check_size(const struct hy_cpu_buffer *buffer, const struct hy_shape *shape,
                               const struct hy_pool *pool, uint64_t *ret, struct hy_error *err)
{
    char text[HY_SHAPE_TEXT_SIZE];
    uint64_t bytes;

    if (!measure(buffer, shape, &bytes) || pool->size != bytes)
        return hy_fail(err, HY_BAD_DATA, "buffer %u: %llu bytes do not match shape %s",
                       buffer->token, (unsigned long long)pool->size, hy_shape_text(shape, text));
    *ret = bytes;
    return HY_OK;
}

/* Combines the shapes of buffer and caller. */
static enum hy_code combine(const struct hy_cpu_buffer *buffer, const uint32_t *dims, uint32_t rank,
                            struct hy_shape *ret, struct hy_error *err)
{
    char text[2][HY_SHAPE_TEXT_SIZE];
    struct hy_shape given;

    if (rank > HY_MAX_RANK || (rank > 0 && !dims))
        return hy_fail(err, HY_BAD_DATA, "buffer %u: rank %u is above %u, or dims is NULL",
                       buffer->token, rank, HY_MAX_RANK);
    (void)hy_shape_set(&given, rank, dims);
    if ((rank > 0 && hy_operand_type_info(buffer->type)->is_scalar) ||
        !hy_shape_combine(&buffer->shape, &given, ret))
        return hy_fail(err, HY_BAD_DATA, "buffer %u: shape %s does not fit the buffer's %s",
                       buffer->token, hy_shape_text(&given, text[0]),
                       hy_shape_text(&buffer->shape, text[1]));
    return HY_OK;
}

/* ---- In -------------------------------------------------------------------------------------- */

static enum hy_code fill(struct hy_cpu_buffer *buffer, const struct hy_shape *shape,
                         const void *source, uint64_t bytes, struct hy_error *err)
{
    void *memory;

    hy_cpu_buffer_begin_write(buffer);
    enum hy_code code = hy_cpu_buffer_reserve(buffer, bytes, &memory, err);
    if (code == HY_OK && bytes > 0)
        memcpy(memory, source, bytes);
    hy_cpu_buffer_end_write(buffer, shape, code == HY_OK ? memory : NULL);
    return code;
}

static void empty(struct hy_cpu_buffer *buffer)
{
    hy_cpu_buffer_begin_write(buffer);
    hy_cpu_buffer_end_write(buffer, NULL, NULL);
}

static enum hy_code copy_pool(struct hy_cpu_buffer *buffer, const struct hy_host *host,
                              const struct hy_pool *source, const struct hy_shape *shape,
                              struct hy_error *err)
{
    void *address;
    uint64_t bytes;

    if (!buffer->content.fixed && !hy_shape_is_complete(shape))
        return hy_fail(err, HY_BAD_DATA, "buffer %u: the shape of the source is not known",
                       buffer->token);
    enum hy_code code = check_size(buffer, shape, source, &bytes, err);
    if (code == HY_OK)
        code = hy_cpu_pool_map(host, NULL, source, 0, HY_PROTECT_READ, &address, err);
    if (code == HY_UNMAPPABLE)
        empty(buffer);
    return code == HY_OK ? fill(buffer, shape, address, bytes, err) : code;
}

static enum hy_code copy_held(struct hy_cpu_buffer *buffer, struct hy_cpu_buffer *source,
                              const struct hy_shape *shape, struct hy_error *err)
{
    char text[2][HY_SHAPE_TEXT_SIZE];
    struct hy_shape held;
    uint64_t bytes;
    void *from;

    if (source->type != buffer->type)
        return hy_fail(err, HY_BAD_DATA, "buffer %u has another type than buffer %u", source->token,
                       buffer->token);
    if (!hy_cpu_content_look(&source->content, &held, &from)) {
        empty(buffer);
        return hy_fail(err, HY_FAILED, "buffer %u has no contents", source->token);
    }
    if (!hy_shape_fits(shape, &held) || !measure(source, &held, &bytes))
        return hy_fail(err, HY_BAD_DATA, "buffer %u has shape %s, buffer %u is for %s",
                       source->token, hy_shape_text(&held, text[0]), buffer->token,
                       hy_shape_text(shape, text[1]));
    return source == buffer ? HY_OK : fill(buffer, &held, from, bytes, err);
}

enum hy_code hy_cpu_buffer_copy_from(struct hy_cpu_buffer *buffer, const struct hy_host *host,
                                     const struct hy_pool *source, const uint32_t *dims,
                                     uint32_t rank, struct hy_error *err)
{
    struct hy_shape shape;

    enum hy_code code = combine(buffer, dims, rank, &shape, err);
    if (code != HY_OK || source->kind != HY_POOL_BUFFER)
        return code == HY_OK ? copy_pool(buffer, host, source, &shape, err) : code;
    struct hy_cpu_buffer *held = hy_token_table_hold(&buffer->owner->tokens, source->buffer_token);
    if (!held)
        return hy_fail(err, HY_BAD_DATA, "buffer %u does not exist on the device",
                       source->buffer_token);
    code = copy_held(buffer, held, &shape, err);
    hy_cpu_buffer_release(held);
    return code;
}

/* ---- Out ------------------------------------------------------------------------------------- */

enum hy_code hy_cpu_buffer_copy_to(struct hy_cpu_buffer *buffer, const struct hy_host *host,
                                   const struct hy_pool *destination, struct hy_error *err)
{
    struct hy_shape shape;
    void *from, *address;
    uint64_t bytes;

    if (!hy_cpu_content_look(&buffer->content, &shape, &from))
        return hy_fail(err, HY_FAILED, "buffer %u has no contents", buffer->token);
    enum hy_code code = check_size(buffer, &shape, destination, &bytes, err);
    if (code == HY_OK && bytes > 0)
        code = hy_cpu_pool_map(host, NULL, destination, 0, HY_PROTECT_WRITE, &address, err);
    if (code == HY_OK && bytes > 0)
        memcpy(address, from, bytes);
    return code;
}
