#include "tests/kit/test.h"

#include <stdlib.h>

#include "plugins/service/queue/request_packet.h"
#include "queue_fixture.h"

enum { CAPACITY = 256 };

struct packet {
    struct queue_request request;
    int32_t slots[QUEUE_POOLS];
    uint32_t notices;
    bool has_notices;
    union hy_element elements[CAPACITY];
    uint32_t count;
};

/* Two inputs of which the first has a shape, one output, two pools. */
static void init(struct packet *packet)
{
    struct queue_request *request = &packet->request;

    *packet = (struct packet){.slots = {7, 9, 11, 13}};
    queue_request_init(request);
    request->request.pool_count = 2;
    request->dims[0][0] = 2;
    request->dims[0][1] = 3;
    request->inputs[0].rank = 2;
    request->inputs[0].dims = request->dims[0];
    request->outputs[0].location.pool = 1;
    request->options.measure = 1;
    request->options.deadline = INT64_C(0x123456789abcdef0);
    request->options.loop_timeout = UINT64_C(0xfedcba9876543210);
}

static bool encode(struct packet *packet)
{
    const struct hy_request *request = &packet->request.request;
    const uint64_t count =
        hy_request_packet_encode(request, &packet->request.options, packet->elements, CAPACITY);

    if (count == 0)
        return false;
    hy_request_packet_set_slots(request, packet->slots, packet->elements);
    if (packet->has_notices)
        hy_request_packet_add_notices(packet->notices, packet->elements);
    packet->count = packet->elements[0].request.packet.elements;
    EXPECT_INT(packet->count, count + packet->has_notices);
    return true;
}

static bool decode(const struct packet *packet, uint32_t count, struct hy_request_parts *parts)
{
    return hy_request_packet_decode(packet->elements, count, parts);
}

static bool can_be_encoded(struct packet *packet)
{
    return encode(packet);
}

static void expect_bytes(const union hy_element *element, const char *hex)
{
    char text[2 * sizeof *element + 1];

    for (size_t i = 0; i < sizeof *element; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)element)[i]);
    EXPECT_STR(text, hex);
}

/* As docs/queue-format.md has it. */
TEST(queue_requests, are_the_bytes_that_the_format_says)
{
    static struct packet packet;

    init(&packet);
    packet.request.inputs[1].flags = HY_ARGUMENT_NO_VALUE;
    packet.request.inputs[1].location = (struct hy_location){0};
    packet.request.outputs[0].location.padding = 5;
    packet.request.outputs[0].location.offset = UINT64_C(0x100000080);
    packet.request.pools[1] = (struct hy_pool){.kind = HY_POOL_BUFFER, .buffer_token = 0x51};
    packet.notices = 0x1234;
    packet.has_notices = true;
    REQUIRE(encode(&packet));
    EXPECT_INT(packet.count, 12);
    static const char *const want[] = {
        "000000000c000000020000000100000002000000"
        "00000000",
        "0100000000000000000000000000000018000000"
        "02000000",
        "0200000002000000000000000000000000000000"
        "00000000",
        "0200000003000000000000000000000000000000"
        "00000000",
        "0100000001000000000000000000000000000000"
        "00000000",
        "0300000000000000010000008000000018000000"
        "00000000",
        "0700000001000000000000000500000000000000"
        "00000000",
        "0500000007000000000000000000000000000000"
        "00000000",
        "0800000051000000000000000000000000000000"
        "00000000",
        "0600000001000000000000000000000000000000"
        "00000000",
        "09000000f0debc9a78563412"
        "1032547698badcfe"
        "00000000",
        "0a00000034120000000000000000000000000000"
        "00000000",
    };
    for (uint32_t i = 0; i < packet.count; i++)
        expect_bytes(&packet.elements[i], want[i]);
}

TEST(queue_requests, come_back_as_they_were)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    init(&packet);
    packet.request.inputs[1].location.length = UINT64_C(0x500000001);
    packet.request.inputs[1].location.padding = 63;
    packet.notices = UINT32_MAX;
    packet.has_notices = true;
    REQUIRE(encode(&packet) && decode(&packet, packet.count, &parts));
    EXPECT_INT(parts.input_count, 2);
    EXPECT_INT(parts.output_count, 1);
    EXPECT_INT(parts.pool_count, 2);
    EXPECT_INT(parts.measure, 1);
    EXPECT_INT(parts.deadline, packet.request.options.deadline);
    EXPECT(parts.loop_timeout == packet.request.options.loop_timeout);
    EXPECT(parts.has_notices && parts.notices == UINT32_MAX);
    EXPECT_INT(parts.slots[0], 7);
    EXPECT_INT(parts.slots[1], 9);
    EXPECT_INT(parts.arguments[0].rank, 2);
    EXPECT(memcmp(parts.arguments[0].dims, packet.request.dims[0], 8) == 0);
    EXPECT_INT(parts.arguments[1].rank, 0);
    EXPECT(parts.arguments[1].dims == NULL);
    EXPECT(parts.arguments[1].location.length == UINT64_C(0x500000001));
    EXPECT_INT(parts.arguments[1].location.padding, 63);
    EXPECT_INT(parts.arguments[1].location.offset, 64);
    EXPECT_INT(parts.arguments[2].location.pool, 1);
    EXPECT_INT(parts.arguments[2].location.offset, 128);
    hy_request_parts_finish(&parts);
}

