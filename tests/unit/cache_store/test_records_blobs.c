#include "records_fixture.h"
#include "tests/kit/test.h"

#include <stdlib.h>

static struct hy_records_fixture fixture;

TEST(records, blob_is_loaded_as_it_was_stored)
{
    static const uint64_t lengths[] = {1, 100, 4000, 4096, 65536, 1 << 20, (5 << 20) + 3};
    hy_records_fixture_begin(&fixture);
    for (uint32_t i = 0; i < 7; i++)
        EXPECT_INT(hy_store_blob_number(fixture.records, i, lengths[i]), HY_OK);
    hy_records_fixture_reopen(&fixture);
    for (uint32_t i = 0; i < 7; i++)
        EXPECT_INT(hy_load_blob_number(fixture.records, i, lengths[i]), HY_FOUND_RIGHT);
    hy_records_fixture_end(&fixture);
}

TEST(records, short_room_is_left_alone_and_told_the_length)
{
    uint8_t capacity[9] = {7};
    uint64_t length = 0;
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_blob_store(fixture.records, &hy_some_owner, "k", 1, "0123456789", 10, NULL),
               HY_OK);
    EXPECT_INT(hy_blob_load(fixture.records, &hy_some_owner, "k", 1, capacity, 9, &length, NULL),
               HY_OK);
    EXPECT_INT(length, 10);
    EXPECT_INT(capacity[0], 7);
    EXPECT_INT(hy_blob_load(fixture.records, &hy_some_owner, "k", 1, NULL, 0, &length, NULL),
               HY_OK);
    EXPECT_INT(length, 10);
    hy_records_fixture_end(&fixture);
}

TEST(records, blob_is_replaced_and_removed)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 100000), HY_OK);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 50), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, 50), HY_FOUND_RIGHT);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT bytes FROM owners"), 50 + 4 + 256);

    uint32_t key = 1;
    for (unsigned i = 0; i < 2; i++) /* removing nothing is fine */
        EXPECT_INT(hy_blob_remove(fixture.records, &hy_some_owner, &key, sizeof key, NULL), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, 50), HY_FOUND_NONE);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT bytes FROM owners"), 0);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM contents"), 0);
    hy_records_fixture_end(&fixture);
}

TEST(records, empty_blob_is_none)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 10), HY_OK);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 0), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, 10), HY_FOUND_NONE);
    hy_records_fixture_end(&fixture);
}

TEST(records, keys_and_blobs_beyond_the_limits_are_bad_data)
{
    static uint8_t key[HY_MAX_BLOB_KEY + 1];
    struct hy_error err = {.text = ""};
    uint64_t length = 5;
    hy_records_fixture_begin(&fixture);
    const struct hy_records_owner *owner = &hy_some_owner;
    EXPECT_INT(hy_blob_store(fixture.records, owner, key, sizeof key, "b", 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "key of 513 bytes, the limit is 512");
    EXPECT_INT(hy_blob_load(fixture.records, owner, key, sizeof key, NULL, 0, &length, NULL),
               HY_BAD_DATA);
    EXPECT_INT(hy_blob_remove(fixture.records, owner, key, sizeof key, NULL), HY_BAD_DATA);
    EXPECT_INT(hy_blob_store(fixture.records, owner, key, 0, "b", 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "empty key");
    EXPECT_INT(hy_blob_store(fixture.records, owner, key, 1, key, HY_MAX_BLOB + 1, &err),
               HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the limit is 268435456");
    EXPECT_INT(length, 5);
    EXPECT_INT(hy_blob_store(fixture.records, owner, key, HY_MAX_BLOB_KEY, "b", 1, NULL), HY_OK);
    EXPECT_INT(hy_blob_load(fixture.records, owner, key, HY_MAX_BLOB_KEY, NULL, 0, &length, NULL),
               HY_OK);
    EXPECT_INT(length, 1);
    hy_records_fixture_end(&fixture);
}

/* The owner has as many bytes left as the number says, whatever is really there. */
static void leave_bytes(int left)
{
    char text[128];
    snprintf(text, sizeof text, "UPDATE owners SET bytes = (512 << 20) - %d", left);
    hy_records_fixture_sql(&fixture, text);
}

TEST(records, least_recently_used_blob_goes_first)
{
    hy_records_fixture_begin(&fixture);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_INT(hy_store_blob_number(fixture.records, i, 10000), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 0, 10000), HY_FOUND_RIGHT);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 10000), HY_OK);
    leave_bytes(9000);
    EXPECT_INT(hy_store_blob_number(fixture.records, 9, 10000), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 2, 10000), HY_FOUND_NONE);
    leave_bytes(1000);
    EXPECT_INT(hy_store_blob_number(fixture.records, 10, 15000), HY_OK); /* two have to go */
    EXPECT_INT(hy_load_blob_number(fixture.records, 3, 10000), HY_FOUND_NONE);
    EXPECT_INT(hy_load_blob_number(fixture.records, 0, 10000), HY_FOUND_NONE);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, 10000), HY_FOUND_RIGHT);
    EXPECT_INT(hy_load_blob_number(fixture.records, 9, 10000), HY_FOUND_RIGHT);
    EXPECT_INT(hy_load_blob_number(fixture.records, 10, 15000), HY_FOUND_RIGHT);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT bytes <= 512 << 20 FROM owners"), 1);
    hy_records_fixture_end(&fixture);
}

