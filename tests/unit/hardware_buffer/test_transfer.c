/* Buffers through sockets, between two that mean well. */
#include "tests/kit/test.h"
#include "tests/unit/hardware_buffer/fake_system.h"
#include "tests/unit/hardware_buffer/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static bool open_pair(int type, int ends[2])
{
    const bool is_open = socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) == 0;
    EXPECT(is_open);
    return is_open;
}

static void close_pair(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static void fill(AHardwareBuffer *buffer, unsigned char value)
{
    void *address = NULL;
    EXPECT_INT(AHardwareBuffer_lock(buffer, CPU_OFTEN, -1, NULL, &address), 0);
    if (address)
        *(unsigned char *)address = value;
    EXPECT_INT(AHardwareBuffer_unlock(buffer, NULL), 0);
}

static unsigned char first_of(AHardwareBuffer *buffer)
{
    void *address = NULL;
    EXPECT_INT(AHardwareBuffer_lock(buffer, CPU_OFTEN, -1, NULL, &address), 0);
    const unsigned char first = address ? *(unsigned char *)address : 0;
    EXPECT_INT(AHardwareBuffer_unlock(buffer, NULL), 0);
    return first;
}

static void expect_same(AHardwareBuffer *sent, AHardwareBuffer *got)
{
    AHardwareBuffer_Desc a = {0}, b = {0};
    uint64_t ids[2] = {0, 1};

    AHardwareBuffer_describe(sent, &a);
    AHardwareBuffer_describe(got, &b);
    EXPECT(memcmp(&a, &b, sizeof a) == 0);
    EXPECT_INT(AHardwareBuffer_getId(sent, &ids[0]), 0);
    EXPECT_INT(AHardwareBuffer_getId(got, &ids[1]), 0);
    EXPECT(ids[0] == ids[1]);
    fill(sent, 77);
    EXPECT_INT(first_of(got), 77);
}

static void expect_transfer(AHardwareBuffer_Desc desc, int type)
{
    const int before = count_descriptors();
    AHardwareBuffer *sent = allocated(desc), *got = NULL;
    int ends[2];

    REQUIRE(open_pair(type, ends));
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(sent, ends[0]), 0);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &got), 0);
    REQUIRE(got != NULL && got != sent);
    expect_same(sent, got);
    AHardwareBuffer_release(sent);
    EXPECT_INT(first_of(got), 77); /* it does not need its first owner */
    AHardwareBuffer_release(got);
    close_pair(ends);
    EXPECT_INT(count_descriptors(), before);
}

TEST(hardware_buffer_transfer, buffer_arrives_as_it_was_sent)
{
    static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};

    for (size_t i = 0; i < 3; i++) {
        expect_transfer(blob_of(12345), types[i]);
        expect_transfer(image_of(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 99, 3), types[i]);
        expect_transfer(image_of(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 99, 3), types[i]);
    }
}

TEST(hardware_buffer_transfer, dma_buf_arrives_as_one)
{
    static const enum fake_devices devices[] = {FAKE_HEAP, FAKE_UDMABUF};

    for (size_t i = 0; i < 2; i++) {
        fake_system_start(devices[i]);
        expect_transfer(blob_of(4096), SOCK_STREAM);
        EXPECT(fake_system_counts().starts >= 3); /* of the one that was received, too */
        fake_system_stop();
    }
}

TEST(hardware_buffer_transfer, many_buffers_keep_their_order)
{
    AHardwareBuffer *got = NULL;
    int ends[2];

    REQUIRE(open_pair(SOCK_STREAM, ends));
    for (uint32_t i = 1; i <= 20; i++) {
        AHardwareBuffer *sent = allocated(blob_of(i));
        EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(sent, ends[0]), 0);
        AHardwareBuffer_release(sent);
    }
    for (uint32_t i = 1; i <= 20; i++) {
        AHardwareBuffer_Desc desc = {0};
        EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &got), 0);
        AHardwareBuffer_describe(got, &desc);
        EXPECT_INT(desc.width, i);
        AHardwareBuffer_release(got);
    }
    close_pair(ends);
}

