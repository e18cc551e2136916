/* What makes tokens equal, and what makes them different. */
#include "cache_store/token.h"

#include "sample_model.h"
#include "tests/kit/test.h"

#include <stdbool.h>

struct sample {
    struct sample_model m;
    struct hy_token_info info;
};

static void init_sample(struct sample *s)
{
    sample_model_init(&s->m);
    s->info = (struct hy_token_info){.device_name = "acme-npu",
                                     .device_version = "1",
                                     .build_id = "b",
                                     .cpu_features = "0f",
                                     .abi = HY_DRIVER_ABI,
                                     .preference = 1,
                                     .priority = 1,
                                     .model = &s->m.model};
}

/* Whether the changed sample has the token of an unchanged one. */
static bool is_same(const struct sample *changed)
{
    static struct sample plain;
    uint8_t want[HY_TOKEN_SIZE], got[HY_TOKEN_SIZE];

    init_sample(&plain);
    EXPECT_INT(hy_token_make(&plain.info, want, NULL), HY_OK);
    EXPECT_INT(hy_token_make(&changed->info, got, NULL), HY_OK);
    return memcmp(want, got, sizeof want) == 0;
}

TEST(token, every_fact_counts)
{
    static const uint8_t app_token[HY_TOKEN_SIZE];
    static struct sample s;

#define CHANGED(statement) \
    do { \
        init_sample(&s); \
        statement; \
        EXPECT(!is_same(&s)); \
    } while (0)

    init_sample(&s);
    EXPECT(is_same(&s));
    CHANGED(s.info.device_name = "acme-dsp");
    CHANGED(s.info.device_version = "2");
    CHANGED(s.info.build_id = "");
    CHANGED((s.info.device_version = "1b", s.info.build_id = "")); /* fields do not run together */
    CHANGED(s.info.cpu_features = "1f");
    CHANGED(s.info.app_token = app_token);
    CHANGED(s.info.abi++);
    CHANGED(s.info.preference++);
    CHANGED(s.info.priority++);
    CHANGED(s.m.model.relaxed_float = 1);
    CHANGED(s.m.dims[0] = 3);
    CHANGED(s.m.operands[0].type = ANEURALNETWORKS_TENSOR_INT32);
    CHANGED(s.m.operands[0].scale = 1);
    CHANGED(s.m.operands[0].zero_point = 1);
    CHANGED((s.m.operands[0].channel_scales = s.m.scales, s.m.operands[0].channel_count = 2));
    CHANGED(s.m.operands[3].lifetime = HY_LIFETIME_NO_VALUE);
    CHANGED(s.m.operation.type = ANEURALNETWORKS_MUL);
    CHANGED((s.m.inputs[0] = 1, s.m.inputs[1] = 0));
    CHANGED(s.m.operation.input_count--); /* nor do lists */
    CHANGED(s.m.operands[0].rank--);
    CHANGED(s.m.values[0]++);
    CHANGED(s.m.values[8]++);
#undef CHANGED
}

/* The token of the sample with these hints. */
static void make_with(const struct hy_hint *hints, uint32_t count,
                      const struct hy_extension_prefix prefixes[2], uint8_t token[HY_TOKEN_SIZE])
{
    static struct sample s;

    init_sample(&s);
    s.info.hints = hints;
    s.info.hint_count = count;
    s.info.prefixes = prefixes;
    s.info.prefix_count = 2;
    EXPECT_INT(hy_token_make(&s.info, token, NULL), HY_OK);
}

TEST(token, hints_count_by_name_and_code_and_in_no_order)
{
    const struct hy_extension_prefix prefixes[] = {{"com.a", 1, 0}, {"com.b", 2, 0}};
    const struct hy_extension_prefix swapped[] = {{"com.a", 2, 0}, {"com.b", 1, 0}};
    const struct hy_hint first[] = {{0x10005, 3, "xyz"}, {0x20001, 1, "q"}};
    const struct hy_hint second[] = {{0x10001, 1, "q"}, {0x20005, 3, "xyz"}};
    const struct hy_hint others[][2] = {{{0x10005, 3, "xyz"}, {0x20001, 1, "r"}},
                                        {{0x10005, 3, "xyz"}, {0x20002, 1, "q"}},
                                        {{0x10005, 3, "xyz"}, {0x10001, 1, "q"}},
                                        {{0x10005, 2, "xy"}, {0x20001, 2, "zq"}}};
    uint8_t want[HY_TOKEN_SIZE], got[HY_TOKEN_SIZE];

    make_with(first, 2, prefixes, want);
    make_with(second, 2, swapped, got); /* other prefixes, other order, the same hints */
    EXPECT(memcmp(want, got, sizeof want) == 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        make_with(others[i], 2, prefixes, got);
        EXPECT(memcmp(want, got, sizeof want) != 0);
    }
    make_with(first, 1, prefixes, got);
    EXPECT(memcmp(want, got, sizeof want) != 0);
}

