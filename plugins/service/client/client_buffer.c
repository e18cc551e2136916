#include "plugins/service/client/client_buffer.h"

#include "plugins/service/client/buffer_tokens.h"
#include "plugins/service/client/client_prepared.h"
#include "plugins/service/client/connection/timed_out_call.h"
#include "plugins/service/wire/buffers.h"

#include <stdlib.h>

struct hy_service_buffer {
    struct hy_service_device *device;
    struct hy_connection *connection;
    uint64_t id;
    struct hy_buffer_token token;
};

/* ---- What is read and written ---------------------------------------------------------------- */

/* A copy of a buffer, expressed as a request. */
struct copy {
    struct hy_pool pools[2];
    struct hy_argument from, to;
    struct hy_request request;
};

static void describe(const struct hy_service_buffer *buffer, enum hy_wire_kind kind,
                     const struct hy_pool *other, struct copy *ret)
{
    const bool is_from = kind == HY_WIRE_BUFFER_COPY_FROM;

    *ret = (struct copy){
        .pools = {{.kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = buffer->token.theirs}, *other},
        .from.location = {.pool = is_from, .length = other->size},
        .to.location = {.pool = !is_from, .length = other->size},
    };
    ret->request = (struct hy_request){.struct_size = sizeof ret->request,
                                       .input_count = 1,
                                       .output_count = 1,
                                       .pool_count = 2,
                                       .inputs = &ret->from,
                                       .outputs = &ret->to,
                                       .pools = ret->pools};
}

/* With a driver that serves bursts itself, an abandoned execution may still use the buffer. Only
 * the client knows, so the destructor waits. */
static bool is_free(const struct hy_service_buffer *buffer, const struct hy_call_limits *limits)
{
    const struct hy_pool nothing = {.kind = HY_POOL_ASHMEM, .fd = -1};
    const struct hy_description *here =
        &buffer->connection->hello_info.devices[buffer->device->index];
    struct copy copy;
    struct hy_error ignored;

    describe(buffer, HY_WIRE_BUFFER_COPY_FROM, &nothing, &copy);
    return !(here->members & HY_WIRE_HAS_BURST_SERVE) ||
           hy_timed_out_calls_await(buffer->connection, &copy.request, limits, &ignored) == HY_OK;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void buffer_destroy(void *self)
{
    struct hy_service_buffer *buffer = self;
    if (!buffer)
        return;

    if (buffer->connection) {
        const struct hy_call_limits limits =
            hy_service_limits(buffer->device->service, HY_NO_DEADLINE, 1);
        hy_buffer_token_remove(buffer->connection, &buffer->token);
        if (is_free(buffer, &limits) && !hy_connection_is_dead(buffer->connection))
            hy_channel_notify(buffer->connection, HY_WIRE_BUFFER_DESTROY, buffer->id,
                              limits.hang_timeout_ns);
    }
    hy_connection_release(buffer->connection);
    free(buffer);
}

/* All prepared models must be in the same process. */
static int32_t find_models(struct hy_service_buffer *buffer, const struct hy_buffer_desc *desc,
                           uint64_t *ids, struct hy_error *err)
{
    for (uint32_t i = 0; i < desc->prepared_count; i++) {
        struct hy_connection *connection = NULL;
        const int32_t status = hy_service_prepared_locate(desc->prepared[i], HY_NO_DEADLINE,
                                                          &connection, &ids[i], err);
        if (status != HY_STATUS_OK)
            return status;
        const bool is_other = buffer->connection && buffer->connection != connection;
        if (buffer->connection)
            hy_connection_release(connection);
        else
            buffer->connection = connection;
        if (is_other)
            return HY_STATUS_DEVICE_UNAVAILABLE; /* the process died between two look-ups */
    }
    return buffer->connection ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT;
}

static int32_t call_create(struct hy_service_buffer *buffer, const struct hy_buffer_desc *desc,
                           const uint64_t *ids, struct hy_error *err)
{
    const struct hy_call_limits limits =
        hy_service_limits(buffer->device->service, HY_NO_DEADLINE, 1);
    struct hy_created_buffer created = {0};
    struct hy_channel *channel = NULL;
    struct hy_unpack in;

    enum hy_code code = hy_channel_acquire(buffer->connection, &limits, &channel, err);
    if (code != HY_OK)
        return hy_status_of(code);
    hy_outgoing_begin(&channel->call, HY_WIRE_BUFFER_CREATE, buffer->device->index);
    hy_buffer_desc_pack(&channel->call.body, desc, ids);
    int32_t status = hy_channel_call(channel, NULL, 0, &limits, err);
    if (status == HY_STATUS_OK) {
        hy_channel_read(channel, &in, err);
        hy_created_buffer_unpack(&in, &created);
        status = hy_channel_end_read(channel, &in, err);
        buffer->token.theirs = created.token;
        buffer->id = channel->reply.header.object;
    }
    hy_channel_release(channel);
    return status;
}

static int32_t buffer_create(void *self, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **ret)
{
    struct hy_service_buffer *buffer = calloc(1, sizeof *buffer);
    uint64_t *ids = calloc(desc->prepared_count + (size_t)1, sizeof *ids);
    int32_t status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    struct hy_error err;

    if (buffer && ids) {
        buffer->device = self;
        status = find_models(buffer, desc, ids, &err);
        if (status == HY_STATUS_OK)
            status = call_create(buffer, desc, ids, &err);
    }
    free(ids);
    if (status != HY_STATUS_OK) {
        if (buffer)
            hy_connection_release(buffer->connection);
        free(buffer);
        return status;
    }
    hy_buffer_token_add(buffer->connection, &buffer->token);
    *token = buffer->token.ours;
    *ret = buffer;
    return HY_STATUS_OK;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static int32_t call_copy(struct hy_service_buffer *buffer, enum hy_wire_kind kind,
                         const struct hy_pool *given, const uint32_t *dims, uint32_t rank)
{
    const struct hy_call_limits limits =
        hy_service_limits(buffer->device->service, HY_NO_DEADLINE, 1);
    struct hy_channel *channel = NULL;
    struct hy_pool pool = *given;
    struct copy copy;
    struct hy_error err;

    enum hy_code code = hy_sent_pools_check(given, 1, &err);
    if (pool.kind == HY_POOL_BUFFER)
        code =
            hy_buffer_token_find(buffer->connection, given->buffer_token, &pool.buffer_token, &err);
    if (code == HY_OK)
        code = hy_channel_acquire(buffer->connection, &limits, &channel, &err);
    if (code != HY_OK)
        return hy_status_of(code);
    describe(buffer, kind, &pool, &copy);
    channel->request = &copy.request;
    hy_outgoing_begin(&channel->call, kind, buffer->id);
    hy_buffer_copy_pack(&channel->call.body, &(struct hy_buffer_copy){pool, dims, rank});
    const int32_t status = hy_channel_call(channel, &pool, 1, &limits, &err);
    hy_channel_release(channel);
    return status;
}

static int32_t copy_from(void *self, const struct hy_pool *source, const uint32_t *dims,
                         uint32_t rank)
{
    return call_copy(self, HY_WIRE_BUFFER_COPY_FROM, source, dims, rank);
}

static int32_t copy_to(void *self, const struct hy_pool *destination)
{
    return call_copy(self, HY_WIRE_BUFFER_COPY_TO, destination, NULL, 0);
}

void hy_service_fill_buffers(struct hy_device *table)
{
    table->buffer_create = buffer_create;
    table->buffer_copy_from = copy_from;
    table->buffer_copy_to = copy_to;
    table->buffer_destroy = buffer_destroy;
}
