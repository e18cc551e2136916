#include "hardware_buffer/transfer.h"

#include "hardware_buffer/failure.h"
#include "hardware_buffer/message.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The system's limit of descriptors in a message. */
#define MOST_DESCRIPTORS 253u

/* True if a call that failed with errno value `number` should be repeated: at once after a signal,
 * and for a non-blocking socket when it is ready. A blocking socket with EAGAIN has reached its own
 * timeout. */
static bool is_worth_a_retry(int socket, int number, short events)
{
    struct pollfd ready = {.fd = socket, .events = events};

    if (number == EINTR)
        return true;
    if ((number != EAGAIN && number != EWOULDBLOCK) || !(fcntl(socket, F_GETFL) & O_NONBLOCK))
        return false;
    return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

static int socket_failure(int number)
{
    return number == ENOTSOCK || number == EBADF || number == EOPNOTSUPP ? -EINVAL : -number;
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Sends the bytes of the message from `done` on, with the descriptor on the first byte. Returns the
 * number of sent bytes, or a negative errno value. */
static ssize_t send_part(int socket, int fd, const struct hy_buffer_message *message, size_t done)
{
    _Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {.iov_base = (unsigned char *)message + done,
                         .iov_len = sizeof *message - done};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;

    if (done == 0) {
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        struct cmsghdr *item = CMSG_FIRSTHDR(&header);
        item->cmsg_level = SOL_SOCKET;
        item->cmsg_type = SCM_RIGHTS;
        item->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(item), &fd, sizeof fd);
    }
    do {
        sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    } while (sent < 0 && is_worth_a_retry(socket, errno, POLLOUT));
    return sent < 0 ? socket_failure(errno) : sent;
}

int hy_hardware_buffer_send(const AHardwareBuffer *buffer, int socket)
{
    struct hy_buffer_message message;

    hy_buffer_message_fill(&buffer->desc, buffer->layout.bytes, &message);
    for (size_t done = 0; done < sizeof message;) {
        const ssize_t sent = send_part(socket, buffer->backing.fd, &message, done);
        if (sent < 0)
            return (int)sent;
        done += (size_t)sent;
    }
    return 0;
}

/* ---- Receiving ------------------------------------------------------------------------------- */

/* The received part of a message. */
struct arrival {
    struct hy_buffer_message message;
    size_t done;
    int fd;            /* the first descriptor, or -1 */
    bool has_too_many; /* too many descriptors, already closed */
    bool lacks_some;   /* the process lacks free descriptors: the buffer is large enough for all */
};

static void collect_descriptors(const struct msghdr *header, struct arrival *arrival)
{
    for (struct cmsghdr *item = CMSG_FIRSTHDR(header); item;
         item = CMSG_NXTHDR((struct msghdr *)header, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; at + sizeof(int) <= item->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int fd;
            memcpy(&fd, CMSG_DATA(item) + at, sizeof fd);
            if (arrival->fd < 0) {
                arrival->fd = fd;
            } else {
                close(fd);
                arrival->has_too_many = true;
            }
        }
    }
    if (header->msg_flags & MSG_CTRUNC)
        arrival->lacks_some = true;
}

static int receive_part(int socket, struct arrival *arrival, struct hy_error *err)
{
    _Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
    struct iovec part = {.iov_base = (unsigned char *)&arrival->message + arrival->done,
                         .iov_len = sizeof arrival->message - arrival->done};
    struct msghdr header;
    ssize_t count;

    do {
        header = (struct msghdr){.msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = control,
                                 .msg_controllen = sizeof control};
        count = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    } while (count < 0 && is_worth_a_retry(socket, errno, POLLIN));
    if (count < 0) {
        const int reason = errno;
        return hy_errno_fail(err, socket_failure(reason), "receiving from the socket: %s",
                             strerror(reason));
    }
    collect_descriptors(&header, arrival);
    if (count == 0)
        return hy_errno_fail(err, -ENOTCONN, "the peer has closed the socket");
    if (header.msg_flags & MSG_TRUNC)
        return hy_errno_fail(err, -EBADMSG, "the message is too long for a hardware buffer");
    arrival->done += (size_t)count;
    return 0;
}

static bool is_stream(int socket)
{
    int type = SOCK_STREAM;
    socklen_t length = sizeof type;

    return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type == SOCK_STREAM;
}

/* A socket that preserves message boundaries delivers the whole message or nothing. */
static int receive_all(int socket, struct arrival *arrival, struct hy_error *err)
{
    int result = receive_part(socket, arrival, err);

    if (result == 0 && arrival->done < sizeof arrival->message && !is_stream(socket))
        return hy_errno_fail(err, -EBADMSG, "the message is too short for a hardware buffer");
    while (result == 0 && arrival->done < sizeof arrival->message)
        result = receive_part(socket, arrival, err);
    return result;
}

/* Takes ownership of the descriptor. */
static int make(struct arrival *arrival, AHardwareBuffer **ret, struct hy_error *err)
{
    AHardwareBuffer_Desc desc;
    const int fd = arrival->fd;
    int result;

    if (arrival->lacks_some && !arrival->has_too_many)
        return hy_errno_fail(err, -EMFILE,
                             "no free file descriptor to receive the descriptor of the message");
    if (fd < 0 || arrival->has_too_many)
        return hy_errno_fail(err, -EBADMSG, "the message carries %s",
                             fd < 0 ? "no descriptor" : "more than one descriptor");
    result = hy_buffer_message_read(&arrival->message, &desc, err);
    if (result != 0)
        return result;
    arrival->fd = -1;
    result = hy_hardware_buffer_adopt(fd, &desc, ret, err);
    return result == -EINVAL ? -EBADMSG : result;
}

int hy_hardware_buffer_receive(int socket, AHardwareBuffer **ret, struct hy_error *err)
{
    struct arrival arrival = {.fd = -1};
    int result = receive_all(socket, &arrival, err);

    if (result == 0)
        result = make(&arrival, ret, err);
    if (arrival.fd >= 0)
        close(arrival.fd);
    return result;
}