TEST(token, a_hint_of_no_extension_is_refused)
{
    static struct sample s;
    const struct hy_hint hint = {0x70000, 1, "x"};
    uint8_t token[HY_TOKEN_SIZE];

    init_sample(&s);
    s.info.hints = &hint;
    s.info.hint_count = 1;
    EXPECT_INT(hy_token_make(&s.info, token, NULL), HY_BAD_DATA);
}

/* ---- Types of extensions --------------------------------------------------------------------- */

/* What of a model's extensions may differ. */
struct extended {
    const char *names[2]; /* of prefixes 1 and 2 */
    uint32_t operand, operation;
    const char *data; /* that the operand carries */
};

static void make_extended(const struct extended *of, uint8_t token[HY_TOKEN_SIZE])
{
    static struct sample s;
    const struct hy_extension_prefix prefixes[] = {{of->names[0], 1, 0}, {of->names[1], 2, 0}};

    init_sample(&s);
    s.m.model.extensions = prefixes;
    s.m.model.extension_count = 2;
    s.m.operands[0].type = (int32_t)of->operand;
    s.m.operands[0].extension_data = of->data;
    s.m.operands[0].extension_length = strlen(of->data);
    s.m.operation.type = (int32_t)of->operation;
    EXPECT_INT(hy_token_make(&s.info, token, NULL), HY_OK);
}

static bool have_one_token(const struct extended *a, const struct extended *b)
{
    uint8_t of_a[HY_TOKEN_SIZE], of_b[HY_TOKEN_SIZE];

    make_extended(a, of_a);
    make_extended(b, of_b);
    return memcmp(of_a, of_b, sizeof of_a) == 0;
}

static const struct extended fourier = {{"com.fft", "com.dct"}, 0x10005, 0x20007, "radix 4"};

