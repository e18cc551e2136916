#include "plugins/service/client/connection/from_host.h"

#include "common/clock.h"
#include "common/list.h"
#include "common/printable.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 /* of a log line; longer lines are truncated */ };

/* An open cache update of the process, with its number in the process. */
struct hy_begun_update {
    uint64_t number;
    void *update; /* the host's update object */
    LIST_ENTRY(hy_begun_update) entry;
};

static struct hy_outgoing *begin_reply(struct hy_connection *connection)
{
    pthread_mutex_lock(&connection->control_lock);
    return &connection->control_frame;
}

/* Runs on the thread that watches all processes, and so never waits for one process. A process that
 * does not read its replies is killed. */
static void send_reply(struct hy_connection *connection)
{
    struct hy_error err;

    const enum hy_code code =
        hy_frame_send(&connection->control, &connection->control_frame, 0, &err);
    pthread_mutex_unlock(&connection->control_lock);
    if (code == HY_MISSED_DEADLINE)
        hy_connection_kill(connection, "the process does not read the replies to its requests");
}

/* Sends a reply with a status only. */
static void reply_status(struct hy_connection *connection, const struct hy_frame_header *call,
                         int32_t status)
{
    struct hy_outgoing *reply = begin_reply(connection);

    if (status == HY_STATUS_OK)
        hy_reply_begin(reply, call, call->object);
    else
        hy_reply_fail(reply, call, status, NULL);
    send_reply(connection);
}

/* ---- Log ------------------------------------------------------------------------------------- */

static void log_left_out(const struct hy_connection *connection, int32_t level, uint32_t count)
{
    char text[HY_ERROR_TEXT_SIZE];

    if (count == 0)
        return;
    snprintf(text, sizeof text, "%s: %s: %u lines were dropped from the log",
             connection->driver_name, connection->whose, count);
    connection->host->log(connection->host->context, level, text);
}

/* Limits the number of log lines, as the process may send any number. */
static void write_line(struct hy_connection *connection, int32_t level, const char *text)
{
    const struct hy_host *host = connection->host;
    char line[LINE_BYTES];
    uint32_t left_out = 0;

    const enum hy_log_decision decision =
        hy_log_quota_claim(&connection->log_quota, level, hy_clock_boot(), &left_out);
    log_left_out(connection, level, left_out);
    if (decision == HY_LOG_LEAVE_OUT)
        return;
    snprintf(line, sizeof line, "%s", text);
    host->log(host->context, level, line);
    if (decision == HY_LOG_WRITE)
        return;
    snprintf(line, sizeof line, "%s: %s: %u lines in a second; further lines are dropped",
             connection->driver_name, connection->whose, HY_LOG_LINES_PER_SECOND);
    host->log(host->context, level, line);
}

static enum hy_code handle_log_line(struct hy_connection *connection, struct hy_unpack *in)
{
    struct hy_log_line line = {0};

    hy_log_line_unpack(in, &line);
    enum hy_code code = hy_unpack_end(in);
    if (code == HY_OK)
        write_line(connection, line.level, line.text);
    return code;
}

static enum hy_code handle_farewell(struct hy_connection *connection,
                                    const struct hy_frame_header *message, struct hy_unpack *in)
{
    const bool is_end = message->object == HY_WIRE_BYE_END;
    const char *reason = hy_unpack_text(in);
    char text[HY_ERROR_TEXT_SIZE];

    enum hy_code code = hy_unpack_end(in);
    if (code != HY_OK)
        return code;
    snprintf(text, sizeof text, "%s: %s ends: %s", connection->driver_name, connection->whose,
             reason);
    write_line(connection, is_end ? HY_LOG_INFO : HY_LOG_WARNING, text);
    snprintf(text, sizeof text, "closed the connection: %s", reason);
    hy_text_clean(text);
    const bool is_shared = hy_host_process_is_shared(connection->process);
    if (is_end && is_shared)
        hy_connection_note_farewell(connection);
    else
        atomic_store_explicit(&connection->is_let_go, is_shared, memory_order_release);
    hy_connection_note_end(connection, text); /* last: wakes threads that read the rest */
    return HY_OK;
}

