#include "tests/kit/test.h"

#include <pthread.h>
#include <sys/socket.h>

#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/request_packet.h"
#include "plugins/service/queue/result_packet.h"
#include "plugins/service/queue/rings.h"
#include "plugins/service/queue/slots.h"
#include "queue_fixture.h"

static const struct hy_queue_burst_rules usual = {
    .spin_ns = HY_QUEUE_USUAL_SPIN_NS, .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS, .depth = 1};

/* Keeps the ids of the memories that the last request has named. */
static int32_t record_ids(void *context, const struct hy_request *request,
                          const struct hy_run_options *options, struct hy_result *result)
{
    _Atomic uint64_t *ids = context;

    for (uint32_t i = 0; i < request->pool_count; i++)
        atomic_store(&ids[i], request->pools[i].id);
    return queue_execute_idle(NULL, request, options, result);
}

/* Runs a request over memories with the ids from `first`; gives whether those have arrived. */
static bool runs_over(struct queue_fixture *fixture, uint64_t first, uint32_t count)
{
    const _Atomic uint64_t *ids = fixture->context;
    struct hy_pool pools[HY_QUEUE_SLOTS + 1];
    struct queue_request request;
    bool right = true;

    queue_request_init(&request);
    for (uint32_t i = 0; i < count; i++) {
        pools[i] = request.pools[0];
        pools[i].id = first + i;
    }
    request.request.pools = pools;
    request.request.pool_count = count;
    if (queue_request_execute(fixture, &request) != HY_STATUS_OK)
        return false;
    for (uint32_t i = 0; i < count; i++)
        right &= atomic_load(&ids[i]) == first + i;
    return right;
}

/* Where the service has the memory with this id; -1: nowhere. */
static int slot_of(const struct queue_fixture *fixture, uint64_t id)
{
    for (int i = 0; i < QUEUE_FIXTURE_SLOTS; i++) {
        if (fixture->slots[i] == id)
            return i;
    }
    return -1;
}

TEST(queue_slots, freed_slots_are_used_again_the_last_one_first)
{
    struct queue_fixture fixture;
    _Atomic uint64_t ids[HY_QUEUE_SLOTS + 1] = {0};

    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, record_ids, ids));
    EXPECT(runs_over(&fixture, 10, 4));
    hy_queue_burst_release(fixture.burst, 11);
    hy_queue_burst_release(fixture.burst, 13);
    hy_queue_burst_release(fixture.burst, 99); /* which it does not know */
    hy_queue_burst_release(fixture.burst, 0);
    EXPECT_INT(atomic_load(&fixture.invalidations), 2);
    EXPECT(runs_over(&fixture, 20, 3));
    queue_fixture_close(&fixture);
    EXPECT_INT(slot_of(&fixture, 10), 0);
    EXPECT_INT(slot_of(&fixture, 20), 3);
    EXPECT_INT(slot_of(&fixture, 21), 1);
    EXPECT_INT(slot_of(&fixture, 22), 4);
    EXPECT_INT(slot_of(&fixture, 11), -1);
    EXPECT_INT(atomic_load(&fixture.announced), 7);
}

TEST(queue_slots, with_more_memories_than_slots_the_oldest_goes)
{
    struct queue_fixture fixture;
    _Atomic uint64_t ids[HY_QUEUE_SLOTS + 1] = {0};

    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, record_ids, ids));
    EXPECT(runs_over(&fixture, 1, HY_QUEUE_SLOTS));
    EXPECT(runs_over(&fixture, 2, HY_QUEUE_SLOTS - 1)); /* all but the first are newer now */
    EXPECT(runs_over(&fixture, 1000, 1));
    EXPECT_INT(atomic_load(&fixture.invalidations), 1);
    for (uint64_t first = 2000; first < 2500; first += 50)
        EXPECT(runs_over(&fixture, first, HY_QUEUE_SLOTS));
    EXPECT(!runs_over(&fixture, 3000, HY_QUEUE_SLOTS + 1));

    struct hy_queue_burst_counts counts;
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.too_large, 1);
    EXPECT(runs_over(&fixture, 4000, 3));
    queue_fixture_close(&fixture);
    EXPECT_INT(slot_of(&fixture, 1), -1);
}

/* Every memory is used once and released: what the service finds is always the right one. */
TEST(queue_slots, a_slot_never_names_the_memory_of_before)
{
    struct queue_fixture fixture;
    _Atomic uint64_t ids[HY_QUEUE_SLOTS + 1] = {0};

    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, record_ids, ids));
    for (uint64_t id = 1; id < 2000; id++) {
        EXPECT(runs_over(&fixture, id, 1 + (uint32_t)(id % 3)));
        hy_queue_burst_release(fixture.burst, id);
    }
    queue_fixture_close(&fixture);
}

