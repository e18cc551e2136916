#include "plugins/service/server/calls/holds.h"

#include "common/status.h"
#include "plugins/service/server/objects.h"
#include "plugins/service/wire/messages.h"

#include <stdlib.h>

/* Charges the client for longer lists. */
static bool charge(struct hy_server_holds *holds, const struct hy_server_objects *objects,
                   uint64_t bytes)
{
    struct hy_error ignored;

    if (hy_server_quota_charge(objects->quotas, HY_SERVER_QUOTA_ALLOCATED, bytes, &ignored) !=
        HY_OK)
        return false;
    holds->charged += bytes;
    return true;
}

static bool grow_lists(struct hy_server_holds *holds, const struct hy_server_objects *objects,
                       uint32_t count)
{
    if (count > holds->space && !charge(holds, objects,
                                        (uint64_t)(count - holds->space) *
                                            (sizeof *holds->memories + sizeof *holds->unknown)))
        return false;
    if (count > holds->space) {
        struct hy_server_memory **memories =
            reallocarray(holds->memories, count, sizeof(struct hy_server_memory *));
        if (!memories)
            return false;
        holds->memories = memories;
        holds->space = count;
    }
    if (count > holds->unknown_capacity) {
        uint64_t *unknown = reallocarray(holds->unknown, count, sizeof *unknown);
        if (!unknown)
            return false;
        holds->unknown = unknown;
        holds->unknown_capacity = count;
    }
    return true;
}

static enum hy_code claim_descriptor(struct hy_server_holds *holds,
                                     struct hy_server_memories *memories, struct hy_incoming *frame,
                                     struct hy_pool *pool, uint32_t index, struct hy_error *err)
{
    struct hy_server_memory *memory = NULL;

    hy_incoming_claim_fd(frame, pool->fd);
    enum hy_code code = hy_server_memory_create(memories, pool, &memory, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "pool %u", index);
    holds->memories[holds->count++] = memory;
    *pool = memory->pool;
    return HY_OK;
}

static enum hy_code hold_buffer(struct hy_server_holds *holds, struct hy_server_objects *objects,
                                const struct hy_device *table, uint32_t token, struct hy_error *err)
{
    if (holds->buffer_count == holds->buffer_capacity) {
        const uint32_t space = 2 * holds->buffer_capacity + 4;
        if (!charge(holds, objects,
                    (uint64_t)(space - holds->buffer_capacity) * sizeof *holds->buffers))
            return hy_fail(err, HY_EXHAUSTED, "list of %u buffers", space);
        struct hy_server_object **buffers =
            reallocarray(holds->buffers, space, sizeof(struct hy_server_object *));
        if (!buffers)
            return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u buffers", space);
        holds->buffers = buffers;
        holds->buffer_capacity = space;
    }
    struct hy_server_object *buffer = hy_server_objects_find_buffer(objects, table, token);
    if (!buffer)
        return hy_fail(err, HY_BAD_DATA, "the buffer does not belong to the client");
    holds->buffers[holds->buffer_count++] = buffer;
    return HY_OK;
}

int32_t hy_server_holds_acquire_buffers(struct hy_server_holds *holds,
                                        struct hy_server_objects *objects,
                                        const struct hy_device *table, const struct hy_pool *pools,
                                        uint32_t count, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++) {
        if (pools[i].kind == HY_POOL_BUFFER)
            code = hold_buffer(holds, objects, table, pools[i].buffer_token, err);
    }
    if (code != HY_OK)
        hy_server_holds_drop(holds, objects);
    return hy_status_of(code);
}

static enum hy_code hold_memory(struct hy_server_holds *holds, struct hy_server_memories *memories,
                                struct hy_incoming *frame, struct hy_pool *pool, uint32_t index,
                                struct hy_error *err)
{
    if (pool->kind == HY_POOL_BUFFER)
        return HY_OK; /* only the driver interprets the token */
    if (pool->id == 0)
        return claim_descriptor(holds, memories, frame, pool, index, err);
    struct hy_server_memory *memory = hy_server_memories_find(memories, pool->id);
    if (!memory) {
        holds->unknown[holds->unknown_count++] = pool->id;
        return HY_OK;
    }
    holds->memories[holds->count++] = memory;
    if (memory->pool.kind != pool->kind)
        return hy_fail(err, HY_BAD_DATA,
                       "pool %u has kind %u in the request, the memory has kind %u", index,
                       pool->kind, memory->pool.kind);
    *pool = memory->pool;
    return HY_OK;
}

int32_t hy_server_holds_acquire(struct hy_server_holds *holds, struct hy_server_objects *objects,
                                const struct hy_device *table, struct hy_incoming *frame,
                                struct hy_pool *pools, uint32_t count, struct hy_error *err)
{
    const int32_t status =
        hy_server_holds_acquire_buffers(holds, objects, table, pools, count, err);
    if (status != HY_STATUS_OK)
        return status;
    enum hy_code code = grow_lists(holds, objects, count)
                            ? HY_OK
                            : hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", count);

    holds->unknown_count = 0;
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = hold_memory(holds, objects->memories, frame, &pools[i], i, err);
    if (code == HY_OK && holds->unknown_count == 0)
        return HY_STATUS_OK;
    hy_server_holds_drop(holds, objects);
    return code == HY_OK ? HY_WIRE_STATUS_UNKNOWN_MEMORY : hy_status_of(code);
}

bool hy_server_holds_are_truncated(const struct hy_server_holds *holds)
{
    for (uint32_t i = 0; i < holds->count; i++) {
        if (atomic_load_explicit(&holds->memories[i]->is_truncated, memory_order_relaxed))
            return true;
    }
    return false;
}

void hy_server_holds_drop(struct hy_server_holds *holds, struct hy_server_objects *objects)
{
    while (holds->count > 0)
        hy_server_memory_put(objects->memories, holds->memories[--holds->count]);
    while (holds->buffer_count > 0)
        hy_server_object_put(objects, holds->buffers[--holds->buffer_count]);
}

void hy_server_holds_finish(struct hy_server_holds *holds, struct hy_server_objects *objects)
{
    hy_server_holds_drop(holds, objects);
    free(holds->memories);
    free(holds->buffers);
    free(holds->unknown);
    hy_server_quota_release(objects->quotas, HY_SERVER_QUOTA_ALLOCATED, holds->charged);
    *holds = (struct hy_server_holds){0};
}
