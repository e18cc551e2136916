/* Functions shared by the handlers of calls. */
#include "common/status.h"
#include "plugins/service/server/clients/quota.h"
#include "plugins/service/server/server_channel.h"
#include "plugins/service/wire/result.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>

struct hy_server_device *hy_server_find_device(struct hy_server_channel *channel,
                                               struct hy_error *err)
{
    const uint64_t index = channel->call.header.object;

    const struct hy_server_driver *driver = channel->server->driver;

    if (index < driver->device_count)
        return &driver->devices[index];
    (void)hy_fail(err, HY_BAD_DATA, "device %" PRIu64 " of %u", index, driver->device_count);
    return NULL;
}

struct hy_server_object *hy_server_find_object(struct hy_server_channel *channel,
                                               enum hy_server_kind kind, struct hy_error *err)
{
    const uint64_t id = channel->call.header.object;
    struct hy_server_object *object = hy_server_objects_find(&channel->server->objects, id, kind);

    if (!object)
        (void)hy_fail(err, HY_BAD_DATA, "%s: object %" PRIu64 " does not exist",
                      hy_wire_kind_name(channel->call.header.kind), id);
    return object;
}

int32_t hy_server_end_read(struct hy_unpack *in)
{
    return hy_status_of(hy_unpack_end(in));
}

/* Drivers get only memory of supported kinds. HY_POOL_HARDWARE_BUFFER is the only optional kind
 * that a client can send. The status equals a driver's own status for such a pool. */
static int32_t check_kinds(struct hy_server_channel *channel, const struct hy_device *table,
                           struct hy_server_holds *holds, const struct hy_pool *pools,
                           uint32_t count, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pools[i].kind != HY_POOL_HARDWARE_BUFFER ||
            hy_server_supports_images(channel->server->driver, table))
            continue;
        (void)hy_fail(err, HY_FAILED, "pool %u is an image, which the device does not support", i);
        hy_server_holds_drop(holds, &channel->server->objects);
        return HY_STATUS_GENERAL_FAILURE;
    }
    return HY_STATUS_OK;
}

int32_t hy_server_hold_pools(struct hy_server_channel *channel, const struct hy_device *table,
                             struct hy_server_holds *holds, struct hy_pool *pools, uint32_t count,
                             struct hy_error *err)
{
    const int32_t status = hy_server_holds_acquire(holds, &channel->server->objects, table,
                                                   &channel->call, pools, count, err);
    if (status == HY_STATUS_OK)
        return check_kinds(channel, table, holds, pools, count, err);
    if (status != HY_WIRE_STATUS_UNKNOWN_MEMORY)
        return status;
    hy_reply_fail(&channel->reply, &channel->call.header, status, NULL);
    hy_unknown_memory_pack(&channel->reply.body,
                           &(struct hy_unknown_memory){holds->unknown, holds->unknown_count});
    return HY_SERVER_REPLIED;
}

int32_t hy_server_charge(struct hy_server_channel *channel, uint64_t bytes,
                         struct hy_server_reservation **ret, struct hy_error *err)
{
    struct hy_server *server = channel->server;

    if (bytes == 0 || hy_server_driver_asks(server->driver))
        return HY_STATUS_OK;
    return hy_status_of(hy_server_reserve(server, bytes, ret, err));
}

/* A thread that sets the word concurrently has disconnected or shut down the socket first. Either
 * the store below comes first and the word stays set, or the poll sees the hang-up. */
void hy_server_channel_resume(struct hy_server_channel *channel)
{
    struct pollfd far_end = {.fd = channel->socket.fd};

    pthread_mutex_lock(&channel->server->lock);
    __atomic_store_n(&channel->cancelled, channel->server->cancelled, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&channel->server->lock);
    if (poll(&far_end, 1, 0) != 0)
        __atomic_store_n(&channel->cancelled, 1, __ATOMIC_RELAXED);
}

int32_t hy_server_channel_acquire_slot(struct hy_server_channel *channel, int64_t deadline,
                                       struct hy_server_call_slot *call_slot, struct hy_error *err)
{
    return hy_server_call_slot_acquire(channel->server, &channel->cancelled, deadline, call_slot,
                                       err);
}

int32_t hy_server_driver_status(int32_t status, struct hy_error *err)
{
    if (hy_status_is_known(status))
        return status;
    if (err && err->text[0])
        (void)hy_error_prefix(err, HY_FAILED, "unknown status %d", (int)status);
    else
        (void)hy_fail(err, HY_FAILED, "unknown status %d", (int)status);
    return HY_STATUS_GENERAL_FAILURE;
}

int32_t hy_server_register_object(struct hy_server_channel *channel,
                                  struct hy_server_object *object, struct hy_error *err)
{
    struct hy_server_objects *objects = &channel->server->objects;

    enum hy_code code = hy_server_objects_add(objects, object, err);
    if (code != HY_OK) {
        hy_server_object_destroy(objects, object);
        return hy_status_of(code);
    }
    channel->reply.header.object = object->id;
    return HY_STATUS_OK;
}

struct hy_output_shape *hy_server_shapes(struct hy_server_channel *channel, uint32_t count)
{
    const size_t bytes = count * sizeof(struct hy_output_shape);
    struct hy_output_shape *shapes = hy_arena_alloc(&channel->arena, bytes);

    return shapes ? memset(shapes, 0, bytes) : NULL;
}

int32_t hy_server_pack_result(struct hy_server_channel *channel, int32_t status,
                              const struct hy_result *result, const struct hy_error *err)
{
    if (status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        hy_reply_fail(&channel->reply, &channel->call.header, status, err->text);
    else if (status != HY_STATUS_OK)
        return status;
    hy_result_pack(&channel->reply.body, result);
    return status == HY_STATUS_OK ? status : HY_SERVER_REPLIED;
}
