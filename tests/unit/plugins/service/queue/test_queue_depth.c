/* Several requests of one burst in flight. */
#include "tests/kit/test.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/request_packet.h"
#include "plugins/service/queue/result_packet.h"
#include "plugins/service/queue/rings.h"
#include "plugins/service/queue/slots.h"
#include "queue_fixture.h"

enum { THREADS = 4 };

static struct hy_queue_burst_rules rules_of(uint32_t depth)
{
    return (struct hy_queue_burst_rules){.spin_ns = HY_QUEUE_USUAL_SPIN_NS,
                                         .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS,
                                         .depth = depth};
}

/* ---- Clients --------------------------------------------------------------------------------- */

/* An execution on another thread: its first input has an offset of its own, and its result has that
 * as its first dimension. */
struct run {
    struct queue_fixture *fixture;
    struct queue_request request;
    int32_t status;
    pthread_t thread;
};

static uint64_t mark_of(const struct hy_request *request)
{
    return request->inputs[0].location.offset;
}

static bool has_own_result(const struct run *run)
{
    return run->status == HY_STATUS_OK &&
           run->request.shapes[0].dims[0] == mark_of(&run->request.request);
}

static void init_run(struct run *run, struct queue_fixture *fixture, uint32_t mark)
{
    run->fixture = fixture;
    queue_request_init(&run->request);
    run->request.inputs[0].location.offset = mark;
}

static void *run_once(void *argument)
{
    struct run *run = argument;

    run->status = queue_request_execute(run->fixture, &run->request);
    return NULL;
}

static bool start_run(struct run *run, struct queue_fixture *fixture, uint32_t mark)
{
    init_run(run, fixture, mark);
    return pthread_create(&run->thread, NULL, run_once, run) == 0;
}

/* ---- A service that takes its time ----------------------------------------------------------- */

/* The service's end of the rings, by hand: requests are taken as they come, and answered as the
 * test likes. */
struct hand {
    struct hy_rings rings;
    struct hy_waiter waiter;
    atomic_bool dead;
    union hy_element request[1024];
    struct {
        uint32_t number, mark;
    } received[THREADS];
    uint32_t count;
};

static bool open_hand(struct hand *hand, const struct queue_fixture *fixture)
{
    struct hy_error err = {0};

    *hand = (struct hand){.count = 0};
    hy_waiter_init(&hand->waiter, &hand->dead, 0);
    return hy_rings_open(fixture->memory, &hand->rings, &err) == HY_OK;
}

static bool pop_request(struct hand *hand)
{
    const struct hy_wait_point point = hy_ring_fill_point(&hand->rings.requests);
    const struct hy_wait_limit limit = {HY_NO_DEADLINE, QUEUE_FIXTURE_TIMEOUT_NS};
    uint32_t length;

    if (hand->count == THREADS || hy_wait(&hand->waiter, &point, &limit) != HY_WAIT_CHANGED ||
        hy_request_packet_pop(&hand->rings.requests, hand->request, &length) != HY_PACKET_WHOLE)
        return false;
    hand->received[hand->count].number = hand->request[0].request.packet.number;
    hand->received[hand->count].mark = hand->request[1].request.operand.offset;
    hand->count++;
    return true;
}

static bool put_reply(struct hand *hand, uint32_t number, uint32_t mark)
{
    struct hy_output_shape shape = {.rank = 2, .sufficient = 1, .dims = {mark, 3}};
    const struct hy_result result = {
        .struct_size = sizeof result, .output_count = 1, .outputs = &shape};
    union hy_element reply[8];
    const uint32_t count = hy_result_packet_encode(HY_STATUS_OK, &result, NULL, reply, 8);

    reply[0].result.packet.number = number;
    return hy_ring_write(&hand->rings.results, reply, count) == HY_RING_DONE;
}

