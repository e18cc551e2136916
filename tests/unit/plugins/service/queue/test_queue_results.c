#include "tests/kit/test.h"

#include "plugins/service/queue/result_packet.h"

enum { CAPACITY = 64, OUTPUTS = 2 };

struct decoded_result {
    struct hy_output_shape shapes[OUTPUTS];
    struct hy_result result;
    int32_t status;
    char text[HY_QUEUE_TEXT_SIZE];
    union hy_element elements[CAPACITY];
    uint32_t count;
};

/* {4, 5} that fits, and {6} that does not. */
static void init(struct decoded_result *decoded_result)
{
    *decoded_result = (struct decoded_result){
        .shapes = {{.rank = 2, .sufficient = 1, .dims = {4, 5}}, {.rank = 1, .dims = {6}}},
        .status = -77,
    };
    decoded_result->result = (struct hy_result){
        .struct_size = sizeof decoded_result->result,
        .output_count = OUTPUTS,
        .outputs = decoded_result->shapes,
        .time_on_device = 0x1122,
        .time_in_driver = UINT64_C(0x8877665544332211),
    };
}

static void encode(struct decoded_result *decoded_result, int32_t status, const char *text)
{
    decoded_result->count = hy_result_packet_encode(status, &decoded_result->result, text,
                                                    decoded_result->elements, CAPACITY);
}

/* Reads the packet of `from` into `to`. */
static bool decode(const struct decoded_result *from, uint32_t count, struct decoded_result *to)
{
    *to = (struct decoded_result){.status = -77};
    to->result = (struct hy_result){
        .struct_size = sizeof to->result,
        .output_count = from->result.output_count,
        .outputs = to->shapes,
    };
    return hy_result_packet_decode(from->elements, count, &to->status, &to->result, to->text);
}

static void expect_bytes(const union hy_element *element, const char *hex)
{
    char text[2 * sizeof *element + 1];

    for (size_t i = 0; i < sizeof *element; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)element)[i]);
    EXPECT_STR(text, hex);
}

/* As docs/queue-format.md has it. */
TEST(queue_results, are_the_bytes_that_the_format_says)
{
    static struct decoded_result decoded_result;
    static const char *const want[] = {
        "0000000000000000"
        "07000000"
        "03000000"
        "02000000"
        "00000000",
        "0100000000000000"
        "01000000"
        "02000000"
        "0000000000000000",
        "0200000000000000"
        "04000000"
        "000000000000000000000000",
        "0200000000000000"
        "05000000"
        "000000000000000000000000",
        "0100000000000000"
        "00000000"
        "01000000"
        "0000000000000000",
        "0200000000000000"
        "06000000"
        "000000000000000000000000",
        "0300000000000000"
        "2211000000000000"
        "1122334455667788",
    };

    init(&decoded_result);
    encode(&decoded_result, HY_STATUS_OUTPUT_INSUFFICIENT_SIZE, NULL);
    REQUIRE(decoded_result.count == sizeof want / sizeof *want);
    for (uint32_t i = 0; i < decoded_result.count; i++)
        expect_bytes(&decoded_result.elements[i], want[i]);

    encode(&decoded_result, HY_STATUS_INVALID_ARGUMENT, "too many words here");
    REQUIRE(decoded_result.count == 4);
    expect_bytes(&decoded_result.elements[0], "00000000000000000400000004000000"
                                              "0000000000000000");
    expect_bytes(&decoded_result.elements[1], "0300000000000000ffffffffffffffff"
                                              "ffffffffffffffff");
    expect_bytes(&decoded_result.elements[2], "0400000000000000746f6f206d616e79"
                                              "20776f7264732068");
    expect_bytes(&decoded_result.elements[3], "0400000000000000657265"
                                              "00000000000000000000000000");
}

