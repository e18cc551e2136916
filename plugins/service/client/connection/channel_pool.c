/* Creates, acquires and gives back the channels of a connection. */
#include "common/clock.h"
#include "plugins/service/client/connection/client_channel.h"
#include "plugins/service/client/connection/timed_out_call.h"
#include "plugins/service/wire/session.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- Making ---------------------------------------------------------------------------------- */

/* Does not wait, as other threads need the control socket. */
static enum hy_code try_to_send_end(struct hy_connection *connection, int end, struct hy_error *err)
{
    pthread_mutex_lock(&connection->control_lock);
    hy_outgoing_begin(&connection->control_frame, HY_WIRE_CHANNEL, 0);
    hy_pack_fd(&connection->control_frame.body, end);
    enum hy_code code = hy_frame_send(&connection->control, &connection->control_frame, 0, err);
    pthread_mutex_unlock(&connection->control_lock);
    return code;
}

static enum hy_code fail_dead(struct hy_connection *connection, struct hy_error *err)
{
    char end[HY_ERROR_TEXT_SIZE];

    hy_connection_end(connection, end, sizeof end);
    return hy_fail(err, HY_DEAD, "%s", end);
}

static enum hy_code send_end(struct hy_connection *connection, int end,
                             const struct hy_call_limits *limits, struct hy_error *err)
{
    bool is_hang_timeout;
    const int64_t until = hy_call_limits_end(limits, &is_hang_timeout);

    enum hy_code code = try_to_send_end(connection, end, err);
    while (code == HY_MISSED_DEADLINE) {
        code = hy_socket_wait(&connection->control, POLLOUT, until, err);
        if (code == HY_MISSED_DEADLINE)
            break;
        code = try_to_send_end(connection, end, err);
    }
    if (code == HY_DEAD) {
        code = fail_dead(connection, err);
        hy_connection_note_death(connection);
        return code;
    }
    if (code == HY_MISSED_DEADLINE && is_hang_timeout) {
        hy_connection_kill(connection, "the process does not read from its socket");
        return fail_dead(connection, err);
    }
    return code;
}

enum hy_code hy_channel_create(struct hy_connection *connection,
                               const struct hy_call_limits *limits, struct hy_channel **ret,
                               struct hy_error *err)
{
    int ends[2];
    struct hy_channel *channel = calloc(1, sizeof *channel);
    if (!channel)
        return hy_fail(err, HY_OUT_OF_MEMORY, "channel to process %d", (int)connection->pid);

    enum hy_code code = hy_socket_pair(ends, err);
    if (code != HY_OK) {
        free(channel);
        return code;
    }
    channel->connection = connection;
    hy_socket_init(&channel->socket, ends[0]);
    hy_outgoing_init(&channel->call);
    hy_outgoing_init(&channel->side_frame);
    hy_incoming_init(&channel->reply);
    code = send_end(connection, ends[1], limits, err);
    close(ends[1]);
    if (code != HY_OK) {
        hy_channel_destroy(channel);
        return code;
    }
    *ret = channel;
    return HY_OK;
}

/* ---- Taking and giving back ------------------------------------------------------------------ */

static void wait_for_one(struct hy_connection *connection, int64_t until)
{
    const struct timespec then = hy_clock_wait_end(hy_clock_left(until));

    (void)pthread_cond_clockwait(&connection->channel_is_back, &connection->lock, CLOCK_MONOTONIC,
                                 &then);
}

/* The caller holds the connection's lock. NULL with OK: a new channel may be created. DEAD comes
 * without a message. */
static enum hy_code find_idle(struct hy_connection *connection, const struct hy_call_limits *limits,
                              struct hy_channel **ret, struct hy_error *err)
{
    bool is_hang_timeout;
    const int64_t until = hy_call_limits_end(limits, &is_hang_timeout);

    while (!hy_connection_is_dead(connection)) {
        *ret = connection->idle;
        if (*ret) {
            connection->idle = (*ret)->next;
            return HY_OK;
        }
        const unsigned timed_out =
            atomic_load_explicit(&connection->timed_out_count, memory_order_relaxed);
        if (timed_out >= HY_SERVICE_MAX_TIMED_OUT)
            return hy_fail(err, is_hang_timeout ? HY_EXHAUSTED : HY_MISSED_DEADLINE,
                           "process %d still runs %u calls that missed their deadlines",
                           (int)connection->pid, timed_out);
        if (connection->channel_count < HY_SERVICE_CHANNELS) {
            connection->channel_count++;
            return HY_OK;
        }
        if (hy_clock_boot() >= until)
            return hy_fail(err, is_hang_timeout ? HY_EXHAUSTED : HY_MISSED_DEADLINE,
                           "all %u channels to process %d are in use", HY_SERVICE_CHANNELS,
                           (int)connection->pid);
        wait_for_one(connection, until);
    }
    return HY_DEAD;
}

/* The caller holds the connection's lock. Frees capacity for another channel. */
static void leave(struct hy_connection *connection)
{
    connection->channel_count--;
    pthread_cond_signal(&connection->channel_is_back);
}

static enum hy_code make_one(struct hy_connection *connection, const struct hy_call_limits *limits,
                             struct hy_channel **ret, struct hy_error *err)
{
    enum hy_code code = hy_channel_create(connection, limits, ret, err);

    pthread_mutex_lock(&connection->lock);
    if (code == HY_OK) {
        LIST_INSERT_HEAD(&connection->all, *ret, entry);
    } else {
        leave(connection);
    }
    pthread_mutex_unlock(&connection->lock);
    return code;
}

enum hy_code hy_channel_acquire(struct hy_connection *connection,
                                const struct hy_call_limits *limits, struct hy_channel **ret,
                                struct hy_error *err)
{
    struct hy_channel *channel = NULL;

    enum hy_code code = hy_timed_out_calls_reap(connection, limits->hang_timeout_ns, err);
    if (code != HY_OK)
        return code;
    pthread_mutex_lock(&connection->lock);
    code = find_idle(connection, limits, &channel, err);
    pthread_mutex_unlock(&connection->lock);
    if (code == HY_DEAD)
        return fail_dead(connection, err);
    if (code == HY_OK && !channel)
        code = make_one(connection, limits, &channel, err);
    if (code != HY_OK)
        return code;
    hy_connection_retain(connection);
    *ret = channel;
    return HY_OK;
}

void hy_channel_release(struct hy_channel *channel)
{
    if (!channel)
        return;
    struct hy_connection *connection = channel->connection;
    struct hy_channel *broken = NULL;

    hy_incoming_clear(&channel->reply);
    hy_arena_reset(&channel->arena);
    if (channel->is_timed_out && channel->request)
        hy_timed_out_uses_add(&channel->timed_out_uses, channel->request);
    channel->request = NULL;
    pthread_mutex_lock(&connection->lock);
    if (channel->is_timed_out) {
        hy_timed_out_call_add(connection, channel);
        leave(connection);
    } else if (channel->is_broken) {
        HY_LIST_REMOVE(channel, entry);
        leave(connection);
        broken = channel;
    } else {
        channel->next = connection->idle;
        connection->idle = channel;
        pthread_cond_signal(&connection->channel_is_back);
    }
    pthread_mutex_unlock(&connection->lock);
    hy_channel_destroy(broken);
    hy_connection_release(connection);
}
