#include "plugins/service/client/connection/handshake.h"

#include "common/clock.h"
#include "common/printable.h"
#include "plugins/abi.h"
#include "plugins/service/client/connection/from_host.h"
#include "plugins/service/process/end_page.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/session.h"

#include <string.h>
#include <unistd.h>

/* Turns the error text of a failing reply into the error. */
static enum hy_code read_failure(struct hy_connection *connection, struct hy_error *err)
{
    struct hy_unpack in;
    struct hy_error why;

    hy_incoming_unpack(&connection->report, &connection->hello_info.arena, &in, &why);
    const char *text = hy_unpack_text(&in);
    if (hy_unpack_end(&in) != HY_OK || !*text)
        text = "no reason was given";
    return hy_fail(err, HY_FAILED, "%s", text);
}

/* Name of the current call; while the driver is being opened, the driver function that runs. */
static const char *call_of(const struct hy_connection *connection, uint32_t kind)
{
    return kind == HY_WIRE_OPEN && connection->opening[0] ? connection->opening
                                                          : hy_wire_kind_name(kind);
}

/* The process is not watched yet, so the end is determined here. */
static enum hy_code report_end(struct hy_connection *connection, uint32_t kind,
                               struct hy_error *err)
{
    char end[HY_ERROR_TEXT_SIZE];

    hy_connection_ask_end(connection, end, HY_CONNECTION_END_SIZE);
    hy_connection_note_end(connection, end);
    hy_connection_end(connection, end, sizeof end);
    return hy_fail(err, HY_FAILED, "%s during %s", end, call_of(connection, kind));
}

/* Sends the packed frame and receives the reply. Log lines may arrive first. */
static enum hy_code ask(struct hy_connection *connection, int64_t deadline, struct hy_error *err)
{
    const uint32_t kind = connection->control_frame.header.kind;
    struct hy_incoming *reply = &connection->report;

    enum hy_code code =
        hy_frame_send(&connection->control, &connection->control_frame, deadline, err);
    /* a service that rejects the client has sent the reason before the request */
    if (code == HY_DEAD)
        code = HY_OK;
    while (code == HY_OK) {
        code = hy_frame_receive(&connection->control, reply, deadline, err);
        if (code != HY_OK || reply->header.kind == (kind | HY_WIRE_REPLY))
            break;
        code = hy_from_host_handle(connection, reply, err);
        if (code == HY_OK && hy_clock_left(deadline) <= 0) /* even if more messages follow */
            code = HY_MISSED_DEADLINE;
    }
    if (code == HY_DEAD)
        return report_end(connection, kind, err);
    if (code == HY_MISSED_DEADLINE)
        return hy_fail(err, HY_FAILED, "%s does not reply to %s in time", connection->whose,
                       call_of(connection, kind));
    if (code != HY_OK)
        return code;
    return reply->header.status == HY_STATUS_OK ? HY_OK : read_failure(connection, err);
}

/* pid and descriptors of the service are used in messages only, never to act on the process. */
static void set_identity(struct hy_connection *connection, const struct hy_hello *hello,
                         const char *socket)
{
    connection->pid = hello->pid;
    connection->service_pidfd = hello->pidfd;
    hy_incoming_claim_fd(&connection->report, hello->pidfd);
    if (hy_end_page_is_one(hello->end_page)) {
        connection->end_page = hello->end_page;
        hy_incoming_claim_fd(&connection->report, hello->end_page);
    }
    hy_connection_name(connection, socket);
}

static enum hy_code send_hello(struct hy_connection *connection,
                               const struct hy_service_launch *launch, int64_t deadline,
                               struct hy_error *err)
{
    struct hy_hello hello = {
        .abi = HY_DRIVER_ABI, .pid = (int32_t)getpid(), .pidfd = -1, .end_page = -1};
    struct hy_unpack in;