TEST(queue_results, come_back_as_they_were)
{
    static struct decoded_result decoded_result, read;

    init(&decoded_result);
    encode(&decoded_result, HY_STATUS_OUTPUT_INSUFFICIENT_SIZE, "not told");
    REQUIRE(decode(&decoded_result, decoded_result.count, &read));
    EXPECT_INT(read.status, HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT(memcmp(read.shapes, decoded_result.shapes, sizeof read.shapes) == 0);
    EXPECT(read.result.time_on_device == 0x1122);
    EXPECT(read.result.time_in_driver == UINT64_C(0x8877665544332211));
    EXPECT_STR(read.text, "");
}

TEST(queue_results, of_failures_have_words_and_no_shapes)
{
    static struct decoded_result decoded_result, read;
    char text[600];

    init(&decoded_result);
    encode(&decoded_result, HY_STATUS_GENERAL_FAILURE, "ADD: input 0\nis \x1b[31mred");
    REQUIRE(decode(&decoded_result, decoded_result.count, &read));
    EXPECT_INT(read.status, HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(read.text, "ADD: input 0?is ?[31mred");
    EXPECT_INT(read.shapes[0].rank, 0);
    EXPECT_INT(read.result.time_in_driver, 0);

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    encode(&decoded_result, HY_STATUS_DEAD_OBJECT, text);
    REQUIRE(decode(&decoded_result, decoded_result.count, &read));
    EXPECT_INT(strlen(read.text), HY_QUEUE_TEXT_SIZE - 1);

    /* in a ring that is just large enough for any packet */
    decoded_result.count =
        hy_result_packet_encode(HY_STATUS_DEAD_OBJECT, &decoded_result.result, text,
                                decoded_result.elements, HY_RING_LEAST_CAPACITY);
    EXPECT_INT(decoded_result.count, HY_RING_LEAST_CAPACITY);
    REQUIRE(decode(&decoded_result, decoded_result.count, &read));
    EXPECT_INT(strlen(read.text), 16 * (HY_RING_LEAST_CAPACITY - 2));
}

TEST(queue_results, that_do_not_fit_or_are_none_become_failures)
{
    static struct decoded_result decoded_result, read;

    init(&decoded_result);
    decoded_result.count = hy_result_packet_encode(HY_STATUS_OK, &decoded_result.result, NULL,
                                                   decoded_result.elements, 7);
    EXPECT_INT(decoded_result.count, 7);
    EXPECT_INT(decoded_result.elements[0].result.packet.status, HY_STATUS_OK);
    decoded_result.shapes[0].rank = 4;
    decoded_result.count = hy_result_packet_encode(HY_STATUS_OK, &decoded_result.result, NULL,
                                                   decoded_result.elements, 8);
    REQUIRE(decode(&decoded_result, decoded_result.count, &read));
    EXPECT_INT(read.status, HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(read.text, "larger than its queue");

    decoded_result.shapes[0].rank = HY_MAX_RANK + 1;
    encode(&decoded_result, HY_STATUS_OK, NULL);
    REQUIRE(decode(&decoded_result, decoded_result.count, &read));
    EXPECT_INT(read.status, HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(read.text, "rank");
}

/* The elements: packet, output, 2 dimensions, output, dimension, times. */
#define REFUSED(change) \
    do { \
        union hy_element *at = decoded_result.elements; \
        init(&decoded_result); \
        encode(&decoded_result, HY_STATUS_OK, NULL); \
        REQUIRE(decoded_result.count == 7 && decode(&decoded_result, 7, &read)); \
        change; \
        EXPECT(!decode(&decoded_result, decoded_result.count, &read)); \
        EXPECT_INT(read.status, -77); \
        EXPECT_INT(read.shapes[0].rank, 0); \
        (void)at; \
    } while (0)

TEST(queue_results, that_break_the_format_are_refused)
{
    static struct decoded_result decoded_result, read;

    REFUSED(at[0].result.packet.elements = 6);
    REFUSED(at[0].result.packet.elements = 8);
    REFUSED(at[0].result.packet.outputs = 1);
    REFUSED(at[0].result.packet.outputs = 3);
    REFUSED(at[0].result.packet.outputs = UINT32_MAX);
    REFUSED(at[0].result.packet.status = HY_STATUS_GENERAL_FAILURE);
    REFUSED(at[0].result.packet.status = -5);
    REFUSED(decoded_result.result.output_count = 1);
    REFUSED(at[1].result.output.sufficient = 2);
    REFUSED(at[1].result.output.rank = 1);
    REFUSED(at[1].result.output.rank = 3);
    REFUSED(at[1].result.output.rank = 17);
    REFUSED(at[1].result.output.rank = UINT32_MAX);
    for (uint32_t i = 0; i < 7; i++)
        for (int tag = 0; tag < 256; tag++) {
            init(&decoded_result);
            encode(&decoded_result, HY_STATUS_OK, NULL);
            const bool same = decoded_result.elements[i].result.tag == tag;
            decoded_result.elements[i].result.tag = (uint8_t)tag;
            if (decode(&decoded_result, 7, &read) != same)
                hy_test_fail(__FILE__, __LINE__, "tag %d at element %u", tag, i);
        }
}

/* All the dimensions are there, and one more than a shape has room for. */
TEST(queue_results, with_too_many_dimensions_are_refused)
{
    static struct decoded_result decoded_result, read;

    init(&decoded_result);
    decoded_result.shapes[0].rank = HY_MAX_RANK;
    encode(&decoded_result, HY_STATUS_OK, NULL);
    REQUIRE(decoded_result.count == 21 && decode(&decoded_result, decoded_result.count, &read));
    memmove(decoded_result.elements + 3, decoded_result.elements + 2,
            19 * sizeof *decoded_result.elements);
    decoded_result.elements[0].result.packet.elements = 22;
    decoded_result.elements[1].result.output.rank = HY_MAX_RANK + 1;
    EXPECT(!decode(&decoded_result, 22, &read));
}

TEST(queue_results, are_refused_at_every_other_length)
{
    static struct decoded_result decoded_result, read;

    init(&decoded_result);
    encode(&decoded_result, HY_STATUS_OK, NULL);
    for (uint32_t count = 0; count <= CAPACITY; count++) {
        decoded_result.elements[0].result.packet.elements = count;
        EXPECT_INT(decode(&decoded_result, count, &read), count == 7);
    }
    encode(&decoded_result, HY_STATUS_GENERAL_FAILURE, "a");
    decoded_result.elements[2].result.tag = HY_RESULT_TIMES;
    EXPECT(!decode(&decoded_result, decoded_result.count, &read));
}