TEST(token, types_of_extensions_count_by_name_and_code)
{
    const struct extended others[] = {
        {{"com.fft", "com.dct"}, 0x10006, 0x20007, "radix 4"},
        {{"com.fft", "com.dct"}, 0x10005, 0x20008, "radix 4"},
        {{"com.fft", "com.dct"}, 0x20005, 0x20007, "radix 4"},
        {{"com.fft", "com.dct"}, 0x10005, 0x10007, "radix 4"},
        {{"com.fft", "com.dst"}, 0x10005, 0x20007, "radix 4"},
        {{"com.fht", "com.dct"}, 0x10005, 0x20007, "radix 4"},
        {{"com.fft", "com.dct"}, 0x00005, 0x20007, "radix 4"},
        {{"com.fft", "com.dct"}, 0x10005, 0x00007, "radix 4"},
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT(!have_one_token(&fourier, &others[i]));
}

TEST(token, prefixes_of_extensions_do_not_count)
{
    const struct extended swapped = {{"com.dct", "com.fft"}, 0x20005, 0x10007, "radix 4"};

    EXPECT(have_one_token(&fourier, &swapped));
}

TEST(token, what_an_operand_of_an_extension_carries_counts)
{
    const struct extended other = {{"com.fft", "com.dct"}, 0x10005, 0x20007, "radix 2"};
    const struct extended shorter = {{"com.fft", "com.dct"}, 0x10005, 0x20007, "radix"};

    EXPECT(!have_one_token(&fourier, &other));
    EXPECT(!have_one_token(&fourier, &shorter));
}

/* ---- Known tokens ---------------------------------------------------------------------------- */

static void expect_token(const uint8_t token[HY_TOKEN_SIZE], const char *want)
{
    char text[2 * HY_TOKEN_SIZE + 1];

    for (uint32_t i = 0; i < HY_TOKEN_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", token[i]);
    EXPECT_STR(text, want);
}

/* Entries of earlier builds of one driver stay entries: the layout names the order of the bytes. */
TEST(token, a_known_model_has_a_known_token)
{
    static struct sample s;
    uint8_t token[HY_TOKEN_SIZE];

    init_sample(&s);
    s.info.abi = HY_ABI(1, 1);
    EXPECT_INT(hy_token_make(&s.info, token, NULL), HY_OK);
    expect_token(token, "dd822a7d4cf9033775600afd26e8f6f88cfc01caefc593812ccfb4c04ec565af");
}

/* Every number of an operand is another one here, and every part of a model is there. */
TEST(token, a_known_model_with_all_parts_has_a_known_token)
{
    static struct sample s;
    static float scales[] = {.5f, .25f, .125f, 1, 2, 4};
    const struct hy_extension_prefix prefixes[] = {{"com.fft", 1, 0}, {"com.dct", 2, 0}};
    const struct hy_subgraph *bodies[] = {&s.m.graph};
    struct hy_operand operands[5];
    struct hy_subgraph main_graph;
    uint8_t token[HY_TOKEN_SIZE];

    init_sample(&s);
    s.info.abi = HY_ABI(1, 1);
    memcpy(operands, s.m.operands, 4 * sizeof *operands);
    operands[0] = (struct hy_operand){.type = 0x10005,
                                      .lifetime = HY_LIFETIME_INPUT,
                                      .rank = 1,
                                      .channel_dim = 3,
                                      .dims = s.m.dims,
                                      .scale = .75f,
                                      .zero_point = -7,
                                      .channel_scales = scales,
                                      .channel_count = 6,
                                      .extension_data = "radix 4",
                                      .extension_length = 7};
    operands[1].lifetime = HY_LIFETIME_CONSTANT_POOL;
    operands[1].location = (struct hy_location){.offset = 4, .length = 8};
    operands[4] =
        (struct hy_operand){.type = ANEURALNETWORKS_MODEL, .lifetime = HY_LIFETIME_SUBGRAPH};
    main_graph = s.m.graph;
    main_graph.operands = operands;
    main_graph.operand_count = 5;
    s.m.operation.type = 0x20007;
    s.m.model.main = &main_graph;
    s.m.model.referenced = bodies;
    s.m.model.referenced_count = 1;
    s.m.model.extensions = prefixes;
    s.m.model.extension_count = 2;
    s.m.model.relaxed_float = 1;
    EXPECT_INT(hy_token_make(&s.info, token, NULL), HY_OK);
    expect_token(token, "1fc8934a92b1751084afb5ee4fed2f3110c814530decbe6d0ab6f063c1720d57");
}

/* ---- Constants ------------------------------------------------------------------------------- */

TEST(token, place_of_a_constant_does_not_count)
{
    static struct sample s;

    init_sample(&s);
    s.m.operands[1].lifetime = HY_LIFETIME_CONSTANT_POOL;
    s.m.operands[1].location = (struct hy_location){.offset = 4, .length = 8};
    memset(s.m.values, 0, 8);
    EXPECT(is_same(&s));
}

TEST(token, constants_outside_their_memory_are_refused)
{
    static struct sample s;
    struct hy_error err = {0};
    uint8_t token[HY_TOKEN_SIZE];

    init_sample(&s);
    s.m.operands[1].location.offset = UINT64_MAX - 3;
    EXPECT_INT(hy_token_make(&s.info, token, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "operand 1");
    s.m.operands[1].lifetime = HY_LIFETIME_CONSTANT_POOL;
    s.m.operands[1].location = (struct hy_location){.pool = 1, .length = 8};
    EXPECT_INT(hy_token_make(&s.info, token, &err), HY_BAD_DATA);
    s.m.operands[1].location.pool = 0;
    s.m.pool.address = NULL;
    EXPECT_INT(hy_token_make(&s.info, token, &err), HY_FAILED);
}

/* The sample with two constants that are long: one of `length` bytes, and its last 100,000. */
static void init_long(struct sample *s, uint8_t *bytes, uint64_t length)
{
    init_sample(s);
    s->m.model.values = bytes;
    s->m.model.values_size = length;
    s->m.operands[1].location = (struct hy_location){.length = length};
    s->m.operands[3].location = (struct hy_location){.offset = length - 100000, .length = 100000};
}

static unsigned shared; /* tasks */

/* As threads might: in another order. */
static void parallel_for_backwards(uint32_t count, void (*task)(void *argument, uint32_t index),
                                   void *argument)
{
    shared += count;
    while (count > 0)
        task(argument, --count);
}

TEST(token, long_constants_count_to_the_last_byte)
{
    static struct sample s;
    static uint8_t bytes[300000];
    uint8_t want[HY_TOKEN_SIZE], got[HY_TOKEN_SIZE];

    for (uint64_t length = 100000; length <= sizeof bytes; length += 66667) {
        init_long(&s, bytes, length);
        EXPECT_INT(hy_token_make(&s.info, want, NULL), HY_OK);
        bytes[length - 1] ^= 1;
        EXPECT_INT(hy_token_make(&s.info, got, NULL), HY_OK);
        EXPECT(memcmp(want, got, sizeof want) != 0);
        s.m.operands[1].location.length--;
        EXPECT_INT(hy_token_make(&s.info, want, NULL), HY_OK);
        EXPECT(memcmp(want, got, sizeof want) != 0);
    }
}

TEST(token, reading_constants_on_several_threads_gives_the_same)
{
    static struct sample s;
    static uint8_t bytes[5 << 20];
    uint8_t want[HY_TOKEN_SIZE], got[HY_TOKEN_SIZE];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 0x9e3779b1u >> 21);
    init_long(&s, bytes, sizeof bytes);
    EXPECT_INT(hy_token_make(&s.info, want, NULL), HY_OK);
    s.info.parallel_for = parallel_for_backwards;
    shared = 0;
    EXPECT_INT(hy_token_make(&s.info, got, NULL), HY_OK);
    EXPECT(memcmp(want, got, sizeof want) == 0);
    EXPECT_INT(shared, 2);
    bytes[sizeof bytes - 1] ^= 1;
    EXPECT_INT(hy_token_make(&s.info, got, NULL), HY_OK);
    EXPECT(memcmp(want, got, sizeof want) != 0);
}

TEST(token, little_is_read_on_one_thread)
{
    static struct sample s;
    static uint8_t bytes[300000];
    uint8_t token[HY_TOKEN_SIZE];

    init_long(&s, bytes, sizeof bytes);
    s.info.parallel_for = parallel_for_backwards;
    shared = 0;
    EXPECT_INT(hy_token_make(&s.info, token, NULL), HY_OK);
    EXPECT_INT(shared, 0);
}
