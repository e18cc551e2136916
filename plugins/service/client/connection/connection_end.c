/* Describes how the process of a connection ended. */
#include "common/clock.h"
#include "plugins/service/client/connection/client_channel.h"
#include "plugins/service/process/end_page.h"
#include "plugins/service/wire/messages.h"

#include <stdio.h>
#include <string.h>

enum {
    END_MS = 100,           /* from closing the socket to the end of the process */
    KNOWN_MS = 10 * END_MS, /* until the watch knows the end as well */
};

void hy_connection_name(struct hy_connection *connection, const char *socket)
{
    char *whose = connection->whose;
    const size_t size = sizeof connection->whose;

    if (!hy_host_process_is_shared(connection->process))
        snprintf(whose, size, "the driver process (%d)", (int)connection->pid);
    else if (connection->pid > 0)
        snprintf(whose, size, "the service at %s (process %d)", socket, (int)connection->pid);
    else
        snprintf(whose, size, "the service at %s", socket);
}

void hy_connection_note_end(struct hy_connection *connection, const char *end)
{
    pthread_mutex_lock(&connection->end_lock);
    if (connection->end[0] == '\0')
        snprintf(connection->end, sizeof connection->end, "%s", end);
    pthread_cond_broadcast(&connection->end_is_known);
    pthread_mutex_unlock(&connection->end_lock);
}

bool hy_connection_knows_end(struct hy_connection *connection)
{
    pthread_mutex_lock(&connection->end_lock);
    const bool is_known = connection->end[0] != '\0';
    pthread_mutex_unlock(&connection->end_lock);
    return is_known;
}

/* The parent of a shared service reports how the process ended, if the parent is alive. The kernel
 * reports the end, and only sometimes the cause. */
static bool await_service_end(const struct hy_connection *connection, struct hy_process_end *ret)
{
    const int milliseconds = connection->end_page < 0 ? END_MS : 0;

    return hy_end_page_await(connection->end_page, END_MS, ret) ||
           hy_process_end_await(connection->service_pidfd, 0, milliseconds, ret);
}

void hy_connection_ask_end(const struct hy_connection *connection, char *text, size_t size)
{
    const bool is_shared = hy_host_process_is_shared(connection->process);
    const int pidfd =
        is_shared ? connection->service_pidfd : hy_host_process_pidfd(connection->process);
    struct hy_process_end end;

    if (is_shared ? await_service_end(connection, &end)
                  : hy_process_end_await(pidfd, connection->pid, END_MS, &end))
        hy_process_end_describe(&end, text, size);
    else
        snprintf(text, size, "%s",
                 pidfd < 0 ? "ended or closed the connection" : "closed the connection");
}

void hy_connection_await_end(struct hy_connection *connection, int64_t milliseconds)
{
    const struct timespec until = hy_clock_wait_end(milliseconds * HY_MILLISECOND);
    int waited = 0;

    pthread_mutex_lock(&connection->end_lock);
    while (connection->end[0] == '\0' && waited == 0)
        waited = pthread_cond_clockwait(&connection->end_is_known, &connection->end_lock,
                                        CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&connection->end_lock);
}

void hy_connection_end(struct hy_connection *connection, char *text, size_t size)
{
    hy_connection_await_end(connection, KNOWN_MS);
    pthread_mutex_lock(&connection->end_lock);
    snprintf(text, size, "%s %s", connection->whose,
             connection->end[0] ? connection->end : "closed the connection");
    pthread_mutex_unlock(&connection->end_lock);
}

/* ---- What it was at -------------------------------------------------------------------------- */

/* Appends to " during execute, prepare", each call once. Calls without space are omitted. */
static void add(char *text, size_t size, const char *call)
{
    const size_t used = strlen(text);

    if (!strstr(text, call))
        snprintf(text + used, size - used, "%s%s", used == 0 ? " during " : ", ", call);
}

void hy_connection_calls(struct hy_connection *connection, char *text, size_t size)
{
    const struct hy_channel *channel;

    text[0] = '\0';
    pthread_mutex_lock(&connection->lock);
    LIST_FOREACH (channel, &connection->all, entry) {
        const uint32_t kind = atomic_load_explicit(&channel->kind, memory_order_relaxed);
        if (kind != 0)
            add(text, size, hy_wire_kind_name(kind));
    }
    if (connection->burst_events && connection->burst_events->are_running(connection))
        add(text, size, "burst_execute");
    pthread_mutex_unlock(&connection->lock);
}
