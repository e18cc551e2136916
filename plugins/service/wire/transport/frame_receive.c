#include "common/clock.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/body_file.h"
#include "plugins/service/wire/transport/frame.h"

#include <errno.h>
#include <poll.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Shortest wait for the kernel's receive timeout, which counts ticks; shorter waits use ppoll,
 * which is exact. */
#define SHORT_WAIT_NS 100000000

#ifndef SCM_PIDFD
#define SCM_PIDFD 4 /* since Linux 6.5 */
#endif

/* A received datagram, not yet checked. */
struct datagram {
    size_t size; /* of the header and the inline body */
    int flags;
    uint32_t fd_count;
    int fds[HY_FRAME_MOST_FDS + 1];
};

void hy_incoming_init(struct hy_incoming *frame)
{
    memset(frame, 0, sizeof *frame);
}

void hy_incoming_finish(struct hy_incoming *frame)
{
    hy_incoming_clear(frame);
    free(frame->space);
    hy_incoming_init(frame);
}

static void close_all(const int *fds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

void hy_incoming_clear(struct hy_incoming *frame)
{
    close_all(frame->fds, frame->fd_count);
    if (frame->long_body && frame->budget)
        frame->budget->give(frame->budget->context, frame->header.body_bytes);
    free(frame->long_body);
    frame->header = (struct hy_frame_header){0};
    frame->body = NULL;
    frame->fd_count = 0;
    frame->long_body = NULL;
}

void hy_incoming_claim_fd(struct hy_incoming *frame, int fd)
{
    for (uint32_t i = 0; i < frame->fd_count; i++) {
        if (frame->fds[i] == fd)
            frame->fds[i] = -1;
    }
}

void hy_incoming_unpack(const struct hy_incoming *frame, struct hy_arena *arena,
                        struct hy_unpack *out, struct hy_error *err)
{
    hy_unpack_init(out, hy_wire_kind_name(frame->header.kind), frame->body,
                   frame->header.body_bytes, frame->fds, frame->fd_count, arena, err);
}

/* ---- The datagram ---------------------------------------------------------------------------- */

static enum hy_code explain(int error, struct hy_error *err)
{
    if (error == ECONNRESET || error == ENOTCONN || error == EPIPE)
        return hy_fail(err, HY_DEAD, "the peer has closed the connection");
    if (error == ENOMEM || error == ENOBUFS)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s", strerror(error));
    return hy_fail(err, HY_FAILED, "%s", strerror(error));
}

/* Closes a pidfd of the sender; the creator of the socket may have requested pidfds
 * (SO_PASSPIDFD). */
static void drop_sender(const struct cmsghdr *part)
{
    int sender;

    memcpy(&sender, CMSG_DATA(part), sizeof sender);
    if (sender >= 0)
        close(sender);
}

/* Collects all received descriptors: the kernel has already installed them in this process. */
static void collect(struct msghdr *message, struct datagram *datagram)
{
    datagram->fd_count = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_PIDFD)
            drop_sender(part);
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        const uint32_t count = (uint32_t)((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(datagram->fds + datagram->fd_count, CMSG_DATA(part), count * sizeof(int));
        datagram->fd_count += count;
    }
}

/* Handles a hang-up or an empty datagram. Halyard never sends empty datagrams, but a peer may
 * attach descriptors to one. */
static enum hy_code refuse_nothing(struct msghdr *message, struct datagram *datagram,
                                   struct hy_error *err)
{
    collect(message, datagram);
    close_all(datagram->fds, datagram->fd_count);
    return hy_fail(err, HY_DEAD, "the peer has closed the connection");
}

/* A peer that closes its end with unread input causes ECONNRESET here, reported only once and
 * before the peer's last messages. */
static bool may_have_messages(int error, bool *is_reported)
{
    const bool is_first = error == ECONNRESET && !*is_reported;

    *is_reported |= is_first;
    return is_first;
}

static enum hy_code receive_message(struct hy_socket *socket, struct msghdr *message,
                                    struct datagram *datagram, int64_t deadline,
                                    struct hy_error *err)
{
    bool is_reported = false;

    for (;;) {
        const int64_t left = hy_clock_left(deadline);
        const int quick = left < SHORT_WAIT_NS;
        if (!quick)
            hy_socket_arm(socket, left);

        const ssize_t got =
            recvmsg(socket->fd, message, MSG_CMSG_CLOEXEC | (quick ? MSG_DONTWAIT : 0));
        if (got == 0)
            return refuse_nothing(message, datagram, err);
        if (got > 0) {
            collect(message, datagram);
            datagram->size = (size_t)got;
            datagram->flags = message->msg_flags;
            return HY_OK;
        }
        enum hy_code code = HY_OK;
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            code =
                hy_socket_wait(socket, POLLIN, deadline, err); /* the socket may be non-blocking */
        else if (errno != EINTR && !may_have_messages(errno, &is_reported))
            code = explain(errno, err);
        if (code != HY_OK)
            return code;
    }
}

static enum hy_code receive_datagram(struct hy_socket *socket, struct hy_incoming *frame,
                                     struct datagram *datagram, int64_t deadline,
                                     struct hy_error *err)
{
    /* Capacity for the maximum number of descriptors in a datagram. */
    alignas(struct cmsghdr) char control[CMSG_LEN(sizeof datagram->fds)];
    struct iovec parts[] = {{.iov_base = &frame->header, .iov_len = sizeof frame->header},
                            {.iov_base = frame->space, .iov_len = HY_FRAME_INLINE}};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = 2,
                             .msg_control = control,
                             .msg_controllen = sizeof control};

    return receive_message(socket, &message, datagram, deadline, err);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/*
 * Refuses the client end of a connection to a service. A service that held the end would never see
 * the connection close, so the client and its resources would stay for ever. Ends of socket pairs
 * are allowed, as channels and as fences.
 */
static enum hy_code check_connections(const struct datagram *datagram, struct hy_error *err)
{
    for (uint32_t i = 0; i < datagram->fd_count; i++) {
        if (hy_socket_leads_to_service(datagram->fds[i]))
            return hy_fail(err, HY_BAD_DATA, "descriptor %u is a connection to a service", i);
    }
    return HY_OK;
}

static enum hy_code check_descriptors(const struct hy_frame_header *header,
                                      const struct datagram *datagram, struct hy_error *err)
{
    if (header->fd_count == datagram->fd_count && !(datagram->flags & MSG_CTRUNC))
        return check_connections(datagram, err);
    /* This process may lack descriptors. */
    const int ours = (datagram->flags & MSG_CTRUNC) && header->fd_count > datagram->fd_count &&
                     header->fd_count <= HY_FRAME_MOST_FDS + 1;
    return hy_fail(err, ours ? HY_EXHAUSTED : HY_BAD_DATA, "%u descriptors expected, %u received",
                   header->fd_count, datagram->fd_count);
}

static enum hy_code check(const struct hy_frame_header *header, const struct datagram *datagram,
                          struct hy_error *err)
{
    if (datagram->size < sizeof *header)
        return hy_fail(err, HY_BAD_DATA, "a frame of %zu bytes", datagram->size);

    const size_t here = datagram->size - sizeof *header;
    const int is_long = header->body_bytes > HY_FRAME_INLINE;
    if (header->body_bytes > HY_FRAME_MOST_BODY)
        return hy_fail(err, HY_BAD_DATA, "a body of %u bytes, at most %zu are allowed",
                       header->body_bytes, HY_FRAME_MOST_BODY);
    if ((datagram->flags & MSG_TRUNC) || here != (is_long ? 0 : header->body_bytes))
        return hy_fail(err, HY_BAD_DATA, "a body of %u bytes expected, %zu%s received",
                       header->body_bytes, here, datagram->flags & MSG_TRUNC ? " and more" : "");
    if (is_long && header->fd_count == 0)
        return hy_fail(err, HY_BAD_DATA, "a body of %u bytes needs a file", header->body_bytes);
    if (header->fd_count > HY_FRAME_MOST_FDS + (is_long ? 1 : 0))
        return hy_fail(err, HY_BAD_DATA, "%u descriptors, at most %u are allowed", header->fd_count,
                       HY_FRAME_MOST_FDS);
    return check_descriptors(header, datagram, err);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static enum hy_code read_long_body(struct hy_incoming *frame, int fd, struct hy_error *err)
{
    const struct hy_body_budget *budget = frame->budget;
    const uint32_t bytes = frame->header.body_bytes;

    enum hy_code code = budget ? budget->reserve(budget->context, bytes, err) : HY_OK;
    if (code != HY_OK)
        return code;
    code = hy_body_file_read(fd, bytes, &frame->long_body, err);
    if (code != HY_OK && budget)
        budget->give(budget->context, bytes);
    return code;
}

/* Moves body and descriptors into the frame. */
static enum hy_code accept_datagram(struct hy_incoming *frame, struct datagram *datagram,
                                    struct hy_error *err)
{
    enum hy_code code = check(&frame->header, datagram, err);
    if (code != HY_OK)
        return code;

    uint32_t first = 0;
    frame->body = frame->space;
    if (frame->header.body_bytes > HY_FRAME_INLINE) {
        /* check() found a descriptor. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        code = read_long_body(frame, datagram->fds[0], err);
        if (code != HY_OK)
            return code;
        frame->body = frame->long_body;
        first = 1;
        close(datagram->fds[0]);
    }
    frame->fd_count = datagram->fd_count - first;
    memcpy(frame->fds, datagram->fds + first, frame->fd_count * sizeof(int));
    return HY_OK;
}

static enum hy_code receive_frame(struct hy_socket *socket, struct hy_incoming *frame,
                                  int64_t deadline, struct hy_error *err)
{
    struct datagram datagram;

    if (!frame->space)
        frame->space = malloc(HY_FRAME_INLINE);
    if (!frame->space)
        return hy_fail(err, HY_OUT_OF_MEMORY, "buffer for frames");

    enum hy_code code = receive_datagram(socket, frame, &datagram, deadline, err);
    if (code != HY_OK)
        return code;
    code = accept_datagram(frame, &datagram, err);
    if (code != HY_OK) {
        close_all(datagram.fds, datagram.fd_count);
        code = hy_error_prefix(err, code, "%s", hy_wire_kind_name(frame->header.kind));
    }
    return code;
}

enum hy_code hy_frame_receive(struct hy_socket *socket, struct hy_incoming *frame, int64_t deadline,
                              struct hy_error *err)
{
    hy_incoming_clear(frame);
    enum hy_code code = receive_frame(socket, frame, deadline, err);
    if (code != HY_OK) {
        if (code != HY_EXHAUSTED)
            frame->header = (struct hy_frame_header){0};
        frame->body = NULL;
        return hy_error_prefix(err, code, "receiving");
    }
    return HY_OK;
}
