#include "common/clock.h"
#include "plugins/service/client/client_buffer.h"
#include "plugins/service/client/client_burst.h"
#include "plugins/service/client/client_fenced.h"
#include "plugins/service/client/client_prepared.h"
#include "plugins/service/client/client_reusable.h"
#include "plugins/service/client/launch_cost.h"
#include "plugins/service/client/saved_model.h"
#include "plugins/service/client/service_parts.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_model.h"

#include <string.h>

/* Copies a struct to a caller that may know another size of the struct. */
static void fill(void *to, uint32_t space, const void *from, size_t size)
{
    const uint32_t bytes = space < size ? space : (uint32_t)size;

    memcpy(to, from, bytes);
    memcpy(to, &bytes, sizeof bytes);
}

static int32_t describe(void *self, struct hy_device_info *info)
{
    const struct hy_service_device *device = self;
    const uint32_t usual = 1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                           1u << HY_POOL_HARDWARE_BUFFER_BLOB;
    struct hy_device_info own = device->description->info;

    /* Addresses mean nothing in another process. */
    own.pool_kinds = (own.pool_kinds ? own.pool_kinds : usual) & ~(1u << HY_POOL_HOST);
    fill(info, info->struct_size, &own, sizeof own);
    return HY_STATUS_OK;
}

static int32_t capabilities(void *self, struct hy_capabilities *ret)
{
    const struct hy_service_device *device = self;
    struct hy_capabilities own = device->description->capabilities;

    own.launch_ns = hy_service_launch_cost(own.launch_ns);
    fill(ret, ret->struct_size, &own, sizeof own);
    return HY_STATUS_OK;
}

/* ---- Supported operations -------------------------------------------------------------------- */

static int32_t read_supported_ops(struct hy_channel *channel, uint32_t operation_count,
                                  uint8_t *supported, const struct hy_refusals *refusals,
                                  struct hy_error *err)
{
    struct hy_supported_ops_reply supported_ops_reply = {0};
    struct hy_unpack in;

    hy_channel_read(channel, &in, err);
    hy_supported_ops_reply_unpack(&in, operation_count, &supported_ops_reply);
    const int32_t status = hy_channel_end_read(channel, &in, err);
    if (status != HY_STATUS_OK)
        return status;
    memcpy(supported, supported_ops_reply.supported, operation_count);
    for (uint32_t i = 0; refusals && refusals->refuse && i < supported_ops_reply.refused_count; i++)
        refusals->refuse(refusals->context, supported_ops_reply.refused[i].operation,
                         supported_ops_reply.refused[i].reason);
    return HY_STATUS_OK;
}

static int32_t ask(struct hy_service_device *device, const struct hy_model *model,
                   const struct hy_saved_model *saved, int64_t deadline, uint8_t *supported,
                   const struct hy_refusals *refusals, struct hy_error *err)
{
    const struct hy_call_limits limits =
        hy_service_limits(device->service, deadline, HY_SERVICE_PREPARE_FACTOR);
    struct hy_connection *connection = NULL;
    struct hy_channel *channel = NULL;

    int32_t status = hy_service_connect_after_delay(device->service, deadline, &connection, err);
    if (status != HY_STATUS_OK)
        return status;
    enum hy_code code = hy_channel_acquire(connection, &limits, &channel, err);
    if (code == HY_OK) {
        hy_outgoing_begin(&channel->call, HY_WIRE_SUPPORTED, device->index);
        hy_pack_append(&channel->call.body, &saved->body);
        status = hy_channel_call(channel, saved->pools, saved->pool_count, &limits, err);
        if (status == HY_STATUS_OK)
            status =
                read_supported_ops(channel, model->main->operation_count, supported, refusals, err);
        hy_channel_release(channel);
    } else {
        status = hy_status_of(code);
    }
    hy_connection_release(connection);
    return status;
}

/* Asks again if the process died during the call, as no work is lost. A process that was killed
 * after the hang timeout is not asked again. */
