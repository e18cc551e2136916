#include "plugins/service/client/connection/timed_out_call.h"

#include "common/clock.h"

#include <time.h>

/* Polling interval in ns for a request that waits for memory. Only the channel shows that a call
 * has ended, and another thread may remove the channel. */
#define LOOK_NS 100000

void hy_timed_out_call_add(struct hy_connection *connection, struct hy_channel *channel)
{
    channel->abandoned = hy_clock_boot();
    channel->next = connection->timed_out;
    connection->timed_out = channel;
    atomic_fetch_add_explicit(&connection->timed_out_count, 1, memory_order_relaxed);
}

/* ---- What was made --------------------------------------------------------------------------- */

/* Returns the message that undoes a call; 0: no need to undo. */
static uint32_t opposite_of(uint32_t kind)
{
    switch (kind & ~HY_WIRE_REPLY) {
    case HY_WIRE_PREPARE:
    case HY_WIRE_PREPARE_FROM_CACHE:
        return HY_WIRE_PREPARED_DESTROY;
    case HY_WIRE_REUSABLE_CREATE:
        return HY_WIRE_REUSABLE_DESTROY;
    case HY_WIRE_EXECUTE_FENCED:
        return HY_WIRE_FENCED_DESTROY;
    case HY_WIRE_BUFFER_CREATE:
        return HY_WIRE_BUFFER_DESTROY;
    default:
        return 0;
    }
}

/* The caller does not hold the lock. Marks memory as unknown, as the process may or may not have
 * it. The next user of the memory sends it again. */
static void drop_memory(struct hy_connection *connection, uint64_t id)
{
    pthread_mutex_lock(&connection->lock);
    (void)hy_id_set_add(&connection->memories, id);
    pthread_mutex_unlock(&connection->lock);
    hy_connection_drop_memory(connection, id);
}

/* Called when the reply has arrived. True: the process was asked to undo the call, and another
 * reply follows. */
static bool undo(struct hy_channel *channel)
{
    const struct hy_frame_header *reply = &channel->reply.header;
    const uint32_t opposite = opposite_of(reply->kind);
    struct hy_error ignored;

    if (reply->status != HY_STATUS_OK || opposite == 0)
        return false;
    hy_outgoing_begin(&channel->call, opposite, reply->object);
    if (hy_frame_send(&channel->socket, &channel->call, 0, &ignored) != HY_OK)
        return false;
    channel->abandoned = hy_clock_boot();
    hy_incoming_clear(&channel->reply);
    return true;
}

/* ---- Clearing away --------------------------------------------------------------------------- */

static bool is_over(struct hy_channel *channel)
{
    struct hy_error ignored;
    return hy_frame_receive(&channel->socket, &channel->reply, 0, &ignored) != HY_MISSED_DEADLINE &&
           !undo(channel);
}

/* The caller holds the lock. True: a timed-out call has been running for too long. */
static bool sweep(struct hy_connection *connection, int64_t hang_timeout_ns,
                  struct hy_channel **ended)
{
    const int64_t now = hy_clock_boot();
    struct hy_channel **at = &connection->timed_out;
    const struct hy_burst_events *bursts = connection->burst_events;
    bool is_stuck = bursts && bursts->catch_up(connection, now - hang_timeout_ns);

    while (*at) {
        struct hy_channel *channel = *at;
        if (!is_over(channel)) {
            is_stuck |= now - channel->abandoned > hang_timeout_ns;
            at = &channel->next;
            continue;
        }
        *at = channel->next;
        atomic_fetch_sub_explicit(&connection->timed_out_count, 1, memory_order_relaxed);
        HY_LIST_REMOVE(channel, entry);
        channel->next = *ended;
        *ended = channel;
    }
    return is_stuck;
}

static void end_all(struct hy_channel *ended)
{
    while (ended) {
        struct hy_channel *next = ended->next;
        const struct hy_frame_header *reply = &ended->reply.header;
        if (reply->kind == (HY_WIRE_MEMORY_ADD | HY_WIRE_REPLY) && reply->status == HY_STATUS_OK)
            drop_memory(ended->connection, ended->side_frame.header.object);
        hy_channel_destroy(ended);
        ended = next;
    }
}

static bool has_some(const struct hy_connection *connection)
{
    return atomic_load_explicit(&connection->timed_out_count, memory_order_relaxed) > 0;
}

enum hy_code hy_timed_out_calls_reap(struct hy_connection *connection, int64_t hang_timeout_ns,
                                     struct hy_error *err)
{
    struct hy_channel *ended = NULL;

    if (!has_some(connection) || hy_connection_is_dead(connection))
        return HY_OK;
    pthread_mutex_lock(&connection->lock);
    const bool is_stuck = sweep(connection, hang_timeout_ns, &ended);
    pthread_mutex_unlock(&connection->lock);
    end_all(ended);
    if (!is_stuck)
        return HY_OK;
    hy_connection_kill(connection, "a timed-out call does not end");
    return hy_fail(err, HY_DEAD, "%s did not return from a call and was %s", connection->whose,
                   hy_host_process_is_shared(connection->process) ? "disconnected" : "killed");
}

/* ---- Keeping away ---------------------------------------------------------------------------- */

static bool meets_some(struct hy_connection *connection, const struct hy_request *request)
{
    pthread_mutex_lock(&connection->lock);
    const struct hy_burst_events *bursts = connection->burst_events;
    bool meets = bursts && bursts->meet(connection, request);
    for (const struct hy_channel *timed_out = connection->timed_out; timed_out && !meets;
         timed_out = timed_out->next)
        meets = hy_timed_out_uses_conflict(&timed_out->timed_out_uses, request);
    pthread_mutex_unlock(&connection->lock);
    return meets;
}

enum hy_code hy_timed_out_calls_await(struct hy_connection *connection,
                                      const struct hy_request *request,
                                      const struct hy_call_limits *limits, struct hy_error *err)
{
    bool is_hang_timeout;

    if (!has_some(connection))
        return HY_OK;
    const int64_t until = hy_call_limits_end(limits, &is_hang_timeout);
    for (;;) {
        enum hy_code code = hy_timed_out_calls_reap(connection, limits->hang_timeout_ns, err);
        if (code != HY_OK || !has_some(connection) || !meets_some(connection, request))
            return code;
        if (hy_connection_is_dead(connection))
            return HY_OK; /* the call itself will fail */
        if (hy_clock_boot() >= until)
            return hy_fail(err, is_hang_timeout ? HY_EXHAUSTED : HY_MISSED_DEADLINE,
                           "an execution that missed its deadline may still use the memory");
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
}
