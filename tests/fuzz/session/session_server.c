#include "session_server.h"

#include "common/sigbus_guard.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/server_channel.h"
#include "plugins/service/server/watcher.h"
#include "session_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void complain(const char *what)
{
    fprintf(stderr, "session_server: %s\n", what);
    abort();
}

/* The linker puts this in the place of the real one: this process outlives its clients. */
bool __wrap_hy_server_watch(int control);

bool __wrap_hy_server_watch(int control)
{
    (void)control;
    return true;
}

/* ---- The driver's host ----------------------------------------------------------------------- */

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context;
    (void)level;
    (void)text;
}

/* The server has mapped all that comes over the wire. */
static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)context;
    if ((pool->protection & protection) != protection || !pool->address)
        return HY_STATUS_INVALID_ARGUMENT;
    *address = pool->address;
    return HY_STATUS_OK;
}

static uint32_t worker_count(void *context)
{
    (void)context;
    return 1;
}

static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
}

static const struct hy_host host = {
    .struct_size = sizeof host,
    .abi = HY_DRIVER_ABI,
    .log = receive_line,
    .map = map,
    .worker_count = worker_count,
    .parallel = parallel,
};

static const struct hy_host *create_host(void)
{
    return &host;
}

static bool note_device(const struct hy_host *face, const char *driver,
                        const struct hy_device_info *info)
{
    (void)face;
    (void)driver;
    (void)info;
    return true;
}

static void do_nothing(const struct hy_host *face)
{
    (void)face;
}

static const struct hy_plugin_hosts hosts = {
    .common = &host,
    .create = create_host,
    .note_device = note_device,
    .complete = do_nothing,
    .end_tasks = do_nothing,
    .destroy = do_nothing,
};

/* ---- The driver ------------------------------------------------------------------------------ */

static void confine(void *context, const struct hy_serve_driver *driver)
{
    (void)context;
    (void)driver;
}

static const char *describe_sandbox(void *context)
{
    (void)context;
    return "none: a test";
}

static struct hy_server_driver *open_driver(void)
{
    static struct hy_server_driver driver;
    static struct hy_serve serve = {
        .control = -1,
        .hosts = &hosts,
        .end_page = -1,
        .confine = confine,
        .confine_further = confine,
        .describe_sandbox = describe_sandbox,
    };
    const struct hy_serve_driver what = {.library = "", .arguments = "{}"};
    struct hy_error err = {0};

    if (driver.serve)
        return &driver;
    serve.built_in = session_driver();
    driver.serve = &serve;
    if (hy_sigbus_guard_install(&err) != HY_OK ||
        hy_server_driver_open(&driver, &what, &err) != HY_OK)
        complain(err.text);
    return &driver;
}

/* ---- One client ------------------------------------------------------------------------------ */

static pthread_t thread;

static void *serve_one(void *argument)
{
    struct hy_server *server = argument;

    (void)hy_server_act_for(server);
    (void)hy_server_talk(server);
    if (!hy_server_channels_end(server, 10 * HY_SERVER_GRACE_MS))
        complain("a call does not come to its end");
    hy_server_finish(server);
    hy_server_put(server);
    return NULL;
}

void session_server_start(int control)
{
    struct hy_server *server = calloc(1, sizeof *server);

    if (!server)
        complain("no memory");
    hy_server_init(server, open_driver(), control);
    hy_server_act_for_one(server);
    if (pthread_create(&thread, NULL, serve_one, server) != 0)
        complain("no thread");
}

void session_server_join(void)
{
    pthread_join(thread, NULL);
}
