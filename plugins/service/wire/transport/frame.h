#ifndef HY_SERVICE_WIRE_FRAME_H
#define HY_SERVICE_WIRE_FRAME_H

#include "common/error.h"
#include "plugins/service/wire/pack.h"
#include "plugins/service/wire/transport/socket.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Frames: what one sendmsg and one recvmsg carry over a SOCK_SEQPACKET socket. A header, a body and
 * descriptors. Bodies of up to HY_FRAME_INLINE bytes travel in the datagram; longer ones in a memfd
 * sealed against change, which the receiver copies out.
 *
 * A channel keeps one outgoing and one incoming frame for all of its life: once they have grown, a
 * frame costs one system call and no allocation.
 */
#define HY_FRAME_INLINE 61440u

struct hy_frame_header {
    uint32_t kind;       /* HY_WIRE_*, see messages.h */
    uint32_t body_bytes; /* of the body, wherever it is */
    uint32_t fd_count;   /* descriptors that come along, a body file included */
    int32_t status;      /* answers: how the call went; else 0 */
    uint64_t object;     /* the object that it is about: see docs/service-protocol.md */
};

/* ---- Sending --------------------------------------------------------------------------------- */

struct hy_outgoing {
    struct hy_frame_header
        header; /* kind, status and object; the rest is counted when it is sent */
    struct hy_pack body;
};

/* Allocates nothing. */
void hy_outgoing_init(struct hy_outgoing *frame);
void hy_outgoing_finish(struct hy_outgoing *frame);

/* Starts another frame in the same memory. Descriptors of the last one were borrowed: they are not
 * closed. */
void hy_outgoing_begin(struct hy_outgoing *frame, uint32_t kind, uint64_t object);

/*
 * Sends the frame, or says why its body could not be made: what hy_pack_* ran into is reported
 * here. It may be sent again. `deadline` (CLOCK_BOOTTIME, or HY_NO_DEADLINE) limits the wait for a
 * peer that does not read; one in the past, such as 0: do not wait. Never raises SIGPIPE.
 * Errors: those of packing; HY_DEAD (the peer is gone), HY_MISSED_DEADLINE (nothing was sent),
 * HY_OUT_OF_MEMORY, HY_EXHAUSTED (descriptors).
 */
HY_MUST_CHECK enum hy_code hy_frame_send(struct hy_socket *socket, struct hy_outgoing *frame,
                                         int64_t deadline, struct hy_error *err);

/* ---- Receiving ------------------------------------------------------------------------------- */

/* Who says how many bytes of long bodies there may be at once. */
struct hy_body_budget {
    void *context;
    /* Errors: EXHAUSTED. */
    enum hy_code (*take)(void *context, uint64_t bytes, struct hy_error *err);
    void (*give)(void *context, uint64_t bytes);
};

struct hy_incoming {
    const struct hy_body_budget *budget; /* NULL: there is no such limit; see hy_incoming_init */
    struct hy_frame_header header;
    const uint8_t *body;        /* private, 8-byte aligned, header.body_bytes long */
    uint32_t fd_count;          /* without the body file */
    int fds[HY_FRAME_MOST_FDS]; /* the frame's own; -1 where hy_incoming_take_fd has been */
    uint8_t *room;              /* where bodies that came inline lie */
    uint8_t *long_body;         /* where one that came in a file lies; else NULL */
};

/* Allocates nothing, without a budget, which may be set before the first frame is received. The
 * room for inline bodies comes with that. */
void hy_incoming_init(struct hy_incoming *frame);
void hy_incoming_finish(struct hy_incoming *frame);

/*
 * Waits for a frame until the deadline (0: take what is there), drops what `frame` held, and fills
 * it. A frame that breaks the rules is taken from the socket, its descriptors are closed, and the
 * socket is of no use any more. Header and descriptors are consistent; whether the kind exists and
 * fits here is not checked, nor the body (the *_unpack functions).
 * Errors: HY_DEAD (the peer is gone), HY_MISSED_DEADLINE, HY_BAD_DATA (a broken frame),
 * HY_OUT_OF_MEMORY, HY_EXHAUSTED (no descriptors left here, or no room for the body). `frame` is
 * empty then; but with HY_EXHAUSTED it has the header of what was refused, and the socket can be
 * used further.
 */
HY_MUST_CHECK enum hy_code hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame,
                                            int64_t deadline, struct hy_error *err);

/* Drops body and descriptors; keeps the room. */
void hy_incoming_clear(struct hy_incoming *frame);

/* A descriptor of the frame (as an *_unpack function has given it) becomes the caller's, to close.
 */
void hy_incoming_take_fd(struct hy_incoming *frame, int fd);

/* Starts reading the body of a frame; views live until the frame receives or is cleared, and until
 * the arena is finished or reset. */
void hy_incoming_unpack(const struct hy_incoming *frame, struct hy_arena *arena,
                        struct hy_unpack *out, struct hy_error *err);

#endif
