#ifndef HY_SERVICE_WIRE_REPLY_H
#define HY_SERVICE_WIRE_REPLY_H

#include "plugins/service/wire/fields.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

/* Calls and replies: two frames over a socket, one call at a time. */

/* Starts the reply to a call with status OK; the body of the kind follows. */
void hy_reply_begin(struct hy_outgoing *reply, const struct hy_frame_header *call, uint64_t object);

/* Starts the reply to a failed call. `text` is the error text; NULL: empty. */
void hy_reply_fail(struct hy_outgoing *reply, const struct hy_frame_header *call, int32_t status,
                   const char *text);

/* The unknown ids, packed behind the text of HY_WIRE_STATUS_UNKNOWN_MEMORY. */
struct hy_unknown_memory {
    const uint64_t *ids;
    uint32_t count; /* at least 1 */
};

HY_STRUCT(unknown_memory);

/*
 * Sends a call and waits for the reply. After HY_OK `answer` is the reply with any status of
 * HY_STATUS_* or HY_WIRE_STATUS_*. After any other code `answer` is empty, and the caller must
 * close the socket, because a reply may still arrive. Errors: those of hy_frame_send and
 * hy_frame_receive; HY_BAD_DATA also for a frame that is not the reply to this call.
 */
HY_MUST_CHECK enum hy_code hy_call_make(struct hy_socket *socket, struct hy_outgoing *call,
                                        struct hy_incoming *reply, int64_t deadline,
                                        struct hy_error *err);

#endif
