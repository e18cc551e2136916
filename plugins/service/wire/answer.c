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

const char *hy_answer_text(struct hy_unpack *in)
{
    return hy_unpack_text(in);
}

/* ---- Unknown memory -------------------------------------------------------------------------- */

void hy_unknown_memory_pack(struct hy_pack *out, const uint64_t *ids, uint32_t count)
{
    const uint64_t told = count;

    hy_pack_copy(out, &told, 1, sizeof told);
    hy_pack_copy(out, ids, count, sizeof *ids);
}

void hy_unknown_memory_unpack(struct hy_unpack *in, const uint64_t **ids, uint32_t *count)
{
    const uint64_t *told = hy_unpack_records(in, 1, sizeof *told);
    const uint64_t *read = told ? hy_unpack_records(in, *told, sizeof *read) : NULL;

    if (told && *told == 0)
        hy_unpack_fail(in, "no memory is unknown");
    if (!hy_unpack_good(in))
        return;
    *ids = read;
    *count = (uint32_t)*told;
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
