/* The session of a client: messages over the control socket, and the client's resources. */
#include "plugins/abi.h"
#include "plugins/service/server/clients/quota.h"
#include "plugins/service/server/parts.h"
#include "plugins/service/server/server_channel.h"
#include "plugins/service/wire/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- The first words ------------------------------------------------------------------------- */

static void send_hello(struct hy_server *server)
{
    const int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    const struct hy_hello hello = {.abi = HY_DRIVER_ABI,
                                   .pid = (int32_t)getpid(),
                                   .pidfd = pidfd,
                                   .end_page = server->driver->serve->end_page};

    pthread_mutex_lock(&server->control_lock);
    hy_reply_begin(&server->control_frame, &server->received.header, 0);
    hy_hello_pack(&server->control_frame.body, &hello);
    hy_server_send(server);
    pthread_mutex_unlock(&server->control_lock);
    if (pidfd >= 0)
        close(pidfd);
}

static bool receive(struct hy_server *server, int64_t deadline)
{
    struct hy_error err;

    return hy_frame_receive(&server->control, &server->received, deadline, &err) == HY_OK;
}

static void reply_failure(struct hy_server *server, int32_t status, const char *text)
{
    pthread_mutex_lock(&server->control_lock);
    hy_reply_fail(&server->control_frame, &server->received.header, status, text);
    hy_server_send(server);
    pthread_mutex_unlock(&server->control_lock);
}

static bool check_hello(struct hy_server *server)
{
    struct hy_hello hello = {0};
    struct hy_unpack in;
    struct hy_error err;

    hy_incoming_unpack(&server->received, &server->arena, &in, &err);
    hy_hello_unpack(&in, &hello);
    if (hy_unpack_end(&in) == HY_OK &&
        hy_abi_check("the driver ABI of the app is", hello.abi, &err) == HY_OK)
        return true;
    reply_failure(server, HY_STATUS_GENERAL_FAILURE, err.text);
    return false;
}

static bool admit(struct hy_server *server)
{
    struct hy_error err;

    if (!server->admit || server->admit(server, &err) == HY_OK)
        return true;
    reply_failure(server, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, err.text);
    return false;
}

enum hy_server_handshake_state hy_server_handshake(struct hy_server *server, int64_t deadline)
{
    const enum hy_wire_kind kind = server->has_hello ? HY_WIRE_OPEN : HY_WIRE_HELLO;

    if (!receive(server, deadline) || server->received.header.kind != (uint32_t)kind)
        return HY_SERVER_HANDSHAKE_FAILED;
    if (server->has_hello)
        return admit(server) && hy_server_open(server) ? HY_SERVER_HANDSHAKE_DONE
                                                       : HY_SERVER_HANDSHAKE_FAILED;
    if (!check_hello(server))
        return HY_SERVER_HANDSHAKE_FAILED;
    send_hello(server);
    server->has_hello = true;
    return HY_SERVER_HANDSHAKE_CONTINUES;
}

/* ---- The control socket ---------------------------------------------------------------------- */

static bool add_channel(struct hy_server *server)
{
    struct hy_unpack in;
    struct hy_error err;

    hy_incoming_unpack(&server->received, &server->arena, &in, &err);
    const int fd = hy_unpack_fd(&in);
    if (hy_unpack_end(&in) != HY_OK || !hy_socket_is_one(fd))
        return false;
    hy_incoming_claim_fd(&server->received, fd);

    /* If the client has too many channels, the new socket is closed, which the client notices. */
    (void)hy_server_channel_start(server, fd);
    return true;
}

/* Returns false if the message breaks the protocol. */
static bool handle_message(struct hy_server *server)
{
    const uint32_t kind = server->received.header.kind;

    switch (kind) {
    case HY_WIRE_DESCRIBE:
        hy_server_describe(server);
        return true;
    case HY_WIRE_CHANNEL:
        return add_channel(server);
    case HY_WIRE_MEMORY_DROP:
        hy_server_memories_drop(&server->memories, server->received.header.object);
        return true;
    default:
        if (!(kind & HY_WIRE_REPLY))
            return false;
        hy_server_ask_complete(server);
        return true;
    }
}