static int32_t ask_twice(struct hy_service_device *device, const struct hy_model *model,
                         const struct hy_saved_model *saved, int64_t deadline, uint8_t *supported,
                         const struct hy_refusals *refusals, struct hy_error *err)
{
    const int64_t start = hy_clock_boot();
    const int64_t hang_timeout = hy_service_limits(device->service, deadline, 1).hang_timeout_ns;

    const int32_t status = ask(device, model, saved, deadline, supported, refusals, err);
    if (status != HY_STATUS_DEAD_OBJECT || hy_clock_boot() - start >= hang_timeout)
        return status;
    return ask(device, model, saved, deadline, supported, refusals, err);
}

/* The call has no message buffer: the message becomes the reason for every operation. */
static void refuse_all(const struct hy_model *model, const struct hy_refusals *refusals,
                       const char *reason)
{
    for (uint32_t i = 0; refusals && refusals->refuse && i < model->main->operation_count; i++)
        refusals->refuse(refusals->context, i, reason);
}

int32_t hy_service_supported_operations(void *self, const struct hy_model *model, int64_t deadline,
                                        uint8_t *supported, const struct hy_refusals *refusals)
{
    struct hy_saved_model saved;
    struct hy_error err = {0};
    int32_t status;

    hy_saved_model_init(&saved);
    enum hy_code code = hy_saved_model_make(&saved, model, &err);
    if (code == HY_OK)
        status = ask_twice(self, model, &saved, deadline, supported, refusals, &err);
    else
        status = hy_status_of(code);
    if (status != HY_STATUS_OK)
        refuse_all(model, refusals, err.text);
    hy_saved_model_finish(&saved);
    return status;
}

/* Implements hy_device.supported_operations. */
static int32_t supported_operations(void *self, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    return hy_service_supported_operations(self, model, HY_NO_DEADLINE, supported, refusals);
}

/* ---- The rest -------------------------------------------------------------------------------- */

static int32_t wait_until_back(void *self, int64_t deadline)
{
    struct hy_service_device *device = self;
    const struct hy_call_limits limits =
        hy_service_limits(device->service, deadline, HY_SERVICE_PREPARE_FACTOR);
    struct hy_connection *connection = NULL;
    struct hy_channel *channel = NULL;
    struct hy_error err;

    int32_t status = hy_service_connect_after_delay(device->service, deadline, &connection, &err);
    if (status != HY_STATUS_OK)
        return status;
    enum hy_code code = hy_channel_acquire(connection, &limits, &channel, &err);
    status = hy_status_of(code);
    if (code == HY_OK) {
        hy_outgoing_begin(&channel->call, HY_WIRE_WAIT, device->index);
        hy_deadline_pack(&channel->call.body, &(struct hy_deadline){deadline});
        status = hy_channel_call(channel, NULL, 0, &limits, &err);
        hy_channel_release(channel);
    }
    hy_connection_release(connection);
    return status;
}

static void memory_gone(void *self, uint64_t pool_id)
{
    struct hy_service_device *device = self;
    struct hy_connection *connection = hy_service_connection(device->service);

    if (connection)
        hy_connection_drop_memory(connection, pool_id);
    hy_connection_release(connection);
}

void hy_service_device_init(struct hy_service_device *device, struct hy_service *service,
                            uint32_t index)
{
    const struct hy_description *description = &service->hello_info.devices[index];

    *device = (struct hy_service_device){
        .service = service,
        .index = index,
        .description = description,
        .table =
            {
                .struct_size = sizeof device->table,
                .abi = HY_DRIVER_ABI,
                .describe = describe,
                .capabilities = capabilities,
                .supported_operations = supported_operations,
                .prepare = hy_service_prepare,
                .prepared_destroy = hy_service_prepared_destroy,
                .execute = hy_service_execute,
                .memory_gone = memory_gone,
            },
    };
    struct hy_device *table = &device->table;
    if (description->members & HY_WIRE_HAS_FROM_CACHE)
        table->prepare_from_cache = hy_service_prepare_from_cache;
    if (description->members & HY_WIRE_HAS_WAIT)
        table->wait = wait_until_back;
    hy_service_fill_bursts(table);
    if (description->members & HY_WIRE_HAS_BUFFERS)
        hy_service_fill_buffers(table);
    if (description->members & HY_WIRE_HAS_FENCED)
        hy_service_fill_fenced(table);
    if (description->members & HY_WIRE_HAS_REUSABLE)
        hy_service_fill_reusables(table);
}
