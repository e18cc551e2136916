#include "tests/kit/test.h"

#include "common/clock.h"
#include "plugins/service/wire/reply.h"
#include "tests/kit/held.h"
#include "tests/unit/plugins/service/wire/kit/ends.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What arrives ---------------------------------------------------------------------------- */

static void send_and_compare(struct ends *ends, size_t size)
{
    struct hy_error err = {0};
    uint8_t *bytes = malloc(size + 1);

    REQUIRE(bytes != NULL);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    hy_outgoing_begin(&ends->out, HY_WIRE_PREPARE, 77);
    ends->out.header.status = -5;
    hy_pack_copy(&ends->out.body, bytes, size, 1);
    EXPECT_INT(hy_frame_send(&ends->near, &ends->out, 0, &err), HY_OK);
    EXPECT_INT(hy_frame_receive(&ends->far, &ends->in, 0, &err), HY_OK);
    EXPECT_STR(err.text, "");

    const struct hy_frame_header *header = &ends->in.header;
    EXPECT_INT(header->kind, HY_WIRE_PREPARE);
    EXPECT_INT(header->object, 77);
    EXPECT_INT(header->status, -5);
    EXPECT_INT(header->body_bytes, (size + 7) / 8 * 8);
    EXPECT_INT(ends->in.fd_count, 0);
    EXPECT_INT((uintptr_t)ends->in.body % 8, 0);
    EXPECT(size == 0 || memcmp(ends->in.body, bytes, size) == 0);
    free(bytes);
}

TEST(wire_frame, body_of_any_length_arrives)
{
    static const size_t sizes[] = {0,
                                   1,
                                   8,
                                   1000,
                                   HY_FRAME_INLINE - 8,
                                   HY_FRAME_INLINE,
                                   HY_FRAME_INLINE + 1,
                                   HY_FRAME_INLINE + 8,
                                   5000000,
                                   16};
    struct ends ends;
    struct hy_held before, after;

    ends_open(&ends);
    REQUIRE(hy_held_look(&before));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        send_and_compare(&ends, sizes[i]);
    hy_incoming_clear(&ends.in);
    REQUIRE(hy_held_look(&after));
    EXPECT_INT(after.files, before.files);
    ends_close(&ends);
}

