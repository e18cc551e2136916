#include "tests/kit/test.h"

#include "common/clock.h"
#include "plugins/service/wire/transport/body_file.h"
#include "tests/kit/held.h"
#include "tests/unit/plugins/service/wire/kit/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Frames as no hy_frame_send makes them: each is refused, and nothing of it is left. */

#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76 /* since Linux 6.5 */
#endif

enum { MOST_FDS = 253 }; /* that the kernel lets pass */

struct raw {
    struct hy_frame_header header;
    size_t header_size;
    size_t body_size;
    uint32_t fd_count;
    int fd; /* the first one; the others are /dev/null */
};

static void send_raw(const struct ends *ends, const struct raw *raw)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(MOST_FDS * sizeof(int))] = {0};
    static uint8_t body[HY_FRAME_INLINE + 4096];
    int fds[MOST_FDS];
    struct hy_frame_header header = raw->header;
    struct iovec parts[] = {{&header, raw->header_size}, {body, raw->body_size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    for (uint32_t i = 0; i < raw->fd_count; i++)
        fds[i] = i == 0 && raw->fd >= 0 ? raw->fd : null;
    if (raw->fd_count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(raw->fd_count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(raw->fd_count * sizeof(int));
        memcpy(CMSG_DATA(rights), fds, raw->fd_count * sizeof(int));
    }
    EXPECT_INT(sendmsg(ends->near.fd, &message, MSG_NOSIGNAL), raw->header_size + raw->body_size);
    close(null);
}

static int64_t in_half_a_second(void)
{
    return hy_clock_boot() + 500000000;
}

/* A frame after the bad one arrives: the border between frames is not lost. */
static void expect_refused(const struct raw *raw, enum hy_code code, const char *expected)
{
    struct ends ends;
    struct hy_held before, after;
    struct hy_error err = {0};

    ends_open(&ends);
    REQUIRE(hy_held_look(&before));
    send_raw(&ends, raw);
    EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, 0, &err), code);
    EXPECT_CONTAINS(err.text, expected);
    EXPECT_INT(ends.in.fd_count, 0);
    EXPECT_INT(ends.in.header.kind, 0);
    EXPECT(ends.in.body == NULL);
    REQUIRE(hy_held_look(&after));
    EXPECT_INT(after.files, before.files);

    hy_outgoing_begin(&ends.out, HY_WIRE_BYE, 0);
    EXPECT_INT(hy_frame_send(&ends.near, &ends.out, 0, &err), HY_OK);
    EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, 0, &err), HY_OK);
    ends_close(&ends);
}

static struct raw good(void)
{
    return (struct raw){
        .header = {.kind = HY_WIRE_LOG}, .header_size = sizeof(struct hy_frame_header), .fd = -1};
}

TEST(wire_hostile, frame_shorter_than_its_header_is_refused)
{
    struct raw raw = good();

    for (raw.header_size = 1; raw.header_size < sizeof raw.header; raw.header_size++)
        expect_refused(&raw, HY_BAD_DATA, "a frame of");
}

TEST(wire_hostile, descriptors_of_a_datagram_without_a_byte_are_closed)
{
    const struct raw raw = {.fd_count = 3, .fd = -1};
    expect_refused(&raw, HY_DEAD, "the peer has closed the connection");
}

TEST(wire_hostile, descriptor_of_the_sender_that_the_socket_asks_for_is_closed)
{
    const int yes = 1;
    struct hy_held before, after;
    struct hy_error err = {0};
    struct ends ends;

    ends_open(&ends);
    if (setsockopt(ends.far.fd, SOL_SOCKET, SO_PASSPIDFD, &yes, sizeof yes) == 0) {
        REQUIRE(hy_held_look(&before));
        for (int i = 0; i < 3; i++) {
            hy_outgoing_begin(&ends.out, HY_WIRE_BYE, 0);
            EXPECT_INT(hy_frame_send(&ends.near, &ends.out, 0, &err), HY_OK);
            EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, 0, &err), HY_OK);
        }
        REQUIRE(hy_held_look(&after));
        EXPECT_INT(after.files, before.files);
    }
    ends_close(&ends);
}

TEST(wire_hostile, socket_of_another_kind_is_told_apart)
{
    int ends[2], stream[2];

    REQUIRE(hy_socket_pair(ends, NULL) == HY_OK);
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) == 0);
    EXPECT(hy_socket_is_one(ends[0]));
    EXPECT(!hy_socket_is_one(stream[0]));
    EXPECT(!hy_socket_is_one(STDERR_FILENO));
    EXPECT(!hy_socket_is_one(-1));
    for (int i = 0; i < 2; i++) {
        close(ends[i]);
        close(stream[i]);
    }
}

TEST(wire_hostile, socket_that_never_blocks_is_waited_for)
{
    struct timespec before, after;
    struct hy_error err = {0};
    struct ends ends;

    ends_open(&ends);
    REQUIRE(fcntl(ends.far.fd, F_SETFL, O_NONBLOCK) == 0);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, in_half_a_second(), &err), HY_MISSED_DEADLINE);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    EXPECT((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 <
           250);
    ends_close(&ends);
}

TEST(wire_hostile, body_of_another_length_than_announced_is_refused)
{
    static const uint32_t announced[] = {8, 0, 16, 100};
    static const size_t sent[] = {0, 8, 8, 101};

    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        struct raw raw = good();
        raw.header.body_bytes = announced[i];
        raw.body_size = sent[i];
        expect_refused(&raw, HY_BAD_DATA, "log: a body of");
    }
}

