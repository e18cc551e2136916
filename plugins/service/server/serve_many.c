/* A driver with many clients. After HELLO and OPEN each client has a thread for its control socket,
 * and shares its user's quota with the user's other clients. */
#include "common/clock.h"
#include "common/list.h"
#include "common/sigbus_guard.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/clients/accept_channel.h"
#include "plugins/service/server/clients/pending_clients.h"
#include "plugins/service/server/host.h"
#include "plugins/service/server/server_channel.h"
#include "plugins/service/server/threads.h"
#include "plugins/service/server/watcher.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Static, because hung threads may use the state until the process ends. */
static struct {
    struct hy_server_driver driver;
    struct hy_server_quota quotas;
    struct hy_pending_clients pending_clients; /* used only by the main thread */

    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t has_left;
    LIST_HEAD(, hy_server) clients;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_left = PTHREAD_COND_INITIALIZER};

static void note(const struct hy_server *server, const char *what)
{
    char line[160];

    snprintf(line, sizeof line, "%s %s", server->quotas.whose, what);
    hy_serve_note(HY_LOG_INFO, line);
}

/* Memory still allocated is released later by a waiting task of the driver, or never. */
static void note_leaving(const struct hy_server *server)
{
    const uint64_t left = atomic_load(&server->quotas.used[HY_SERVER_QUOTA_ALLOCATED]);
    char what[80] = "has left";

    if (left > 0)
        snprintf(what, sizeof what, "has left, %" PRIu64 " of its bytes are still allocated", left);
    note(server, what);
}

/* ---- One client ------------------------------------------------------------------------------ */

static void leave(struct hy_server *server)
{
    pthread_mutex_lock(&shared.lock);
    LIST_REMOVE(server, entry);
    pthread_cond_signal(&shared.has_left);
    pthread_mutex_unlock(&shared.lock);
}

/* A hung driver call keeps only the resources of its own client. */
static void *serve(void *context)
{
    struct hy_server *server = context;

    (void)hy_server_act_for(server);
    hy_server_converse(server);
    (void)hy_server_channels_end(server, -1);
    hy_server_finish(server);
    hy_server_quota_release(&server->user->quotas, HY_SERVER_QUOTA_CLIENTS, 1);
    note_leaving(server); /* capacity for another client is free */
    leave(server);
    hy_server_put(server);
    return NULL;
}

static struct hy_server *create(int fd, struct hy_error *err)
{
    struct hy_server *server = calloc(1, sizeof *server);
    char whose[sizeof server->quotas.whose];
    uid_t user = 0;
    pid_t pid = 0;
    if (!server) {
        close(fd);
        (void)hy_fail(err, HY_OUT_OF_MEMORY, "a client");
        return NULL;
    }

    hy_server_init(server, &shared.driver, fd);
    if (hy_accept_channel_peer(fd, &user, &pid))
        server->user = hy_server_user_find(&shared.driver, user, &shared.quotas);
    else
        (void)hy_fail(err, HY_FAILED, "the user of the client cannot be found");
    if (!server->user) {
        (void)hy_fail(err, HY_OUT_OF_MEMORY, "a client of user %u", (unsigned)user);
        return server;
    }
    snprintf(whose, sizeof whose, "process %d of user %u", (int)pid, (unsigned)user);
    hy_server_quota_init(&server->quotas, HY_SERVER_QUOTA_CLIENT, &server->user->quotas, whose);
    return server;
}

/* Discards all unread input. Closing a socket with unread input would give the peer an error
 * instead of the last messages. */
static void stop_listening(const struct hy_server *server)
{
    char byte;

    (void)shutdown(server->control.fd, SHUT_RD);
    while (recv(server->control.fd, &byte, sizeof byte, MSG_DONTWAIT) > 0)
        ;
}

/* Disconnects a client with a reason. The reason is the reply to the client's first call of any
 * kind. */
static void reject(struct hy_server *server, const char *reason)
{
    const struct hy_frame_header call = {.kind = HY_WIRE_HELLO};
    struct hy_error ignored;

    stop_listening(server);
    hy_reply_fail(&server->control_frame, &call, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, reason);
    (void)!hy_frame_send(&server->control, &server->control_frame, 0, &ignored);
    hy_server_finish(server);
    hy_server_put(server);
}

/* Checks the capacity for another client before its HELLO, without claiming the capacity. */
static bool has_capacity(struct hy_server_user *user, struct hy_error *err)
{
    if (hy_server_quota_charge(&user->quotas, HY_SERVER_QUOTA_CLIENTS, 1, err) != HY_OK)
        return false;
    hy_server_quota_release(&user->quotas, HY_SERVER_QUOTA_CLIENTS, 1);
    return true;
}

static enum hy_code admit(struct hy_server *server, struct hy_error *err)
{
    enum hy_code code =
        hy_server_quota_charge(&server->user->quotas, HY_SERVER_QUOTA_CLIENTS, 1, err);

    server->is_counted = code == HY_OK;
    return code;
}

/* Disconnects a newcomer. With a `reason` the newcomer gets the reason as a reply; otherwise its
 * last message has been answered already. */
static void dismiss(struct hy_server *server, const char *reason)
{
    if (server->is_counted)
        hy_server_quota_release(&server->user->quotas, HY_SERVER_QUOTA_CLIENTS, 1);
    if (reason) {
        note(server, reason);
        reject(server, reason);
        return;
    }
    stop_listening(server);
    hy_server_finish(server);
    hy_server_put(server);
}

