/* Entries whose bytes are not as they were published: each is a miss with words, and goes. */
#include "cache_content.h"

#include "common/random.h"
#include "tests/kit/test.h"

/* ---- Bytes ----------------------------------------------------------------------------------- */

TEST(cache_damage, every_length_of_every_file_but_the_right_one_is_a_miss)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);

    for (size_t i = 0; i < NAME_COUNT; i++) {
        const size_t length = content.length[i];
        bool right = length > 0;
        for (size_t cut = 0; right && cut <= length + 3; cut++) {
            if (cut == length)
                continue;
            content.length[i] = cut;
            right = lay_out(&cache, 1, &content) && is_miss(&cache, 1, names[i], cut);
        }
        EXPECT(right);
        content.length[i] = length;
    }
    EXPECT(lay_out(&cache, 1, &content));
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

/* Of the metadata some bits of each byte: test_metadata.c tries all, without the files. */
TEST(cache_damage, every_bit_of_every_file_counts)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);

    for (size_t i = 0; i < NAME_COUNT; i++) {
        const size_t step = i == 0 ? 7 : 1;
        bool right = true;
        for (size_t bit = 0; right && bit < 8 * content.length[i]; bit += step) {
            content.bytes[i][bit / 8] ^= (uint8_t)(1u << bit % 8);
            right = lay_out(&cache, 1, &content) && is_miss(&cache, 1, names[i], bit);
            content.bytes[i][bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        EXPECT(right);
    }
    EXPECT(lay_out(&cache, 1, &content));
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

/* Ten thousand places of a file that is too large to try each. */
TEST(cache_damage_slow, bits_of_a_larger_file_count)
{
    enum { LARGE = 150000, FLIPS = 10000 };
    static uint8_t large[LARGE + 1];
    static struct content content;
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_random random = {1};
    bool right = true;

    EXPECT_INT(cache_publish(cache.store, 1, MODEL_BYTES, LARGE, NULL), HY_OK);
    read_content(&cache, 1, &content);
    EXPECT_INT(read_path(cache_entry_path(&cache, 1, "data-0"), large, sizeof large), LARGE);
    for (unsigned i = 0; right && i < FLIPS; i++) {
        const size_t bit = hy_random_next(&random) % (8 * (size_t)LARGE);
        large[bit / 8] ^= (uint8_t)(1u << bit % 8);
        right = lay_out(&cache, 1, &content) &&
                write_path(cache_entry_path(&cache, 1, "data-0"), large, LARGE) &&
                is_miss(&cache, 1, "data-0", bit);
        large[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    EXPECT(right);
    cache_fixture_remove(&cache);
}

/* Version 1 had its metadata in a JSON file. */
TEST(cache_damage, entry_of_the_older_format_is_a_miss_and_goes)
{
    static struct content content;
    struct cache_fixture cache = make_entry(&content);
    struct hy_error err = {0};

    EXPECT(lay_out(&cache, 1, &content));
    EXPECT_INT(rename(cache_entry_path(&cache, 1, "metadata").text,
                      cache_entry_path(&cache, 1, "sidecar.json").text),
               0);
    EXPECT_INT(cache_check(cache.store, 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "metadata: No such file or directory");
    EXPECT(!cache_exists(cache_entry_path(&cache, 1, "")));
    cache_fixture_remove(&cache);
}

TEST(cache_damage, valid_entry_or_file_of_another_token_is_a_miss)
{
    static struct content one, other, mixed;
    struct cache_fixture cache = make_entry(&one);
    struct hy_error err = {0};

    EXPECT_INT(cache_publish(cache.store, 2, MODEL_BYTES, DATA_BYTES, NULL), HY_OK);
    read_content(&cache, 2, &other);
    EXPECT(lay_out(&cache, 1, &other));
    EXPECT_INT(cache_check(cache.store, 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the metadata is for another token");
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (strcmp(names[i], "restoring") == 0)
            continue; /* the same in all entries */
        mixed = one;
        memcpy(mixed.bytes[i], other.bytes[i], MOST_BYTES);
        mixed.length[i] = other.length[i];
        EXPECT(lay_out(&cache, 1, &mixed) && is_miss(&cache, 1, names[i], i));
    }
    EXPECT_INT(cache_check(cache.store, 2, NULL), HY_OK);
    cache_fixture_remove(&cache);
}