TEST(wire_hostile, datagram_longer_than_a_frame_is_refused)
{
    struct raw raw = good();

    raw.header.body_bytes = HY_FRAME_INLINE;
    raw.body_size = HY_FRAME_INLINE + 8;
    expect_refused(&raw, HY_BAD_DATA, "and more received");
}

TEST(wire_hostile, body_above_the_limit_is_refused_before_memory_is_asked_for)
{
    struct raw raw = good();

    raw.header.body_bytes = HY_FRAME_MOST_BODY + 1;
    raw.header.fd_count = raw.fd_count = 1;
    expect_refused(&raw, HY_BAD_DATA, "a body of 268435457 bytes, at most 268435456");
}

TEST(wire_hostile, other_number_of_descriptors_than_announced_is_refused)
{
    static const uint32_t announced[] = {1, 0, 3, 2, 200, UINT32_MAX};
    static const uint32_t sent[] = {0, 1, 2, 3, 201, 1};

    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        struct raw raw = good();
        raw.header.fd_count = announced[i];
        raw.fd_count = sent[i];
        expect_refused(&raw, HY_BAD_DATA,
                       announced[i] == UINT32_MAX ? "descriptors, at most 200 are allowed"
                                                  : "descriptors expected, ");
    }
}

TEST(wire_hostile, more_descriptors_than_fit_are_refused_and_closed)
{
    for (uint32_t count = HY_FRAME_MOST_FDS + 1; count <= MOST_FDS; count += 4) {
        struct raw raw = good();
        raw.header.fd_count = raw.fd_count = count;
        expect_refused(&raw, HY_BAD_DATA, "at most 200 are allowed");
    }
}

/* ---- Body files ------------------------------------------------------------------------------ */

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int make_file(size_t size, int seals)
{
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    EXPECT(fd >= 0);
    EXPECT_INT(ftruncate(fd, (off_t)size), 0);
    EXPECT_INT(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

enum { LONG = 100000 };

static void expect_file_refused(int fd, const char *expected)
{
    struct raw raw = good();

    raw.header.body_bytes = LONG;
    raw.header.fd_count = raw.fd_count = 1;
    raw.fd = fd;
    expect_refused(&raw, HY_BAD_DATA, expected);
    if (fd >= 0)
        close(fd);
}

TEST(wire_hostile, body_file_without_all_seals_is_refused)
{
    expect_file_refused(make_file(LONG, 0), "has seals");
    expect_file_refused(make_file(LONG, F_SEAL_SHRINK | F_SEAL_GROW), "has seals");
    expect_file_refused(make_file(LONG, F_SEAL_SHRINK | F_SEAL_WRITE), "has seals");
    expect_file_refused(make_file(LONG, F_SEAL_WRITE | F_SEAL_GROW), "has seals");
}

TEST(wire_hostile, body_file_of_another_size_is_refused)
{
    expect_file_refused(make_file(LONG - 1, SEALS), "has 99999 bytes, the header says 100000");
    expect_file_refused(make_file(LONG + 1, SEALS), "has 100001 bytes, the header says 100000");
    expect_file_refused(make_file(0, SEALS), "has 0 bytes");
}

TEST(wire_hostile, body_file_that_is_no_memfd_is_refused_unread)
{
    int pipe_ends[2];

    expect_file_refused(-1, "not a memfd"); /* /dev/null */
    expect_file_refused(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "not a memfd");
    REQUIRE(pipe2(pipe_ends, O_CLOEXEC) == 0);
    expect_file_refused(pipe_ends[0], "not a memfd");
    close(pipe_ends[1]);
}

TEST(wire_hostile, body_file_that_cannot_be_read_is_refused)
{
    const int fd = make_file(LONG, 0);
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int writer = open(path, O_WRONLY | O_CLOEXEC);
    REQUIRE(writer >= 0);
    EXPECT_INT(fcntl(fd, F_ADD_SEALS, SEALS), 0);
    close(fd);
    expect_file_refused(writer, "the body file ends at byte 0 of 100000");
}

TEST(wire_hostile, long_body_without_a_file_is_refused)
{
    struct raw raw = good();

    raw.header.body_bytes = LONG;
    expect_refused(&raw, HY_BAD_DATA, "a body of 100000 bytes needs a file");
}

TEST(wire_hostile, long_body_that_is_also_in_the_datagram_is_refused)
{
    struct raw raw = good();

    raw.header.body_bytes = LONG;
    raw.body_size = 8;
    raw.fd = make_file(LONG, SEALS);
    raw.header.fd_count = raw.fd_count = 1;
    expect_refused(&raw, HY_BAD_DATA, "a body of 100000 bytes expected, 8 received");
    close(raw.fd);
}

TEST(wire_hostile, own_body_files_cannot_be_changed)
{
    struct hy_error err;
    uint8_t *copy = NULL;
    int fd = -1;

    REQUIRE(hy_body_file_make("12345678", 8, &fd, &err) == HY_OK);
    EXPECT_INT(pwrite(fd, "x", 1, 0), -1);
    EXPECT_INT(errno, EPERM);
    EXPECT_INT(ftruncate(fd, 4), -1);
    EXPECT_INT(ftruncate(fd, 40), -1);
    EXPECT_INT(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
    REQUIRE(hy_body_file_read(fd, 8, &copy, &err) == HY_OK);
    EXPECT(memcmp(copy, "12345678", 8) == 0);
    free(copy);
    close(fd);
}
