#include "tests/kit/test.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/random.h"
#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/rings.h"
#include "queue_fixture.h"

static const struct hy_queue_burst_rules usual = {
    .spin_ns = HY_QUEUE_USUAL_SPIN_NS, .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS, .depth = 1};

/* ---- A peer that writes whatever it likes ---------------------------------------------------- */

struct vandal {
    struct hy_rings rings; /* mapped once more */
    struct hy_random random;
    atomic_bool ends;
    pthread_t thread;
};

/* A word of the header or of the first elements, with a value that is nearly right. */
static void scribble(struct vandal *vandal)
{
    static const uint32_t offsets[] = {64, 68, 128, 132};
    const uint64_t ring = (uint32_t)hy_random_next(&vandal->random) % 2 ? 0 : hy_ring_bytes(1024);
    const uint32_t random = (uint32_t)hy_random_next(&vandal->random);
    const uint64_t at = random % 2 ? offsets[random / 2 % 4] : 256 + random / 2 % (24 * 64) / 4 * 4;
    _Atomic uint32_t *word =
        (_Atomic uint32_t *)(void *)((char *)vandal->rings.address + ring + at);
    const uint32_t value = (uint32_t)hy_random_next(&vandal->random);

    if (value % 4 == 0)
        atomic_store(word, value % 16 * 0x11111111);
    else
        atomic_store(word, atomic_load(word) + value % 32 - 8);
    if (value % 16 == 1)
        hy_futex_wake(word);
}

static void *be_a_vandal(void *argument)
{
    struct vandal *vandal = argument;

    while (!atomic_load(&vandal->ends))
        scribble(vandal);
    return NULL;
}

static bool start_vandal(struct vandal *vandal, int memory, uint32_t seed)
{
    struct hy_error err = {0};

    *vandal = (struct vandal){.random = {seed}};
    return hy_rings_open(memory, &vandal->rings, &err) == HY_OK &&
           pthread_create(&vandal->thread, NULL, be_a_vandal, vandal) == 0;
}

static void end_vandal(struct vandal *vandal)
{
    atomic_store(&vandal->ends, true);
    pthread_join(vandal->thread, NULL);
    hy_rings_close(&vandal->rings);
}

static bool is_status(int32_t status)
{
    return status >= HY_QUEUE_ORDINARY && status <= HY_STATUS_DEAD_OBJECT;
}

TEST(queue_hostile, executions_end_whatever_is_written_into_the_rings)
{
    const struct hy_queue_burst_rules rules = {
        .spin_ns = HY_QUEUE_USUAL_SPIN_NS, .hang_timeout_ns = 20000000, .depth = 1};

    for (uint32_t round = 0; round < 60; round++) {
        struct queue_fixture fixture;
        struct queue_request request;
        struct vandal vandal;
        int32_t status = HY_STATUS_OK;
        queue_request_init(&request);
        REQUIRE(queue_fixture_open(&fixture, &rules));
        REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
        REQUIRE(start_vandal(&vandal, fixture.memory, round));
        for (int i = 0; i < 1000 && status != HY_STATUS_DEAD_OBJECT && status != HY_QUEUE_ORDINARY;
             i++) {
            status = queue_request_execute(&fixture, &request);
            EXPECT(is_status(status));
        }
        hy_queue_listener_stop(fixture.listener); /* while the vandal is still at it */
        fixture.listener = NULL;
        end_vandal(&vandal);
        queue_fixture_close(&fixture);
    }
}

/* A client that says that it sleeps as soon as a wake-up has taken that away. */
TEST(queue_hostile, a_listener_stops_whatever_its_client_does_to_the_flags)
{
    for (int round = 0; round < 20; round++) {
        struct queue_fixture fixture;
        struct vandal vandal;
        REQUIRE(queue_fixture_open(&fixture, &usual));
        REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
        REQUIRE(start_vandal(&vandal, fixture.memory, 5));
        hy_queue_listener_stop(fixture.listener);
        fixture.listener = NULL;
        end_vandal(&vandal);
        queue_fixture_close(&fixture);
    }
}

/* ---- One wrong thing at a time --------------------------------------------------------------- */