TEST(wire_frame, longer_body_than_allowed_is_not_packed)
{
    struct ends ends;
    struct hy_error err = {0};

    ends_open(&ends);
    hy_outgoing_begin(&ends.out, HY_WIRE_PREPARE, 0);
    hy_pack_copy(&ends.out.body, &ends, HY_FRAME_MOST_BODY + 1, 1);
    EXPECT_INT(hy_frame_send(&ends.near, &ends.out, 0, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "sending prepare: 268435457 more bytes");
    ends_close(&ends);
}

static void add_files(struct hy_pack *pack, int *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        files[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        hy_pack_fd(pack, files[i]);
    }
}

static void close_files(const int *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        close(files[i]);
}

/* The same file as /dev/null, closed when another program starts. */
static int is_good_file(int fd)
{
    struct stat here, there;

    return fstat(fd, &here) == 0 && stat("/dev/null", &there) == 0 &&
           here.st_rdev == there.st_rdev && fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static void pass_files(struct ends *ends, uint32_t count, size_t body)
{
    int files[HY_FRAME_MOST_FDS];
    uint8_t *bytes = calloc(body + 1, 1);
    struct hy_error err = {0};

    hy_outgoing_begin(&ends->out, HY_WIRE_EXECUTE, 0);
    hy_pack_copy(&ends->out.body, bytes, body, 1);
    add_files(&ends->out.body, files, count);
    EXPECT_INT(hy_frame_send(&ends->near, &ends->out, 0, &err), HY_OK);
    close_files(files, count);
    EXPECT_INT(hy_frame_receive(&ends->far, &ends->in, 0, &err), HY_OK);
    EXPECT_STR(err.text, "");
    EXPECT_INT(ends->in.fd_count, count);
    for (uint32_t i = 0; i < ends->in.fd_count; i++)
        EXPECT(is_good_file(ends->in.fds[i]));
    free(bytes);
}

TEST(wire_frame, descriptors_arrive_and_are_closed_with_the_frame)
{
    struct ends ends;
    struct hy_held before, after;

    ends_open(&ends);
    REQUIRE(hy_held_look(&before));
    for (uint32_t count = 0; count <= HY_FRAME_MOST_FDS; count += 40) {
        pass_files(&ends, count, 16);
        pass_files(&ends, count, HY_FRAME_INLINE + 1);
    }
    hy_incoming_clear(&ends.in);
    REQUIRE(hy_held_look(&after));
    EXPECT_INT(after.files, before.files);
    ends_close(&ends);
}

TEST(wire_frame, descriptor_that_is_taken_outlives_the_frame)
{
    struct ends ends;

    ends_open(&ends);
    pass_files(&ends, 3, 0);
    const int claimed = ends.in.fds[1], left = ends.in.fds[2];
    hy_incoming_claim_fd(&ends.in, claimed);
    hy_incoming_clear(&ends.in);
    EXPECT(is_good_file(claimed));
    EXPECT_INT(fcntl(left, F_GETFD), -1);
    close(claimed);
    ends_close(&ends);
}

TEST(wire_frame, more_descriptors_than_allowed_are_not_packed)
{
    struct ends ends;
    struct hy_error err = {0};

    ends_open(&ends);
    hy_outgoing_begin(&ends.out, HY_WIRE_EXECUTE, 0);
    for (uint32_t i = 0; i <= HY_FRAME_MOST_FDS; i++)
        hy_pack_fd(&ends.out.body, 0);
    EXPECT_INT(hy_frame_send(&ends.near, &ends.out, 0, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "more than 200 descriptors");
    ends_close(&ends);
}

TEST(wire_frame, failure_of_packing_is_told_when_the_frame_is_sent)
{
    struct ends ends;
    struct hy_error err = {0};

    ends_open(&ends);
    hy_outgoing_begin(&ends.out, HY_WIRE_LOG, 0);
    hy_pack_text(&ends.out.body, NULL);
    hy_pack_fd(&ends.out.body, -1);
    EXPECT_INT(hy_frame_send(&ends.near, &ends.out, 0, &err), HY_UNEXPECTED_NULL);
    EXPECT_STR(err.text, "sending log: a text is NULL");
    EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, 0, &err), HY_MISSED_DEADLINE);
    ends_close(&ends);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static int64_t now(void)
{
    return INT64_MAX / 2 - hy_clock_left(INT64_MAX / 2);
}

TEST(wire_frame, receive_ends_at_its_deadline_and_not_before)
{
    static const int64_t waits[] = {0, 1000000, 30000000, 150000000, 120000000};
    struct ends ends;
    struct hy_error err;

    ends_open(&ends);
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        const int64_t deadline = now() + waits[i];
        EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, deadline, &err), HY_MISSED_DEADLINE);
        EXPECT(now() >= deadline);
        EXPECT_CONTAINS(err.text, "receiving: the peer sends nothing in time");
    }
    send_and_compare(&ends, 100);
    ends_close(&ends);
}

TEST(wire_frame, send_to_a_peer_that_does_not_read_ends_at_its_deadline)
{
    struct ends ends;
    struct hy_error err;
    enum hy_code code = HY_OK;
    const int64_t deadline = now() + 20000000;

    ends_open(&ends);
    hy_outgoing_begin(&ends.out, HY_WIRE_LOG, 0);
    hy_pack_records(&ends.out.body, 1, HY_FRAME_INLINE);
    for (int i = 0; i < 1000 && code == HY_OK; i++)
        code = hy_frame_send(&ends.near, &ends.out, deadline, &err);
    EXPECT_INT(code, HY_MISSED_DEADLINE);
    EXPECT_CONTAINS(err.text, "sending log: the peer receives nothing in time");
    EXPECT(now() >= deadline);
    EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, 0, &err), HY_OK);
    EXPECT_INT(hy_frame_send(&ends.near, &ends.out, HY_NO_DEADLINE, &err), HY_OK);
    ends_close(&ends);
}

