/* Peers that send what is no buffer: none of it makes one, and none of it stays. */
#include "hardware_buffer/layout.h"
#include "hardware_buffer/message.h"
#include "hardware_buffer/transfer.h"
#include "tests/kit/test.h"
#include "tests/unit/hardware_buffer/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 253u

static struct hy_buffer_message good_message(uint32_t bytes)
{
    AHardwareBuffer_Desc desc = blob_of(bytes);
    struct hy_buffer_message message;

    desc.stride = bytes;
    hy_buffer_message_fill(&desc, bytes, &message);
    return message;
}

static void send_raw(int socket, const void *bytes, size_t length, const int *fds, uint32_t count)
{
    _Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(MOST * sizeof(int))] = {0};
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

    if (count > 0) {
        header.msg_control = control;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *item = CMSG_FIRSTHDR(&header);
        item->cmsg_level = SOL_SOCKET;
        item->cmsg_type = SCM_RIGHTS;
        item->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(item), fds, count * sizeof(int));
    }
    EXPECT(sendmsg(socket, &header, MSG_NOSIGNAL) == (ssize_t)length);
}

/* What comes of these bytes with these descriptors, after which the peer is gone. */
static void expect_of_type(int type, int expected, const void *bytes, size_t length, const int *fds,
                           uint32_t count)
{
    const int before = count_descriptors();
    AHardwareBuffer *buffer = NULL;
    int ends[2];

    REQUIRE(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) == 0);
    if (length > 0)
        send_raw(ends[0], bytes, length, fds, count);
    close(ends[0]);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &buffer), expected);
    EXPECT((expected == 0) == (buffer != NULL));
    AHardwareBuffer_release(buffer);
    close(ends[1]);
    EXPECT_INT(count_descriptors(), before);
}

static void expect_message(int expected, struct hy_buffer_message message, int fd)
{
    expect_of_type(SOCK_STREAM, expected, &message, sizeof message, &fd, fd >= 0 ? 1 : 0);
    if (fd >= 0)
        close(fd);
}

TEST(hardware_buffer_hostile, message_that_is_right_makes_a_buffer)
{
    expect_message(0, good_message(64), sealed_memory(64, F_SEAL_SHRINK));
}

TEST(hardware_buffer_hostile, message_without_a_descriptor_is_refused)
{
    expect_message(-EBADMSG, good_message(64), -1);
}

TEST(hardware_buffer_hostile, surplus_descriptors_are_closed)
{
    const struct hy_buffer_message message = good_message(64);
    int fds[MOST];

    for (size_t i = 0; i < MOST; i++)
        fds[i] = i ? fds[0] : sealed_memory(64, F_SEAL_SHRINK);
    expect_of_type(SOCK_STREAM, -EBADMSG, &message, sizeof message, fds, 2);
    expect_of_type(SOCK_STREAM, -EBADMSG, &message, sizeof message, fds, MOST);
    expect_of_type(SOCK_SEQPACKET, -EBADMSG, &message, sizeof message, fds, MOST);
    close(fds[0]);
}

/* A second one with the second half of the message. */
TEST(hardware_buffer_hostile, descriptors_of_later_bytes_are_closed)
{
    const struct hy_buffer_message message = good_message(64);
    const int fd = sealed_memory(64, F_SEAL_SHRINK), before = count_descriptors();
    AHardwareBuffer *buffer = NULL;
    int ends[2];

    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    send_raw(ends[0], &message, 20, &fd, 1);
    send_raw(ends[0], (const char *)&message + 20, sizeof message - 20, &fd, 1);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &buffer), -EBADMSG);
    send_raw(ends[0], &message, 20, NULL, 0);
    send_raw(ends[0], (const char *)&message + 20, sizeof message - 20, &fd, 1);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &buffer), 0);
    AHardwareBuffer_release(buffer);
    close(ends[0]);
    close(ends[1]);
    EXPECT_INT(count_descriptors(), before);
    close(fd);
}

TEST(hardware_buffer_hostile, message_that_comes_byte_by_byte_is_put_together)
{
    const struct hy_buffer_message message = good_message(64);
    const int fd = sealed_memory(64, F_SEAL_SHRINK);
    AHardwareBuffer *buffer = NULL;
    int ends[2];

    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    for (size_t i = 0; i < sizeof message; i++)
        send_raw(ends[0], (const char *)&message + i, 1, &fd, i == 0);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &buffer), 0);
    AHardwareBuffer_release(buffer);
    close(ends[0]);
    close(ends[1]);
    close(fd);
}

