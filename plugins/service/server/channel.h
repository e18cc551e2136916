#ifndef HY_SERVICE_SERVER_CHANNEL_H
#define HY_SERVICE_SERVER_CHANNEL_H

#include "common/list.h"
#include "plugins/service/server/parts.h"
#include "plugins/service/wire/messages.h"

struct hy_server_burst;
struct hy_server_reservation;

/* One socket of the client for calls, and the thread that does them one after the other. What a
 * call needs stays for the next one. */
struct hy_server_channel {
    struct hy_server *server;
    struct hy_socket socket;
    struct hy_incoming call;
    struct hy_outgoing answer;
    struct hy_arena arena; /* of the call's views */
    struct hy_server_pins pins;
    struct hy_server_burst *burst; /* the channel has become its own; NULL: no */
    uint32_t cancelled;            /* of its calls: nobody waits for their ends, see driver.h */
    uint64_t watch;                /* of its socket, see hangups.h */
    uint64_t served;               /* calls, and executions of bursts that were its own */
    LIST_ENTRY(hy_server_channel) entry;
};

/* A handler has answered by itself: no status of a call has this value. */
#define HY_SERVER_ANSWERED (-1)

/*
 * Does one call: reads it from `in`, ends that, and packs the body of the answer, which has been
 * begun. What it gives is the status of the answer; with one that is not OK the words in `err` go
 * with it, and the body does not.
 */
typedef int32_t (*hy_server_handler)(struct hy_server_channel *channel, struct hy_unpack *in,
                                     struct hy_error *err);

/* Starts a thread for the socket, whose end becomes the channel's. False: there are too many. */
bool hy_server_channel_start(struct hy_server *server, int fd);

/* The deadlines of all calls of the client become now. */
void hy_server_channels_cancel(struct hy_server *server);

/* All channels end when they have answered the calls that have come. */
void hy_server_channels_drain(struct hy_server *server);

/* Waits until all have ended. False: some have not by then. */
bool hy_server_channels_await(struct hy_server *server, const struct timespec *until);

/* Whether the calls of the channel are to be answered before it ends. */
bool hy_server_channel_is_drained(struct hy_server_channel *channel);

/* Wakes the threads of all channels to their end, and waits for them so long; -1: as long as it
 * takes. False: some of them do not come back from the driver. */
bool hy_server_channels_end(struct hy_server *server, int milliseconds);

/* ---- What handlers share: call.c ------------------------------------------------------------- */

/* The device that the call is about; NULL with words. */
struct hy_server_device *hy_server_find_device(struct hy_server_channel *channel,
                                               struct hy_error *err);

/* The object that the call is about, held; NULL with words. */
struct hy_server_object *hy_server_find_object(struct hy_server_channel *channel,
                                               enum hy_server_kind kind, struct hy_error *err);

/* Ends reading. */
int32_t hy_server_end_read(struct hy_unpack *in);

/* Holds and completes pools for a call to the device of the table, see pins.h; answers itself if
 * the client has to tell more. */
int32_t hy_server_pin(struct hy_server_channel *channel, const struct hy_device *table,
                      struct hy_server_pins *pins, struct hy_pool *pools, uint32_t count,
                      struct hy_error *err);

/* Charges the client for what the driver will allocate, if that does not ask for itself. */
int32_t hy_server_charge(struct hy_server_channel *channel, uint64_t bytes,
                         struct hy_server_reservation **ret, struct hy_error *err);

/* The channel's calls are wanted again, after one that was not: unless the client is gone. */
void hy_server_channel_resume(struct hy_server_channel *channel);

/* The turn of a call over this channel, see turns.h. */
HY_MUST_CHECK int32_t hy_server_channel_turn(struct hy_server_channel *channel, int64_t deadline,
                                             struct hy_server_turn *turn, struct hy_error *err);

/* What a driver returned, as one of HY_STATUS_*. Of another number `err`, which has the driver's
 * words and may be NULL, says so. */
int32_t hy_server_driver_status(int32_t status, struct hy_error *err);

/* Words of a driver end in NUL, whatever it wrote. */
static inline struct hy_message hy_server_words(struct hy_error *err)
{
    err->text[0] = '\0';
    return (struct hy_message){.text = err->text, .size = sizeof err->text - 1};
}

/* Puts what the driver has made into the table, and its number into the answer. Not OK: it is
 * destroyed. */
int32_t hy_server_keep(struct hy_server_channel *channel, struct hy_server_object *object,
                       struct hy_error *err);

/* Shapes of so many outputs, all zero, for the call; NULL: no memory. */
struct hy_output_shape *hy_server_shapes(struct hy_server_channel *channel, uint32_t count);

/* Packs what an execution has given; with OUTPUT_INSUFFICIENT_SIZE it has answered itself. */
int32_t hy_server_pack_result(struct hy_server_channel *channel, int32_t status,
                              const struct hy_result *result, const struct hy_error *err);

/* calls.c: the handler of each kind; NULL: it is no call over a channel. */
hy_server_handler hy_server_handler_of(enum hy_wire_kind kind);

#endif
