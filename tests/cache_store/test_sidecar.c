/* The sidecar's text: what it tells, and what is refused. */
#include "cache_store/directory/names.h"
#include "cache_store/sidecar.h"
#include "cache_store/sidecar_text.h"

#include "test.h"

#include <stdlib.h>

static struct hy_sidecar sample(void)
{
    static const struct hy_entry_facts facts = {.device = "d\xc3\xa4vice",
                                                .version = "1.2",
                                                .build_id = "",
                                                .operations = UINT32_MAX,
                                                .preference = -1,
                                                .priority = INT32_MAX};
    struct hy_sidecar sidecar = {.created = 1700000000, .counts = {1, 2}};

    memset(sidecar.token, 0xa5, sizeof sidecar.token);
    hy_sidecar_set_facts(&sidecar, &facts);
    sidecar.model[0].length = 12;
    sidecar.data[1].length = INT64_MAX;
    memset(sidecar.data[0].digest, 0x3c, sizeof sidecar.data[0].digest);
    return sidecar;
}

TEST(cache_sidecar, what_is_written_is_read)
{
    const struct hy_sidecar sidecar = sample();
    struct hy_sidecar again;
    struct hy_error err = {0};
    char *text = NULL;
    size_t length = 0;

    REQUIRE(hy_sidecar_format(&sidecar, &text, &length, NULL) == HY_OK);
    EXPECT_INT(strlen(text), length);
    EXPECT_CONTAINS(text, "\"device\": \"d\xc3\xa4vice\"");
    EXPECT_CONTAINS(text, "\"name\": \"data-1\"");
    EXPECT_INT(hy_sidecar_parse(text, length, &again, &err), HY_OK);
    EXPECT_STR(err.text, "");
    EXPECT(memcmp(again.token, sidecar.token, sizeof again.token) == 0);
    EXPECT_STR(again.device, sidecar.device);
    EXPECT_STR(again.build_id, "");
    EXPECT_INT(again.operations, UINT32_MAX);
    EXPECT_INT(again.preference, -1);
    EXPECT_INT(again.created, 1700000000);
    EXPECT_INT(again.counts.model, 1);
    EXPECT_INT(again.counts.data, 2);
    EXPECT(memcmp(again.data, sidecar.data, sizeof again.data) == 0);
    free(text);
}

TEST(cache_sidecar, largest_one_is_within_the_limit)
{
    struct hy_sidecar sidecar = sample();
    struct hy_sidecar again;
    char *text = NULL;
    size_t length = 0;

    sidecar.counts = (struct hy_file_counts){HY_MAX_CACHE_FILES, HY_MAX_CACHE_FILES};
    for (unsigned i = 0; i < HY_MAX_CACHE_FILES; i++)
        sidecar.model[i].length = sidecar.data[i].length = INT64_MAX;
    memset(sidecar.device, 1, HY_SIDECAR_MAX_TEXT); /* six characters each */
    memset(sidecar.version, 1, HY_SIDECAR_MAX_TEXT);
    memset(sidecar.build_id, 1, HY_SIDECAR_MAX_TEXT);
    REQUIRE(hy_sidecar_format(&sidecar, &text, &length, NULL) == HY_OK);
    EXPECT(length <= HY_SIDECAR_MAX_BYTES);
    EXPECT_INT(hy_sidecar_parse(text, length, &again, NULL), HY_OK);
    EXPECT_STR(again.version, sidecar.version);
    free(text);
}

TEST(cache_sidecar, texts_that_json_cannot_hold_are_made_plain)
{
    struct hy_entry_facts facts = {.device = "a\xff\nb"};
    struct hy_sidecar sidecar = sample(), again;
    char *text = NULL, name[400];
    size_t length = 0;

    memset(name, 'x', sizeof name);
    name[399] = '\0';
    facts.build_id = name;
    hy_sidecar_set_facts(&sidecar, &facts);
    REQUIRE(hy_sidecar_format(&sidecar, &text, &length, NULL) == HY_OK);
    EXPECT_INT(hy_sidecar_parse(text, length, &again, NULL), HY_OK);
    EXPECT_STR(again.device, "a??b");
    EXPECT_STR(again.version, "");
    EXPECT_INT(strlen(again.build_id), HY_SIDECAR_MAX_TEXT);
    free(text);
}