TEST(queue_requests, name_buffers_by_token)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    init(&packet);
    packet.request.pools[1] = (struct hy_pool){.kind = HY_POOL_BUFFER, .buffer_token = 0x10001};
    packet.request.outputs[0].location = (struct hy_location){.pool = 1};
    REQUIRE(encode(&packet) && decode(&packet, packet.count, &parts));
    EXPECT_INT(parts.slots[0], 7);
    EXPECT_INT(parts.slots[1], HY_QUEUE_NO_SLOT);
    EXPECT_INT(parts.pools[1].kind, HY_POOL_BUFFER);
    EXPECT_INT(parts.pools[1].buffer_token, 0x10001);
    EXPECT_INT(parts.pools[1].fd, -1);
    EXPECT_INT(parts.arguments[2].location.pool, 1);
    hy_request_parts_finish(&parts);
}

/* A packet of the HIDL interface, which knows nothing of ours. */
TEST(queue_requests, without_limits_have_those_of_the_api)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    init(&packet);
    REQUIRE(encode(&packet));
    packet.elements[0].request.packet.elements = packet.count - 1;
    REQUIRE(decode(&packet, packet.count - 1, &parts));
    EXPECT_INT(parts.deadline, HY_NO_DEADLINE);
    EXPECT(parts.loop_timeout == 2000000000);
    EXPECT(!parts.has_notices);
    hy_request_parts_finish(&parts);
}

TEST(queue_requests, an_argument_of_no_bytes_needs_no_pool)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    init(&packet);
    packet.request.request.pool_count = 0;
    for (int i = 0; i < 2; i++)
        packet.request.inputs[i].location = (struct hy_location){.pool = 77, .offset = 5};
    packet.request.outputs[0].location = (struct hy_location){0};
    REQUIRE(encode(&packet) && decode(&packet, packet.count, &parts));
    EXPECT_INT(parts.arguments[0].location.pool, 0);
    hy_request_parts_finish(&parts);
}

TEST(queue_requests, some_cannot_be_said)
{
    static struct packet packet;

#define CANNOT(change) \
    do { \
        init(&packet); \
        EXPECT(can_be_encoded(&packet)); \
        change; \
        EXPECT(!can_be_encoded(&packet)); \
    } while (0)

    CANNOT(packet.request.pools[1].id = 0);
    CANNOT(packet.request.pools[1].kind = HY_POOL_HOST);
    CANNOT(packet.request.pools[0].kind = HY_POOL_HARDWARE_BUFFER);
    CANNOT(packet.request.pools[0].kind = 99);
    CANNOT(packet.request.options.hint_count = 1);
    CANNOT(packet.request.inputs[0].rank = HY_MAX_RANK + 1);
    CANNOT(packet.request.outputs[0].location.pool = 2);
#undef CANNOT
}

TEST(queue_requests, larger_than_the_room_leave_what_is_behind_it)
{
    static struct packet packet;
    const union hy_element mark = {.words = {1, 2, 3}};

    init(&packet);
    for (uint32_t space = 1; space < 10; space++) {
        packet.elements[space] = mark;
        EXPECT_INT(hy_request_packet_encode(&packet.request.request, &packet.request.options,
                                            packet.elements, space),
                   10);
        EXPECT(memcmp(&packet.elements[space], &mark, sizeof mark) == 0);
    }
}

/* ---- What a reader refuses ------------------------------------------------------------------- */

/* A good packet with one thing wrong. The elements: packet, input, 2 dimensions, input, output,
 * 2 slots, measure, limits. */
#define REFUSED(change) \
    do { \
        union hy_element *at = packet.elements; \
        init(&packet); \
        REQUIRE(encode(&packet) && packet.count == 10); \
        EXPECT(decode(&packet, packet.count, &parts)); \
        change; \
        EXPECT(!decode(&packet, packet.count, &parts)); \
        (void)at; \
    } while (0)

