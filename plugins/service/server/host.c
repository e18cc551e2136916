#include "plugins/service/server/host.h"

#include "common/printable.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/calls/restore.h"
#include "plugins/service/server/clients/quota.h"
#include "plugins/service/server/log.h"

#include <stdlib.h>

static struct hy_server_driver *hosted; /* NULL: none yet */

/* ---- Log ------------------------------------------------------------------------------------- */

static void log_line(void *context, int32_t level, const char *text)
{
    (void)context;
    hy_serve_log(level, hy_text_line(text ? text : "(null)").text);
}

/* ---- Later ----------------------------------------------------------------------------------- */

struct later {
    void (*task)(void *argument);
    void *argument;
    struct hy_server *server; /* held, or NULL */
};

static void run_background(void *context)
{
    const struct later later = *(struct later *)context;

    free(context);
    struct hy_server *before = hy_server_act_for(later.server);
    later.task(later.argument);
    hy_server_act_for(before);
    hy_server_put(later.server);
}

static int32_t later(void *context, void (*task)(void *argument), void *argument)
{
    const struct hy_host *inner = hosted->inner;
    struct later *posted = malloc(sizeof *posted);
    (void)context;
    if (!posted)
        return HY_STATUS_GENERAL_FAILURE;

    *posted = (struct later){.task = task, .argument = argument, .server = hy_server_caller()};
    hy_server_hold(posted->server);
    const int32_t status = inner->later(inner->context, run_background, posted);
    if (status != HY_STATUS_OK) {
        hy_server_put(posted->server);
        free(posted);
    }
    return status;
}

/* ---- Parallel -------------------------------------------------------------------------------- */

struct shared_work {
    void (*task)(void *argument, uint32_t index);
    void *argument;
    struct hy_server *server;
};

static void run_parallel_task(void *context, uint32_t index)
{
    const struct shared_work *work = context;

    struct hy_server *before = hy_server_act_for(work->server);
    work->task(work->argument, index);
    (void)hy_server_act_for(before);
}

/* Workers run with the caller identity of the calling thread. */
static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    const struct hy_host *inner = hosted->inner;
    struct shared_work work = {task, argument, hy_server_caller()};

    (void)context;
    if (hy_server_only_one())
        inner->parallel(inner->context, count, task, argument);
    else
        inner->parallel(inner->context, count, run_parallel_task, &work);
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

static const struct hy_host *create(void)
{
    hosted->inner = hosted->serve->hosts->create();
    if (!hosted->inner)
        return NULL;
    hosted->host = *hosted->inner;
    hosted->host.log = log_line;
    if (HY_HAS(hosted->inner, later))
        hosted->host.later = later;
    hosted->host.parallel = parallel;
    hy_server_quota_fill(&hosted->host, hosted);
    hy_server_asks_fill(&hosted->host);
    hy_server_users_fill(&hosted->host, hosted->inner);
    hy_server_restore_fill(&hosted->host, hosted->inner);
    return &hosted->host;
}

static bool note_device(const struct hy_host *face, const char *driver,
                        const struct hy_device_info *info)
{
    (void)face;
    return hosted->serve->hosts->note_device(hosted->inner, driver, info);
}

static void complete(const struct hy_host *face)
{
    (void)face;
    hosted->serve->hosts->complete(hosted->inner);
}

static void end_tasks(const struct hy_host *face)
{
    (void)face;
    hosted->serve->hosts->end_tasks(hosted->inner);
}

static void destroy(const struct hy_host *face)
{
    if (face)
        hosted->serve->hosts->destroy(hosted->inner);
    hosted->inner = NULL;
}

const struct hy_plugin_hosts *hy_server_hosts(struct hy_server_driver *driver)
{
    static struct hy_plugin_hosts hosts = {
        .create = create,
        .note_device = note_device,
        .complete = complete,
        .end_tasks = end_tasks,
        .destroy = destroy,
    };

    hosted = driver;
    hy_server_log_serve(driver->serve);
    hosts.common = driver->serve->hosts->common;
    return &hosts;
}
