#include "test.h"

#include "plugins/service/queue/result_packet.h"

enum { ROOM = 64, OUTPUTS = 2 };

struct answer {
    struct hy_output_shape shapes[OUTPUTS];
    struct hy_result result;
    int32_t status;
    char words[HY_QUEUE_WORDS_SIZE];
    union hy_element elements[ROOM];
    uint32_t count;
};

/* {4, 5} that fits, and {6} that does not. */
static void init(struct answer *answer)
{
    *answer = (struct answer){
        .shapes = {{.rank = 2, .sufficient = 1, .dims = {4, 5}}, {.rank = 1, .dims = {6}}},
        .status = -77,
    };
    answer->result = (struct hy_result){
        .struct_size = sizeof answer->result,
        .output_count = OUTPUTS,
        .outputs = answer->shapes,
        .time_on_device = 0x1122,
        .time_in_driver = UINT64_C(0x8877665544332211),
    };
}

static void encode(struct answer *answer, int32_t status, const char *words)
{
    answer->count = hy_result_packet_encode(status, &answer->result, words, answer->elements, ROOM);
}

/* Reads the packet of `from` into `to`. */
static bool decode(const struct answer *from, uint32_t count, struct answer *to)
{
    *to = (struct answer){.status = -77};
    to->result = (struct hy_result){
        .struct_size = sizeof to->result,
        .output_count = from->result.output_count,
        .outputs = to->shapes,
    };
    return hy_result_packet_decode(from->elements, count, &to->status, &to->result, to->words);
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
    static struct answer answer;
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

    init(&answer);
    encode(&answer, HY_STATUS_OUTPUT_INSUFFICIENT_SIZE, NULL);
    REQUIRE(answer.count == sizeof want / sizeof *want);
    for (uint32_t i = 0; i < answer.count; i++)
        expect_bytes(&answer.elements[i], want[i]);

    encode(&answer, HY_STATUS_INVALID_ARGUMENT, "too many words here");
    REQUIRE(answer.count == 4);
    expect_bytes(&answer.elements[0], "00000000000000000400000004000000"
                                      "0000000000000000");
    expect_bytes(&answer.elements[1], "0300000000000000ffffffffffffffff"
                                      "ffffffffffffffff");
    expect_bytes(&answer.elements[2], "0400000000000000746f6f206d616e79"
                                      "20776f7264732068");
    expect_bytes(&answer.elements[3], "0400000000000000657265"
                                      "00000000000000000000000000");
}

