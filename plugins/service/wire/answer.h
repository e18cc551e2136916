#ifndef HY_SERVICE_WIRE_ANSWER_H
#define HY_SERVICE_WIRE_ANSWER_H

#include "plugins/service/wire/fields.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

/* Calls and their answers: two frames over a socket that carries one call at a time. */

/* Starts the answer to a call: its status is OK; the body of the kind follows. */
void hy_answer_begin(struct hy_outgoing *answer, const struct hy_frame_header *call,
                     uint64_t object);

/* Starts the answer to a call that failed. `text` may be NULL: no words. */
void hy_answer_fail(struct hy_outgoing *answer, const struct hy_frame_header *call, int32_t status,
                    const char *text);

/* Behind the text of HY_WIRE_STATUS_UNKNOWN_MEMORY. */
struct hy_unknown_memory {
    const uint64_t *ids;
    uint32_t count; /* at least 1 */
};

HY_STRUCT(unknown_memory);

/*
 * Sends a call and waits for its answer. HY_OK: `answer` is the answer to it, whatever its status,
 * which is one of HY_STATUS_* or HY_WIRE_STATUS_*. With any other code the socket is to be closed:
 * an answer may still be under way; `answer` is empty. Errors: those of hy_frame_send and
 * hy_frame_receive; HY_BAD_DATA also for a frame that is no answer to this call.
 */
HY_MUST_CHECK enum hy_code hy_call_make(struct hy_socket *socket, struct hy_outgoing *call,
                                        struct hy_incoming *answer, int64_t deadline,
                                        struct hy_error *err);

#endif
