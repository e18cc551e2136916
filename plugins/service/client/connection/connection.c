#include "plugins/service/client/connection/connection.h"

#include "common/clock.h"
#include "plugins/service/client/buffer_tokens.h"
#include "plugins/service/client/connection/client_channel.h"
#include "plugins/service/client/connection/from_host.h"
#include "plugins/service/client/connection/handshake.h"
#include "plugins/service/wire/messages.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Maximum wait for the end of a killed process. Only a kernel that is stuck in a device takes
 * long. */
#define KILL_WAIT_MS 10000

/* Maximum delay of the watch thread in reading the last messages of a process. */
#define LAST_MESSAGES_MS 200

/* ---- Death ----------------------------------------------------------------------------------- */

void hy_connection_note_death(struct hy_connection *connection)
{
    atomic_store_explicit(&connection->is_dead, true, memory_order_release);
    pthread_mutex_lock(&connection->lock);
    if (connection->burst_events)
        connection->burst_events->died(connection);
    struct hy_channel *channel;
    LIST_FOREACH (channel, &connection->all, entry)
        (void)shutdown(channel->socket.fd, SHUT_RDWR); /* a shared service may delay its close */
    pthread_cond_broadcast(&connection->channel_is_back);
    pthread_mutex_unlock(&connection->lock);
}

void hy_connection_reject_calls(struct hy_connection *connection)
{
    atomic_store_explicit(&connection->is_dead, true, memory_order_release);
    pthread_mutex_lock(&connection->lock);
    pthread_cond_broadcast(&connection->channel_is_back);
    pthread_mutex_unlock(&connection->lock);
}

void hy_connection_note_farewell(struct hy_connection *connection)
{
    atomic_store_explicit(&connection->left_at, hy_clock_boot(), memory_order_release);
    hy_connection_reject_calls(connection);
}

bool hy_connection_await_farewell(struct hy_connection *connection)
{
    if (!hy_host_process_is_shared(connection->process))
        return false;
    hy_connection_await_end(connection, LAST_MESSAGES_MS);
    return hy_connection_has_left(connection);
}

static void log_line(const struct hy_connection *connection, int32_t level, const char *message)
{
    char text[2 * HY_ERROR_TEXT_SIZE];

    snprintf(text, sizeof text, "%s: %s %s", connection->driver_name, connection->whose, message);
    connection->host->log(connection->host->context, level, text);
}

void hy_connection_kill(struct hy_connection *connection, const char *reason)
{
    struct pollfd end = {.fd = hy_host_process_pidfd(connection->process), .events = POLLIN};
    char message[HY_ERROR_TEXT_SIZE];

    const bool is_shared = hy_host_process_is_shared(connection->process);
    const bool is_leaving =
        hy_connection_has_left(connection) && !hy_connection_is_gone(connection);
    if (is_leaving || !hy_connection_is_dead(connection)) {
        const char *what = is_shared ? "disconnected" : "killed";
        snprintf(message, sizeof message, "is %s: %s", what, reason);
        log_line(connection, HY_LOG_WARNING, message);
        snprintf(message, sizeof message, "was %s: %s", what, reason);
        hy_connection_note_end(connection, message);
        atomic_store_explicit(&connection->is_let_go, is_shared, memory_order_release);
    }
    hy_host_process_kill(connection->process);
    if (end.fd >= 0)
        (void)poll(&end, 1, KILL_WAIT_MS);
    hy_connection_note_death(connection);
}

static void gone(void *context)
{
    struct hy_connection *connection = context;
    char message[HY_CONNECTION_END_SIZE + 128], end[HY_CONNECTION_END_SIZE], calls[128];

    /* The log line comes first: an app that waits for the end may exit right afterwards. */
    if (!hy_connection_knows_end(connection)) {
        hy_connection_calls(connection, calls, sizeof calls);
        hy_connection_ask_end(connection, end, sizeof end);
        snprintf(message, sizeof message, "%s%s", end, calls);
        log_line(connection, HY_LOG_WARNING, message);
        hy_connection_note_end(connection, end);
    }
    hy_host_process_kill(connection->process); /* the process may only have closed the socket */
    atomic_store_explicit(&connection->is_gone, true, memory_order_release);
    hy_connection_note_death(connection);
}

/* ---- Start and end --------------------------------------------------------------------------- */

static enum hy_code watch(struct hy_connection *connection, struct hy_error *err)
{
    static const struct hy_life_events events = {.message = hy_from_host_receive, .gone = gone};

    return hy_life_watch_add(hy_host_process_control(connection->process),
                             hy_host_process_pidfd(connection->process), &events, connection,
                             &connection->watch, err);
}

static enum hy_code start_process(struct hy_connection *connection,
                                  const struct hy_service_launch *launch,
                                  const struct hy_service_settings *settings, int64_t deadline,
                                  struct hy_error *err)
{
    const char *slash = strrchr(connection->driver_name, '/');
    const struct hy_host_launch own = {.program = settings->program,
                                       .driver = slash ? slash + 1 : connection->driver_name,
                                       .inherits_stderr = settings->inherits_stderr};

    enum hy_code code = launch->socket && *launch->socket
                            ? hy_host_process_connect(launch->socket, launch->socket_user, deadline,
                                                      &connection->process, err)
                            : hy_host_process_start(&own, &connection->process, err);
    if (code != HY_OK)
        return code;
    connection->pid = hy_host_process_pid(connection->process);
    hy_connection_name(connection, launch->socket);
    hy_socket_init(&connection->control, hy_host_process_control(connection->process));
    return HY_OK;
}

