#include "plugins/service/server/host.h"
#include "common/printable.h"

#include "common/log_quota.h"
#include "plugins/service/server/acting.h"
#include "plugins/service/server/quota.h"
#include "plugins/service/server/restore.h"
#include "plugins/service/wire/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* How long a line for the log may wait for the client to read. */
#define LINE_NS INT64_C(100000000)

static struct hy_server_driver *hosted; /* NULL: none yet */

/* ---- Log ------------------------------------------------------------------------------------- */

static int64_t in_a_moment(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + LINE_NS;
}

static bool send_line(struct hy_server *server, int32_t level, const char *text)
{
    struct hy_error err;
    bool is_sent = false;

    pthread_mutex_lock(&server->control_lock);
    if (server->control.fd >= 0) {
        hy_outgoing_begin(&server->control_frame, HY_WIRE_LOG, 0);
        hy_log_line_pack(&server->control_frame.body, level, text);
        is_sent =
            hy_frame_send(&server->control, &server->control_frame, in_a_moment(), &err) == HY_OK;
    }
    pthread_mutex_unlock(&server->control_lock);
    return is_sent;
}

void hy_serve_note(int32_t level, const char *text)
{
    struct hy_server *client = hy_server_only_one();

    if (hosted && hosted->serve->note)
        hosted->serve->note(level, text);
    else if (!client || !send_line(client, level, text))
        fprintf(stderr, "halyard-driverd: %s\n", text);
}

/* A client bounds what it is sent. A service with a log of its own does so here. */
static bool may_note(int32_t level)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct hy_log_quota quota;
    char line[HY_ERROR_TEXT_SIZE];
    uint32_t left_out = 0;

    if (!hosted || !hosted->serve->note)
        return true;
    pthread_mutex_lock(&lock);
    const enum hy_log_verdict verdict = hy_log_quota_claim(&quota, level, in_a_moment(), &left_out);
    pthread_mutex_unlock(&lock);
    if (left_out > 0) {
        snprintf(line, sizeof line, "%u lines of the driver were left out of the log", left_out);
        hosted->serve->note(level, line);
    }
    if (verdict == HY_LOG_WRITE_LAST) {
        snprintf(line, sizeof line, "%u lines of the driver in a second: more are left out",
                 HY_LOG_LINES_PER_SECOND);
        hosted->serve->note(level, line);
    }
    return verdict != HY_LOG_LEAVE_OUT;
}

void hy_serve_log(int32_t level, const char *text)
{
    struct hy_server *client = hy_server_acting();

    if ((!client || !send_line(client, level, text)) && may_note(level))
        hy_serve_note(level, text);
}

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

static void run_later(void *context)
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
    struct later *kept = malloc(sizeof *kept);
    (void)context;
    if (!kept)
        return HY_STATUS_GENERAL_FAILURE;

    *kept = (struct later){.task = task, .argument = argument, .server = hy_server_acting()};
    hy_server_hold(kept->server);
    const int32_t status = inner->later(inner->context, run_later, kept);
    if (status != HY_STATUS_OK) {
        hy_server_put(kept->server);
        free(kept);
    }
    return status;
}

/* ---- Parallel -------------------------------------------------------------------------------- */

struct shared_work {
    void (*task)(void *argument, uint32_t index);
    void *argument;
    struct hy_server *server;
};

static void run_share(void *context, uint32_t index)
{
    const struct shared_work *work = context;

    struct hy_server *before = hy_server_act_for(work->server);
    work->task(work->argument, index);
    (void)hy_server_act_for(before);
}

/* A worker acts for whom the caller acts. */
static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    const struct hy_host *inner = hosted->inner;
    struct shared_work work = {task, argument, hy_server_acting()};

    (void)context;
    if (hy_server_only_one())
        inner->parallel(inner->context, count, task, argument);
    else
        inner->parallel(inner->context, count, run_share, &work);
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
    hosts.common = driver->serve->hosts->common;
    return &hosts;
}
