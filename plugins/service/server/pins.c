#include "plugins/service/server/pins.h"

#include "plugins/service/server/status.h"
#include "plugins/service/wire/messages.h"

#include <stdlib.h>

static bool make_room(struct hy_server_pins *pins, uint32_t count)
{
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

static enum hy_code take_one(struct hy_server_pins *pins, struct hy_server_memories *memories,
                             struct hy_incoming *frame, struct hy_pool *pool, uint32_t index,
                             struct hy_error *err)
{
    if (pool->kind == HY_POOL_BUFFER)
        return HY_OK; /* its token says all, and to the driver alone */
    if (pool->id == 0)
        return take_descriptor(pins, memories, frame, pool, index, err);
    struct hy_server_memory *memory = hy_server_memories_find(memories, pool->id);
    if (memory) {
        pins->memories[pins->count++] = memory;
        *pool = memory->pool;
    } else {
        pins->unknown[pins->unknown_count++] = pool->id;
    }
    return HY_OK;
}

int32_t hy_server_pins_take(struct hy_server_pins *pins, struct hy_server_memories *memories,
                            struct hy_incoming *frame, struct hy_pool *pools, uint32_t count,
                            struct hy_error *err)
{
    enum hy_code code =
        make_room(pins, count) ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", count);

    pins->unknown_count = 0;
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = take_one(pins, memories, frame, &pools[i], i, err);
    if (code == HY_OK && pins->unknown_count == 0)
        return HY_STATUS_OK;
    hy_server_pins_drop(pins, memories);
    return code == HY_OK ? HY_WIRE_STATUS_UNKNOWN_MEMORY : hy_server_status(code);
}

bool hy_server_pins_are_torn(const struct hy_server_pins *pins)
{
    for (uint32_t i = 0; i < pins->count; i++) {
        if (atomic_load_explicit(&pins->memories[i]->is_torn, memory_order_relaxed))
            return true;
    }
    return false;
}

void hy_server_pins_drop(struct hy_server_pins *pins, struct hy_server_memories *memories)
{
    while (pins->count > 0)
        hy_server_memory_put(memories, pins->memories[--pins->count]);
}

void hy_server_pins_finish(struct hy_server_pins *pins, struct hy_server_memories *memories)
{
    hy_server_pins_drop(pins, memories);
    free(pins->memories);
    free(pins->unknown);
    *pins = (struct hy_server_pins){0};
}