TEST(queue_requests, that_break_the_format_are_refused)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    REFUSED(at[0].request.tag = 1);
    REFUSED(at[0].request.packet.elements = 9);
    REFUSED(at[0].request.packet.elements = 11);
    REFUSED(at[0].request.packet.inputs = 3);
    REFUSED(at[0].request.packet.inputs = 1);
    REFUSED(at[0].request.packet.inputs = UINT32_MAX);
    REFUSED(at[0].request.packet.outputs = 0);
    REFUSED(at[0].request.packet.outputs = UINT32_MAX);
    REFUSED(at[0].request.packet.pools = 1);
    REFUSED(at[0].request.packet.pools = 3);
    REFUSED(at[0].request.packet.pools = UINT32_MAX);
    REFUSED(at[0].request.packet.inputs = at[0].request.packet.outputs =
                at[0].request.packet.pools = UINT32_MAX);
    REFUSED(at[1].request.operand.no_value = 1);
    REFUSED(at[1].request.operand.no_value = 2);
    REFUSED(at[4].request.operand.no_value = 1);
    REFUSED(at[1].request.operand.rank = 1);
    REFUSED(at[1].request.operand.rank = 3);
    REFUSED(at[1].request.operand.rank = 17);
    REFUSED(at[1].request.operand.rank = UINT32_MAX);
    REFUSED(at[1].request.operand.pool = 2);
    REFUSED(at[5].request.operand.pool = UINT32_MAX);
    REFUSED(at[6].request.slot = -1);
    REFUSED(at[6].request.slot = INT32_MIN);
    REFUSED(at[8].request.measure = 2);
    REFUSED(at[8].request.measure = -1);
    for (uint32_t i = 1; i < 10; i++)
        for (int tag = 0; tag < 256; tag++) {
            init(&packet);
            REQUIRE(encode(&packet));
            const bool same = packet.elements[i].request.tag == tag;
            /* a slot and a buffer may stand for each other, and the last is only limits or notices
             */
            const bool good = same || ((i == 6 || i == 7) && tag == 8) || (i == 9 && tag == 10);
            packet.elements[i].request.tag = (uint8_t)tag;
            if (decode(&packet, packet.count, &parts) != good)
                hy_test_fail(__FILE__, __LINE__, "tag %d at element %u", tag, i);
        }
    hy_request_parts_finish(&parts);
}

/* Counts whose sum is as small as the packet, modulo 2^32. */
TEST(queue_requests, of_more_arguments_than_there_are_numbers_are_refused)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    packet = (struct packet){.count = 2};
    packet.elements[0].request.packet.elements = 2;
    packet.elements[1].request.tag = HY_REQUEST_MEASURE;
    EXPECT(decode(&packet, 2, &parts));
    packet.elements[0].request.packet.inputs = UINT32_MAX;
    packet.elements[0].request.packet.outputs = 1;
    EXPECT(!decode(&packet, 2, &parts));
    packet.elements[0].request.packet.inputs = 0x80000000;
    packet.elements[0].request.packet.outputs = 0x80000000;
    EXPECT(!decode(&packet, 2, &parts));
    hy_request_parts_finish(&parts);
}

/* All the dimensions are there, and one more than an operand can have. */
TEST(queue_requests, with_too_many_dimensions_are_refused)
{
    static struct packet packet;
    static uint32_t dims[HY_MAX_RANK + 1];
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    init(&packet);
    packet.request.inputs[0].rank = HY_MAX_RANK;
    packet.request.inputs[0].dims = dims;
    REQUIRE(encode(&packet) && packet.count == 24);
    EXPECT(decode(&packet, packet.count, &parts));
    memmove(packet.elements + 3, packet.elements + 2, 22 * sizeof *packet.elements);
    packet.elements[0].request.packet.elements = 25;
    packet.elements[1].request.operand.rank = HY_MAX_RANK + 1;
    EXPECT(!decode(&packet, 25, &parts));
    hy_request_parts_finish(&parts);
}

TEST(queue_requests, a_value_is_there_or_not)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    init(&packet);
    packet.request.inputs[1] = (struct hy_argument){.flags = HY_ARGUMENT_NO_VALUE};
    REQUIRE(encode(&packet));
    EXPECT(decode(&packet, packet.count, &parts));
    EXPECT_INT(parts.arguments[1].flags, HY_ARGUMENT_NO_VALUE);
    packet.elements[4].request.operand.no_value = 2;
    EXPECT(!decode(&packet, packet.count, &parts));
    hy_request_parts_finish(&parts);
}

TEST(queue_requests, are_refused_at_every_other_length)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, CAPACITY, &err) == HY_OK);

    init(&packet);
    packet.has_notices = true;
    REQUIRE(encode(&packet) && packet.count == 11);
    for (uint32_t count = 0; count <= CAPACITY; count++) {
        packet.elements[0].request.packet.elements = count;
        /* without the notices, and without the limits too, it is one of those that are legal */
        EXPECT_INT(decode(&packet, count, &parts), count >= 9 && count <= 11);
    }
    hy_request_parts_finish(&parts);
}

TEST(queue_requests, larger_than_the_room_for_them_are_refused)
{
    static struct packet packet;
    struct hy_request_parts parts = {0};
    struct hy_error err = {0};
    REQUIRE(hy_request_parts_init(&parts, 8, &err) == HY_OK);

    init(&packet);
    REQUIRE(encode(&packet));
    EXPECT(!decode(&packet, packet.count, &parts));
    hy_request_parts_finish(&parts);
}
