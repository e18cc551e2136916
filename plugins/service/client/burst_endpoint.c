#include "plugins/service/client/burst_endpoint.h"

#include "common/clock.h"
#include "plugins/service/client/connection/timed_out_call.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/pools.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Time in ns that the process may take to read a notice. */
#define NOTICE_NS INT64_C(1000000000)

static struct hy_call_limits limits_of(const struct hy_burst_endpoint *end, int64_t deadline)
{
    return hy_service_limits(end->service, deadline, 1);
}

/* ---- What the queue asks for ----------------------------------------------------------------- */

static bool send_notice(struct hy_burst_endpoint *end, int64_t deadline)
{
    struct hy_error ignored;

    return hy_frame_send(&end->channel->socket, &end->channel->side_frame,
                         hy_service_until(deadline, NOTICE_NS), &ignored) == HY_OK;
}

static bool announce(void *context, int32_t slot, const struct hy_pool *pool, int64_t deadline)
{
    struct hy_burst_endpoint *end = context;
    const struct hy_call_limits limits = limits_of(end, deadline);
    struct hy_outgoing *notice = &end->channel->side_frame;
    struct hy_error ignored;

    if (hy_channel_add_pool(end->connection, pool, &limits, &ignored) != HY_STATUS_OK)
        return false;
    hy_outgoing_begin(notice, HY_WIRE_BURST_ANNOUNCE, 0);
    hy_burst_slot_pack(&notice->body, &(struct hy_burst_slot){slot, *pool});
    return send_notice(end, deadline);
}

static bool retract(void *context, int32_t slot)
{
    struct hy_burst_endpoint *end = context;

    if (hy_connection_is_dead(end->connection))
        return false;
    hy_outgoing_begin(&end->channel->side_frame, HY_WIRE_BURST_FREE, (uint64_t)slot);
    return send_notice(end, HY_NO_DEADLINE);
}

