#include "plugins/service/server/calls/calls.h"
#include "common/status.h"
#include "plugins/service/server/calls/call_burst.h"
#include "plugins/service/server/server_channel.h"
#include "plugins/service/wire/pools.h"

static int32_t memory_add(struct hy_server_channel *channel, struct hy_unpack *in,
                          struct hy_error *err)
{
    struct hy_pool pool = {0};

    hy_memory_unpack(in, &pool);
    const int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    hy_incoming_claim_fd(&channel->call, pool.fd);
    return hy_status_of(hy_server_memories_add(&channel->server->memories, &pool, err));
}

/* Destroys an object of the kind. */
static int32_t destroy_object(struct hy_server_channel *channel, struct hy_unpack *in,
                              enum hy_server_kind kind, struct hy_error *err)
{
    const int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    struct hy_server_object *object = hy_server_find_object(channel, kind, err);
    if (!object)
        return HY_STATUS_INVALID_ARGUMENT;
    (void)hy_server_objects_remove(&channel->server->objects, object->id, kind);
    hy_server_object_put(&channel->server->objects, object);
    return HY_STATUS_OK;
}

static int32_t prepared_destroy(struct hy_server_channel *channel, struct hy_unpack *in,
                                struct hy_error *err)
{
    return destroy_object(channel, in, HY_SERVER_PREPARED, err);
}

static int32_t reusable_destroy(struct hy_server_channel *channel, struct hy_unpack *in,
                                struct hy_error *err)
{
    return destroy_object(channel, in, HY_SERVER_REUSABLE, err);
}

static int32_t fenced_destroy(struct hy_server_channel *channel, struct hy_unpack *in,
                              struct hy_error *err)
{
    return destroy_object(channel, in, HY_SERVER_FENCED, err);
}

static int32_t buffer_destroy(struct hy_server_channel *channel, struct hy_unpack *in,
                              struct hy_error *err)
{
    return destroy_object(channel, in, HY_SERVER_BUFFER, err);
}

hy_server_handler hy_server_handler_of(enum hy_wire_kind kind)
{
    switch (kind) {
    case HY_WIRE_MEMORY_ADD:
        return memory_add;
    case HY_WIRE_SUPPORTED:
        return hy_server_supported;
    case HY_WIRE_PREPARE:
        return hy_server_prepare;
    case HY_WIRE_PREPARE_FROM_CACHE:
        return hy_server_prepare_from_cache;
    case HY_WIRE_PREPARED_DESTROY:
        return prepared_destroy;
    case HY_WIRE_WAIT:
        return hy_server_wait;
    case HY_WIRE_EXECUTE:
        return hy_server_execute;
    case HY_WIRE_REUSABLE_CREATE:
        return hy_server_reusable_create;
    case HY_WIRE_REUSABLE_EXECUTE:
        return hy_server_reusable_execute;
    case HY_WIRE_REUSABLE_DESTROY:
        return reusable_destroy;
    case HY_WIRE_EXECUTE_FENCED:
        return hy_server_execute_fenced;
    case HY_WIRE_FENCED_RESULT:
        return hy_server_fenced_result;
    case HY_WIRE_FENCED_DESTROY:
        return fenced_destroy;
    case HY_WIRE_BUFFER_CREATE:
        return hy_server_buffer_create;
    case HY_WIRE_BUFFER_COPY_FROM:
        return hy_server_buffer_copy_from;
    case HY_WIRE_BUFFER_COPY_TO:
        return hy_server_buffer_copy_to;
    case HY_WIRE_BUFFER_DESTROY:
        return buffer_destroy;
    case HY_WIRE_BURST_OPEN:
        return hy_server_burst_open;
    default:
        return NULL;
    }
}
