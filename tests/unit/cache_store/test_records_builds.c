/* Several builds of one driver share the file: versions, and sets of kernels. */
#include "records_fixture.h"
#include "tests/kit/test.h"

#include "cache_store/records/records_owner.h"

enum { BLOB = 1000 };

static struct hy_records_fixture fixture;

/* Build `number` of the driver. The text lives until the next call. */
static struct hy_records_owner build_of(unsigned number)
{
    static char text[32];

    snprintf(text, sizeof text, "npu 1.%u abc", number);
    return (struct hy_records_owner){.user = 1000, .driver = "npu", .build = text};
}

static enum hy_code store_digest(unsigned build, uint32_t token_number, uint32_t digest_number)
{
    const struct hy_records_owner owner = build_of(build);
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];

    hy_token_number(token_number, token);
    hy_digest_number(digest_number, digest);
    return hy_digest_store(fixture.records, &owner, token, digest, NULL);
}

/* Whether just that digest is found. */
static bool has_digest(unsigned build, uint32_t token_number, uint32_t digest_number)
{
    const struct hy_records_owner owner = build_of(build);
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE], right[HY_DIGEST_SIZE];

    hy_token_number(token_number, token);
    hy_digest_number(digest_number, right);
    return hy_digest_find(fixture.records, &owner, token, digest, NULL) == HY_OK &&
           memcmp(digest, right, sizeof digest) == 0;
}

static enum hy_code store_blob(unsigned build, unsigned key, uint64_t length)
{
    const struct hy_records_owner owner = build_of(build);
    static uint8_t blob[10 * BLOB];

    memset(blob, (int)build + 1, sizeof blob);
    return hy_blob_store(fixture.records, &owner, &key, sizeof key, blob, length, NULL);
}

/* Bytes of the blob that build stored there; 0: it has none, or another one's. */
static uint64_t load_blob(unsigned build, unsigned key)
{
    const struct hy_records_owner owner = build_of(build);
    uint8_t blob[10 * BLOB] = {0};
    uint64_t length = 0;

    if (hy_blob_load(fixture.records, &owner, &key, sizeof key, blob, sizeof blob, &length, NULL) !=
        HY_OK)
        return 0;
    return blob[0] == (uint8_t)(build + 1) ? length : 0;
}

TEST(records, an_update_finds_nothing_of_the_build_before)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(store_digest(0, 1, 1), HY_OK);
    EXPECT_INT(store_blob(0, 1, BLOB), HY_OK);
    for (int i = 0; i < 2; i++) {
        EXPECT(!has_digest(1, 1, 1));
        EXPECT_INT(load_blob(1, 1), 0);
        EXPECT_INT(store_digest(1, 2, 2), HY_OK); /* from then on it has records of its own */
    }
    hy_records_fixture_end(&fixture);
}

TEST(records, looking_up_for_one_build_leaves_what_another_has)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(store_digest(0, 1, 1), HY_OK);
    EXPECT_INT(store_blob(0, 1, BLOB), HY_OK);
    EXPECT(!has_digest(1, 1, 1));
    EXPECT_INT(load_blob(1, 1), 0);
    hy_records_fixture_reopen(&fixture);
    EXPECT(has_digest(0, 1, 1));
    EXPECT_INT(load_blob(0, 1), BLOB);
    hy_records_fixture_end(&fixture);
}

TEST(records, removing_a_blob_of_one_build_leaves_that_of_another)
{
    const unsigned key = 1;
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(store_blob(0, key, BLOB), HY_OK);
    EXPECT_INT(store_blob(1, key, BLOB), HY_OK);
    const struct hy_records_owner owner = build_of(1);
    EXPECT_INT(hy_blob_remove(fixture.records, &owner, &key, sizeof key, NULL), HY_OK);
    EXPECT_INT(load_blob(0, key), BLOB);
    EXPECT_INT(load_blob(1, key), 0);
    hy_records_fixture_end(&fixture);
}

/* What a start does: it looks, and stores what it does not find. True: it found all. */
static bool start(unsigned build)
{
    hy_records_fixture_reopen(&fixture);
    const bool is_hit = has_digest(build, 1, build) && load_blob(build, 1) == BLOB;
    if (!is_hit) {
        EXPECT_INT(store_digest(build, 1, build), HY_OK);
        EXPECT_INT(store_blob(build, 1, BLOB), HY_OK);
    }
    return is_hit;
}

TEST(records, builds_that_start_in_turn_find_what_they_have_stored)
{
    for (unsigned builds = 2; builds <= HY_MOST_BUILDS; builds++) {
        unsigned hits = 0;
        hy_records_fixture_begin(&fixture);
        for (unsigned starts = 0; starts < 4; starts++) {
            for (unsigned build = 0; build < builds; build++)
                hits += start(build);
        }
        EXPECT_INT(hits, 3 * builds);
        hy_records_fixture_end(&fixture);
    }
}