TEST(hardware_buffer_hostile, message_that_is_cut_is_refused)
{
    const struct hy_buffer_message message = good_message(64);
    const int fd = sealed_memory(64, F_SEAL_SHRINK);

    for (size_t length = 0; length < sizeof message; length++) {
        expect_of_type(SOCK_STREAM, -ENOTCONN, &message, length, &fd, 1);
        expect_of_type(SOCK_SEQPACKET, length ? -EBADMSG : -ENOTCONN, &message, length, &fd, 1);
    }
    close(fd);
}

TEST(hardware_buffer_hostile, packet_that_is_too_long_is_refused)
{
    const struct hy_buffer_message messages[2] = {good_message(64), good_message(64)};
    const int fd = sealed_memory(64, F_SEAL_SHRINK);

    expect_of_type(SOCK_SEQPACKET, -EBADMSG, messages, sizeof *messages + 1, &fd, 1);
    close(fd);
}

TEST(hardware_buffer_hostile, message_of_another_kind_or_version_is_refused)
{
    struct hy_buffer_message message = good_message(64);

    message.magic++;
    expect_message(-EBADMSG, message, sealed_memory(64, F_SEAL_SHRINK));
    message = good_message(64);
    message.version++;
    expect_message(-EBADMSG, message, sealed_memory(64, F_SEAL_SHRINK));
    message = good_message(64);
    message.reserved = 1;
    expect_message(-EBADMSG, message, sealed_memory(64, F_SEAL_SHRINK));
}

TEST(hardware_buffer_hostile, description_is_checked_as_that_of_an_allocation)
{
    static const struct {
        size_t offset;
        uint32_t value;
    } cases[] = {
        {offsetof(struct hy_buffer_message, width), 0},
        {offsetof(struct hy_buffer_message, width), UINT32_MAX},
        {offsetof(struct hy_buffer_message, height), 0},
        {offsetof(struct hy_buffer_message, height), 2},
        {offsetof(struct hy_buffer_message, layers), 0},
        {offsetof(struct hy_buffer_message, layers), UINT32_MAX},
        {offsetof(struct hy_buffer_message, format), 0},
        {offsetof(struct hy_buffer_message, format), AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT},
        {offsetof(struct hy_buffer_message, stride), 0},
        {offsetof(struct hy_buffer_message, stride), 63},
        {offsetof(struct hy_buffer_message, stride), UINT32_MAX},
        {offsetof(struct hy_buffer_message, usage), 1},
        {offsetof(struct hy_buffer_message, usage), UINT32_MAX},
        {offsetof(struct hy_buffer_message, bytes), 63},
        {offsetof(struct hy_buffer_message, bytes), 65},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_buffer_message message = good_message(64);
        memcpy((char *)&message + cases[i].offset, &cases[i].value, sizeof cases[i].value);
        expect_message(-EBADMSG, message, sealed_memory(1 << 16, F_SEAL_SHRINK));
    }
}

TEST(hardware_buffer_hostile, memory_that_does_not_keep_what_it_says_is_refused)
{
    int ends[2];

    expect_message(-EBADMSG, good_message(64), sealed_memory(63, F_SEAL_SHRINK));
    expect_message(-EBADMSG, good_message(64), sealed_memory(64, 0));
    expect_message(-EBADMSG, good_message(64), sealed_memory(64, F_SEAL_GROW));
    expect_message(-EBADMSG, good_message(64), sealed_memory(64, F_SEAL_SHRINK | F_SEAL_WRITE));
    expect_message(-EBADMSG, good_message(64), open("/dev/zero", O_RDWR | O_CLOEXEC));
    expect_message(-EBADMSG, good_message(64), open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    expect_message(-EBADMSG, good_message(64), ends[0]);
    expect_message(-EBADMSG, good_message(64), ends[1]);
}

TEST(hardware_buffer_hostile, refusals_have_words)
{
    const struct hy_buffer_message message = good_message(64);
    const int fd = sealed_memory(64, 0);
    AHardwareBuffer *buffer = NULL;
    struct hy_error err = {0};
    int ends[2];

    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    send_raw(ends[0], &message, sizeof message, &fd, 1);
    EXPECT_INT(hy_hardware_buffer_receive(ends[1], &buffer, &err), -EBADMSG);
    EXPECT_CONTAINS(err.text, "sealed");
    close(ends[0]);
    close(ends[1]);
    close(fd);
}