static enum hy_code handle_enters(struct hy_connection *connection, struct hy_unpack *in)
{
    const char *call = hy_unpack_text(in);

    enum hy_code code = hy_unpack_end(in);
    if (code != HY_OK)
        return code;
    snprintf(connection->opening, sizeof connection->opening, "%s", call);
    hy_text_clean(connection->opening);
    return HY_OK;
}

/* ---- Updates of cache entries ---------------------------------------------------------------- */

/* Finds the file counts of the device with cache files. The first such device counts, as a driver
 * that caches has one device. */
static void count_files(const struct hy_connection *connection, uint32_t *model, uint32_t *data)
{
    *model = *data = 0;
    for (uint32_t i = 0; i < connection->hello_info.device_count && *model + *data == 0; i++) {
        *model = connection->hello_info.devices[i].info.model_cache_files;
        *data = connection->hello_info.devices[i].info.data_cache_files;
    }
    if (*model > HY_MAX_CACHE_FILES || *data > HY_MAX_CACHE_FILES)
        *model = *data = 0;
}

static int32_t begin_update(struct hy_connection *connection, const uint8_t *token,
                            struct hy_cache_update *report, int32_t *model, int32_t *data)
{
    const struct hy_host *host = connection->host;
    struct hy_begun_update *begun = calloc(1, sizeof *begun);
    int32_t status = HY_STATUS_GENERAL_FAILURE;

    count_files(connection, &report->model_count, &report->data_count);
    if (begun && HY_HAS(host, cache_begin) && report->model_count + report->data_count > 0)
        status = host->cache_begin(host->context, token, model, data, &begun->update);
    if (status != HY_STATUS_OK) {
        free(begun);
        return status;
    }
    begun->number = ++connection->update_count;
    LIST_INSERT_HEAD(&connection->updates, begun, entry);
    report->update = begun->number;
    return HY_STATUS_OK;
}

static enum hy_code handle_begin(struct hy_connection *connection,
                                 const struct hy_frame_header *call, struct hy_unpack *in)
{
    int32_t model[HY_MAX_CACHE_FILES], data[HY_MAX_CACHE_FILES];
    struct hy_cache_update report = {.model = model, .data = data};
    struct hy_cache_token token = {0};

    hy_cache_token_unpack(in, &token);
    enum hy_code code = hy_unpack_end(in);
    if (code != HY_OK)
        return code;
    const int32_t status = begin_update(connection, token.token, &report, model, data);
    if (status != HY_STATUS_OK) {
        reply_status(connection, call, status);
        return HY_OK;
    }
    struct hy_outgoing *reply = begin_reply(connection);
    hy_reply_begin(reply, call, call->object);
    hy_cache_update_pack(&reply->body, &report);
    send_reply(connection);
    return HY_OK;
}

/* Removes the update from the list. NULL: no update has this number. */
static void *find_update(struct hy_connection *connection, uint64_t number)
{
    struct hy_begun_update *found;
    LIST_FOREACH (found, &connection->updates, entry) {
        if (found->number == number)
            break;
    }
    if (!found)
        return NULL;
    void *update = found->update;
    LIST_REMOVE(found, entry);
    free(found);
    return update;
}

static enum hy_code handle_commit(struct hy_connection *connection,
                                  const struct hy_frame_header *call, struct hy_unpack *in)
{
    const struct hy_host *host = connection->host;
    struct hy_cache_commit commit = {0};

    hy_cache_commit_unpack(in, &commit);
    enum hy_code code = hy_unpack_end(in);
    if (code != HY_OK)
        return code;
    void *update = find_update(connection, commit.update);
    reply_status(connection, call,
                 update ? host->cache_commit(host->context, update, commit.keep)
                        : HY_STATUS_INVALID_ARGUMENT);
    return HY_OK;
}

