#include "plugins/service/wire/answer.h"

void hy_answer_begin(struct hy_outgoing *answer, const struct hy_frame_header *call,
                     uint64_t object)
{
    hy_outgoing_begin(answer, call->kind | HY_WIRE_ANSWER, object);
}

void hy_answer_fail(struct hy_outgoing *answer, const struct hy_frame_header *call, int32_t status,
                    const char *text)
{
    hy_outgoing_begin(answer, call->kind | HY_WIRE_ANSWER, call->object);
    answer->header.status = status;
    hy_pack_text(&answer->body, text ? text : "");
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static int is_status(int32_t status)
{
    return (status >= HY_STATUS_OK && status <= HY_STATUS_DEAD_OBJECT) ||
           status == HY_WIRE_STATUS_UNKNOWN_MEMORY;
}

enum hy_code hy_call_make(struct hy_socket *socket, struct hy_outgoing *call,
                          struct hy_incoming *answer, int64_t deadline, struct hy_error *err)
{
    const uint32_t kind = call->header.kind;

    hy_incoming_clear(answer);
    enum hy_code code = hy_frame_send(socket, call, deadline, err);
    if (code != HY_OK)
        return code;
    code = hy_frame_receive(socket, answer, deadline, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", hy_wire_kind_name(kind));
    if (answer->header.kind != (kind | HY_WIRE_ANSWER) || !is_status(answer->header.status)) {
        code = hy_fail(err, HY_BAD_DATA, "%s: answered by kind %#x, status %d",
                       hy_wire_kind_name(kind), answer->header.kind, answer->header.status);
        hy_incoming_clear(answer);
    }
    return code;
}
