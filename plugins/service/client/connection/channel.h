#ifndef HY_SERVICE_CLIENT_CHANNEL_H
#define HY_SERVICE_CLIENT_CHANNEL_H

#include "common/list.h"
#include "common/memory/arena.h"
#include "common/status.h"
#include "plugins/service/client/connection/connection.h"
#include "plugins/service/client/connection/late_uses.h"
#include "plugins/service/client/sent_request.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

/*
 * A socket for calls, one at a time. Whoever has taken a channel has it alone until the channel is
 * given back. Frames and lists of a call live in the channel: repeated calls allocate nothing.
 */
struct hy_channel {
    struct hy_connection *connection; /* retained while it is taken */
    struct hy_socket socket;
    struct hy_outgoing call;
    struct hy_outgoing aside; /* what has to be told before the call */
    struct hy_incoming answer;
    struct hy_arena arena; /* of what is read from the answer; empty while it is idle */
    struct hy_sent_request sent;
    _Atomic uint32_t kind;            /* of the call that is under way, for words; 0: none is */
    const struct hy_request *request; /* that the call is about; NULL while it is idle */
    struct hy_late_uses late_uses;    /* of a late one */
    struct hy_channel *next;          /* idle, or late */
    LIST_ENTRY(hy_channel) entry;     /* of the connection */
    int64_t abandoned;                /* when, of a late one */
    bool is_broken;                   /* no call can be made over it any more */
    bool is_late;                     /* an answer is still to come */
};

/*
 * An idle channel, or a new one; waits for one where there are too many. Errors: DEAD,
 * MISSED_DEADLINE, EXHAUSTED (no descriptors; or none has come back), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_channel_take(struct hy_connection *connection,
                                           const struct hy_call_limits *limits,
                                           struct hy_channel **ret, struct hy_error *err);

/* Takes NULL. */
void hy_channel_give_back(struct hy_channel *channel);

/* A channel that is not given back but finished: for a burst. Errors: as those of hy_channel_take.
 */
HY_MUST_CHECK enum hy_code hy_channel_create(struct hy_connection *connection,
                                             const struct hy_call_limits *limits,
                                             struct hy_channel **ret, struct hy_error *err);
void hy_channel_destroy(struct hy_channel *channel);

/*
 * Sends channel->call and waits for the answer, whose status it gives; with one that is not OK
 * `err` has the words of the process, "" if it sends none, or what came in the way of an answer.
 * The pools are those that the call names: the process gets to know those that it does not. A call
 * about channel->request waits first for executions that were given up and may still be at the same
 * memory.
 */
int32_t hy_channel_call(struct hy_channel *channel, const struct hy_pool *pools,
                        uint32_t pool_count, const struct hy_call_limits *limits,
                        struct hy_error *err);

/* Sees to it that the process knows the pool by its id; over a channel of its own. */
int32_t hy_channel_share(struct hy_connection *connection, const struct hy_pool *pool,
                         const struct hy_call_limits *limits, struct hy_error *err);

/* Starts reading the answer; views live until the channel is given back. With a status that is not
 * OK the text has been read already. */
void hy_channel_read(struct hy_channel *channel, struct hy_unpack *in, struct hy_error *err);

/* Ends reading: GENERAL_FAILURE, and the end of the process, if what it sent makes no sense. */
int32_t hy_channel_end_read(struct hy_channel *channel, struct hy_unpack *in, struct hy_error *err);

/* How long a destructor waits for a process that does not answer. */
#define HY_SERVICE_TELL_NS INT64_C(1000000000)

/* A call with nothing to say and nothing to hear but a status: for destructors. What is not over
 * soon is left to itself, as a late call. */
void hy_channel_tell(struct hy_connection *connection, enum hy_wire_kind kind, uint64_t object,
                     int64_t patience_ns);

/* fork(), in the child: closes them all. */
void hy_channels_forget(struct hy_connection *connection);

#endif
