#include "tests/kit/test.h"

#include "tests/kit/held.h"
#include "tests/kit/threads.h"
#include "tests/unit/plugins/service/wire/kit/ends.h"

#include <unistd.h>

/* Many send over one socket while one receives: frames arrive whole, in the order of each sender.
 */

enum { SENDERS = 4, FRAMES = 500 };

struct worker {
    struct ends *ends;
    uint32_t number; /* SENDERS: it receives */
    uint32_t wrong;
};

/* Every fiftieth body goes in a file, every tenth frame has descriptors. */
static void send_frames(struct worker *worker)
{
    struct hy_outgoing frame;

    hy_outgoing_init(&frame);
    for (uint32_t i = 0; i < FRAMES; i++) {
        hy_outgoing_begin(&frame, worker->number + 1, i);
        uint32_t *body = hy_pack_records(&frame.body, 1, i % 50 ? 400 : HY_FRAME_INLINE + 8);
        if (body)
            body[0] = body[99] = i;
        for (uint32_t k = 0; i % 10 == 0 && k < worker->number + 1; k++)
            hy_pack_fd(&frame.body, STDERR_FILENO);
        worker->wrong += hy_frame_send(&worker->ends->near, &frame, HY_NO_DEADLINE, NULL) != HY_OK;
    }
    hy_outgoing_finish(&frame);
}

static int is_right(const struct hy_incoming *frame, uint32_t *next)
{
    const uint32_t sender = frame->header.kind - 1;
    const uint32_t *body = (const uint32_t *)frame->body;

    if (sender >= SENDERS || frame->header.object != next[sender])
        return 0;
    const uint32_t number = next[sender]++;
    return body[0] == number && body[99] == number &&
           frame->fd_count == (number % 10 == 0 ? sender + 1 : 0);
}

static void receive_frames(struct worker *worker)
{
    uint32_t next[SENDERS] = {0};

    for (uint32_t i = 0; i < SENDERS * FRAMES; i++) {
        if (hy_frame_receive(&worker->ends->far, &worker->ends->in, HY_NO_DEADLINE, NULL) !=
                HY_OK ||
            !is_right(&worker->ends->in, next))
            worker->wrong++;
    }
}

static void work(void *argument)
{
    struct worker *worker = argument;

    if (worker->number == SENDERS)
        receive_frames(worker);
    else
        send_frames(worker);
}

TEST(wire_threads, frames_of_many_senders_arrive_whole)
{
    struct worker workers[SENDERS + 1];
    struct hy_held before, after;
    struct ends ends;

    ends_open(&ends);
    REQUIRE(hy_held_look(&before));
    for (uint32_t i = 0; i <= SENDERS; i++)
        workers[i] = (struct worker){.ends = &ends, .number = i};
    REQUIRE(hy_threads_run(SENDERS + 1, work, workers, sizeof workers[0]));
    for (uint32_t i = 0; i <= SENDERS; i++)
        EXPECT_INT(workers[i].wrong, 0);
    hy_incoming_clear(&ends.in);
    REQUIRE(hy_held_look(&after));
    EXPECT_INT(after.files, before.files);
    ends_close(&ends);
}
