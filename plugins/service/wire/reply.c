#include "plugins/service/wire/reply.h"

void hy_reply_begin(struct hy_outgoing *reply, const struct hy_frame_header *call, uint64_t object)
{
    hy_outgoing_begin(reply, call->kind | HY_WIRE_REPLY, object);
}

void hy_reply_fail(struct hy_outgoing *reply, const struct hy_frame_header *call, int32_t status,
                   const char *text)
{
    hy_outgoing_begin(reply, call->kind | HY_WIRE_REPLY, call->object);
    reply->header.status = status;
    hy_pack_text(&reply->body, text ? text : "");
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static int is_status(int32_t status)
{
    return (status >= HY_STATUS_OK && status <= HY_STATUS_DEAD_OBJECT) ||
           status == HY_WIRE_STATUS_UNKNOWN_MEMORY;
}

enum hy_code hy_call_make(struct hy_socket *socket, struct hy_outgoing *call,
                          struct hy_incoming *reply, int64_t deadline, struct hy_error *err)
{
    const uint32_t kind = call->header.kind;

    hy_incoming_clear(reply);
    enum hy_code code = hy_frame_send(socket, call, deadline, err);
    if (code != HY_OK)
        return code;
    code = hy_frame_receive(socket, reply, deadline, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", hy_wire_kind_name(kind));
    if (reply->header.kind != (kind | HY_WIRE_REPLY) || !is_status(reply->header.status)) {
        code = hy_fail(err, HY_BAD_DATA, "%s: the reply has kind %#x, status %d",
                       hy_wire_kind_name(kind), reply->header.kind, reply->header.status);
        hy_incoming_clear(reply);
    }
    return code;
}