/* A client that writes its packets itself. */
struct writer {
    struct queue_fixture fixture;
    struct hy_rings rings;
    struct hy_waiter waiter;
    atomic_bool dead;
    union hy_element reply[1024];
};

static bool open_writer(struct writer *writer)
{
    struct hy_error err = {0};

    *writer = (struct writer){.rings = {0}};
    hy_waiter_init(&writer->waiter, &writer->dead, 0);
    return queue_fixture_open(&writer->fixture, &usual) &&
           queue_fixture_listen(&writer->fixture, queue_execute_idle, NULL) &&
           hy_rings_open(writer->fixture.memory, &writer->rings, &err) == HY_OK;
}

static void close_writer(struct writer *writer)
{
    hy_rings_close(&writer->rings);
    queue_fixture_close(&writer->fixture);
}

/* The next packet of the service. */
static enum hy_packet await(struct writer *writer, uint32_t *count)
{
    const struct hy_wait_point point = hy_ring_fill_point(&writer->rings.results);
    const struct hy_wait_limit limit = {HY_NO_DEADLINE, QUEUE_FIXTURE_TIMEOUT_NS};

    if (hy_wait(&writer->waiter, &point, &limit) != HY_WAIT_CHANGED)
        return HY_PACKET_NONE;
    return hy_result_packet_pop(&writer->rings.results, writer->reply, count);
}

/* Whether these elements are answered with a failure of no shapes and no times. */
static bool is_refused(struct writer *writer, const union hy_element *elements, uint32_t count)
{
    uint32_t length = 0;
    union hy_element *reply = writer->reply;

    return hy_ring_write(&writer->rings.requests, elements, count) == HY_RING_DONE &&
           await(writer, &length) == HY_PACKET_WHOLE && length >= 2 &&
           reply[0].result.packet.status == HY_STATUS_GENERAL_FAILURE &&
           reply[0].result.packet.outputs == 0 &&
           reply[0].result.packet.number == elements[0].request.packet.number &&
           reply[1].result.tag == HY_RESULT_TIMES &&
           reply[1].result.times.in_driver == HY_NO_TIME &&
           reply[1].result.times.on_device == HY_NO_TIME;
}

TEST(queue_hostile, a_wrong_packet_is_answered_with_a_failure_and_serving_goes_on)
{
    static struct writer writer;
    REQUIRE(open_writer(&writer));

    union hy_element packet[4] = {{.words = {0}}};
    packet[0].request.packet.elements = 4;
    packet[0].request.packet.number = 0x12345678;
    EXPECT(is_refused(&writer, packet, 4));
    packet[0].request.packet.elements = 1;
    EXPECT(is_refused(&writer, packet, 1));
    packet[0].request.packet.elements = 4;
    packet[0].request.packet.number = UINT32_MAX;
    for (uint32_t i = 1; i < 4; i++)
        memset(&packet[i], 0xff, sizeof packet[i]);
    EXPECT(is_refused(&writer, packet, 4));

    /* and the smallest request that is right: no arguments, no memory */
    union hy_element right[2] = {{.words = {0}}};
    uint32_t length = 0;
    right[0].request.packet.elements = 2;
    right[1].request.tag = HY_REQUEST_MEASURE;
    EXPECT_INT(hy_ring_write(&writer.rings.requests, right, 2), HY_RING_DONE);
    EXPECT_INT(await(&writer, &length), HY_PACKET_WHOLE);
    EXPECT_INT(writer.reply[0].result.packet.status, HY_STATUS_OK);
    EXPECT_INT(atomic_load(&writer.fixture.executions), 1);
    close_writer(&writer);
}

/* Where a packet does not begin, or says that it is longer, nobody knows where the next begins. */
TEST(queue_hostile, packets_without_borders_end_the_listener)
{
    static const uint32_t claims[] = {5, UINT32_MAX, 4};

    for (int i = 0; i < 3; i++) {
        static struct writer writer;
        union hy_element packet[4] = {{.words = {0}}};
        uint32_t length = 0;
        REQUIRE(open_writer(&writer));
        packet[0].request.packet.elements = claims[i];
        packet[0].request.tag = claims[i] == 4 ? HY_REQUEST_SLOT : HY_REQUEST_PACKET;
        EXPECT_INT(hy_ring_write(&writer.rings.requests, packet, 4), HY_RING_DONE);
        EXPECT_INT(await(&writer, &length), HY_PACKET_CLOSING);
        EXPECT_INT(atomic_load(&writer.fixture.executions), 0);
        close_writer(&writer);
    }
}