static bool reply(struct hand *hand, uint32_t index)
{
    return put_reply(hand, hand->received[index].number, hand->received[index].mark);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(queue_depth, requests_are_answered_in_any_order)
{
    static const uint32_t orders[][THREADS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}};
    static struct hand hand;

    for (int round = 0; round < 30; round++) {
        const struct hy_queue_burst_rules rules = {.spin_ns =
                                                       round % 2 ? 0 : HY_QUEUE_USUAL_SPIN_NS,
                                                   .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS,
                                                   .depth = THREADS};
        struct queue_fixture fixture;
        struct run runs[THREADS];
        REQUIRE(queue_fixture_open(&fixture, &rules));
        REQUIRE(open_hand(&hand, &fixture));
        for (uint32_t i = 0; i < THREADS; i++)
            REQUIRE(start_run(&runs[i], &fixture, 64 * i));
        for (uint32_t i = 0; i < THREADS; i++)
            REQUIRE(pop_request(&hand));
        for (uint32_t i = 0; i < THREADS; i++)
            EXPECT(reply(&hand, orders[round % 3][i]));
        for (uint32_t i = 0; i < THREADS; i++) {
            pthread_join(runs[i].thread, NULL);
            EXPECT(has_own_result(&runs[i]));
        }
        hy_rings_close(&hand.rings);
        queue_fixture_close(&fixture);
    }
}

TEST(queue_depth, no_more_are_in_flight_than_the_driver_takes)
{
    static struct hand hand;
    const struct hy_queue_burst_rules rules = rules_of(2);
    struct queue_fixture fixture;
    struct hy_queue_burst_counts counts;
    struct run runs[3];

    REQUIRE(queue_fixture_open(&fixture, &rules));
    REQUIRE(open_hand(&hand, &fixture));
    for (uint32_t i = 0; i < 2; i++) {
        REQUIRE(start_run(&runs[i], &fixture, 64 * i));
        REQUIRE(pop_request(&hand));
    }
    init_run(&runs[2], &fixture, 128);
    (void)run_once(&runs[2]);
    EXPECT_INT(runs[2].status, HY_QUEUE_ORDINARY);
    EXPECT(reply(&hand, 1));
    EXPECT(reply(&hand, 0));
    for (uint32_t i = 0; i < 2; i++) {
        pthread_join(runs[i].thread, NULL);
        EXPECT(has_own_result(&runs[i]));
    }
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.fast, 2);
    EXPECT_INT(counts.full, 1);
    hy_rings_close(&hand.rings);
    queue_fixture_close(&fixture);
}

