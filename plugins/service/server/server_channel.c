#include "plugins/service/server/server_channel.h"

#include "common/clock.h"
#include "plugins/service/server/calls/call_burst.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/clients/hangups.h"
#include "plugins/service/server/clients/quota.h"
#include "plugins/service/server/hung_calls.h"
#include "plugins/service/server/threads.h"
#include "plugins/service/server/watcher.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- Serving --------------------------------------------------------------------------------- */

static void handle(struct hy_server_channel *channel, hy_server_handler handler)
{
    struct hy_error err = {0};
    struct hy_unpack in;

    hy_server_quota_begin();
    hy_reply_begin(&channel->reply, &channel->call.header, 0);
    hy_incoming_unpack(&channel->call, &channel->arena, &in, &err);
    const struct hy_watched_call outer = hy_server_call_begin(channel->call.header.kind);
    const int32_t status = handler(channel, &in, &err);
    hy_watchdog_leave(outer);
    if (status != HY_STATUS_OK && status != HY_SERVER_REPLIED) {
        hy_server_quota_explain(status, &err);
        hy_reply_fail(&channel->reply, &channel->call.header, status, err.text);
    }
    hy_server_holds_drop(&channel->holds, &channel->server->objects);
}

/* Refuses a call without capacity for its body; nothing of the body has been read. */
static bool refuse(struct hy_server_channel *channel, struct hy_error *err)
{
    hy_reply_fail(&channel->reply, &channel->call.header, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT,
                  err->text);
    return hy_frame_send(&channel->socket, &channel->reply, HY_NO_DEADLINE, err) == HY_OK;
}

/* Replaces a reply that cannot be packed by a failure with the reason. */
static void replace_reply(struct hy_server_channel *channel)
{
    const struct hy_error why = channel->reply.body.error;
    const bool is_wrong = channel->reply.body.code == HY_BAD_DATA;

    hy_reply_fail(&channel->reply, &channel->call.header,
                  is_wrong ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT,
                  is_wrong ? why.text : "the reply is too large");
}

/* Returns false when the channel has ended. */
static bool serve_one(struct hy_server_channel *channel, struct hy_error *err)
{
    enum hy_code code = hy_frame_receive(&channel->socket, &channel->call, HY_NO_DEADLINE, err);
    if (code == HY_EXHAUSTED)
        return refuse(channel, err);
    if (code != HY_OK)
        return false;
    hy_server_handler handler = hy_server_handler_of((enum hy_wire_kind)channel->call.header.kind);
    if (!handler) {
        (void)hy_fail(err, HY_BAD_DATA, "message %u (%s) is not a call for a channel",
                      channel->call.header.kind, hy_wire_kind_name(channel->call.header.kind));
        return false;
    }
    channel->served++;
    handle(channel, handler);
    if (channel->reply.body.code != HY_OK)
        replace_reply(channel);
    const bool is_sent =
        hy_frame_send(&channel->socket, &channel->reply, HY_NO_DEADLINE, err) == HY_OK;
    hy_arena_reset(&channel->arena);
    hy_incoming_clear(&channel->call);
    return is_sent;
}

static void destroy(struct hy_server_channel *channel)
{
    hy_server_hangups_remove(channel->watch, channel->socket.fd);
    hy_socket_finish(&channel->socket);
    hy_incoming_finish(&channel->call);
    hy_outgoing_finish(&channel->reply);
    hy_server_holds_finish(&channel->holds, &channel->server->objects);
    hy_arena_finish(&channel->arena);
    free(channel);
}

static void count(const struct hy_server_channel *channel)
{
    struct hy_serve_tally *tally = channel->server->driver->serve->tally;

    if (tally)
        atomic_fetch_add_explicit(&tally->calls, channel->served, memory_order_relaxed);
}

static void leave(struct hy_server_channel *channel)
{
    struct hy_server *server = channel->server;

    pthread_mutex_lock(&server->lock);
    HY_LIST_REMOVE(channel, entry);
    pthread_mutex_unlock(&server->lock);
    count(channel);
    destroy(channel);
    hy_server_quota_release(&server->quotas, HY_SERVER_QUOTA_CHANNELS, 1);

    /* Last step: the server may be freed as soon as the count is 0. */
    pthread_mutex_lock(&server->lock);
    server->channel_count--;
    pthread_cond_broadcast(&server->channel_has_ended);
    pthread_mutex_unlock(&server->lock);
}