enum hy_code hy_connection_start(const struct hy_service_launch *launch,
                                 const struct hy_service_settings *settings,
                                 const char *driver_name, const struct hy_host *host,
                                 int64_t deadline, struct hy_connection **ret, struct hy_error *err)
{
    struct hy_connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return hy_fail(err, HY_OUT_OF_MEMORY, "connection to a driver");

    atomic_init(&connection->references, 1);
    connection->driver_name = driver_name;
    connection->host = host;
    connection->started = hy_clock_boot();
    connection->oldest_token = hy_buffer_token_last();
    pthread_mutex_init(&connection->control_lock, NULL);
    pthread_mutex_init(&connection->lock, NULL);
    pthread_cond_init(&connection->channel_is_back, NULL);
    pthread_mutex_init(&connection->end_lock, NULL);
    pthread_cond_init(&connection->end_is_known, NULL);
    connection->service_pidfd = connection->end_page = -1;
    hy_outgoing_init(&connection->control_frame);
    hy_incoming_init(&connection->report);
    const int64_t until =
        hy_service_until(deadline, (int64_t)settings->hang_timeout_seconds * INT64_C(1000000000));

    enum hy_code code = start_process(connection, launch, settings, until, err);
    if (code == HY_OK)
        code = hy_handshake(connection, launch, until, err);
    if (code == HY_OK)
        code = watch(connection, err);
    if (code != HY_OK) {
        hy_connection_release(connection);
        return code;
    }
    *ret = connection;
    return HY_OK;
}

struct hy_connection *hy_connection_retain(struct hy_connection *connection)
{
    atomic_fetch_add_explicit(&connection->references, 1, memory_order_relaxed);
    return connection;
}

void hy_connection_release(struct hy_connection *connection)
{
    if (!connection ||
        atomic_fetch_sub_explicit(&connection->references, 1, memory_order_acq_rel) != 1)
        return;
    hy_life_watch_remove(connection->watch);
    atomic_store_explicit(&connection->is_dead, true, memory_order_release);
    while (!LIST_EMPTY(&connection->all)) {
        struct hy_channel *channel = LIST_FIRST(&connection->all);
        LIST_REMOVE(channel, entry);
        hy_channel_destroy(channel);
    }
    hy_host_process_destroy(connection->process); /* closes the control socket as well */
    hy_from_host_finish(connection);
    hy_outgoing_finish(&connection->control_frame);
    hy_incoming_finish(&connection->report);
    hy_id_set_finish(&connection->memories);
    hy_id_set_finish(&connection->pending_drops);
    hy_arena_finish(&connection->hello_info.arena);
    if (connection->service_pidfd >= 0)
        close(connection->service_pidfd);
    if (connection->end_page >= 0)
        close(connection->end_page);
    pthread_cond_destroy(&connection->end_is_known);
    pthread_mutex_destroy(&connection->end_lock);
    pthread_cond_destroy(&connection->channel_is_back);
    pthread_mutex_destroy(&connection->lock);
    pthread_mutex_destroy(&connection->control_lock);
    free(connection);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* False: the socket is full. */
static bool send_drop(struct hy_connection *connection, uint64_t id)
{
    struct hy_error ignored;

    hy_outgoing_begin(&connection->control_frame, HY_WIRE_MEMORY_DROP, id);
    return hy_frame_send(&connection->control, &connection->control_frame, 0, &ignored) == HY_OK;
}

/* No caller waits for a process that does not read: the notice is sent with a later one. */
void hy_connection_drop_memory(struct hy_connection *connection, uint64_t id)
{
    struct hy_id_set *pending_drops = &connection->pending_drops;

    pthread_mutex_lock(&connection->lock);
    const bool is_known = hy_id_set_remove(&connection->memories, id);
    pthread_mutex_unlock(&connection->lock);
    if (!is_known || hy_connection_is_dead(connection))
        return;
    pthread_mutex_lock(&connection->control_lock);
    while (pending_drops->count > 0 &&
           send_drop(connection, pending_drops->ids[pending_drops->count - 1]))
        pending_drops->count--;
    if (pending_drops->count > 0 || !send_drop(connection, id))
        (void)hy_id_set_add(pending_drops,
                            id); /* a failure keeps the memory until the process ends */
    pthread_mutex_unlock(&connection->control_lock);
}

/* ---- fork() ---------------------------------------------------------------------------------- */

void hy_connection_fork_before(struct hy_connection *connection)
{
    pthread_mutex_lock(&connection->control_lock);
    pthread_mutex_lock(&connection->lock);
    pthread_mutex_lock(&connection->end_lock);
}

void hy_connection_fork_after(struct hy_connection *connection, bool is_child)
{
    if (is_child) {
        atomic_store_explicit(&connection->is_dead, true, memory_order_release);
        if (connection->burst_events)
            connection->burst_events->disowned(connection);
        hy_channels_close_inherited(connection);
        pthread_cond_init(&connection->end_is_known, NULL);
        snprintf(connection->end, sizeof connection->end, "belongs to the parent of this process");
    }
    pthread_mutex_unlock(&connection->end_lock);
    pthread_mutex_unlock(&connection->lock);
    pthread_mutex_unlock(&connection->control_lock);
}
