/* What makes architecture hashes equal, and what makes them different. */
#include "cache_store/architecture.h"

#include "sample_model.h"
#include "test.h"

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
    struct hy_extension_prefix extension = {.name = "com.acme.fft", .prefix = 1};
    uint8_t first[HY_ARCHITECTURE_SIZE], hash[HY_ARCHITECTURE_SIZE];

    sample_model_init(&other);
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
