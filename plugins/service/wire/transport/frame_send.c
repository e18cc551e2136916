#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/body_file.h"
#include "plugins/service/wire/transport/frame.h"

#include <errno.h>
#include <poll.h>
#include <stdalign.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

void hy_outgoing_init(struct hy_outgoing *frame)
{
    frame->header = (struct hy_frame_header){0};
    hy_pack_init(&frame->body);
}

void hy_outgoing_finish(struct hy_outgoing *frame)
{
    hy_pack_finish(&frame->body);
}

void hy_outgoing_begin(struct hy_outgoing *frame, uint32_t kind, uint64_t object)
{
    frame->header = (struct hy_frame_header){.kind = kind, .object = object};
    hy_pack_reset(&frame->body);
}

/* ---- The datagram ---------------------------------------------------------------------------- */

/* Adds the descriptors: the body file first, if present. */
static void add_descriptors(struct msghdr *message, void *control, int file,
                            const struct hy_pack *body)
{
    const size_t first = file >= 0 ? 1 : 0, count = first + body->fd_count;
    if (count == 0)
        return;

    message->msg_control = control;
    message->msg_controllen = CMSG_SPACE(count * sizeof(int));
    memset(control, 0, message->msg_controllen);
    struct cmsghdr *rights = CMSG_FIRSTHDR(message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(int));
    if (file >= 0)
        memcpy(CMSG_DATA(rights), &file, sizeof file);
    memcpy(CMSG_DATA(rights) + first * sizeof(int), body->fds, body->fd_count * sizeof(int));
}

static enum hy_code explain(int error, const struct hy_frame_header *header, struct hy_error *err)
{
    switch (error) {
    case EPIPE:
    case ECONNRESET:
    case ENOTCONN:
        return hy_fail(err, HY_DEAD, "the peer has closed the connection");
    case ENOMEM:
    case ENOBUFS:
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u bytes: %s", header->body_bytes, strerror(error));
    case ETOOMANYREFS:
        return hy_fail(err, HY_EXHAUSTED, "%u descriptors: %s", header->fd_count, strerror(error));
    default:
        return hy_fail(err, HY_FAILED, "%u bytes and %u descriptors: %s", header->body_bytes,
                       header->fd_count, strerror(error));
    }
}

static enum hy_code send_datagram(struct hy_socket *socket, const struct msghdr *message,
                                  const struct hy_frame_header *header, int64_t deadline,
                                  struct hy_error *err)
{
    const int flags = MSG_NOSIGNAL | (deadline < 0 ? 0 : MSG_DONTWAIT);
    enum hy_code code = HY_OK;

    while (code == HY_OK && sendmsg(socket->fd, message, flags) < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            code = hy_socket_wait(socket, POLLOUT, deadline, err);
        else if (errno != EINTR)
            code = explain(errno, header, err);
    }
    return code;
}

static enum hy_code send_with_file(struct hy_socket *socket, struct hy_outgoing *frame, int file,
                                   int64_t deadline, struct hy_error *err)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE((HY_FRAME_MOST_FDS + 1) * sizeof(int))];
    struct iovec parts[] = {{.iov_base = &frame->header, .iov_len = sizeof frame->header},
                            {.iov_base = frame->body.bytes, .iov_len = frame->body.size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = file >= 0 ? 1 : 2};

    frame->header.body_bytes = (uint32_t)frame->body.size;
    frame->header.fd_count = frame->body.fd_count + (file >= 0 ? 1 : 0);
    add_descriptors(&message, control, file, &frame->body);
    return send_datagram(socket, &message, &frame->header, deadline, err);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static enum hy_code send_frame(struct hy_socket *socket, struct hy_outgoing *frame,
                               int64_t deadline, struct hy_error *err)
{
    const struct hy_pack *body = &frame->body;
    int file = -1;

    if (body->code != HY_OK)
        return hy_fail(err, body->code, "%s", body->error.text);
    if (body->size > HY_FRAME_INLINE) {
        enum hy_code code = hy_body_file_make(body->bytes, body->size, &file, err);
        if (code != HY_OK)
            return code;
    }
    enum hy_code code = send_with_file(socket, frame, file, deadline, err);
    if (file >= 0)
        close(file);
    return code;
}

enum hy_code hy_frame_send(struct hy_socket *socket, struct hy_outgoing *frame, int64_t deadline,
                           struct hy_error *err)
{
    enum hy_code code = send_frame(socket, frame, deadline, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "sending %s", hy_wire_kind_name(frame->header.kind));
    return HY_OK;
}