TEST(queue_results, come_back_as_they_were)
{
    static struct answer answer, read;

    init(&answer);
    encode(&answer, HY_STATUS_OUTPUT_INSUFFICIENT_SIZE, "not told");
    REQUIRE(decode(&answer, answer.count, &read));
    EXPECT_INT(read.status, HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT(memcmp(read.shapes, answer.shapes, sizeof read.shapes) == 0);
    EXPECT(read.result.time_on_device == 0x1122);
    EXPECT(read.result.time_in_driver == UINT64_C(0x8877665544332211));
    EXPECT_STR(read.words, "");
}

TEST(queue_results, of_failures_have_words_and_no_shapes)
{
    static struct answer answer, read;
    char words[600];

    init(&answer);
    encode(&answer, HY_STATUS_GENERAL_FAILURE, "ADD: input 0\nis \x1b[31mred");
    REQUIRE(decode(&answer, answer.count, &read));
    EXPECT_INT(read.status, HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(read.words, "ADD: input 0?is ?[31mred");
    EXPECT_INT(read.shapes[0].rank, 0);
    EXPECT_INT(read.result.time_in_driver, 0);

    memset(words, 'x', sizeof words);
    words[sizeof words - 1] = '\0';
    encode(&answer, HY_STATUS_DEAD_OBJECT, words);
    REQUIRE(decode(&answer, answer.count, &read));
    EXPECT_INT(strlen(read.words), HY_QUEUE_WORDS_SIZE - 1);

    /* in a ring that is just large enough for any packet */
    answer.count = hy_result_packet_encode(HY_STATUS_DEAD_OBJECT, &answer.result, words,
                                           answer.elements, HY_RING_LEAST_CAPACITY);
    EXPECT_INT(answer.count, HY_RING_LEAST_CAPACITY);
    REQUIRE(decode(&answer, answer.count, &read));
    EXPECT_INT(strlen(read.words), 16 * (HY_RING_LEAST_CAPACITY - 2));
}

TEST(queue_results, that_do_not_fit_or_are_none_become_failures)
{
    static struct answer answer, read;

    init(&answer);
    answer.count = hy_result_packet_encode(HY_STATUS_OK, &answer.result, NULL, answer.elements, 7);
    EXPECT_INT(answer.count, 7);
    EXPECT_INT(answer.elements[0].result.packet.status, HY_STATUS_OK);
    answer.shapes[0].rank = 4;
    answer.count = hy_result_packet_encode(HY_STATUS_OK, &answer.result, NULL, answer.elements, 8);
    REQUIRE(decode(&answer, answer.count, &read));
    EXPECT_INT(read.status, HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(read.words, "larger than its queue");

    answer.shapes[0].rank = HY_MAX_RANK + 1;
    encode(&answer, HY_STATUS_OK, NULL);
    REQUIRE(decode(&answer, answer.count, &read));
    EXPECT_INT(read.status, HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(read.words, "rank");
}

/* The elements: packet, output, 2 dimensions, output, dimension, times. */
#define REFUSED(change) \
    do { \
        union hy_element *at = answer.elements; \
        init(&answer); \
        encode(&answer, HY_STATUS_OK, NULL); \
        REQUIRE(answer.count == 7 && decode(&answer, 7, &read)); \
        change; \
        EXPECT(!decode(&answer, answer.count, &read)); \
        EXPECT_INT(read.status, -77); \
        EXPECT_INT(read.shapes[0].rank, 0); \
        (void)at; \
    } while (0)

TEST(queue_results, that_break_the_format_are_refused)
{
    static struct answer answer, read;

    REFUSED(at[0].result.packet.elements = 6);
    REFUSED(at[0].result.packet.elements = 8);
    REFUSED(at[0].result.packet.outputs = 1);
    REFUSED(at[0].result.packet.outputs = 3);
    REFUSED(at[0].result.packet.outputs = UINT32_MAX);
    REFUSED(at[0].result.packet.status = HY_STATUS_GENERAL_FAILURE);
    REFUSED(at[0].result.packet.status = -5);
    REFUSED(answer.result.output_count = 1);
    REFUSED(at[1].result.output.sufficient = 2);
    REFUSED(at[1].result.output.rank = 1);
    REFUSED(at[1].result.output.rank = 3);
    REFUSED(at[1].result.output.rank = 17);
    REFUSED(at[1].result.output.rank = UINT32_MAX);
    for (uint32_t i = 0; i < 7; i++)
        for (int tag = 0; tag < 256; tag++) {
            init(&answer);
            encode(&answer, HY_STATUS_OK, NULL);
            const bool same = answer.elements[i].result.tag == tag;
            answer.elements[i].result.tag = (uint8_t)tag;
            if (decode(&answer, 7, &read) != same)
                hy_test_fail(__FILE__, __LINE__, "tag %d at element %u", tag, i);
        }
}

/* All the dimensions are there, and one more than a shape has room for. */
TEST(queue_results, with_too_many_dimensions_are_refused)
{
    static struct answer answer, read;

    init(&answer);
    answer.shapes[0].rank = HY_MAX_RANK;
    encode(&answer, HY_STATUS_OK, NULL);
    REQUIRE(answer.count == 21 && decode(&answer, answer.count, &read));
    memmove(answer.elements + 3, answer.elements + 2, 19 * sizeof *answer.elements);
    answer.elements[0].result.packet.elements = 22;
    answer.elements[1].result.output.rank = HY_MAX_RANK + 1;
    EXPECT(!decode(&answer, 22, &read));
}

TEST(queue_results, are_refused_at_every_other_length)
{
    static struct answer answer, read;

    init(&answer);
    encode(&answer, HY_STATUS_OK, NULL);
    for (uint32_t count = 0; count <= ROOM; count++) {
        answer.elements[0].result.packet.elements = count;
        EXPECT_INT(decode(&answer, count, &read), count == 7);
    }
    encode(&answer, HY_STATUS_GENERAL_FAILURE, "a");
    answer.elements[2].result.tag = HY_RESULT_TIMES;
    EXPECT(!decode(&answer, answer.count, &read));
}