static enum hy_code handle_keep_open(struct hy_connection *connection,
                                     const struct hy_frame_header *call, struct hy_unpack *in)
{
    const struct hy_host *host = connection->host;
    struct hy_cache_token token = {0};

    hy_cache_token_unpack(in, &token);
    enum hy_code code = hy_unpack_end(in);
    if (code != HY_OK)
        return code;
    reply_status(connection, call,
                 HY_HAS(host, cache_keep_open) ? host->cache_keep_open(host->context, token.token)
                                               : HY_STATUS_GENERAL_FAILURE);
    return HY_OK;
}

/* ---- Files opened anew ----------------------------------------------------------------------- */

/* Accepts only descriptors of regular files that the process can read anyway. Refused are
 * descriptors that only name a file (O_PATH) or only write, and files for which opening has side
 * effects. */
static bool may_reopen(int fd)
{
    struct stat file_info;
    const int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_WRONLY &&
           fstat(fd, &file_info) == 0 && S_ISREG(file_info.st_mode);
}

static int reopen(int fd)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return may_reopen(fd) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
}

static enum hy_code handle_reopen(struct hy_connection *connection,
                                  const struct hy_frame_header *call, struct hy_unpack *in)
{
    const int fd = hy_unpack_fd(in);
    enum hy_code code = hy_unpack_end(in);
    if (code != HY_OK)
        return code;
    const int own = reopen(fd);
    if (own < 0) {
        reply_status(connection, call, HY_STATUS_GENERAL_FAILURE);
        return HY_OK;
    }
    struct hy_outgoing *reply = begin_reply(connection);
    hy_reply_begin(reply, call, call->object);
    hy_pack_fd(&reply->body, own);
    send_reply(connection);
    close(own);
    return HY_OK;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static enum hy_code handle(struct hy_connection *connection, struct hy_incoming *message,
                           struct hy_unpack *in, struct hy_error *err)
{
    switch (message->header.kind) {
    case HY_WIRE_LOG:
        return handle_log_line(connection, in);
    case HY_WIRE_BYE:
        return handle_farewell(connection, &message->header, in);
    case HY_WIRE_ENTERS:
        return handle_enters(connection, in);
    case HY_WIRE_CACHE_BEGIN:
        return handle_begin(connection, &message->header, in);
    case HY_WIRE_CACHE_COMMIT:
        return handle_commit(connection, &message->header, in);
    case HY_WIRE_CACHE_KEEP_OPEN:
        return handle_keep_open(connection, &message->header, in);
    case HY_WIRE_CACHE_REOPEN:
        return handle_reopen(connection, &message->header, in);
    default:
        return hy_fail(err, HY_BAD_DATA, "unexpected message %u (%s)", message->header.kind,
                       hy_wire_kind_name(message->header.kind));
    }
}

enum hy_code hy_from_host_handle(struct hy_connection *connection, struct hy_incoming *message,
                                 struct hy_error *err)
{
    struct hy_arena arena = {0};
    struct hy_unpack in;

    hy_incoming_unpack(message, &arena, &in, err);
    enum hy_code code = handle(connection, message, &in, err);
    hy_arena_finish(&arena);
    return code;
}

/* A hang-up is ignored here: the watch reports it. */
bool hy_from_host_receive(void *context)
{
    struct hy_connection *connection = context;
    struct hy_error err;

    enum hy_code code = hy_frame_receive(&connection->control, &connection->report, 0, &err);
    if (code == HY_OK)
        code = hy_from_host_handle(connection, &connection->report, &err);
    hy_incoming_clear(&connection->report);
    if (code == HY_BAD_DATA)
        hy_connection_kill(connection, err.text);
    return code == HY_OK;
}

void hy_from_host_finish(struct hy_connection *connection)
{
    for (int32_t level = HY_LOG_ERROR; level <= HY_LOG_DEBUG; level++)
        log_left_out(connection, level,
                     hy_log_quota_consume_left_out(&connection->log_quota, level));
    while (!LIST_EMPTY(&connection->updates)) {
        struct hy_begun_update *begun = LIST_FIRST(&connection->updates);
        LIST_REMOVE(begun, entry);
        (void)connection->host->cache_commit(connection->host->context, begun->update, 0);
        free(begun);
    }
}
