#ifndef HY_SERVICE_CLIENT_CHANNEL_H
#define HY_SERVICE_CLIENT_CHANNEL_H

#include "common/list.h"
#include "common/memory/arena.h"
#include "common/status.h"
#include "plugins/service/client/connection/connection.h"
#include "plugins/service/client/connection/timed_out_uses.h"
#include "plugins/service/client/sent_request.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

/*
 * A socket for calls, one at a time. The caller that has acquired a channel has exclusive use of
 * the channel until hy_channel_release. Frames and lists of a call live in the channel: repeated
 * calls allocate nothing.
 */
struct hy_channel {
    struct hy_connection *connection; /* retained while the channel is acquired */
    struct hy_socket socket;
    struct hy_outgoing call;
    struct hy_outgoing side_frame; /* frame to send before the call */
    struct hy_incoming reply;
    struct hy_arena arena; /* for data read from the reply; empty while the channel is idle */
    struct hy_sent_request sent;
    _Atomic uint32_t kind; /* of the running call, for error messages; 0: none */
    const struct hy_request
        *request; /* of the running call; NULL: the call has no request, or the channel is idle */
    struct hy_timed_out_uses timed_out_uses; /* of a timed-out call */
    struct hy_channel *next;      /* in the list of idle channels or of timed-out calls */
    LIST_ENTRY(hy_channel) entry; /* in hy_connection.all */
    int64_t abandoned;            /* hy_clock_boot when the call timed out */
    bool is_broken;               /* no further call is possible */
    bool is_timed_out;            /* the call timed out, and its reply is still to come */
};

/*
 * Acquires an idle channel, or a new channel. Waits for an idle channel if the limit is reached.
 * Errors: DEAD, MISSED_DEADLINE, EXHAUSTED (no descriptors, no idle channel within the hang
 * timeout, or too many timed-out calls), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_channel_acquire(struct hy_connection *connection,
                                              const struct hy_call_limits *limits,
                                              struct hy_channel **ret, struct hy_error *err);

/* Ends the use of an acquired channel. Accepts NULL. */
void hy_channel_release(struct hy_channel *channel);

/* Creates a channel for a burst. The caller frees the channel with hy_channel_destroy instead of
 * hy_channel_release. Errors: as of hy_channel_acquire. */
HY_MUST_CHECK enum hy_code hy_channel_create(struct hy_connection *connection,
                                             const struct hy_call_limits *limits,
                                             struct hy_channel **ret, struct hy_error *err);
void hy_channel_destroy(struct hy_channel *channel);

/*
 * Sends channel->call, waits for the reply and returns its status. For a status other than OK,
 * `err` has the message of the process (may be ""), or the reason why no reply arrived. `pools` are
 * the pools of the call; pools that the process does not know yet are sent first. A call with
 * channel->request first waits for abandoned executions that may still use the same memory.
 */
int32_t hy_channel_call(struct hy_channel *channel, const struct hy_pool *pools,
                        uint32_t pool_count, const struct hy_call_limits *limits,
                        struct hy_error *err);

/* Ensures that the process knows the pool by its id. Uses a channel of its own. */
int32_t hy_channel_add_pool(struct hy_connection *connection, const struct hy_pool *pool,
                            const struct hy_call_limits *limits, struct hy_error *err);

/* Starts reading the reply. Views stay valid until the channel is given back. For a status other
 * than OK, the error text has already been read. */
void hy_channel_read(struct hy_channel *channel, struct hy_unpack *in, struct hy_error *err);

/* Ends reading. A malformed reply ends the process and gives GENERAL_FAILURE. */
int32_t hy_channel_end_read(struct hy_channel *channel, struct hy_unpack *in, struct hy_error *err);

/* Time in ns that a destructor waits for a process that does not reply. */
#define HY_SERVICE_NOTIFY_NS INT64_C(1000000000)

/* Makes a call without arguments and results, for destructors. A call that takes longer than
 * HY_SERVICE_NOTIFY_NS becomes a timed-out call, except HY_WIRE_FENCED_DESTROY, which waits for the
 * driver's work. `hang_timeout_ns` is the hang timeout. */
void hy_channel_notify(struct hy_connection *connection, enum hy_wire_kind kind, uint64_t object,
                       int64_t hang_timeout_ns);

/* For the child of fork(): closes the sockets of all channels. */
void hy_channels_close_inherited(struct hy_connection *connection);

#endif