TEST(queue_slots, a_notice_that_cannot_be_sent_is_the_ordinary_way)
{
    struct queue_fixture fixture;
    _Atomic uint64_t ids[HY_QUEUE_SLOTS + 1] = {0};

    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, record_ids, ids));
    atomic_store(&fixture.refuses_notices, true);
    EXPECT(!runs_over(&fixture, 1, 2));
    atomic_store(&fixture.refuses_notices, false);
    EXPECT(runs_over(&fixture, 1, 2));
    atomic_store(&fixture.refuses_notices, true);
    hy_queue_burst_release(fixture.burst, 1); /* its slot can never be told to be another's */
    atomic_store(&fixture.refuses_notices, false);
    EXPECT(runs_over(&fixture, 1, 2));
    queue_fixture_close(&fixture);
    EXPECT_INT(fixture.slots[0], 1);
    EXPECT_INT(fixture.slots[2], 1);
}

TEST(queue_slots, notices_that_do_not_arrive_fail_the_request)
{
    struct queue_fixture fixture;
    struct queue_request request;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    atomic_store(&fixture.loses_notices, true);
    REQUIRE(shutdown(fixture.channel[0], SHUT_WR) == 0);
    request.request.pool_count = 2;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(request.message, "the messages sent before the request");
    EXPECT_INT(atomic_load(&fixture.executions), 1);
    queue_fixture_close(&fixture);
}

/* The next request in the ring, taken by hand; it is answered with a failure. */
static bool pop_request(struct hy_rings *rings, struct hy_request_parts *parts)
{
    static union hy_element elements[1024];
    union hy_element reply[8];
    uint32_t count = 0;

    if (hy_request_packet_pop(&rings->requests, elements, &count) != HY_PACKET_WHOLE ||
        !hy_request_packet_decode(elements, count, parts))
        return false;
    count = hy_result_packet_encode(HY_STATUS_GENERAL_FAILURE, NULL, NULL, reply, 8);
    reply[0].result.packet.number = elements[0].request.packet.number;
    return hy_ring_write(&rings->results, reply, count) == HY_RING_DONE;
}

TEST(queue_slots, a_request_tells_of_notices_only_if_there_are_new_ones)
{
    struct queue_fixture fixture;
    struct queue_request request;
    struct hy_rings rings = {0};
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};

    queue_request_init(&request);
    request.options.deadline = 1; /* nobody answers */
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(hy_rings_open(fixture.memory, &rings, &err) == HY_OK);
    REQUIRE(hy_request_parts_init(&parts, 1024, &err) == HY_OK);
    static const uint32_t notified[] = {1, 0, 0, 3, 0};
    for (int i = 0; i < 5; i++) {
        if (i == 3) {
            hy_queue_burst_release(fixture.burst, 1);
            request.pools[0].id = 5;
        }
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        EXPECT(pop_request(&rings, &parts));
        EXPECT_INT(parts.has_notices, notified[i] > 0);
        EXPECT_INT(parts.notices, notified[i]);
    }
    hy_request_parts_finish(&parts);
    hy_rings_close(&rings);
    queue_fixture_close(&fixture);
}

static int32_t lose_memory(void *context, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result)
{
    ((struct queue_fixture *)context)->slots[0] = 0;
    return queue_execute_idle(NULL, request, options, result);
}

TEST(queue_slots, a_slot_that_the_service_does_not_know_is_refused)
{
    struct queue_fixture fixture;
    struct queue_request request;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, lose_memory, &fixture));
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(request.message, "names an empty slot");
    EXPECT_INT(atomic_load(&fixture.executions), 1);
    queue_fixture_close(&fixture);
}

/* Releases each memory as soon as the execution that used it is over. */
struct releaser {
    struct queue_fixture *fixture;
    _Atomic uint64_t used; /* ids up to this one have been, and are not used again */
    atomic_bool ends;
};

static void *release_used(void *argument)
{
    struct releaser *releaser = argument;
    uint64_t released = 0;

    while (!atomic_load(&releaser->ends)) {
        while (released < atomic_load(&releaser->used))
            hy_queue_burst_release(releaser->fixture->burst, ++released);
    }
    return NULL;
}

TEST(queue_slots, are_freed_while_others_are_used)
{
    struct queue_fixture fixture;
    _Atomic uint64_t ids[HY_QUEUE_SLOTS + 1] = {0};
    struct releaser releaser = {.fixture = &fixture};
    pthread_t thread;

    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, record_ids, ids));
    REQUIRE(pthread_create(&thread, NULL, release_used, &releaser) == 0);
    for (uint64_t i = 1; i < 5000; i++) {
        EXPECT(runs_over(&fixture, i, 1 + (uint32_t)(i % 5)));
        atomic_store(&releaser.used, i - 1);
    }
    atomic_store(&releaser.ends, true);
    pthread_join(thread, NULL);
    EXPECT(atomic_load(&fixture.invalidations) > 0);
    queue_fixture_close(&fixture);
}
