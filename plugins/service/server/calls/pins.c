#include "plugins/service/server/calls/pins.h"

#include "common/status.h"
#include "plugins/service/server/objects.h"
#include "plugins/service/wire/messages.h"

#include <stdlib.h>

/* Charges the client for longer lists. */
static bool charge(struct hy_server_pins *pins, const struct hy_server_objects *objects,
                   uint64_t bytes)
{
    struct hy_error ignored;

    if (hy_ration_take(objects->ration, HY_RATION_ALLOCATED, bytes, &ignored) != HY_OK)
        return false;
    pins->charged += bytes;
    return true;
}

static bool make_room(struct hy_server_pins *pins, const struct hy_server_objects *objects,
                      uint32_t count)
{
    if (count > pins->room &&
        !charge(pins, objects,
                (uint64_t)(count - pins->room) * (sizeof *pins->memories + sizeof *pins->unknown)))
        return false;
    if (count > pins->room) {
        struct hy_server_memory **memories =
            reallocarray(pins->memories, count, sizeof(struct hy_server_memory *));
        if (!memories)
            return false;
        pins->memories = memories;
        pins->room = count;
    }
    if (count > pins->unknown_room) {
        uint64_t *unknown = reallocarray(pins->unknown, count, sizeof *unknown);
        if (!unknown)
            return false;
        pins->unknown = unknown;
        pins->unknown_room = count;
    }
    return true;
}

static enum hy_code take_descriptor(struct hy_server_pins *pins,
                                    struct hy_server_memories *memories, struct hy_incoming *frame,
                                    struct hy_pool *pool, uint32_t index, struct hy_error *err)
{
    struct hy_server_memory *memory = NULL;

    hy_incoming_take_fd(frame, pool->fd);
    enum hy_code code = hy_server_memory_create(memories, pool, &memory, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "pool %u", index);
    pins->memories[pins->count++] = memory;
    *pool = memory->pool;
    return HY_OK;
}

static enum hy_code take_buffer(struct hy_server_pins *pins, struct hy_server_objects *objects,
                                const struct hy_device *table, uint32_t token, struct hy_error *err)
{
    if (pins->buffer_count == pins->buffer_room) {
        const uint32_t room = 2 * pins->buffer_room + 4;
        if (!charge(pins, objects, (uint64_t)(room - pins->buffer_room) * sizeof *pins->buffers))
            return hy_fail(err, HY_EXHAUSTED, "list of %u buffers", room);
        struct hy_server_object **buffers =
            reallocarray(pins->buffers, room, sizeof(struct hy_server_object *));
        if (!buffers)
            return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u buffers", room);
        pins->buffers = buffers;
        pins->buffer_room = room;
    }
    struct hy_server_object *buffer = hy_server_objects_find_buffer(objects, table, token);
    if (!buffer)
        return hy_fail(err, HY_BAD_DATA, "a buffer that is not the client's");
    pins->buffers[pins->buffer_count++] = buffer;
    return HY_OK;
}

int32_t hy_server_pins_take_buffers(struct hy_server_pins *pins, struct hy_server_objects *objects,
                                    const struct hy_device *table, const struct hy_pool *pools,
                                    uint32_t count, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < count && code == HY_OK; i++) {
        if (pools[i].kind == HY_POOL_BUFFER)
            code = take_buffer(pins, objects, table, pools[i].buffer_token, err);
    }
    if (code != HY_OK)
        hy_server_pins_drop(pins, objects);
    return hy_status_of(code);
}

static enum hy_code take_memory(struct hy_server_pins *pins, struct hy_server_memories *memories,
                                struct hy_incoming *frame, struct hy_pool *pool, uint32_t index,
                                struct hy_error *err)
{
    if (pool->kind == HY_POOL_BUFFER)
        return HY_OK; /* only the driver interprets the token */
    if (pool->id == 0)
        return take_descriptor(pins, memories, frame, pool, index, err);
    struct hy_server_memory *memory = hy_server_memories_find(memories, pool->id);
    if (!memory) {
        pins->unknown[pins->unknown_count++] = pool->id;
        return HY_OK;
    }
    pins->memories[pins->count++] = memory;
    if (memory->pool.kind != pool->kind)
        return hy_fail(err, HY_BAD_DATA, "pool %u is called of kind %u, its memory is of kind %u",
                       index, pool->kind, memory->pool.kind);
    *pool = memory->pool;
    return HY_OK;
}

int32_t hy_server_pins_take(struct hy_server_pins *pins, struct hy_server_objects *objects,
                            const struct hy_device *table, struct hy_incoming *frame,
                            struct hy_pool *pools, uint32_t count, struct hy_error *err)
{
    const int32_t status = hy_server_pins_take_buffers(pins, objects, table, pools, count, err);
    if (status != HY_STATUS_OK)
        return status;
    enum hy_code code = make_room(pins, objects, count)
                            ? HY_OK
                            : hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", count);

    pins->unknown_count = 0;
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = take_memory(pins, objects->memories, frame, &pools[i], i, err);
    if (code == HY_OK && pins->unknown_count == 0)
        return HY_STATUS_OK;
    hy_server_pins_drop(pins, objects);
    return code == HY_OK ? HY_WIRE_STATUS_UNKNOWN_MEMORY : hy_status_of(code);
}

bool hy_server_pins_are_torn(const struct hy_server_pins *pins)
{
    for (uint32_t i = 0; i < pins->count; i++) {
        if (atomic_load_explicit(&pins->memories[i]->is_torn, memory_order_relaxed))
            return true;
    }
    return false;
}

void hy_server_pins_drop(struct hy_server_pins *pins, struct hy_server_objects *objects)
{
    while (pins->count > 0)
        hy_server_memory_put(objects->memories, pins->memories[--pins->count]);
    while (pins->buffer_count > 0)
        hy_server_object_put(objects, pins->buffers[--pins->buffer_count]);
}

void hy_server_pins_finish(struct hy_server_pins *pins, struct hy_server_objects *objects)
{
    hy_server_pins_drop(pins, objects);
    free(pins->memories);
    free(pins->buffers);
    free(pins->unknown);
    hy_ration_give(objects->ration, HY_RATION_ALLOCATED, pins->charged);
    *pins = (struct hy_server_pins){0};
}
