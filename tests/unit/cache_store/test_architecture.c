/* What makes architecture hashes equal, and what makes them different. */
#include "cache_store/architecture.h"

#include "sample_model.h"
#include "tests/kit/test.h"

#include <stdbool.h>

/* Whether the changed sample has the hash of an unchanged one. */
static bool is_same(const struct sample_model *changed)
{
    static struct sample_model plain;
    uint8_t want[HY_ARCHITECTURE_SIZE], got[HY_ARCHITECTURE_SIZE];

    sample_model_init(&plain);
    EXPECT_INT(hy_architecture_hash(&plain.model, want, NULL), HY_OK);
    EXPECT_INT(hy_architecture_hash(&changed->model, got, NULL), HY_OK);
    return memcmp(want, got, sizeof want) == 0;
}

static struct sample_model s;

#define CHANGED(statement) \
    do { \
        sample_model_init(&s); \
        statement; \
        EXPECT(!is_same(&s)); \
    } while (0)

#define UNCHANGED(statement) \
    do { \
        sample_model_init(&s); \
        statement; \
        EXPECT(is_same(&s)); \
    } while (0)

TEST(architecture, structure_and_quantisation_count)
{
    const struct hy_subgraph *referenced[] = {&s.graph};

    CHANGED(s.dims[0] = 3);
    CHANGED(s.operands[0].type = ANEURALNETWORKS_TENSOR_INT32);
    CHANGED(s.operands[0].rank = 0);
    CHANGED(s.operands[0].scale = 1);
    CHANGED(s.operands[0].zero_point = 1);
    CHANGED((s.operands[0].channel_scales = s.scales, s.operands[0].channel_count = 2));
    CHANGED(s.operands[3].lifetime = HY_LIFETIME_NO_VALUE);
    CHANGED(s.operation.type = ANEURALNETWORKS_MUL);
    CHANGED((s.inputs[0] = 1, s.inputs[1] = 0));
    CHANGED(s.operation.output_count = 0);
    CHANGED((s.model.referenced = referenced, s.model.referenced_count = 1));
}

TEST(architecture, values_of_constants_and_their_place_do_not_count)
{
    UNCHANGED(s.values[0]++);
    UNCHANGED(s.values[8]++);
    UNCHANGED(s.operands[1].location.offset = 4);
    UNCHANGED((s.operands[1].lifetime = HY_LIFETIME_CONSTANT_POOL));
}

TEST(architecture, scales_of_channels_count_and_their_dimension)
{
    static struct sample_model other;
    uint8_t first[HY_ARCHITECTURE_SIZE], hash[HY_ARCHITECTURE_SIZE];

    sample_model_init(&other);
    other.operands[0].channel_scales = other.scales;
    other.operands[0].channel_count = 2;
    REQUIRE(hy_architecture_hash(&other.model, first, NULL) == HY_OK);
    other.scales[1] = 1;
    EXPECT_INT(hy_architecture_hash(&other.model, hash, NULL), HY_OK);
    EXPECT(memcmp(first, hash, sizeof hash) != 0);
    other.scales[1] = 0;
    other.operands[0].channel_dim = 1;
    EXPECT_INT(hy_architecture_hash(&other.model, hash, NULL), HY_OK);
    EXPECT(memcmp(first, hash, sizeof hash) != 0);
}

/* Extensions get their prefixes in the order of their first use. */
TEST(architecture, extensions_count_by_their_names)
{
    static struct sample_model other;
    static struct hy_extension_prefix extension;
    uint8_t first[HY_ARCHITECTURE_SIZE], hash[HY_ARCHITECTURE_SIZE];

    sample_model_init(&other);
    extension = (struct hy_extension_prefix){.name = "com.acme.fft", .prefix = 1};
    other.model.extensions = &extension;
    other.model.extension_count = 1;
    other.operation.type = 1 << 16 | 5;
    REQUIRE(hy_architecture_hash(&other.model, first, NULL) == HY_OK);
    extension.prefix = 2;
    other.operation.type = 2 << 16 | 5;
    EXPECT_INT(hy_architecture_hash(&other.model, hash, NULL), HY_OK);
    EXPECT(memcmp(first, hash, sizeof hash) == 0);
    extension.name = "com.acme.dct";
    EXPECT_INT(hy_architecture_hash(&other.model, hash, NULL), HY_OK);
    EXPECT(memcmp(first, hash, sizeof hash) != 0);
}

/* Worked out apart from this code, from the words of the header. */
TEST(architecture, hash_of_a_known_model)
{
    static const uint8_t want[HY_ARCHITECTURE_SIZE] = {
        0x92, 0xd3, 0x00, 0x44, 0xdf, 0xcb, 0x68, 0xfa, 0x14, 0x51, 0xf2,
        0xad, 0xaf, 0x5b, 0x24, 0x69, 0x6a, 0x76, 0xa1, 0x06, 0x44, 0x86,
        0x36, 0xa1, 0x12, 0x3a, 0xc5, 0x10, 0xed, 0x85, 0x7c, 0xc2};
    uint8_t got[HY_ARCHITECTURE_SIZE];

    sample_model_init(&s);
    EXPECT_INT(hy_architecture_hash(&s.model, got, NULL), HY_OK);
    EXPECT(memcmp(want, got, sizeof want) == 0);
}

/* Every number of an operand is another one here, and every part of a model is there. */
TEST(architecture, hash_of_a_known_model_with_all_parts)
{
    static const char want[] = "40c5e1ba314a9c824dd5813d3298ba3a3a39624c75d0a06a578d1d1889045841";
    static float scales[] = {.5f, .25f, .125f, 1, 2, 4};
    const struct hy_extension_prefix prefix = {"com.fft", 1, 0};
    const struct hy_subgraph *bodies[] = {&s.graph};
    struct hy_operand operands[2];
    struct hy_subgraph main_graph;
    uint8_t hash[HY_ARCHITECTURE_SIZE];
    char got[2 * HY_ARCHITECTURE_SIZE + 1];

    sample_model_init(&s);
    operands[0] = (struct hy_operand){.type = 0x10005,
                                      .lifetime = HY_LIFETIME_CONSTANT_POOL,
                                      .rank = 1,
                                      .channel_dim = 3,
                                      .dims = s.dims,
                                      .scale = .75f,
                                      .zero_point = -7,
                                      .channel_scales = scales,
                                      .channel_count = 6};
    operands[1] =
        (struct hy_operand){.type = ANEURALNETWORKS_MODEL, .lifetime = HY_LIFETIME_SUBGRAPH};
    main_graph = (struct hy_subgraph){.operand_count = 2, .operands = operands};
    s.model.main = &main_graph;
    s.model.referenced = bodies;
    s.model.referenced_count = 1;
    s.model.extensions = &prefix;
    s.model.extension_count = 1;
    EXPECT_INT(hy_architecture_hash(&s.model, hash, NULL), HY_OK);
    for (uint32_t i = 0; i < sizeof hash; i++)
        snprintf(got + 2 * i, 3, "%02x", hash[i]);
    EXPECT_STR(got, want);
}