static void stuck(void *context)
{
    struct hy_burst_endpoint *end = context;

    hy_connection_kill(end->connection, "an execution of a burst exceeded the hang timeout");
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool reserve_burst_slot(struct hy_connection *connection)
{
    pthread_mutex_lock(&connection->lock);
    const bool is_free = connection->burst_count < HY_SERVICE_BURSTS;
    connection->burst_count += is_free;
    pthread_mutex_unlock(&connection->lock);
    return is_free;
}

static void release_burst_slot(struct hy_connection *connection)
{
    pthread_mutex_lock(&connection->lock);
    connection->burst_count--;
    pthread_mutex_unlock(&connection->lock);
}

static int32_t call_open(struct hy_burst_endpoint *end, uint64_t id, int rings,
                         const struct hy_call_limits *limits, struct hy_error *err)
{
    struct hy_outgoing *call = &end->channel->call;

    hy_outgoing_begin(call, HY_WIRE_BURST_OPEN, id);
    hy_pack_fd(&call->body, rings);
    return hy_channel_call(end->channel, NULL, 0, limits, err);
}

static int32_t make_queue(struct hy_burst_endpoint *end, uint64_t id, uint32_t depth,
                          const struct hy_call_limits *limits, struct hy_error *err)
{
    const struct hy_queue_burst_owner owner = {
        .context = end, .announce = announce, .retract = retract, .stuck = stuck};
    const struct hy_burst_wait_rules wait =
        hy_burst_wait_of_client(end->service->settings->burst_wait);
    const struct hy_queue_burst_rules rules = {
        .spin_ns = wait.spin_ns,
        .hang_timeout_ns = (uint64_t)limits->hang_timeout_ns,
        .depth = depth,
        .polls = wait.polls,
    };
    struct hy_queue_burst *queue = NULL;
    int rings = -1;

    enum hy_code code = hy_queue_burst_create(&owner, &rules, &queue, &rings, err);
    if (code != HY_OK)
        return hy_status_of(code);
    const int32_t status = call_open(end, id, rings, limits, err);
    close(rings);
    if (status == HY_STATUS_OK)
        end->queue = queue;
    else
        hy_queue_burst_destroy(queue);
    return status;
}

int32_t hy_burst_endpoint_open(const struct hy_service *service, struct hy_connection *connection,
                               uint64_t id, uint32_t depth, int64_t deadline,
                               struct hy_burst_endpoint **ret, struct hy_error *err)
{
    const struct hy_call_limits limits = hy_service_limits(service, deadline, 1);
    struct hy_burst_endpoint *end = calloc(1, sizeof *end);
    if (!end)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (!reserve_burst_slot(connection)) {
        free(end);
        (void)hy_fail(err, HY_EXHAUSTED, "%u bursts are open, the limit", HY_SERVICE_BURSTS);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    end->service = service;
    end->connection = hy_connection_retain(connection);
    end->ref_count = 1;
    enum hy_code code = hy_channel_create(connection, &limits, &end->channel, err);
    const int32_t status =
        code == HY_OK ? make_queue(end, id, depth, &limits, err) : hy_status_of(code);
    if (status == HY_STATUS_OK)
        *ret = end;
    else
        hy_burst_endpoint_close(end);
    return status;
}

/* ---- Executions that were given up ----------------------------------------------------------- */

void hy_burst_endpoint_note_timeout(struct hy_burst_endpoint *end, const struct hy_request *request)
{
    if (!hy_queue_burst_has_timeouts(end->queue))
        return; /* the driver itself reported the missed deadline */
    const bool had_timeouts = hy_burst_endpoint_has_timeouts(end);
    hy_timed_out_uses_add(&end->timed_out_uses, request);
    end->last_timeout = hy_clock_boot();
    /* a request with empty tensors uses no memory */
    if (!had_timeouts && hy_burst_endpoint_has_timeouts(end))
        atomic_fetch_add_explicit(&end->connection->timed_out_count, 1, memory_order_relaxed);
}

static void clear_timeouts(struct hy_burst_endpoint *end)
{
    atomic_fetch_sub_explicit(&end->connection->timed_out_count, 1, memory_order_relaxed);
    hy_timed_out_uses_finish(&end->timed_out_uses);
}

void hy_burst_endpoint_catch_up(struct hy_burst_endpoint *end)
{
    if (hy_burst_endpoint_has_timeouts(end) && !hy_queue_burst_has_timeouts(end->queue))
        clear_timeouts(end);
}

/* The process closes its side of the channel when it has seen our side closed and has finished all
 * executions. */
void hy_burst_endpoint_leave(struct hy_burst_endpoint *end)
{
    struct hy_connection *connection = end->connection;
    struct hy_channel *channel = end->channel;

    (void)shutdown(channel->socket.fd, SHUT_WR);
    channel->timed_out_uses = end->timed_out_uses;
    end->timed_out_uses = (struct hy_timed_out_uses){0};
    clear_timeouts(end);
    LIST_INSERT_HEAD(&connection->all, channel, entry);
    hy_timed_out_call_add(connection, channel);
    end->channel = NULL;
}

/* ---- Closing --------------------------------------------------------------------------------- */

/* Logs how many executions left the fast path, and why. */
static void log_counts(const struct hy_burst_endpoint *end)
{
    const struct hy_host *host = end->connection->host;
    struct hy_queue_burst_counts counts;
    char text[320];

    hy_queue_burst_get_counts(end->queue, &counts);
    snprintf(text, sizeof text,
             "%s: %" PRIu64
             " executions of a burst used the queues; executions over a channel: %" PRIu64
             " could not be encoded, %" PRIu64 " too large, %" PRIu64 " with full queues, %" PRIu64
             " with closed queues",
             end->connection->driver_name, counts.fast, counts.inexpressible, counts.too_large,
             counts.full, counts.closed);
    host->log(host->context, HY_LOG_DEBUG, text);
}

static void close_queue(struct hy_burst_endpoint *end)
{
    const struct hy_call_limits limits =
        limits_of(end, hy_service_until(HY_NO_DEADLINE, HY_SERVICE_NOTIFY_NS));
    struct hy_error ignored;

    log_counts(end);
    hy_queue_burst_destroy(end->queue);
    if (!end->channel || hy_connection_is_dead(end->connection))
        return;
    hy_outgoing_begin(&end->channel->call, HY_WIRE_BURST_CLOSE, 0);
    (void)hy_channel_call(end->channel, NULL, 0, &limits, &ignored);
}

void hy_burst_endpoint_close(struct hy_burst_endpoint *end)
{
    release_burst_slot(end->connection);
    if (end->queue)
        close_queue(end);
    hy_channel_destroy(end->channel);
    hy_timed_out_uses_finish(&end->timed_out_uses);
    hy_connection_release(end->connection);
    free(end);
}
