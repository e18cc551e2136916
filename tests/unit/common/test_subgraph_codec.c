/* A subgraph as bytes, and bytes that are no subgraph. */
#include "common/model/subgraph_codec.h"

#include "tests/kit/test.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- Bytes ----------------------------------------------------------------------------------- */

struct bytes {
    uint64_t words[200]; /* aligned as pieces are */
    size_t size;
    size_t limit; /* of the sink */
    size_t at;    /* of the source */
};

static size_t padded(size_t count, size_t size)
{
    return (count * size + 7) / 8 * 8;
}

static void *capacity(void *to, size_t count, size_t size)
{
    struct bytes *bytes = to;
    const size_t start = bytes->size;

    if (padded(count, size) > bytes->limit - start)
        return NULL;
    bytes->size += padded(count, size);
    return memset((uint8_t *)bytes->words + start, 0, padded(count, size));
}

static const void *next(void *from, uint64_t count, size_t size)
{
    struct bytes *bytes = from;
    const size_t start = bytes->at;

    if (count > bytes->size || padded(count, size) > bytes->size - start)
        return NULL;
    bytes->at += padded(count, size);
    return (uint8_t *)bytes->words + start;
}

static enum hy_code encode(const struct hy_subgraph *graph, struct bytes *bytes,
                           struct hy_error *err)
{
    const struct hy_piece_sink sink = {.capacity = capacity, .to = bytes};

    bytes->size = 0;
    bytes->limit = sizeof bytes->words;
    return hy_subgraph_encode(graph, &sink, err);
}

static enum hy_code decode(struct bytes *bytes, struct hy_arena *memory, struct hy_subgraph *graph,
                           struct hy_error *err)
{
    const struct hy_piece_source source = {.next = next, .from = bytes};
    struct hy_operand *operands;

    bytes->at = 0;
    return hy_subgraph_decode(&source, memory, graph, &operands, err);
}

/* ---- A sample -------------------------------------------------------------------------------- */

struct sample {
    uint32_t dims[3], inputs[3], outputs[1];
    float scales[3];
    struct hy_operand operands[3];
    struct hy_operation operations[2];
    struct hy_subgraph graph;
};

/* Every member of every operand and operation is another one. */
static void init_sample(struct sample *s)
{
    *s = (struct sample){
        .dims = {2, 3, 0},
        .inputs = {1, 0, 1},
        .outputs = {2},
        .scales = {.5f, .25f, 8},
        .operands = {{.type = 3, .lifetime = HY_LIFETIME_INPUT, .rank = 1, .dims = s->dims},
                     {.type = 0x10005,
                      .lifetime = HY_LIFETIME_CONSTANT_POOL,
                      .rank = 2,
                      .channel_dim = 1,
                      .dims = s->dims + 1,
                      .scale = .75f,
                      .zero_point = -7,
                      .location = {.pool = 4, .padding = 5, .offset = 6, .length = 7},
                      .channel_scales = s->scales,
                      .extension_data = "radix 4",
                      .channel_count = 3,
                      .extension_length = 7},
                     {.type = 4, .lifetime = HY_LIFETIME_OUTPUT}},
        .operations = {{.type = 18,
                        .input_count = 3,
                        .output_count = 1,
                        .inputs = s->inputs,
                        .outputs = s->outputs},
                       {.type = 19}},
        .graph = {.struct_size = sizeof s->graph,
                  .operand_count = 3,
                  .operation_count = 2,
                  .input_count = 2,
                  .output_count = 1,
                  .operands = s->operands,
                  .operations = s->operations,
                  .inputs = s->inputs,
                  .outputs = s->outputs}};
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(subgraph_codec, every_member_comes_back)
{
    static struct bytes bytes, again;
    struct sample s;
    struct hy_arena memory = {0};
    struct hy_subgraph graph;

    init_sample(&s);
    REQUIRE(encode(&s.graph, &bytes, NULL) == HY_OK);
    REQUIRE(decode(&bytes, &memory, &graph, NULL) == HY_OK);
    EXPECT_INT(bytes.at, bytes.size);
    const struct hy_operand *operand = &graph.operands[1];
    EXPECT_INT(operand->type, 0x10005);
    EXPECT_INT(operand->lifetime, HY_LIFETIME_CONSTANT_POOL);
    EXPECT_INT(operand->rank, 2);
    EXPECT_INT(operand->dims[0], 3);
    EXPECT_INT(operand->channel_dim, 1);
    EXPECT(operand->scale == .75f);
    EXPECT_INT(operand->zero_point, -7);
    EXPECT(memcmp(&operand->location, &s.operands[1].location, sizeof operand->location) == 0);
    EXPECT(operand->channel_scales[2] == 8);
    EXPECT(memcmp(operand->extension_data, "radix 4", 7) == 0);
    EXPECT_INT(graph.operations[0].inputs[2], 1);
    EXPECT_INT(graph.operations[0].outputs[0], 2);
    EXPECT_INT(graph.operations[1].type, 19);
    EXPECT(graph.operations[1].inputs == NULL);
    EXPECT_INT(graph.inputs[0], 1);
    EXPECT_INT(graph.outputs[0], 2);
    REQUIRE(encode(&graph, &again, NULL) == HY_OK);
    EXPECT_INT(again.size, bytes.size);
    EXPECT(memcmp(again.words, bytes.words, bytes.size) == 0);
    hy_arena_finish(&memory);
}

TEST(subgraph_codec, a_subgraph_that_is_cut_off_is_refused)
{
    static struct bytes bytes;
    struct sample s;
    struct hy_arena memory = {0};
    struct hy_subgraph graph;
    struct hy_error err = {0};

    init_sample(&s);
    REQUIRE(encode(&s.graph, &bytes, NULL) == HY_OK);
    while (bytes.size > 0) {
        bytes.size -= 8;
        EXPECT_INT(decode(&bytes, &memory, &graph, &err), HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, "truncated");
    }
    hy_arena_finish(&memory);
}

/* Whatever is decoded can be read to its last element: as encoding does. */
TEST(subgraph_codec, every_bit_may_be_wrong)
{
    static struct bytes bytes, again;
    struct sample s;
    struct hy_arena memory = {0};
    struct hy_subgraph graph;
    uint32_t refused = 0;

    init_sample(&s);
    REQUIRE(encode(&s.graph, &bytes, NULL) == HY_OK);
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        bytes.words[bit / 64] ^= UINT64_C(1) << bit % 64;
        if (decode(&bytes, &memory, &graph, NULL) == HY_OK)
            EXPECT_INT(encode(&graph, &again, NULL), HY_OK);
        else
            refused++;
        bytes.words[bit / 64] ^= UINT64_C(1) << bit % 64;
        hy_arena_reset(&memory);
    }
    EXPECT(refused > bytes.size);
    hy_arena_finish(&memory);
}

