#ifndef HY_SERVICE_SERVER_CHANNEL_H
#define HY_SERVICE_SERVER_CHANNEL_H

#include "common/list.h"
#include "plugins/service/server/parts.h"
#include "plugins/service/wire/messages.h"

struct hy_server_burst;
struct hy_server_reservation;

/* A socket of the client for calls, with the thread that handles the calls one after the other.
 * Buffers are reused by the next call. */
struct hy_server_channel {
    struct hy_server *server;
    struct hy_socket socket;
    struct hy_incoming call;
    struct hy_outgoing reply;
    struct hy_arena arena; /* for the views of the call's body */
    struct hy_server_holds holds;
    struct hy_server_burst *burst; /* the burst that owns the channel; NULL: none */
    uint32_t cancelled;            /* no client waits for the running call, see driver.h */
    uint64_t watch;                /* of the socket, see hangups.h */
    uint64_t served;               /* calls, including burst executions over the channel */
    LIST_ENTRY(hy_server_channel) entry;
};

/* Status of a handler that has already packed a failure reply; no call has a status of this
 * value. */
#define HY_SERVER_REPLIED (-1)

/*
 * Handles a call: reads the body from `in`, ends the reading, and packs the body of the reply,
 * whose header is already started. Returns the status of the reply. A status other than OK sends
 * the text in `err` instead of the packed body.
 */
typedef int32_t (*hy_server_handler)(struct hy_server_channel *channel, struct hy_unpack *in,
                                     struct hy_error *err);

/* Starts a thread for the socket `fd` and takes ownership of `fd`. Returns false when the client
 * has too many channels, is ending, or when no thread can be started. */
bool hy_server_channel_start(struct hy_server *server, int fd);

/* Cancels all calls of the client. */
void hy_server_channels_cancel(struct hy_server *server);

/* Ends all channels after the calls already received have been answered. */
void hy_server_channels_drain(struct hy_server *server);

/* Waits until all channels have ended. Returns false on timeout at `until` (CLOCK_MONOTONIC). */
bool hy_server_channels_await(struct hy_server *server, const struct timespec *until);

/* Returns true if the channel must answer its received calls before it ends. */
bool hy_server_channel_is_drained(struct hy_server_channel *channel);

/* Shuts down all channels and waits up to `milliseconds` for their threads; -1: no limit. Returns
 * false if a thread is still inside the driver. */
bool hy_server_channels_end(struct hy_server *server, int milliseconds);

/* ---- What handlers share: call.c ------------------------------------------------------------- */

/* Finds the device named by the call; NULL with an error text. */
struct hy_server_device *hy_server_find_device(struct hy_server_channel *channel,
                                               struct hy_error *err);

/* Finds and holds the object named by the call; NULL with an error text. */
struct hy_server_object *hy_server_find_object(struct hy_server_channel *channel,
                                               enum hy_server_kind kind, struct hy_error *err);

/* Ends reading (hy_unpack_end) and returns the result as a status. */
int32_t hy_server_end_read(struct hy_unpack *in);

/* Holds and completes pools for a call to the device of the table, see holds.h. Packs a failure
 * reply and returns HY_SERVER_REPLIED if the client must send unknown memory first. */
int32_t hy_server_hold_pools(struct hy_server_channel *channel, const struct hy_device *table,
                             struct hy_server_holds *holds, struct hy_pool *pools, uint32_t count,
                             struct hy_error *err);

/* Charges the client for the bytes that the driver will allocate, unless the driver asks its host
 * itself. */
int32_t hy_server_charge(struct hy_server_channel *channel, uint64_t bytes,
                         struct hy_server_reservation **ret, struct hy_error *err);

/* Clears the channel's cancelled word after a cancelled call, unless the client has
 * disconnected. */
void hy_server_channel_resume(struct hy_server_channel *channel);

/* Waits for the turn of a call over this channel, see call_scheduler.h. */
HY_MUST_CHECK int32_t hy_server_channel_acquire_slot(struct hy_server_channel *channel,
                                                     int64_t deadline,
                                                     struct hy_server_call_slot *call_slot,
                                                     struct hy_error *err);

/* Converts the status returned by a driver to a known HY_STATUS_*. An unknown number becomes a
 * failure and is reported in `err`, which may contain the driver's text; `err` may be NULL. */
int32_t hy_server_driver_status(int32_t status, struct hy_error *err);

/* Returns a buffer for the driver's error text. The last byte stays NUL, so the text is always
 * terminated. */
static inline struct hy_message hy_server_message(struct hy_error *err)
{
    err->text[0] = '\0';
    return (struct hy_message){.text = err->text, .size = sizeof err->text - 1};
}

/* Adds the driver's new object to the table, and its number to the reply. On failure the object is
 * destroyed. */
int32_t hy_server_register_object(struct hy_server_channel *channel,
                                  struct hy_server_object *object, struct hy_error *err);

/* Allocates zeroed shapes for `count` outputs, valid for the call; NULL: out of memory. */
struct hy_output_shape *hy_server_shapes(struct hy_server_channel *channel, uint32_t count);

/* Packs the result of an execution and returns the status. With OUTPUT_INSUFFICIENT_SIZE the whole
 * failure reply is packed and HY_SERVER_REPLIED is returned. */
int32_t hy_server_pack_result(struct hy_server_channel *channel, int32_t status,
                              const struct hy_result *result, const struct hy_error *err);

/* Returns the handler of a kind (calls.c); NULL: not a call over a channel. */
hy_server_handler hy_server_handler_of(enum hy_wire_kind kind);

#endif