TEST(queue_hostile, counters_that_cannot_be_end_the_listener)
{
    static struct writer writer;
    uint32_t length = 0;
    REQUIRE(open_writer(&writer));

    atomic_store(&writer.rings.requests.header->written, 1025);
    hy_wake(&writer.rings.requests.header->reader_sleeps);
    EXPECT_INT(await(&writer, &length), HY_PACKET_CLOSING);
    close_writer(&writer);
}

/* Requests without end, whose results nobody reads: the listener waits for room, and ends. */
TEST(queue_hostile, a_client_that_reads_no_results_does_not_keep_the_listener)
{
    static struct writer writer;
    union hy_element right[2] = {{.words = {0}}};
    REQUIRE(open_writer(&writer));

    right[0].request.packet.elements = 2;
    right[1].request.tag = HY_REQUEST_MEASURE;
    /* 512 results fill the ring, and that many requests more stay where they are */
    for (int i = 0; i < 1025;) {
        const enum hy_ring_state state = hy_ring_write(&writer.rings.requests, right, 2);
        REQUIRE(state != HY_RING_BROKEN);
        if (state == HY_RING_DONE) {
            i++;
        } else {
            const struct hy_wait_point point = hy_ring_space_point(&writer.rings.requests);
            const struct hy_wait_limit limit = {HY_NO_DEADLINE, QUEUE_FIXTURE_TIMEOUT_NS};
            REQUIRE(hy_wait(&writer.waiter, &point, &limit) == HY_WAIT_CHANGED);
        }
    }
    while (atomic_load(&writer.rings.results.header->writer_sleeps) == 0)
        sched_yield();
    EXPECT_INT(atomic_load(&writer.fixture.executions), 513);
    hy_queue_listener_stop(writer.fixture.listener);
    writer.fixture.listener = NULL;
    close_writer(&writer);
}

/* Many requests ahead of their results: each is answered, in order. */
TEST(queue_hostile, requests_that_come_too_early_wait_for_room)
{
    static struct writer writer;
    union hy_element right[2] = {{.words = {0}}};
    uint32_t length = 0;
    REQUIRE(open_writer(&writer));

    right[0].request.packet.elements = 2;
    right[1].request.tag = HY_REQUEST_MEASURE;
    for (int i = 0; i < 512; i++)
        EXPECT_INT(hy_ring_write(&writer.rings.requests, right, 2), HY_RING_DONE);
    for (int i = 0; i < 512; i++) {
        EXPECT_INT(await(&writer, &length), HY_PACKET_WHOLE);
        EXPECT_INT(length, 2);
    }
    close_writer(&writer);
}

/* ---- A service that answers wrongly ---------------------------------------------------------- */

struct liar {
    struct queue_fixture *fixture;
    struct hy_rings rings;
    union hy_element reply[8];
    uint32_t count;
    int32_t off_by; /* in the numbers of its answers */
};

/* The answers of a liar are right in one thing: whose they are. */
static void put_numbers(struct liar *liar, uint32_t number)
{
    for (uint32_t i = 0; i < liar->count; i++) {
        if (liar->reply[i].result.tag == HY_RESULT_PACKET &&
            liar->reply[i].result.packet.elements > 0)
            liar->reply[i].result.packet.number = number + (uint32_t)liar->off_by;
    }
}

/* Takes one request and answers with what it was given. */
static void *reply_wrongly(void *argument)
{
    struct liar *liar = argument;
    struct hy_waiter waiter;
    atomic_bool dead = false;
    union hy_element request[1024];
    uint32_t count;
    const struct hy_wait_limit limit = {HY_NO_DEADLINE, QUEUE_FIXTURE_TIMEOUT_NS};
    const struct hy_wait_point point = hy_ring_fill_point(&liar->rings.requests);

    hy_waiter_init(&waiter, &dead, 0);
    if (hy_wait(&waiter, &point, &limit) == HY_WAIT_CHANGED &&
        hy_request_packet_pop(&liar->rings.requests, request, &count) == HY_PACKET_WHOLE) {
        put_numbers(liar, request[0].request.packet.number);
        (void)hy_ring_write(&liar->rings.results, liar->reply, liar->count);
    }
    return NULL;
}