/* ---- Descriptors of one's own ---------------------------------------------------------------- */

TEST(wire_frame, without_room_for_descriptors_the_frame_is_lost_and_nothing_leaks)
{
    struct ends ends;
    struct rlimit old, low;
    struct hy_held before, after;
    struct hy_error err;
    int files[20];

    ends_open(&ends);
    hy_outgoing_begin(&ends.out, HY_WIRE_EXECUTE, 0);
    add_files(&ends.out.body, files, 20);
    EXPECT_INT(hy_frame_send(&ends.near, &ends.out, 0, &err), HY_OK);
    REQUIRE(hy_held_look(&before));
    REQUIRE(getrlimit(RLIMIT_NOFILE, &old) == 0);
    low = old;
    low.rlim_cur = (rlim_t)files[19] + 5;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
    EXPECT_INT(hy_frame_receive(&ends.far, &ends.in, 0, &err), HY_EXHAUSTED);
    EXPECT_CONTAINS(err.text, "20 descriptors expected, 4 received");
    REQUIRE(setrlimit(RLIMIT_NOFILE, &old) == 0);
    REQUIRE(hy_held_look(&after));
    EXPECT_INT(after.files, before.files);
    EXPECT_INT(ends.in.fd_count, 0);
    close_files(files, 20);
    send_and_compare(&ends, 30);
    ends_close(&ends);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Puts the answer on the way, then calls. */
static enum hy_code call(struct ends *ends, uint32_t kind, int32_t status, struct hy_error *err)
{
    hy_outgoing_begin(&ends->out, kind, 5);
    ends->out.header.status = status;
    EXPECT_INT(hy_frame_send(&ends->far, &ends->out, 0, err), HY_OK);
    hy_outgoing_begin(&ends->out, HY_WIRE_WAIT, 0);
    return hy_call_make(&ends->near, &ends->out, &ends->in, 0, err);
}

TEST(wire_frame, call_takes_its_own_answer_only)
{
    struct ends ends;
    struct hy_error err = {0};
    const struct hy_frame_header asked = {.kind = HY_WIRE_WAIT, .object = 3};
    struct hy_outgoing reply;

    ends_open(&ends);
    EXPECT_INT(call(&ends, HY_WIRE_WAIT | HY_WIRE_REPLY, HY_STATUS_OK, &err), HY_OK);
    EXPECT_INT(ends.in.header.object, 5);
    EXPECT_INT(call(&ends, HY_WIRE_WAIT | HY_WIRE_REPLY, HY_WIRE_STATUS_UNKNOWN_MEMORY, &err),
               HY_OK);
    EXPECT_INT(call(&ends, HY_WIRE_EXECUTE | HY_WIRE_REPLY, HY_STATUS_OK, &err), HY_BAD_DATA);
    EXPECT_STR(err.text, "wait: the reply has kind 0x8000000f, status 0");
    EXPECT_INT(call(&ends, HY_WIRE_WAIT | HY_WIRE_REPLY, 10, &err), HY_BAD_DATA);
    EXPECT_INT(call(&ends, HY_WIRE_WAIT | HY_WIRE_REPLY, -1, &err), HY_BAD_DATA);
    EXPECT_INT(call(&ends, HY_WIRE_WAIT, HY_STATUS_OK, &err), HY_BAD_DATA);

    hy_outgoing_init(&reply);
    hy_reply_begin(&reply, &asked, 9);
    EXPECT_INT(reply.header.kind, HY_WIRE_WAIT | HY_WIRE_REPLY);
    EXPECT_INT(reply.header.object, 9);
    hy_reply_fail(&reply, &asked, HY_STATUS_GENERAL_FAILURE, NULL);
    EXPECT_INT(reply.header.status, HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(reply.header.object, 3);
    EXPECT_INT(reply.body.size, 8);
    hy_outgoing_finish(&reply);
    ends_close(&ends);
}
