/* The digest of a prepared model's cache files. */
#include "cache_store/digest/content_digest.h"

#include "tests/kit/test.h"

static void digest_of(const struct hy_bytes *model, uint32_t model_count, const char *const *data,
                      uint32_t data_count, uint8_t ret[HY_DIGEST_SIZE])
{
    struct hy_file_sum sums[4];

    for (uint32_t i = 0; i < data_count; i++)
        hy_file_sum_make(data[i], strlen(data[i]), &sums[i]);
    EXPECT_INT(hy_content_digest(model, model_count, sums, data_count, ret, NULL), HY_OK);
}

TEST(content_digest, every_byte_and_every_length_counts)
{
    const struct hy_bytes model[] = {{"steer", 5}, {"s", 1}};
    const struct hy_bytes others[][2] = {
        {{"steeR", 5}, {"s", 1}}, {{"steer", 5}, {"t", 1}}, {{"steers", 6}, {NULL, 0}},
        {{"stee", 4}, {"s", 1}},  {{NULL, 0}, {NULL, 0}},
    };
    const char *const data[] = {"numbers", ""}, *const changed[] = {"numberz", ""},
                      *const moved[] = {"", "numbers"};
    uint8_t want[HY_DIGEST_SIZE], got[HY_DIGEST_SIZE];

    digest_of(model, 2, data, 2, want);
    digest_of(model, 2, data, 2, got);
    EXPECT(hy_digest_is_equal(want, got));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        digest_of(others[i], 2, data, 2, got);
        EXPECT(!hy_digest_is_equal(want, got));
    }
    digest_of(model, 2, changed, 2, got);
    EXPECT(!hy_digest_is_equal(want, got));
    digest_of(model, 2, moved, 2, got);
    EXPECT(!hy_digest_is_equal(want, got));
}

TEST(content_digest, sums_are_xxh3_in_their_canonical_form)
{
    /* XXH3-128 of no bytes, as its specification gives it. */
    static const uint8_t none[HY_SUM_SIZE] = {0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
                                              0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f};
    struct hy_file_sum sum;

    hy_file_sum_make(NULL, 0, &sum);
    EXPECT_INT(sum.length, 0);
    EXPECT(memcmp(sum.xxh3, none, sizeof none) == 0);
}