/* Gives the sample's members with one text in the place of another, read without their check. */
static void expect_refused(const char *from, const char *to, const char *words)
{
    const struct hy_sidecar sidecar = sample();
    struct hy_sidecar again;
    struct hy_error err = {0};
    char *text = NULL, changed[8192];
    size_t length = 0;

    REQUIRE(hy_sidecar_format(&sidecar, &text, &length, NULL) == HY_OK);
    *strstr(text, "  \"check\"") = '\0';
    const char *at = strstr(text, from);
    REQUIRE(at != NULL);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    EXPECT_INT(hy_sidecar_read(changed, strlen(changed), &again, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, words);
    free(text);
}

TEST(cache_sidecar, strict_about_members)
{
    expect_refused("{", "[", "halyard_cache_entry is not as it is written (byte 0)");
    expect_refused("{\n", "{", "halyard_cache_entry is not as it is written");
    expect_refused("entry\": 1", "entry\": 2", "halyard_cache_entry is 2, needs 1 to 1");
    expect_refused("halyard_cache_entry", "cache_entry", "halyard_cache_entry is not");
    expect_refused("  \"operations\": 4294967295,\n", "", "operations is not");
    expect_refused("\"operations\"", "\"operation\"", "operations is not");
    expect_refused("\"version\"", "\"device\"", "version is not");
    expect_refused("false", "0", "kept_open is not");
    expect_refused("\"files\": [", "\"files\": 1, \"more\": [", "files is not");
    expect_refused("],\n", "]\n", "not as it is written");
    expect_refused("],\n", "],\n ", "not as it is written");
}

TEST(cache_sidecar, strict_about_numbers)
{
    expect_refused("4294967295", "4294967296", "operations is 4294967296, needs 0 to");
    expect_refused("4294967295", "1.5", "preference is not");
    expect_refused("4294967295", "-1", "operations is -1, needs 0 to");
    expect_refused("4294967295", "-0", "operations is not");
    expect_refused("4294967295", "007", "operations is not");
    expect_refused("4294967295", "", "operations is not");
    expect_refused("4294967295", "+7", "operations is not");
    expect_refused("\"created\": 1700000000", "\"created\": 9223372036854775808", "created is not");
    expect_refused("\"created\": 1700000000", "\"created\": 17000000001700000000",
                   "created is not");
    expect_refused("\"length\": 12", "\"length\": -12", "the length of a file is -12");
}

TEST(cache_sidecar, strict_about_texts)
{
    expect_refused("a5a5", "a5A5", "token is not");
    expect_refused("a5a5", "a5", "token is not");
    expect_refused("a5a5", "a5a5a5", "token is not");
    expect_refused("3c3c", "3c3g", "the digest of a file is not");
    expect_refused("\"1.2\"", "12", "version is not");
    expect_refused("\"1.2\"", "\"1\\u0000\"", "version is not");
    expect_refused("\"1.2\"", "\"1\\u0041\"", "version is not"); /* needs no escape */
    expect_refused("\"1.2\"", "\"1\\x\"", "version is not");
    expect_refused("\"1.2\"", "\"1\t\"", "version is not");
    expect_refused("\"1.2\"", "\"\xc3\"", "version is not");         /* half a character */
    expect_refused("\"1.2\"", "\"\xc0\xaf\"", "version is not");     /* in too many bytes */
    expect_refused("\"1.2\"", "\"\xed\xa0\x80\"", "version is not"); /* half of a pair */
    expect_refused("\"1.2\"", "\"\xf4\x90\x80\x80\"", "version is not");
}

TEST(cache_sidecar, strict_about_files)
{
    expect_refused("data-1", "data-2", "the name of a file is not");
    expect_refused("model-0", "model-1", "the name of a file is not");
    expect_refused("model-0", "model-00", "the length of a file is not");
    expect_refused("      \"length\": 12,\n", "", "the length of a file is not");
    expect_refused("    {\n      \"name\": \"model-0\"", "    {\n      \"name\": 0",
                   "files is not");
}

TEST(cache_sidecar, texts_are_read_as_they_were)
{
    const struct hy_entry_facts facts = {.device = "\"\\/\b\f\n\r\t\x01\x1f\x7f",
                                         .version = "\xe2\x82\xac \xf0\x9f\x98\x80"};
    struct hy_sidecar sidecar = sample(), again;
    char *text = NULL;
    size_t length = 0;

    hy_sidecar_set_facts(&sidecar, &facts);
    REQUIRE(hy_sidecar_format(&sidecar, &text, &length, NULL) == HY_OK);
    EXPECT_INT(hy_sidecar_parse(text, length, &again, NULL), HY_OK);
    EXPECT_STR(again.device, facts.device);
    EXPECT_STR(again.version, facts.version);
    free(text);
}

TEST(cache_sidecar, without_files_is_read)
{
    struct hy_sidecar sidecar = sample(), again;
    char *text = NULL;
    size_t length = 0;

    sidecar.counts = (struct hy_file_counts){0, 0};
    sidecar.is_kept_open = true;
    REQUIRE(hy_sidecar_format(&sidecar, &text, &length, NULL) == HY_OK);
    EXPECT_INT(hy_sidecar_parse(text, length, &again, NULL), HY_OK);
    EXPECT_INT(again.counts.model + again.counts.data, 0);
    EXPECT(again.is_kept_open);
    free(text);
}

TEST(cache_sidecar, every_bit_and_length_counts)
{
    const struct hy_sidecar sidecar = sample();
    struct hy_sidecar again;
    char *text = NULL;
    size_t length = 0;

    REQUIRE(hy_sidecar_format(&sidecar, &text, &length, NULL) == HY_OK);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        text[bit / 8] ^= (char)(1 << bit % 8);
        if (hy_sidecar_parse(text, length, &again, NULL) != HY_BAD_DATA)
            hy_test_fail(__FILE__, __LINE__, "bit %zu", bit);
        text[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (size_t cut = 0; cut < length; cut++) {
        if (hy_sidecar_parse(text, cut, &again, NULL) != HY_BAD_DATA)
            hy_test_fail(__FILE__, __LINE__, "length %zu", cut);
    }
    EXPECT_INT(hy_sidecar_parse(text, length, &again, NULL), HY_OK);
    free(text);
}