static void *run(void *context)
{
    struct hy_server_channel *channel = context;
    struct hy_error err = {0};

    (void)hy_server_act_for(channel->server);
    bool goes_on = true;
    while (goes_on) {
        goes_on = serve_one(channel, &err);
        if (channel->burst) /* even if the reply to BURST_OPEN could not be sent */
            hy_server_burst_serve(channel);
    }
    if (err.code == HY_BAD_DATA)
        hy_server_give_up(channel->server, err.text);
    leave(channel);
    return NULL;
}

static struct hy_server_channel *create(struct hy_server *server, int fd)
{
    struct hy_server_channel *channel = calloc(1, sizeof *channel);
    if (!channel) {
        close(fd);
        return NULL;
    }
    channel->server = server;
    channel->arena = hy_server_arena(&server->quotas);
    hy_socket_init(&channel->socket, fd);
    hy_incoming_init(&channel->call);
    channel->call.budget = &server->bodies;
    hy_outgoing_init(&channel->reply);
    return channel;
}

/* Returns false if the client has too many channels or is ending. */
static bool enter(struct hy_server_channel *channel)
{
    struct hy_server *server = channel->server;

    struct hy_error ignored;

    if (hy_server_quota_charge(&server->quotas, HY_SERVER_QUOTA_CHANNELS, 1, &ignored) != HY_OK)
        return false;
    pthread_mutex_lock(&server->lock);
    const bool is_free = !server->is_ending;
    if (is_free) {
        LIST_INSERT_HEAD(&server->channels, channel, entry);
        server->channel_count++;
        channel->watch = hy_server_hangups_watch(channel->socket.fd, &channel->cancelled);
    }
    pthread_mutex_unlock(&server->lock);
    if (!is_free)
        hy_server_quota_release(&server->quotas, HY_SERVER_QUOTA_CHANNELS, 1);
    return is_free;
}

bool hy_server_channel_start(struct hy_server *server, int fd)
{
    pthread_t thread;
    struct hy_server_channel *channel = create(server, fd);
    if (!channel)
        return false;

    if (!enter(channel)) {
        destroy(channel);
        return false;
    }
    if (!hy_server_thread_start(&thread, run, channel)) {
        leave(channel);
        return false;
    }
    pthread_detach(thread);
    return true;
}

/* ---- The end --------------------------------------------------------------------------------- */

void hy_server_channels_cancel(struct hy_server *server)
{
    pthread_mutex_lock(&server->lock);
    __atomic_store_n(&server->cancelled, 1, __ATOMIC_RELAXED);
    struct hy_server_channel *channel;
    LIST_FOREACH (channel, &server->channels, entry)
        __atomic_store_n(&channel->cancelled, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&server->lock);
    hy_server_call_slots_recheck();
}

/* Received calls can still be read after SHUT_RD. */
void hy_server_channels_drain(struct hy_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->is_ending = true;
    struct hy_server_channel *channel;
    LIST_FOREACH (channel, &server->channels, entry)
        (void)shutdown(channel->socket.fd, SHUT_RD);
    pthread_mutex_unlock(&server->lock);
}

bool hy_server_channels_await(struct hy_server *server, const struct timespec *until)
{
    int waited = 0;

    pthread_mutex_lock(&server->lock);
    while (server->channel_count > 0 && waited == 0)
        waited = pthread_cond_clockwait(&server->channel_has_ended, &server->lock, CLOCK_MONOTONIC,
                                        until);
    const bool all = server->channel_count == 0;
    pthread_mutex_unlock(&server->lock);
    return all;
}

/* The calls of a disconnected client have been cancelled before. */
bool hy_server_channel_is_drained(struct hy_server_channel *channel)
{
    struct hy_server *server = channel->server;

    pthread_mutex_lock(&server->lock);
    const bool is_ending = server->is_ending;
    pthread_mutex_unlock(&server->lock);
    return is_ending;
}

bool hy_server_channels_end(struct hy_server *server, int milliseconds)
{
    const struct timespec until = hy_clock_wait_end(milliseconds * HY_MILLISECOND);

    pthread_mutex_lock(&server->lock);
    server->is_ending = true; /* no channel starts any more */
    struct hy_server_channel *channel;
    LIST_FOREACH (channel, &server->channels, entry)
        shutdown(channel->socket.fd, SHUT_RDWR);
    int waited = 0;
    while (server->channel_count > 0 && waited == 0)
        waited = milliseconds < 0 ? pthread_cond_wait(&server->channel_has_ended, &server->lock)
                                  : pthread_cond_clockwait(&server->channel_has_ended,
                                                           &server->lock, CLOCK_MONOTONIC, &until);
    const bool all = server->channel_count == 0;
    pthread_mutex_unlock(&server->lock);
    return all;
}
