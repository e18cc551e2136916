#include "plugins/service/client/connection/client_channel.h"

#include "plugins/service/client/connection/timed_out_call.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/reply.h"

#include <inttypes.h>
#include <stdio.h>

/* Maximum number of attempts of a call whose memory the process has forgotten. */
#define MOST_ROUNDS 4u

static const char *name_of(const struct hy_outgoing *frame)
{
    return hy_wire_kind_name(frame->header.kind);
}

static enum hy_code run_out_of_time(struct hy_channel *channel, const struct hy_outgoing *frame,
                                    const struct hy_call_limits *limits, bool is_hang_timeout,
                                    struct hy_error *err)
{
    struct hy_connection *connection = channel->connection;
    char reason[HY_ERROR_TEXT_SIZE];

    channel->is_broken = true;
    if (!is_hang_timeout) {
        channel->is_timed_out = true;
        return hy_fail(err, HY_MISSED_DEADLINE, "%s did not finish by its deadline",
                       name_of(frame));
    }
    snprintf(reason, sizeof reason, "%s took longer than %" PRId64 " s", name_of(frame),
             limits->hang_timeout_ns / 1000000000);
    hy_connection_kill(connection, reason);
    return hy_fail(err, HY_DEAD, "%s; %s was %s", reason, connection->whose,
                   hy_host_process_is_shared(connection->process) ? "disconnected" : "killed");
}

/* Explains why no reply arrived. */
static enum hy_code explain(struct hy_channel *channel, const struct hy_outgoing *frame,
                            enum hy_code code, struct hy_error *err)
{
    struct hy_connection *connection = channel->connection;

    if (frame->body.code != HY_OK)
        return code; /* no frame was sent */
    channel->is_broken = true;
    if (code == HY_DEAD) {
        char end[HY_ERROR_TEXT_SIZE];
        hy_connection_reject_calls(connection);
        const bool has_left = hy_connection_await_farewell(connection);
        hy_connection_end(connection, end, sizeof end);
        if (!has_left) {
            hy_host_process_kill(connection->process);
            hy_connection_note_death(connection);
        }
        return hy_fail(err, HY_DEAD, "%s during %s", end, name_of(frame));
    }
    if (code == HY_BAD_DATA) {
        hy_connection_kill(connection, err->text);
        return hy_error_prefix(err, HY_FAILED, "%s sent an invalid reply to %s", connection->whose,
                               name_of(frame));
    }
    return code;
}

static enum hy_code send_and_receive(struct hy_channel *channel, struct hy_outgoing *frame,
                                     const struct hy_call_limits *limits, struct hy_error *err)
{
    bool is_hang_timeout;
    const int64_t until = hy_call_limits_end(limits, &is_hang_timeout);

    atomic_store_explicit(&channel->kind, frame->header.kind, memory_order_relaxed);
    enum hy_code code = hy_call_make(&channel->socket, frame, &channel->reply, until, err);
    if (code == HY_OK) { /* otherwise the call still runs, or was the last one over the channel */
        atomic_store_explicit(&channel->kind, 0, memory_order_relaxed);
        return HY_OK;
    }
    if (code == HY_MISSED_DEADLINE)
        return run_out_of_time(channel, frame, limits, is_hang_timeout, err);
    return explain(channel, frame, code, err);
}

void hy_channel_read(struct hy_channel *channel, struct hy_unpack *in, struct hy_error *err)
{
    hy_incoming_unpack(&channel->reply, &channel->arena, in, err);
    if (channel->reply.header.status != HY_STATUS_OK)
        (void)hy_unpack_text(in);
}

int32_t hy_channel_end_read(struct hy_channel *channel, struct hy_unpack *in, struct hy_error *err)
{
    enum hy_code code = hy_unpack_end(in);
    if (code == HY_OK)
        return HY_STATUS_OK;
    return hy_status_of(explain(channel, &channel->call, code, err));
}

