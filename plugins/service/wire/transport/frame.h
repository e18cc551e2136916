#ifndef HY_SERVICE_WIRE_FRAME_H
#define HY_SERVICE_WIRE_FRAME_H

#include "common/error.h"
#include "plugins/service/wire/pack.h"
#include "plugins/service/wire/transport/socket.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Frames: a header, a body and descriptors, sent by a single sendmsg over a SOCK_SEQPACKET socket.
 * Bodies of up to HY_FRAME_INLINE bytes are sent in the datagram. Longer bodies are sent as a memfd
 * sealed against change, and the receiver copies the content.
 *
 * A channel reuses an outgoing and an incoming frame for its whole life: once the frames have
 * grown, sending or receiving takes a single system call without allocation.
 */
#define HY_FRAME_INLINE 61440u

struct hy_frame_header {
    uint32_t kind;       /* HY_WIRE_*, see messages.h */
    uint32_t body_bytes; /* of the body, inline or in a file */
    uint32_t fd_count;   /* descriptors sent with the frame, including a body file */
    int32_t status;      /* replies: the status of the call; else 0 */
    uint64_t object;     /* the object of the message: see docs/service-protocol.md */
};

/* ---- Sending --------------------------------------------------------------------------------- */

struct hy_outgoing {
    struct hy_frame_header
        header; /* kind, status and object; the other members are set by hy_frame_send */
    struct hy_pack body;
};

/* Initializes an empty frame without allocating. */
void hy_outgoing_init(struct hy_outgoing *frame);
void hy_outgoing_finish(struct hy_outgoing *frame);

/* Starts another frame in the same memory. Descriptors of the previous frame were borrowed and are
 * not closed. */
void hy_outgoing_begin(struct hy_outgoing *frame, uint32_t kind, uint64_t object);

/*
 * Sends the frame; the frame can be sent again. A failure of hy_pack_* is reported here. `deadline`
 * (ns of CLOCK_BOOTTIME, or HY_NO_DEADLINE) limits the wait for a peer that does not read; with a
 * past deadline, such as 0, the call does not wait. Never raises SIGPIPE. Errors: those of packing;
 * HY_DEAD (the peer is gone), HY_MISSED_DEADLINE (nothing was sent), HY_OUT_OF_MEMORY, HY_EXHAUSTED
 * (descriptors).
 */
HY_MUST_CHECK enum hy_code hy_frame_send(struct hy_socket *socket, struct hy_outgoing *frame,
                                         int64_t deadline, struct hy_error *err);

/* ---- Receiving ------------------------------------------------------------------------------- */

/* Limits the total bytes of long bodies in memory. */
struct hy_body_budget {
    void *context;
    /* Claims bytes before a long body is read. Errors: EXHAUSTED. */
    enum hy_code (*reserve)(void *context, uint64_t bytes, struct hy_error *err);
    void (*give)(void *context, uint64_t bytes);
};

struct hy_incoming {
    const struct hy_body_budget *budget; /* NULL: no limit; see hy_incoming_init */
    struct hy_frame_header header;
    const uint8_t *body;        /* private, 8-byte aligned, header.body_bytes long */
    uint32_t fd_count;          /* without the body file */
    int fds[HY_FRAME_MOST_FDS]; /* owned by the frame; -1 after hy_incoming_claim_fd */
    uint8_t *space;             /* buffer for inline bodies */
    uint8_t *long_body;         /* copy of a body sent in a file; else NULL */
};

/* Initializes an empty frame without allocating. The budget is NULL and may be set before the first
 * frame is received. The buffer for inline bodies is allocated by the first receive. */
void hy_incoming_init(struct hy_incoming *frame);
void hy_incoming_finish(struct hy_incoming *frame);

/*
 * Clears `frame`, waits for a frame until the deadline (0: does not wait), and fills `frame`.
 * Header and descriptors are consistent after HY_OK; the kind and the body are not checked (the
 * *_unpack functions check the body). A malformed frame is removed from the socket, its descriptors
 * are closed, and the socket must not be used any more. Errors: HY_DEAD (the peer is gone),
 * HY_MISSED_DEADLINE, HY_BAD_DATA (a malformed frame), HY_OUT_OF_MEMORY, HY_EXHAUSTED (no
 * descriptors left in this process, or no capacity for the body). After an error `frame` is empty.
 * Only after HY_EXHAUSTED `frame` has the header of the refused frame, and the socket remains
 * usable.
 */
HY_MUST_CHECK enum hy_code hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame,
                                            int64_t deadline, struct hy_error *err);

/* Drops body and descriptors; the buffer stays allocated. */
void hy_incoming_clear(struct hy_incoming *frame);

/* Transfers ownership of a descriptor, as returned by an *_unpack function, from the frame to the
 * caller. */
void hy_incoming_claim_fd(struct hy_incoming *frame, int fd);

/* Starts reading the body of a frame. Views are valid until the frame receives or is cleared, and
 * until the arena is finished or reset. */
void hy_incoming_unpack(const struct hy_incoming *frame, struct hy_arena *arena,
                        struct hy_unpack *out, struct hy_error *err);

#endif
