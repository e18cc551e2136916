#include "plugins/service/server/calls/calls.h"
#include "plugins/service/server/calls/estimate.h"
#include "plugins/service/wire/buffers.h"

/* Holds the buffer's prepared models as parents; each must belong to this device. */
static int32_t hold_models(struct hy_server_channel *channel, const struct hy_device *table,
                           struct hy_server_object *object, const uint64_t *ids, void **prepared,
                           uint32_t count, struct hy_error *err)
{
    struct hy_server_objects *objects = &channel->server->objects;

    object->parents = hy_arena_alloc(&object->arena, count * sizeof(struct hy_server_object *));
    if (!object->parents)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    for (uint32_t i = 0; i < count; i++) {
        struct hy_server_object *parent =
            hy_server_objects_find(objects, ids[i], HY_SERVER_PREPARED);
        if (parent)
            object->parents[object->parent_count++] = parent;
        if (!parent || parent->table != table) {
            (void)hy_fail(err, HY_BAD_DATA, "prepared model %u does not belong to this device", i);
            return HY_STATUS_INVALID_ARGUMENT;
        }
        prepared[i] = parent->driver_object;
    }
    return HY_STATUS_OK;
}

static int32_t create(const struct hy_server_device *device, const struct hy_buffer_desc *desc,
                      struct hy_server_object *object, uint32_t *token)
{
    if (!device->table.buffer_create)
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = hy_server_driver_status(
        device->table.buffer_create(device->device, desc, token, &object->driver_object), NULL);
    if (status != HY_STATUS_OK)
        object->driver_object = NULL;
    return status == HY_STATUS_OK && !object->driver_object ? HY_STATUS_GENERAL_FAILURE : status;
}

int32_t hy_server_buffer_create(struct hy_server_channel *channel, struct hy_unpack *in,
                                struct hy_error *err)
{
    struct hy_buffer_desc desc = {0};
    const uint64_t *ids = NULL;
    void **prepared = NULL;
    uint32_t token = 0;

    hy_buffer_desc_unpack(in, &desc, &ids, &prepared);
    int32_t status = hy_server_end_read(in);
    const struct hy_server_device *device = hy_server_find_device(channel, err);
    if (status != HY_STATUS_OK || !device)
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_server_object *object =
        hy_server_object_create(&channel->server->objects, HY_SERVER_BUFFER, &device->table);
    if (!object)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    status = hold_models(channel, &device->table, object, ids, prepared, desc.prepared_count, err);
    if (status == HY_STATUS_OK)
        status = hy_server_charge(channel, hy_server_estimate_buffer(&desc), &object->memory, err);
    if (status == HY_STATUS_OK)
        status = create(device, &desc, object, &token);
    if (status != HY_STATUS_OK) {
        hy_server_object_destroy(&channel->server->objects, object);
        return status;
    }
    object->token = token;
    hy_created_buffer_pack(&channel->reply.body, &(struct hy_created_buffer){token});
    return hy_server_register_object(channel, object, err);
}

static int32_t copy(struct hy_server_channel *channel, struct hy_unpack *in, bool is_from,
                    struct hy_error *err)
{
    struct hy_buffer_copy copied = {0};
    struct hy_server_call_slot call_slot;

    hy_buffer_copy_unpack(in, &copied);
    int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    struct hy_server_object *object = hy_server_find_object(channel, HY_SERVER_BUFFER, err);
    if (!object)
        return HY_STATUS_INVALID_ARGUMENT;
    status = hy_server_hold_pools(channel, object->table, &channel->holds, &copied.pool, 1, err);
    if (status == HY_STATUS_OK) {
        pthread_mutex_lock(&object->busy);
        status = hy_server_channel_acquire_slot(channel, HY_NO_DEADLINE, &call_slot, err);
        if (status == HY_STATUS_OK) {
            status = is_from ? object->table->buffer_copy_from(object->driver_object, &copied.pool,
                                                               copied.dims, copied.rank)
                             : object->table->buffer_copy_to(object->driver_object, &copied.pool);
            hy_server_call_slot_release(&call_slot);
        }
        pthread_mutex_unlock(&object->busy);
        status = hy_server_driver_status(status, err);
        if (status == HY_STATUS_OK && hy_server_holds_are_truncated(&channel->holds))
            status = HY_STATUS_GENERAL_FAILURE;
    }
    hy_server_object_put(&channel->server->objects, object);
    return status;
}

int32_t hy_server_buffer_copy_from(struct hy_server_channel *channel, struct hy_unpack *in,
                                   struct hy_error *err)
{
    return copy(channel, in, true, err);
}

int32_t hy_server_buffer_copy_to(struct hy_server_channel *channel, struct hy_unpack *in,
                                 struct hy_error *err)
{
    return copy(channel, in, false, err);
}