/* Returns the status of the reply, with the error text of the reply, if any. */
static int32_t read_status(const struct hy_channel *channel, struct hy_error *err)
{
    struct hy_arena none = {0};
    struct hy_unpack in;
    struct hy_error ignored;
    const int32_t status = channel->reply.header.status;

    if (status == HY_STATUS_OK)
        return status;
    hy_incoming_unpack(&channel->reply, &none, &in, &ignored);
    hy_error_set(err, HY_FAILED, __FILE__, __LINE__, "%s", hy_unpack_text(&in));
    hy_arena_finish(&none);
    return status;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool is_shared_by_id(const struct hy_pool *pool)
{
    return pool->id != 0 && pool->kind != HY_POOL_HOST && pool->kind != HY_POOL_BUFFER;
}

static bool is_known(struct hy_connection *connection, uint64_t id)
{
    pthread_mutex_lock(&connection->lock);
    const bool known = hy_id_set_has(&connection->memories, id);
    pthread_mutex_unlock(&connection->lock);
    return known;
}

static int32_t add_memory(struct hy_channel *channel, const struct hy_pool *pool,
                          const struct hy_call_limits *limits, struct hy_error *err)
{
    struct hy_connection *connection = channel->connection;

    hy_outgoing_begin(&channel->side_frame, HY_WIRE_MEMORY_ADD, pool->id);
    hy_memory_pack(&channel->side_frame.body, pool);
    enum hy_code code = send_and_receive(channel, &channel->side_frame, limits, err);
    if (code != HY_OK)
        return hy_status_of(code);
    const int32_t status = read_status(channel, err);
    if (status != HY_STATUS_OK)
        return status;

    /* If the set cannot grow, the memory is added again with the next call. */
    pthread_mutex_lock(&connection->lock);
    (void)hy_id_set_add(&connection->memories, pool->id);
    pthread_mutex_unlock(&connection->lock);
    return HY_STATUS_OK;
}

static int32_t add_pools(struct hy_channel *channel, const struct hy_pool *pools, uint32_t count,
                         const struct hy_call_limits *limits, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_shared_by_id(&pools[i]) || is_known(channel->connection, pools[i].id))
            continue;
        const int32_t status = add_memory(channel, &pools[i], limits, err);
        if (status != HY_STATUS_OK)
            return status;
    }
    return HY_STATUS_OK;
}

int32_t hy_channel_add_pool(struct hy_connection *connection, const struct hy_pool *pool,
                            const struct hy_call_limits *limits, struct hy_error *err)
{
    struct hy_channel *channel = NULL;

    if (!is_shared_by_id(pool) || is_known(connection, pool->id))
        return HY_STATUS_OK;
    enum hy_code code = hy_channel_acquire(connection, limits, &channel, err);
    if (code != HY_OK)
        return hy_status_of(code);
    const int32_t status = add_memory(channel, pool, limits, err);
    hy_channel_release(channel);
    return status;
}

static int32_t drop_unknown(struct hy_channel *channel, struct hy_error *err)
{
    struct hy_connection *connection = channel->connection;
    struct hy_unknown_memory unknown = {0};
    struct hy_unpack in;

    hy_channel_read(channel, &in, err);
    hy_unknown_memory_unpack(&in, &unknown);
    const int32_t status = hy_channel_end_read(channel, &in, err);
    if (status != HY_STATUS_OK)
        return status;
    pthread_mutex_lock(&connection->lock);
    for (uint32_t i = 0; i < unknown.count; i++)
        (void)hy_id_set_remove(&connection->memories, unknown.ids[i]);
    pthread_mutex_unlock(&connection->lock);
    return HY_STATUS_OK;
}

int32_t hy_channel_call(struct hy_channel *channel, const struct hy_pool *pools,
                        uint32_t pool_count, const struct hy_call_limits *limits,
                        struct hy_error *err)
{
    if (channel->request) {
        enum hy_code code =
            hy_timed_out_calls_await(channel->connection, channel->request, limits, err);
        if (code != HY_OK)
            return hy_status_of(code);
    }
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        int32_t status = add_pools(channel, pools, pool_count, limits, err);
        if (status != HY_STATUS_OK)
            return status;
        enum hy_code code = send_and_receive(channel, &channel->call, limits, err);
        if (code != HY_OK)
            return hy_status_of(code);
        status = read_status(channel, err);
        if (status != HY_WIRE_STATUS_UNKNOWN_MEMORY)
            return status;
        status = drop_unknown(channel, err);
        if (status != HY_STATUS_OK)
            return status;
    }
    (void)hy_fail(err, HY_FAILED, "%s cannot hold all memory of one request",
                  channel->connection->whose);
    return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
}

void hy_channel_notify(struct hy_connection *connection, enum hy_wire_kind kind, uint64_t object,
                       int64_t hang_timeout_ns)
{
    struct hy_call_limits limits = {.deadline = HY_NO_DEADLINE, .hang_timeout_ns = hang_timeout_ns};
    struct hy_channel *channel = NULL;
    struct hy_error ignored;

    if (hy_channel_acquire(connection, &limits, &channel, &ignored) != HY_OK)
        return;
    /* FENCED_DESTROY waits for the work, as memory is freed afterwards */
    if (kind != HY_WIRE_FENCED_DESTROY)
        limits.deadline = hy_service_until(HY_NO_DEADLINE, HY_SERVICE_NOTIFY_NS);
    hy_outgoing_begin(&channel->call, kind, object);
    (void)hy_channel_call(channel, NULL, 0, &limits, &ignored);
    hy_channel_release(channel);
}
