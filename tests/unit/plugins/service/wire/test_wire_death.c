#include "tests/kit/test.h"

#include "plugins/service/wire/reply.h"
#include "tests/kit/held.h"
#include "tests/unit/plugins/service/wire/kit/ends.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A peer that dies, at each point of a conversation of calls with long and short bodies. */

enum { CALLS = 4, STEPS = 3 * CALLS };

static void fill(struct hy_pack *pack, int number)
{
    hy_pack_records(pack, 1, number % 2 ? HY_FRAME_INLINE * 2 : 64);
    for (int i = 0; i < number; i++)
        hy_pack_fd(pack, STDIN_FILENO);
}

/* In a process of its own: answers calls, and dies before step number `last`: reading a call,
 * beginning to answer it, having answered it. */
static void reply_until(struct ends *ends, int last)
{
    struct hy_error err;

    for (int step = 0; step < last; step++) {
        switch (step % 3) {
        case 0:
            if (hy_frame_receive(&ends->far, &ends->in, HY_NO_DEADLINE, &err) != HY_OK)
                _exit(1);
            break;
        case 1:
            hy_reply_begin(&ends->out, &ends->in.header, (uint64_t)step);
            fill(&ends->out.body, step / 3);
            break;
        default:
            if (hy_frame_send(&ends->far, &ends->out, HY_NO_DEADLINE, &err) != HY_OK)
                _exit(1);
        }
    }
    raise(SIGKILL);
}

static pid_t start(struct ends *ends, int last)
{
    const pid_t child = fork();

    if (child == 0) {
        hy_socket_finish(&ends->near);
        reply_until(ends, last);
    }
    hy_socket_finish(&ends->far);
    return child;
}

TEST(wire_death, killed_peer_ends_every_call_that_it_has_not_answered)
{
    for (int last = 0; last <= STEPS; last++) {
        struct ends ends;
        struct hy_held before, after;
        struct hy_error err = {0};
        int reply_count = 0;
        enum hy_code code = HY_OK;

        ends_open(&ends);
        const pid_t child = start(&ends, last);
        REQUIRE(child > 0 && hy_held_look(&before));
        for (int i = 0; code == HY_OK && i < CALLS + 1; i++) {
            hy_outgoing_begin(&ends.out, HY_WIRE_EXECUTE, 0);
            fill(&ends.out.body, i);
            code = hy_call_make(&ends.near, &ends.out, &ends.in, HY_NO_DEADLINE, &err);
            reply_count += code == HY_OK;
        }
        EXPECT_INT(code, HY_DEAD);
        EXPECT_CONTAINS(err.text, "the peer has closed the connection");
        EXPECT_INT(reply_count, last / 3);
        EXPECT_INT(waitpid(child, NULL, 0), child);
        REQUIRE(hy_held_look(&after));
        EXPECT_INT(after.files, before.files);
        ends_close(&ends);
    }
}

TEST(wire_death, send_to_a_closed_end_raises_no_signal)
{
    struct ends ends;
    struct hy_error err;

    ends_open(&ends);
    hy_socket_finish(&ends.far);
    for (int i = 0; i < 2; i++) {
        hy_outgoing_begin(&ends.out, HY_WIRE_EXECUTE, 0);
        fill(&ends.out.body, 1);
        EXPECT_INT(hy_frame_send(&ends.near, &ends.out, HY_NO_DEADLINE, &err), HY_DEAD);
        EXPECT_STR(err.text, "sending execute: the peer has closed the connection");
        EXPECT_INT(hy_frame_receive(&ends.near, &ends.in, HY_NO_DEADLINE, &err), HY_DEAD);
        EXPECT_STR(err.text, "receiving: the peer has closed the connection");
    }
    ends_close(&ends);
}

TEST(wire_death, receiving_ends_when_the_own_end_is_shut_down)
{
    struct ends ends;
    struct hy_error err;

    ends_open(&ends);
    EXPECT_INT(shutdown(ends.near.fd, SHUT_RDWR), 0);
    EXPECT_INT(hy_frame_receive(&ends.near, &ends.in, HY_NO_DEADLINE, &err), HY_DEAD);
    ends_close(&ends);
}

TEST(wire_death, frames_sent_before_the_end_still_arrive)
{
    struct ends ends;
    struct hy_error err;

    ends_open(&ends);
    hy_outgoing_begin(&ends.out, HY_WIRE_BYE, 0);
    fill(&ends.out.body, 1);
    EXPECT_INT(hy_frame_send(&ends.far, &ends.out, 0, &err), HY_OK);
    hy_socket_finish(&ends.far);
    EXPECT_INT(hy_frame_receive(&ends.near, &ends.in, HY_NO_DEADLINE, &err), HY_OK);
    EXPECT_INT(ends.in.fd_count, 1);
    EXPECT_INT(hy_frame_receive(&ends.near, &ends.in, HY_NO_DEADLINE, &err), HY_DEAD);
    ends_close(&ends);
}

/* Descriptors of frames that nobody receives go with the socket: the writer of a pipe that was
 * under way is closed. */
TEST(wire_death, descriptors_under_way_are_closed_with_the_socket)
{
    struct ends ends;
    struct hy_error err;
    int files[2];

    ends_open(&ends);
    REQUIRE(pipe2(files, O_CLOEXEC) == 0);
    hy_outgoing_begin(&ends.out, HY_WIRE_CHANNEL, 0);
    hy_pack_fd(&ends.out.body, files[1]);
    EXPECT_INT(hy_frame_send(&ends.near, &ends.out, 0, &err), HY_OK);
    close(files[1]);
    ends_close(&ends);
    struct pollfd poller = {.fd = files[0]};
    EXPECT_INT(poll(&poller, 1, 10000), 1);
    EXPECT(poller.revents & POLLHUP);
    close(files[0]);
}

/* The kernel tells of what the peer has not read before it gives what the peer has said. */
TEST(wire_death, last_words_of_a_peer_that_has_not_heard_us_out_are_read)
{
    struct hy_error err = {0};
    struct ends ends;

    ends_open(&ends);
    for (uint64_t i = 0; i < 2; i++) {
        hy_outgoing_begin(&ends.out, HY_WIRE_EXECUTE, i);
        EXPECT_INT(hy_frame_send(&ends.near, &ends.out, HY_NO_DEADLINE, &err), HY_OK);
        hy_outgoing_begin(&ends.out, HY_WIRE_BYE, i);
        EXPECT_INT(hy_frame_send(&ends.far, &ends.out, HY_NO_DEADLINE, &err), HY_OK);
    }
    hy_socket_finish(&ends.far);
    for (uint64_t i = 0; i < 2; i++) {
        EXPECT_INT(hy_frame_receive(&ends.near, &ends.in, HY_NO_DEADLINE, &err), HY_OK);
        EXPECT_INT(ends.in.header.kind, HY_WIRE_BYE);
        EXPECT_INT(ends.in.header.object, i);
    }
    EXPECT_INT(hy_frame_receive(&ends.near, &ends.in, HY_NO_DEADLINE, &err), HY_DEAD);
    ends_close(&ends);
}