static void enter(struct hy_server *server)
{
    pthread_t thread;

    note(server, "has come");
    atomic_fetch_add(&shared.driver.serve->tally->clients, 1);
    pthread_mutex_lock(&shared.lock);
    LIST_INSERT_HEAD(&shared.clients, server, entry);
    pthread_mutex_unlock(&shared.lock);
    if (!hy_server_thread_start(&thread, serve, server)) {
        leave(server);
        hy_server_give_up(server, "the service cannot start a thread");
        dismiss(server, NULL);
        return;
    }
    pthread_detach(thread);
}

static void receive(int fd)
{
    struct hy_error err = {0};
    struct hy_server *server = create(fd, &err);
    if (!server) {
        hy_serve_note(HY_LOG_WARNING, err.text);
        return;
    }

    server->admit = admit;
    if (server->user && has_capacity(server->user, &err))
        hy_pending_clients_add(&shared.pending_clients, server);
    else
        reject(server, err.text);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool is_deserted(void)
{
    pthread_mutex_lock(&shared.lock);
    const bool is_empty = LIST_EMPTY(&shared.clients) && shared.pending_clients.count == 0;
    pthread_mutex_unlock(&shared.lock);
    return is_empty;
}

static void serve_accept_channel(int accept_channel, uint32_t idle_seconds)
{
    const int wait = idle_seconds == 0 ? -1 : (int)idle_seconds * 1000;
    int client = -1;

    for (;;) {
        if (!hy_pending_clients_wait(&shared.pending_clients, accept_channel, wait)) {
            if (is_deserted())
                return;
            continue;
        }
        switch (hy_accept_channel_accept(accept_channel, 0, &client)) {
        case HY_ACCEPT_CHANNEL_CLIENT:
            receive(client);
            break;
        case HY_ACCEPT_CHANNEL_IDLE:
            break;
        case HY_ACCEPT_CHANNEL_HUNG_UP:
            return;
        }
    }
}

/* With the lock held, so no client leaves during the loops. Returns false if some calls are still
 * running at `until`. */
static bool see_all_off(const struct timespec *until)
{
    struct hy_server *server;
    bool all = true;

    LIST_FOREACH (server, &shared.clients, entry) {
        hy_server_notify_end(server, "the service ends");
        hy_server_channels_drain(server);
    }
    LIST_FOREACH (server, &shared.clients, entry)
        all &= hy_server_channels_await(server, until);
    LIST_FOREACH (server, &shared.clients, entry) {
        if (all)
            hy_server_hang_up(server);
    }
    return all;
}

/* Waits for running calls, then disconnects all clients. Returns false if some calls hang in the
 * driver. Hung calls end with the process, and their clients stay connected until the process has
 * ended: a disconnected client relies on none of its work running any more. */
static bool end_all(void)
{
    const struct timespec until = hy_clock_wait_end(HY_SERVER_GRACE_MS * HY_MILLISECOND);

    pthread_mutex_lock(&shared.lock);
    int waited = see_all_off(&until) ? 0 : ETIMEDOUT;
    while (!LIST_EMPTY(&shared.clients) && waited == 0)
        waited = pthread_cond_clockwait(&shared.has_left, &shared.lock, CLOCK_MONOTONIC, &until);
    const bool all = LIST_EMPTY(&shared.clients);
    pthread_mutex_unlock(&shared.lock);
    return all;
}

static void log_start(void)
{
    const struct hy_server_driver *driver = &shared.driver;
    const struct hy_device_info *info = &driver->devices[0].info;
    char line[512], more[32] = "";

    if (driver->device_count > 1)
        snprintf(more, sizeof more, " and %u more", driver->device_count - 1);
    snprintf(line, sizeof line,
             "serves %.64s (%.64s%s: version %.64s, build %.64s) at %.128s, in process %d",
             hy_server_driver_name(driver), info->name, more, info->version,
             info->build_id ? info->build_id : "", driver->serve->listen_address, (int)getpid());
    hy_serve_note(HY_LOG_INFO, line);
}

int hy_serve_many(const struct hy_serve *serve, const struct hy_serve_driver *what,
                  uint32_t idle_seconds)
{
    struct hy_error err;

    shared.driver.serve = serve;
    shared.pending_clients.enter = enter;
    shared.pending_clients.dismiss = dismiss;
    hy_server_quota_init(&shared.quotas, HY_SERVER_QUOTA_SERVICE, NULL, "the service");
    hy_server_quota_limit_memory(serve->memory_limit, false);
    shared.driver.quotas = &shared.quotas;
    enum hy_code code = hy_sigbus_guard_install(&err);
    if (code == HY_OK)
        code = hy_server_driver_open(&shared.driver, what, &err);
    if (code != HY_OK) {
        hy_serve_note(HY_LOG_ERROR, err.text);
        return 1;
    }
    log_start();
    if (hy_accept_channel_send_open(serve->control))
        serve_accept_channel(serve->control, idle_seconds);
    hy_pending_clients_dismiss_all(&shared.pending_clients, "the service ends");
    if (!end_all())
        _exit(0);
    hy_server_driver_close(&shared.driver);
    return 0;
}
