/* The metadata of an entry: what it tells, and what is refused. */
#include "cache_store/metadata.h"

#include "tests/kit/test.h"

static struct hy_metadata sample(void)
{
    static const struct hy_entry_info info = {.device = "d\xc3\xa4vice",
                                              .version = "1.2",
                                              .build_id = "",
                                              .operations = UINT32_MAX,
                                              .preference = -1,
                                              .priority = INT32_MAX};
    struct hy_metadata metadata = {.created = 1700000000, .counts = {1, 2}};

    memset(metadata.token, 0xa5, sizeof metadata.token);
    hy_metadata_set_info(&metadata, &info);
    metadata.model[0].length = 12;
    metadata.data[1].length = INT64_MAX;
    memset(metadata.data[0].digest, 0x3c, sizeof metadata.data[0].digest);
    hy_metadata_seal(&metadata);
    return metadata;
}

static bool is_right(const struct hy_metadata *metadata)
{
    return hy_metadata_check(metadata, sizeof *metadata, NULL) == HY_OK;
}

TEST(cache_metadata, facts_are_told_as_they_were_set)
{
    const struct hy_metadata metadata = sample();
    const struct hy_entry_info info = hy_metadata_info(&metadata);

    EXPECT(is_right(&metadata));
    EXPECT_STR(info.device, "d\xc3\xa4vice");
    EXPECT_STR(info.version, "1.2");
    EXPECT_STR(info.build_id, "");
    EXPECT_INT(info.operations, UINT32_MAX);
    EXPECT_INT(info.preference, -1);
    EXPECT_INT(info.priority, INT32_MAX);
}

TEST(cache_metadata, long_texts_are_cut_and_missing_ones_are_empty)
{
    struct hy_metadata metadata = sample();
    char name[400];

    memset(name, 'x', sizeof name);
    name[399] = '\0';
    hy_metadata_set_info(&metadata, &(struct hy_entry_info){.device = "a", .build_id = name});
    hy_metadata_seal(&metadata);
    EXPECT(is_right(&metadata));
    EXPECT_STR(metadata.device, "a");
    EXPECT_STR(metadata.device_version, "");
    EXPECT_INT(strlen(metadata.build_id), HY_METADATA_MAX_TEXT);
}

TEST(cache_metadata, every_bit_counts)
{
    struct hy_metadata metadata = sample();
    uint8_t *bytes = (uint8_t *)&metadata;
    struct hy_error err;

    for (size_t bit = 0; bit < 8 * sizeof metadata; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (hy_metadata_check(&metadata, sizeof metadata, &err) != HY_BAD_DATA)
            hy_test_fail(__FILE__, __LINE__, "bit %zu", bit);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    EXPECT(is_right(&metadata));
}

TEST(cache_metadata, every_length_but_one_is_refused)
{
    const struct hy_metadata metadata = sample();
    struct hy_error err;

    for (uint64_t length = 0; length <= 2 * sizeof metadata; length++) {
        if (length == sizeof metadata)
            continue;
        if (hy_metadata_check(&metadata, length, &err) != HY_BAD_DATA)
            hy_test_fail(__FILE__, __LINE__, "length %llu", (unsigned long long)length);
    }
    EXPECT_CONTAINS(err.text, "metadata has 4784 bytes, needs 2392");
}

/* With a check that is right. */
static void expect_refused(struct hy_metadata *metadata, const char *expected)
{
    struct hy_error err = {0};

    hy_metadata_seal(metadata);
    EXPECT_INT(hy_metadata_check(metadata, sizeof *metadata, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, expected);
    *metadata = sample();
}

TEST(cache_metadata, members_that_no_entry_has_are_refused)
{
    struct hy_metadata metadata = sample();

    metadata.counts.model = HY_MAX_CACHE_FILES + 1;
    expect_refused(&metadata, "metadata: 33 model and 2 data files, at most 32 each");
    metadata.counts.data = UINT32_MAX;
    expect_refused(&metadata, "metadata: 1 model and 4294967295 data files");
    metadata.model[0].length = (uint64_t)INT64_MAX + 1;
    expect_refused(&metadata, "metadata: a file length is above the limit");
    metadata.data[HY_MAX_CACHE_FILES - 1].length = UINT64_MAX;
    expect_refused(&metadata, "metadata: a file length is above the limit");
    metadata.is_kept_open = 2;
    expect_refused(&metadata, "metadata: is_kept_open is 2, needs 0 or 1");
    memset(metadata.device, 'x', sizeof metadata.device);
    expect_refused(&metadata, "metadata: a text has no final NUL");
    memset(metadata.device_version, 'x', sizeof metadata.device_version);
    expect_refused(&metadata, "metadata: a text has no final NUL");
    memset(metadata.build_id, 'x', sizeof metadata.build_id);
    expect_refused(&metadata, "metadata: a text has no final NUL");
}

TEST(cache_metadata, another_version_is_refused_in_words)
{
    struct hy_metadata metadata = sample();
    struct hy_error err;

    metadata.version = HY_METADATA_VERSION + 1;
    EXPECT_INT(hy_metadata_check(&metadata, sizeof metadata, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "version 3, needs 0x4d435948 and 2");
}

TEST(cache_metadata, all_files_that_a_device_may_have_are_described)
{
    struct hy_metadata metadata = sample();

    metadata.counts = (struct hy_file_counts){HY_MAX_CACHE_FILES, HY_MAX_CACHE_FILES};
    for (unsigned i = 0; i < HY_MAX_CACHE_FILES; i++)
        metadata.model[i].length = metadata.data[i].length = INT64_MAX;
    hy_metadata_seal(&metadata);
    EXPECT(is_right(&metadata));
}