void hy_server_converse(struct hy_server *server)
{
    while (receive(server, HY_NO_DEADLINE)) {
        if (!handle_message(server)) {
            hy_server_give_up(server, "invalid message from the client");
            break;
        }
    }
    hy_server_channels_cancel(server);
    hy_server_asks_end(&server->asks);
}

bool hy_server_talk(struct hy_server *server)
{
    enum hy_server_handshake_state handshake;

    do
        handshake = hy_server_handshake(server, HY_NO_DEADLINE);
    while (handshake == HY_SERVER_HANDSHAKE_CONTINUES);
    if (handshake == HY_SERVER_HANDSHAKE_DONE)
        hy_server_converse(server);
    else
        hy_server_asks_end(&server->asks); /* calls of a driver whose opening has failed */
    return handshake == HY_SERVER_HANDSHAKE_DONE;
}

/* ---- Start and end --------------------------------------------------------------------------- */

/* Notifies drivers that cache memory by its id. */
static void memory_gone(void *context, uint64_t pool_id)
{
    const struct hy_server_driver *driver = context;

    for (uint32_t i = 0; i < driver->device_count; i++) {
        const struct hy_server_device *device = &driver->devices[i];
        if (device->table.memory_gone)
            device->table.memory_gone(device->device, pool_id);
    }
}

static enum hy_code charge_bytes(void *context, uint64_t bytes, struct hy_error *err)
{
    return hy_server_quota_charge(context, HY_SERVER_QUOTA_BODIES, bytes, err);
}

static void release_bytes(void *context, uint64_t bytes)
{
    hy_server_quota_release(context, HY_SERVER_QUOTA_BODIES, bytes);
}

static void destroy(struct hy_server *server)
{
    hy_server_user_release(server->driver, server->user);
    hy_server_asks_finish(&server->asks);
    pthread_mutex_destroy(&server->memories.lock);
    pthread_mutex_destroy(&server->objects.lock);
    pthread_mutex_destroy(&server->control_lock);
    pthread_mutex_destroy(&server->lock);
    pthread_cond_destroy(&server->channel_has_ended);
    free(server);
}

void hy_server_init(struct hy_server *server, struct hy_server_driver *driver, int control)
{
    memset(server, 0, sizeof *server);
    server->driver = driver;
    server->references = 1;
    server->destroy = destroy;
    hy_server_quota_init(&server->quotas, HY_SERVER_QUOTA_CLIENT, NULL, "the client");
    server->arena = hy_server_arena(&server->quotas);
    server->bodies = (struct hy_body_budget){&server->quotas, charge_bytes, release_bytes};
    server->memories.quotas = server->objects.quotas = &server->quotas;
    server->memories.gone = memory_gone;
    server->memories.context = driver;
    server->objects.memories = &server->memories;
    hy_server_asks_init(&server->asks);
    pthread_mutex_init(&server->memories.lock, NULL);
    pthread_mutex_init(&server->objects.lock, NULL);
    pthread_mutex_init(&server->control_lock, NULL);
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->channel_has_ended, NULL);
    hy_socket_init(&server->control, control);
    hy_outgoing_init(&server->control_frame);
    hy_incoming_init(&server->received);
    server->received.budget = &server->bodies;
}

void hy_server_finish(struct hy_server *server)
{
    hy_server_objects_finish(&server->objects);
    hy_server_memories_finish(&server->memories);
    pthread_mutex_lock(&server->control_lock);
    hy_socket_finish(&server->control);
    hy_outgoing_finish(&server->control_frame);
    hy_incoming_finish(&server->received);
    pthread_mutex_unlock(&server->control_lock);
    hy_arena_finish(&server->arena);
}