TEST(records, blobs_of_one_driver_do_not_push_out_those_of_another)
{
    const struct hy_records_owner other = {1000, "gpu", "1.0"};
    uint64_t length = 0;
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_blob_store(fixture.records, &other, "k", 1, "blob", 4, NULL), HY_OK);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 10000), HY_OK);
    hy_records_fixture_sql(&fixture,
                           "UPDATE owners SET bytes = (512 << 20) - 9000 WHERE driver = 'npu'");
    EXPECT_INT(hy_store_blob_number(fixture.records, 2, 10000), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, 10000), HY_FOUND_NONE);
    EXPECT_INT(hy_blob_load(fixture.records, &other, "k", 1, NULL, 0, &length, NULL), HY_OK);
    EXPECT_INT(length, 4);
    hy_records_fixture_end(&fixture);
}

TEST(records, loading_the_same_blob_again_writes_nothing)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 100), HY_OK);
    EXPECT_INT(hy_store_blob_number(fixture.records, 2, 100), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, 100), HY_FOUND_RIGHT);
    const int64_t uses = hy_records_fixture_number(&fixture, "SELECT uses FROM owners");
    for (unsigned i = 0; i < 10; i++)
        EXPECT_INT(hy_load_blob_number(fixture.records, 1, 100), HY_FOUND_RIGHT);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT uses FROM owners"), uses);
    hy_records_fixture_end(&fixture);
}

TEST(records, wrong_count_of_bytes_is_mended)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 100), HY_OK);
    hy_records_fixture_sql(&fixture, "UPDATE owners SET bytes = 1 << 60");
    EXPECT_INT(hy_store_blob_number(fixture.records, 2, 100), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 2, 100), HY_FOUND_RIGHT);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT bytes FROM owners"), 360);
    hy_records_fixture_sql(&fixture, "UPDATE owners SET bytes = -9");
    EXPECT_INT(hy_store_blob_number(fixture.records, 3, 100), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 2, 100), HY_FOUND_RIGHT);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT bytes FROM owners"), 720);
    hy_records_fixture_end(&fixture);
}

static void expect_none_and_removed(const char *damage)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 100), HY_OK);
    EXPECT_INT(hy_store_blob_number(fixture.records, 2, 100), HY_OK);
    hy_records_fixture_sql(&fixture, damage);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, 100), HY_FOUND_NONE);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM blobs WHERE id = 1"), 0);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM contents WHERE id = 1"),
               0);
    EXPECT_INT(hy_load_blob_number(fixture.records, 2, 100), HY_FOUND_RIGHT);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 100), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, 100), HY_FOUND_RIGHT);
    hy_records_fixture_end(&fixture);
}

TEST(records, damaged_blob_is_none_and_removed)
{
    expect_none_and_removed("UPDATE contents SET bytes = randomblob(100) WHERE id = 1");
    expect_none_and_removed("UPDATE contents SET bytes = randomblob(99) WHERE id = 1");
    expect_none_and_removed("UPDATE contents SET bytes = x'' WHERE id = 1");
    expect_none_and_removed("UPDATE contents SET bytes = 5 WHERE id = 1");
    expect_none_and_removed("DELETE FROM contents WHERE id = 1");
    expect_none_and_removed("UPDATE blobs SET mark = x'00' WHERE id = 1");
    expect_none_and_removed("UPDATE contents SET bytes ="
                            " (SELECT bytes FROM contents WHERE id = 2) WHERE id = 1");
}

TEST(records_slow, largest_blobs_fit_in_and_push_each_other_out)
{
    hy_records_fixture_begin(&fixture);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_INT(hy_store_blob_number(fixture.records, i, HY_MAX_BLOB - 1000), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 0, HY_MAX_BLOB - 1000), HY_FOUND_NONE);
    EXPECT_INT(hy_load_blob_number(fixture.records, 1, HY_MAX_BLOB - 1000), HY_FOUND_RIGHT);
    EXPECT_INT(hy_load_blob_number(fixture.records, 2, HY_MAX_BLOB - 1000), HY_FOUND_RIGHT);
    EXPECT_INT(hy_store_blob_number(fixture.records, 3, HY_MAX_BLOB), HY_OK);
    EXPECT_INT(hy_load_blob_number(fixture.records, 3, HY_MAX_BLOB), HY_FOUND_RIGHT);
    EXPECT(hy_records_fixture_number(&fixture, "PRAGMA page_count") < (620 << 20) / 4096);
    hy_records_fixture_end(&fixture);
}
