/* Functions of a client for all threads: references, and messages to the client. */
#include "plugins/service/server/parts.h"

#include "common/clock.h"
#include "plugins/service/wire/session.h"

#include <sys/socket.h>

/* Maximum time in ns for the client to read a message. */
#define SEND_NS INT64_C(10000000000)

/* Ignores failures: the thread that reads from the client notices a disconnect. */
void hy_server_send(struct hy_server *server)
{
    struct hy_error ignored;

    (void)!hy_frame_send(&server->control, &server->control_frame, hy_clock_deadline(SEND_NS),
                         &ignored);
}

static void pack_bye(struct hy_server *server, uint64_t kind, const char *reason)
{
    hy_outgoing_begin(&server->control_frame, HY_WIRE_BYE, kind);
    hy_pack_text(&server->control_frame.body, reason);
}

void hy_server_give_up(struct hy_server *server, const char *reason)
{
    pthread_mutex_lock(&server->control_lock);
    pack_bye(server, HY_WIRE_BYE_HANG_UP, reason);
    hy_server_send(server);
    (void)shutdown(server->control.fd, SHUT_RDWR);
    pthread_mutex_unlock(&server->control_lock);
}

void hy_server_notify_end(struct hy_server *server, const char *reason)
{
    struct hy_error ignored;

    pthread_mutex_lock(&server->control_lock);
    pack_bye(server, HY_WIRE_BYE_END, reason);
    (void)!hy_frame_send(&server->control, &server->control_frame, 0, &ignored);
    pthread_mutex_unlock(&server->control_lock);
}

void hy_server_hang_up(struct hy_server *server)
{
    pthread_mutex_lock(&server->control_lock);
    (void)shutdown(server->control.fd, SHUT_RDWR);
    pthread_mutex_unlock(&server->control_lock);
}

void hy_server_hold(struct hy_server *server)
{
    if (!server)
        return;
    pthread_mutex_lock(&server->lock);
    server->references++;
    pthread_mutex_unlock(&server->lock);
}

void hy_server_put(struct hy_server *server)
{
    if (!server)
        return;
    pthread_mutex_lock(&server->lock);
    const bool is_last = --server->references == 0;
    pthread_mutex_unlock(&server->lock);
    if (!is_last)
        return;
    server->destroy(server);
}