    hy_outgoing_begin(&connection->control_frame, HY_WIRE_HELLO, 0);
    hy_hello_pack(&connection->control_frame.body, &hello);
    enum hy_code code = ask(connection, deadline, err);
    if (code != HY_OK)
        return code;
    hy_incoming_unpack(&connection->report, &connection->hello_info.arena, &in, err);
    hy_hello_unpack(&in, &hello);
    code = hy_unpack_end(&in);
    if (code == HY_OK && hy_host_process_is_shared(connection->process))
        set_identity(connection, &hello, launch->socket);
    return code == HY_OK ? hy_abi_check("the driver ABI of its process is", hello.abi, err) : code;
}

static enum hy_code open_driver(struct hy_connection *connection,
                                const struct hy_service_launch *launch, int64_t deadline,
                                struct hy_error *err)
{
    struct hy_hello_info *hello_info = &connection->hello_info;
    const struct hy_opening opening = {
        .library = launch->library,
        .arguments = launch->arguments,
        .device_files = launch->device_files,
        .device_file_count = launch->device_file_count,
        .manifest_kind = (uint32_t)launch->kind,
        .capabilities = launch->capabilities,
    };
    struct hy_opened opened = {0};
    struct hy_unpack in;

    hy_outgoing_begin(&connection->control_frame, HY_WIRE_OPEN, 0);
    hy_opening_pack(&connection->control_frame.body, &opening);
    enum hy_code code = ask(connection, deadline, err);
    if (code != HY_OK)
        return code;
    hy_incoming_unpack(&connection->report, &hello_info->arena, &in, err);
    hy_unpack_retain(&in);
    hy_opened_unpack(&in, &opened);
    code = hy_unpack_end(&in);
    if (code == HY_OK && (opened.device_count < 1 || opened.device_count > HY_MAX_DEVICES))
        code = hy_fail(err, HY_BAD_DATA, "device_count is %u, needs 1 to %u", opened.device_count,
                       HY_MAX_DEVICES);
    if (code != HY_OK)
        return code;
    char *sandbox =
        hy_arena_copy(&hello_info->arena, opened.sandbox, strlen(opened.sandbox) + 1, 1);
    if (!sandbox)
        return hy_fail(err, HY_OUT_OF_MEMORY, "description of the sandbox");
    hy_text_clean(sandbox); /* text from another process */
    hello_info->driver = opened.driver;
    hello_info->sandbox = sandbox;
    hello_info->abi = opened.abi;
    hello_info->device_count = opened.device_count;
    return HY_OK;
}

static enum hy_code describe(struct hy_connection *connection, uint32_t index, int64_t deadline,
                             struct hy_error *err)
{
    struct hy_hello_info *hello_info = &connection->hello_info;
    struct hy_unpack in;

    hy_outgoing_begin(&connection->control_frame, HY_WIRE_DESCRIBE, index);
    enum hy_code code = ask(connection, deadline, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "device %u", index);
    hy_incoming_unpack(&connection->report, &hello_info->arena, &in, err);
    hy_unpack_retain(&in);
    hy_description_unpack(&in, &hello_info->devices[index]);
    code = hy_unpack_end(&in);
    return code == HY_OK ? code : hy_error_prefix(err, code, "device %u", index);
}

static enum hy_code describe_all(struct hy_connection *connection, int64_t deadline,
                                 struct hy_error *err)
{
    struct hy_hello_info *hello_info = &connection->hello_info;
    const uint32_t count = hello_info->device_count;
    enum hy_code code = HY_OK;

    hello_info->devices = hy_arena_alloc(&hello_info->arena, count * sizeof *hello_info->devices);
    if (!hello_info->devices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "descriptions of %u devices", count);
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = describe(connection, i, deadline, err);
    return code;
}

enum hy_code hy_handshake(struct hy_connection *connection, const struct hy_service_launch *launch,
                          int64_t deadline, struct hy_error *err)
{
    enum hy_code code = send_hello(connection, launch, deadline, err);
    if (code == HY_OK)
        code = open_driver(connection, launch, deadline, err);
    if (code == HY_OK)
        code = describe_all(connection, deadline, err);
    return code;
}