/* The sample after a change to its record, of which the reader is told with this text. */
static void expect_refused(size_t word, uint64_t value, const char *expected)
{
    static struct bytes bytes;
    struct sample s;
    struct hy_arena memory = {0};
    struct hy_subgraph graph;
    struct hy_error err = {0};

    init_sample(&s);
    REQUIRE(encode(&s.graph, &bytes, NULL) == HY_OK);
    bytes.words[word] = value;
    EXPECT_INT(decode(&bytes, &memory, &graph, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, expected);
    hy_arena_finish(&memory);
}

TEST(subgraph_codec, sums_that_are_not_the_counts_are_refused)
{
    const size_t first = sizeof(struct hy_subgraph_record) / 8; /* word of the first operand */
    const size_t rank = first + 1, channels = first + 3;
    const size_t operation = first + 3 * sizeof(struct hy_operand_record) / 8;

    expect_refused(rank, 0, "1 extents, 0 indices, 0 scales too many");
    expect_refused(rank, 17, "operand 0 has rank 17, 3 extents are left");
    expect_refused(channels, 4, "operand 0 has 4 scales, 3 are left");
    expect_refused(operation, 18 | UINT64_C(4) << 32, "4 inputs and 1 outputs, 4 indices are left");
}

TEST(subgraph_codec, a_rank_that_no_driver_takes_is_not_encoded)
{
    static struct bytes bytes;
    struct sample s;
    struct hy_error err = {0};

    init_sample(&s);
    s.operands[0].rank = HY_MAX_RANK + 1;
    EXPECT_INT(encode(&s.graph, &bytes, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "operand 0 has rank 17");
    EXPECT_INT(bytes.size, 0);
}

TEST(subgraph_codec, a_sink_may_fail_at_any_piece)
{
    static struct bytes bytes;
    const struct hy_piece_sink sink = {.capacity = capacity, .to = &bytes};
    struct sample s;

    init_sample(&s);
    REQUIRE(encode(&s.graph, &bytes, NULL) == HY_OK);
    const size_t whole = bytes.size;
    for (bytes.limit = 0; bytes.limit < whole; bytes.limit += 8) {
        bytes.size = 0;
        EXPECT_INT(hy_subgraph_encode(&s.graph, &sink, NULL), HY_OK);
        EXPECT(bytes.size < whole);
    }
}

TEST(subgraph_codec, a_constant_of_no_bytes_lies_nowhere)
{
    static struct bytes bytes;
    struct sample s;
    struct hy_arena memory = {0};
    struct hy_subgraph graph;

    init_sample(&s);
    s.operands[1].location.length = 0;
    REQUIRE(encode(&s.graph, &bytes, NULL) == HY_OK);
    REQUIRE(decode(&bytes, &memory, &graph, NULL) == HY_OK);
    EXPECT_INT(graph.operands[1].location.offset, 0);
    EXPECT_INT(graph.operands[1].location.pool, 0);
    hy_arena_finish(&memory);
}