TEST(hardware_buffer_transfer, another_process_sees_the_same_memory)
{
    AHardwareBuffer *buffer = allocated(blob_of(64)), *got = NULL;
    int ends[2], status = -1;

    REQUIRE(open_pair(SOCK_STREAM, ends));
    const pid_t child = fork();
    if (child == 0) {
        if (AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &got) != 0)
            _exit(1);
        fill(got, 123);
        _exit(0);
    }
    REQUIRE(child > 0);
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(buffer, ends[0]), 0);
    EXPECT_INT(waitpid(child, &status, 0), child);
    EXPECT_INT(status, 0);
    EXPECT_INT(first_of(buffer), 123);
    AHardwareBuffer_release(buffer);
    close_pair(ends);
}

static void *send_delayed(void *socket)
{
    AHardwareBuffer *buffer = allocated(blob_of(8));

    usleep(20000);
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(buffer, *(int *)socket), 0);
    AHardwareBuffer_release(buffer);
    return NULL;
}

TEST(hardware_buffer_transfer, non_blocking_socket_is_waited_for)
{
    AHardwareBuffer *got = NULL;
    pthread_t thread;
    int ends[2];

    REQUIRE(open_pair(SOCK_STREAM | SOCK_NONBLOCK, ends));
    REQUIRE(pthread_create(&thread, NULL, send_delayed, &ends[0]) == 0);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &got), 0);
    pthread_join(thread, NULL);
    AHardwareBuffer_release(got);
    close_pair(ends);
}

TEST(hardware_buffer_transfer, timeout_of_a_blocking_socket_ends_the_wait)
{
    const struct timeval moment = {.tv_usec = 1000};
    AHardwareBuffer *got = NULL;
    int ends[2];

    REQUIRE(open_pair(SOCK_STREAM, ends));
    EXPECT_INT(setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment), 0);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &got), -EAGAIN);
    EXPECT(got == NULL);
    close_pair(ends);
}

static void *drain_delayed(void *socket)
{
    char bytes[4096];
    size_t total = 0;

    usleep(20000);
    for (ssize_t count; (count = recv(*(int *)socket, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
        total += (size_t)count;
    return total > 0 ? socket : NULL;
}

TEST(hardware_buffer_transfer, full_socket_is_waited_for)
{
    static const char filler[4096];
    AHardwareBuffer *buffer = allocated(blob_of(8));
    pthread_t thread;
    int ends[2];
    void *drained = NULL;

    REQUIRE(open_pair(SOCK_STREAM | SOCK_NONBLOCK, ends));
    while (send(ends[0], filler, sizeof filler, MSG_NOSIGNAL) > 0)
        ;
    REQUIRE(pthread_create(&thread, NULL, drain_delayed, &ends[1]) == 0);
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(buffer, ends[0]), 0);
    pthread_join(thread, &drained);
    EXPECT(drained != NULL);
    AHardwareBuffer_release(buffer);
    close_pair(ends);
}

TEST(hardware_buffer_transfer, peer_that_is_gone_is_told)
{
    AHardwareBuffer *buffer = allocated(blob_of(8)), *got = NULL;
    int ends[2];

    REQUIRE(open_pair(SOCK_STREAM, ends));
    close(ends[1]);
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(buffer, ends[0]), -EPIPE);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(ends[0], &got), -ENOTCONN);
    EXPECT(got == NULL);
    close(ends[0]);
    AHardwareBuffer_release(buffer);
}

TEST(hardware_buffer_transfer, what_is_no_socket_is_refused)
{
    AHardwareBuffer *buffer = allocated(blob_of(8)), *got = NULL;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(buffer, null), -EINVAL);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(null, &got), -EINVAL);
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(buffer, -1), -EINVAL);
    EXPECT_INT(AHardwareBuffer_recvHandleFromUnixSocket(-1, &got), -EINVAL);
    EXPECT_INT(AHardwareBuffer_sendHandleToUnixSocket(buffer, 1 << 20), -EINVAL);
    close(null);
    AHardwareBuffer_release(buffer);
}