/* Lies once, and gives what that execution ends with and what the next one does. */
static int32_t lie_about(const union hy_element *reply, uint32_t count, int32_t off_by,
                         int32_t *next)
{
    struct queue_fixture fixture;
    struct queue_request request;
    struct hy_error err = {0};
    static struct liar liar;
    pthread_t thread;
    int32_t status = -100;

    queue_request_init(&request);
    liar = (struct liar){.fixture = &fixture, .count = count, .off_by = off_by};
    memcpy(liar.reply, reply, count * sizeof *reply);
    if (queue_fixture_open(&fixture, &usual) &&
        hy_rings_open(fixture.memory, &liar.rings, &err) == HY_OK &&
        pthread_create(&thread, NULL, reply_wrongly, &liar) == 0) {
        status = queue_request_execute(&fixture, &request);
        pthread_join(thread, NULL);
        EXPECT_INT(request.shapes[0].rank, 0);
        if (next)
            *next = queue_request_execute(&fixture, &request);
    }
    hy_rings_close(&liar.rings);
    queue_fixture_close(&fixture);
    return status;
}

static int32_t lie(const union hy_element *reply, uint32_t count, int32_t *next)
{
    return lie_about(reply, count, 0, next);
}

TEST(queue_hostile, a_wrong_result_is_a_failure)
{
    union hy_element reply[8] = {{.words = {0}}};

    reply[0].result.packet.elements = 3; /* no output, no times */
    EXPECT_INT(lie(reply, 3, NULL), HY_STATUS_GENERAL_FAILURE);
    reply[0].result.packet.elements = 4; /* more than there is */
    EXPECT_INT(lie(reply, 3, NULL), HY_STATUS_GENERAL_FAILURE);
    reply[0].result.tag = HY_RESULT_TIMES;
    EXPECT_INT(lie(reply, 3, NULL), HY_STATUS_GENERAL_FAILURE);
    memset(reply, 0xff, sizeof reply);
    EXPECT_INT(lie(reply, 8, NULL), HY_STATUS_GENERAL_FAILURE);
}

TEST(queue_hostile, a_service_that_closes_instead_of_answering_is_a_failure_once)
{
    const union hy_element closing = {.words = {0}};
    int32_t next = 0;

    EXPECT_INT(lie(&closing, 1, &next), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(next, HY_QUEUE_ORDINARY);
}

/* The second result would otherwise be that of the next request. */
TEST(queue_hostile, a_result_that_nobody_asked_for_ends_the_burst)
{
    union hy_element reply[4] = {{.words = {0}}};
    int32_t next = 0;

    for (int i = 0; i < 4; i += 2) {
        reply[i].result.packet.elements = 2;
        reply[i].result.packet.status = HY_STATUS_DEVICE_UNAVAILABLE;
        reply[i + 1].result.tag = HY_RESULT_TIMES;
    }
    EXPECT_INT(lie(reply, 4, &next), HY_STATUS_DEVICE_UNAVAILABLE);
    EXPECT_INT(next, HY_QUEUE_ORDINARY);
}

/* Numbers of places that there are not, of requests that were, and of those to come. */
TEST(queue_hostile, a_result_with_another_number_ends_the_burst)
{
    static const int32_t off_by[] = {1, -1, HY_MAX_BURST_DEPTH, -(int32_t)HY_MAX_BURST_DEPTH,
                                     INT32_MIN};
    union hy_element reply[2] = {{.words = {0}}};
    int32_t next = 0;

    reply[0].result.packet.elements = 2;
    reply[0].result.packet.status = HY_STATUS_DEVICE_UNAVAILABLE;
    reply[1].result.tag = HY_RESULT_TIMES;
    for (int i = 0; i < 5; i++) {
        EXPECT_INT(lie_about(reply, 2, off_by[i], &next), HY_STATUS_GENERAL_FAILURE);
        EXPECT_INT(next, HY_QUEUE_ORDINARY);
    }
    EXPECT_INT(lie_about(reply, 2, 0, NULL), HY_STATUS_DEVICE_UNAVAILABLE);
}
