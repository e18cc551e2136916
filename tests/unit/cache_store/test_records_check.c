/* Digests that are compared to what is recorded, and what a process remembers of that. */
#include "cache_store/digest/digest_memory.h"
#include "records_fixture.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <unistd.h>

static struct hy_records_fixture fixture;

/* Whether digest `digest` is the one under token `token`. */
static enum hy_code check(uint32_t token, uint32_t digest)
{
    uint8_t token_bytes[HY_TOKEN_SIZE], digest_bytes[HY_DIGEST_SIZE];
    hy_token_number(token, token_bytes);
    hy_digest_number(digest, digest_bytes);
    return hy_digest_check(fixture.records, &hy_some_owner, token_bytes, digest_bytes, NULL);
}

/* As another process does it: what this one remembers stays. */
static void lose_digests(void)
{
    hy_records_fixture_sql(&fixture, "DELETE FROM digests");
}

TEST(records, a_digest_is_the_recorded_one_or_it_is_not)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(check(1, 1), HY_BAD_STATE);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_INT(check(1, 1), HY_OK);
        EXPECT_INT(check(1, 2), HY_BAD_DATA);
        EXPECT_INT(check(2, 1), HY_BAD_STATE);
    }
    hy_records_fixture_end(&fixture);
}

TEST(records, what_was_checked_is_remembered_and_what_was_not_is_asked_for)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(hy_store_number(fixture.records, 2), HY_OK);
    EXPECT_INT(check(1, 1), HY_OK);
    lose_digests();
    EXPECT_INT(check(1, 1), HY_OK);
    EXPECT_INT(check(1, 2), HY_BAD_STATE);
    EXPECT_INT(check(2, 2), HY_BAD_STATE);
    hy_records_fixture_reopen(&fixture);
    EXPECT_INT(check(1, 1), HY_BAD_STATE);
    hy_records_fixture_end(&fixture);
}

TEST(records, remembered_digest_is_that_of_one_owner)
{
    const struct hy_records_owner others[] = {
        {hy_some_owner.user + 1, hy_some_owner.driver, hy_some_owner.build},
        {hy_some_owner.user, "another", hy_some_owner.build},
        {hy_some_owner.user, hy_some_owner.driver, "another"}};
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];

    hy_records_fixture_begin(&fixture);
    hy_token_number(1, token);
    hy_digest_number(1, digest);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(check(1, 1), HY_OK);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT_INT(hy_digest_check(fixture.records, &others[i], token, digest, NULL), HY_BAD_STATE);
    hy_records_fixture_end(&fixture);
}

TEST(records, a_digest_that_the_process_replaces_is_good_no_more)
{
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];

    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(check(1, 1), HY_OK);
    hy_token_number(1, token);
    hy_digest_number(2, digest);
    EXPECT_INT(hy_digest_store(fixture.records, &hy_some_owner, token, digest, NULL), HY_OK);
    EXPECT_INT(check(1, 1), HY_BAD_DATA);
    EXPECT_INT(check(1, 2), HY_OK);
    lose_digests();
    EXPECT_INT(check(1, 2), HY_OK);
    hy_records_fixture_end(&fixture);
}

TEST(records, more_digests_than_are_remembered_are_checked_as_ever)
{
    const uint32_t count = HY_DIGESTS_CACHED + 10;

    hy_records_fixture_begin(&fixture);
    for (uint32_t i = 0; i < count; i++)
        EXPECT_INT(hy_store_number(fixture.records, i), HY_OK);
    for (uint32_t i = 0; i < 2 * count; i++)
        EXPECT_INT(check(i % count, i % count), HY_OK);
    lose_digests();
    for (uint32_t i = 0; i < count; i++)
        EXPECT_INT(check(i, i), i < HY_DIGESTS_CACHED ? HY_OK : HY_BAD_STATE);
    hy_records_fixture_end(&fixture);
}

/* Threads that check the same digests, and one that stores them again and again. */
static void check_often(void *argument)
{
    unsigned *wrong = argument;
    for (uint32_t i = 0; i < 200; i++)
        *wrong += check(i % 8, i % 8) != HY_OK || check(i % 8, i % 8 + 1) != HY_BAD_DATA;
}

static void store_often(void *argument)
{
    unsigned *wrong = argument;
    for (uint32_t i = 0; i < 50; i++)
        *wrong += hy_store_number(fixture.records, i % 8) != HY_OK;
}

struct part {
    void (*work)(void *wrong);
    unsigned wrong;
};

static void run_part(void *argument)
{
    struct part *part = argument;
    part->work(&part->wrong);
}

TEST(records, many_threads_remember_together)
{
    struct part parts[4] = {{store_often, 0}, {check_often, 0}, {check_often, 0}, {check_often, 0}};

    hy_records_fixture_begin(&fixture);
    for (uint32_t i = 0; i < 8; i++)
        EXPECT_INT(hy_store_number(fixture.records, i), HY_OK);
    EXPECT(hy_threads_run(4, run_part, parts, sizeof *parts));
    for (unsigned i = 0; i < 4; i++)
        EXPECT_INT(parts[i].wrong, 0);
    hy_records_fixture_end(&fixture);
}