/* One that was given up stays in flight; what comes after it need not wait for it. */
TEST(queue_depth, an_execution_goes_on_behind_one_that_missed_its_deadline)
{
    static struct hand hand;
    const struct hy_queue_burst_rules rules = rules_of(2);
    struct queue_fixture fixture;
    struct run timed_out, next;

    REQUIRE(queue_fixture_open(&fixture, &rules));
    REQUIRE(open_hand(&hand, &fixture));
    for (uint32_t round = 0; round < 20; round++) {
        hand.count = 0;
        init_run(&timed_out, &fixture, 64);
        timed_out.request.options.deadline = 1;
        (void)run_once(&timed_out);
        EXPECT_INT(timed_out.status, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        REQUIRE(start_run(&next, &fixture, 128));
        REQUIRE(pop_request(&hand) && pop_request(&hand));
        EXPECT(reply(&hand, round % 2));
        EXPECT(reply(&hand, 1 - round % 2));
        pthread_join(next.thread, NULL);
        EXPECT(has_own_result(&next));
    }
    hy_rings_close(&hand.rings);
    queue_fixture_close(&fixture);
}

/* Whoever reads for the others may give up; another one reads on. */
TEST(queue_depth, a_reader_that_gives_up_leaves_the_reading_to_others)
{
    static struct hand hand;
    const struct hy_queue_burst_rules rules = rules_of(THREADS);
    struct queue_fixture fixture;
    struct run runs[THREADS];
    struct timespec now;

    for (int round = 0; round < 20; round++) {
        REQUIRE(queue_fixture_open(&fixture, &rules));
        REQUIRE(open_hand(&hand, &fixture));
        clock_gettime(CLOCK_BOOTTIME, &now);
        for (uint32_t i = 0; i < THREADS; i++) {
            init_run(&runs[i], &fixture, 64 * i);
            if (i % 2 == 0)
                runs[i].request.options.deadline =
                    (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 2000000 * (i + 1);
            REQUIRE(pthread_create(&runs[i].thread, NULL, run_once, &runs[i]) == 0);
            REQUIRE(pop_request(&hand));
        }
        for (uint32_t i = 0; i < THREADS; i += 2) {
            pthread_join(runs[i].thread, NULL);
            EXPECT_INT(runs[i].status, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        }
        for (uint32_t i = 0; i < THREADS; i++)
            EXPECT(reply(&hand, i));
        for (uint32_t i = 1; i < THREADS; i += 2) {
            pthread_join(runs[i].thread, NULL);
            EXPECT(has_own_result(&runs[i]));
        }
        hy_rings_close(&hand.rings);
        queue_fixture_close(&fixture);
    }
}

TEST(queue_depth, death_ends_all_that_wait)
{
    static struct hand hand;
    const struct hy_queue_burst_rules rules = rules_of(THREADS);
    struct queue_fixture fixture;
    struct run runs[THREADS];

    for (int round = 0; round < 20; round++) {
        REQUIRE(queue_fixture_open(&fixture, &rules));
        REQUIRE(open_hand(&hand, &fixture));
        for (uint32_t i = 0; i < THREADS; i++)
            REQUIRE(start_run(&runs[i], &fixture, 64 * i));
        for (uint32_t i = 0; i < THREADS; i++)
            REQUIRE(pop_request(&hand));
        hy_queue_burst_set_dead(fixture.burst);
        for (uint32_t i = 0; i < THREADS; i++) {
            pthread_join(runs[i].thread, NULL);
            EXPECT_INT(runs[i].status, HY_STATUS_DEAD_OBJECT);
        }
        hy_rings_close(&hand.rings);
        queue_fixture_close(&fixture);
    }
}

/* An answer that nobody waits for, twice the same one, or the end instead of one. */
TEST(queue_depth, what_ends_the_burst_fails_all_that_wait)
{
    static const union hy_element closing = {.words = {0}};
    static struct hand hand;
    const struct hy_queue_burst_rules rules = rules_of(THREADS);
    struct queue_fixture fixture;
    struct run runs[THREADS];

    for (int kind = 0; kind < 3; kind++) {
        REQUIRE(queue_fixture_open(&fixture, &rules));
        REQUIRE(open_hand(&hand, &fixture));
        for (uint32_t i = 0; i < THREADS; i++)
            REQUIRE(start_run(&runs[i], &fixture, 64 * i));
        for (uint32_t i = 0; i < THREADS; i++)
            REQUIRE(pop_request(&hand));
        if (kind == 0)
            EXPECT(put_reply(&hand, hand.received[0].number + HY_MAX_BURST_DEPTH, 0));
        else if (kind == 1)
            EXPECT(reply(&hand, 0) && reply(&hand, 0));
        else
            EXPECT_INT(hy_ring_write(&hand.rings.results, &closing, 1), HY_RING_DONE);
        int right = 0, failed = 0;
        for (uint32_t i = 0; i < THREADS; i++) {
            pthread_join(runs[i].thread, NULL);
            right += has_own_result(&runs[i]);
            failed += runs[i].status == HY_STATUS_GENERAL_FAILURE;
        }
        EXPECT_INT(right, kind == 1);
        EXPECT_INT(failed, THREADS - right);
        (void)run_once(&runs[0]);
        EXPECT_INT(runs[0].status, HY_QUEUE_ORDINARY);
        hy_rings_close(&hand.rings);
        queue_fixture_close(&fixture);
    }
}

/* ---- With a listener ------------------------------------------------------------------------- */

/* What one execution does to the next would show: it must never begin before that has ended. */
static int32_t run_alone(void *context, const struct hy_request *request,
                         const struct hy_run_options *options, struct hy_result *result)
{
    atomic_int *inside = context;

    if (atomic_fetch_add(inside, 1) != 0)
        return HY_STATUS_GENERAL_FAILURE;
    (void)queue_execute_idle(NULL, request, options, result);
    result->outputs[0].dims[0] = (uint32_t)mark_of(request);
    atomic_fetch_sub(inside, 1);
    return HY_STATUS_OK;
}

/* Runs many, each over a memory that no other uses, so that slots come and go. */
static void *run_many(void *argument)
{
    struct run *run = argument;
    const uint64_t first = 1000 * (1 + mark_of(&run->request.request));
    int32_t status = HY_STATUS_OK;

    for (uint64_t i = 0; i < 2000 && status == HY_STATUS_OK; i++) {
        run->request.pools[0].id = first + i % 40;
        status = queue_request_execute(run->fixture, &run->request);
        if (status == HY_STATUS_OK &&
            run->request.shapes[0].dims[0] != mark_of(&run->request.request))
            status = -100;
        if (i % 7 == 0)
            hy_queue_burst_release(run->fixture->burst, first + i % 40);
    }
    run->status = status;
    return NULL;
}

TEST(queue_depth, threads_share_a_burst_and_get_their_own_results)
{
    const struct hy_queue_burst_rules rules = rules_of(THREADS);
    struct queue_fixture fixture;
    struct run runs[THREADS];
    struct hy_queue_burst_counts counts;
    atomic_int inside = 0;

    REQUIRE(queue_fixture_open(&fixture, &rules));
    REQUIRE(queue_fixture_listen(&fixture, run_alone, &inside));
    for (uint32_t i = 0; i < THREADS; i++) {
        init_run(&runs[i], &fixture, 1 + i);
        REQUIRE(pthread_create(&runs[i].thread, NULL, run_many, &runs[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(runs[i].thread, NULL);
        EXPECT_INT(runs[i].status, HY_STATUS_OK);
    }
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.fast, THREADS * 2000);
    queue_fixture_close(&fixture);
}

/* ---- Slots of requests in flight ------------------------------------------------------------- */

/* Sends a request over `count` memories that nobody waits for. */
static int32_t leave_in_flight(struct queue_fixture *fixture, uint64_t first, uint32_t count)
{
    struct hy_pool pools[HY_QUEUE_SLOTS];
    struct queue_request request;

    queue_request_init(&request);
    for (uint32_t i = 0; i < count; i++) {
        pools[i] = request.pools[0];
        pools[i].id = first + i;
    }
    request.request.pools = pools;
    request.request.pool_count = count;
    request.options.deadline = 1;
    return queue_request_execute(fixture, &request);
}

TEST(queue_depth, slots_in_flight_are_not_given_to_other_memory)
{
    static struct hand hand;
    const struct hy_queue_burst_rules rules = rules_of(THREADS);
    struct queue_fixture fixture;
    struct hy_queue_burst_counts counts;

    REQUIRE(queue_fixture_open(&fixture, &rules));
    REQUIRE(open_hand(&hand, &fixture));
    EXPECT_INT(leave_in_flight(&fixture, 1, 60), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(leave_in_flight(&fixture, 100, 5), HY_QUEUE_ORDINARY); /* four are left */
    EXPECT_INT(atomic_load(&fixture.announced), 60);
    EXPECT_INT(leave_in_flight(&fixture, 100, 4), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    hy_queue_burst_release(fixture.burst, 1);
    EXPECT_INT(atomic_load(&fixture.invalidations), 0);
    EXPECT_INT(leave_in_flight(&fixture, 200, 1), HY_QUEUE_ORDINARY);

    REQUIRE(pop_request(&hand) && pop_request(&hand));
    EXPECT(put_reply(&hand, hand.received[0].number, 0));
    EXPECT_INT(leave_in_flight(&fixture, 200, 1), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(atomic_load(&fixture.invalidations), 1); /* what was released while in flight */
    EXPECT_INT(leave_in_flight(&fixture, 300, 1), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(atomic_load(&fixture.invalidations), 2); /* and one of those used the longest ago */
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.too_large, 2);
    hy_rings_close(&hand.rings);
    queue_fixture_close(&fixture);
}

TEST(queue_depth, a_ring_without_room_is_the_ordinary_way)
{
    enum { INPUTS = 600 };
    static struct hy_argument inputs[INPUTS];
    static struct hand hand;
    const struct hy_queue_burst_rules rules = rules_of(THREADS);
    struct queue_fixture fixture;
    struct queue_request request;

    queue_request_init(&request);
    for (int i = 0; i < INPUTS; i++)
        inputs[i] = request.inputs[0];
    request.request.inputs = inputs;
    request.request.input_count = INPUTS;
    request.options.deadline = 1;
    REQUIRE(queue_fixture_open(&fixture, &rules));
    REQUIRE(open_hand(&hand, &fixture));
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_QUEUE_ORDINARY);
    REQUIRE(pop_request(&hand));
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    hy_rings_close(&hand.rings);
    queue_fixture_close(&fixture);
}