TEST(records, one_build_too_many_takes_the_place_of_the_least_recently_used_one)
{
    hy_records_fixture_begin(&fixture);
    for (unsigned build = 0; build < HY_MOST_BUILDS; build++)
        EXPECT(!start(build));
    EXPECT(has_digest(0, 1, 0)); /* each kind of use counts */
    EXPECT_INT(load_blob(1, 1), BLOB);
    EXPECT_INT(store_digest(2, 2, 2), HY_OK);
    EXPECT_INT(store_blob(3, 2, BLOB), HY_OK);

    EXPECT(!start(HY_MOST_BUILDS));
    EXPECT(!has_digest(4, 1, 4));
    EXPECT_INT(load_blob(4, 1), 0);
    for (unsigned build = 0; build <= HY_MOST_BUILDS; build++)
        EXPECT(build == 4 || (has_digest(build, 1, build) && load_blob(build, 1) == BLOB));

    EXPECT(!start(4)); /* it has become the newest one, and build 0 the oldest */
    EXPECT(!has_digest(0, 1, 0));
    EXPECT(has_digest(1, 1, 1));
    hy_records_fixture_end(&fixture);
}

TEST(records, a_build_that_goes_takes_its_records_and_their_counts_along)
{
    hy_records_fixture_begin(&fixture);
    for (unsigned build = 0; build < HY_MOST_BUILDS + 5; build++)
        EXPECT(!start(build));
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM builds"), HY_MOST_BUILDS);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM digests"), HY_MOST_BUILDS);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM blobs"), HY_MOST_BUILDS);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM contents"),
               HY_MOST_BUILDS);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT digests FROM owners"), HY_MOST_BUILDS);
    EXPECT_INT(hy_records_fixture_number(
                   &fixture, "SELECT bytes - (SELECT sum(charge) FROM blobs) FROM owners"),
               0);
    hy_records_fixture_end(&fixture);
}

TEST(records, builds_of_one_driver_do_not_push_out_those_of_another)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_digest_store(fixture.records,
                               &(struct hy_records_owner){1000, "gpu", "npu 1.0 abc"},
                               (uint8_t[HY_TOKEN_SIZE]){1}, (uint8_t[HY_DIGEST_SIZE]){2}, NULL),
               HY_OK);
    for (unsigned build = 0; build < 2 * HY_MOST_BUILDS; build++)
        EXPECT(!start(build));
    EXPECT_INT(hy_digest_check(fixture.records,
                               &(struct hy_records_owner){1000, "gpu", "npu 1.0 abc"},
                               (uint8_t[HY_TOKEN_SIZE]){1}, (uint8_t[HY_DIGEST_SIZE]){2}, NULL),
               HY_OK);
    hy_records_fixture_end(&fixture);
}

TEST(records, builds_share_the_limit_of_blobs)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(store_blob(0, 1, 10 * BLOB), HY_OK);
    EXPECT_INT(store_blob(1, 1, 10 * BLOB), HY_OK);
    EXPECT_INT(load_blob(0, 1), 10 * BLOB);
    hy_records_fixture_sql(&fixture, "UPDATE owners SET bytes = (512 << 20) - 9000");
    EXPECT_INT(store_blob(2, 1, 10 * BLOB), HY_OK);
    EXPECT_INT(load_blob(0, 1), 10 * BLOB);
    EXPECT_INT(load_blob(1, 1), 0); /* the least recently used one, whose ever */
    EXPECT_INT(load_blob(2, 1), 10 * BLOB);
    hy_records_fixture_end(&fixture);
}

TEST(records, the_newest_build_looks_up_without_writing)
{
    static const char newest[] = "SELECT max(used) FROM builds";
    hy_records_fixture_begin(&fixture);
    EXPECT(!start(0));
    EXPECT(!start(1));
    const int64_t before = hy_records_fixture_number(&fixture, newest);
    EXPECT(has_digest(1, 1, 1));
    EXPECT_INT(hy_records_fixture_number(&fixture, newest), before);
    EXPECT(has_digest(0, 1, 0));
    EXPECT_INT(hy_records_fixture_number(&fixture, newest), before + 1);
    EXPECT(has_digest(0, 1, 0));
    EXPECT_INT(hy_records_fixture_number(&fixture, newest), before + 1);
    hy_records_fixture_end(&fixture);
}

TEST(records, records_that_change_builds_are_none)
{
    hy_records_fixture_begin(&fixture);
    EXPECT(!start(0));
    EXPECT(!start(1));
    hy_records_fixture_sql(&fixture, "UPDATE digests SET build = 10 + build;"
                                     "UPDATE digests SET build = 13 - build;"
                                     "UPDATE blobs SET build = 10 + build;"
                                     "UPDATE blobs SET build = 13 - build");
    hy_records_fixture_reopen(&fixture);
    for (unsigned build = 0; build < 2; build++) {
        EXPECT(!has_digest(build, 1, 1 - build));
        EXPECT_INT(load_blob(build, 1), 0);
    }
    hy_records_fixture_end(&fixture);
}
