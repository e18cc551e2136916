/* Log lines about the service, and from its driver. */
#include "plugins/service/server/log.h"

#include "common/clock.h"
#include "common/log_quota.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/parts.h"
#include "plugins/service/wire/session.h"

#include <stdio.h>

/* Maximum time in ns for the client to read a log line. */
#define LINE_NS INT64_C(100000000)

static const struct hy_serve *served; /* NULL: no driver is hosted yet */

void hy_server_log_serve(const struct hy_serve *serve)
{
    served = serve;
}

static bool send_line(struct hy_server *server, int32_t level, const char *text)
{
    struct hy_error err;
    bool is_sent = false;

    pthread_mutex_lock(&server->control_lock);
    if (server->control.fd >= 0) {
        hy_outgoing_begin(&server->control_frame, HY_WIRE_LOG, 0);
        hy_log_line_pack(&server->control_frame.body, &(struct hy_log_line){level, text});
        is_sent = hy_frame_send(&server->control, &server->control_frame,
                                hy_clock_deadline(LINE_NS), &err) == HY_OK;
    }
    pthread_mutex_unlock(&server->control_lock);
    return is_sent;
}

void hy_serve_note(int32_t level, const char *text)
{
    struct hy_server *client = hy_server_only_one();

    if (served && served->note)
        served->note(level, text);
    else if (!client || !send_line(client, level, text))
        fprintf(stderr, "halyard-driverd: %s\n", text);
}

/* Limits log lines per second if the service has a log of its own; clients limit received lines
 * themselves. */
static bool may_note(int32_t level)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct hy_log_quota quota;
    char line[HY_ERROR_TEXT_SIZE];
    uint32_t left_out = 0;

    if (!served || !served->note)
        return true;
    pthread_mutex_lock(&lock);
    const enum hy_log_decision decision =
        hy_log_quota_claim(&quota, level, hy_clock_deadline(LINE_NS), &left_out);
    pthread_mutex_unlock(&lock);
    if (left_out > 0) {
        snprintf(line, sizeof line, "%u lines of the driver were dropped from the log", left_out);
        served->note(level, line);
    }
    if (decision == HY_LOG_WRITE_LAST) {
        snprintf(line, sizeof line, "%u lines of the driver in a second; further lines are dropped",
                 HY_LOG_LINES_PER_SECOND);
        served->note(level, line);
    }
    return decision != HY_LOG_LEAVE_OUT;
}

void hy_serve_log(int32_t level, const char *text)
{
    struct hy_server *client = hy_server_caller();

    if ((!client || !send_line(client, level, text)) && may_note(level))
        hy_serve_note(level, text);
}
