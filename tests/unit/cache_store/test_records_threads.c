#include "records_fixture.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <stdlib.h>

enum { THREADS = 8, ROUNDS = 60, BLOB = 3000 };

static struct hy_records_fixture fixture;

struct part {
    uint32_t index;
    unsigned failed;
};

static void use_all(void *argument)
{
    struct part *part = argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t own = part->index * 1000 + i, shared = i % 7;
        part->failed += hy_store_number(fixture.records, own) != HY_OK;
        part->failed += hy_find_number(fixture.records, own) != HY_FOUND_RIGHT;
        part->failed += hy_store_number(fixture.records, shared + 900000) != HY_OK;
        part->failed += hy_find_number(fixture.records, shared + 900000) != HY_FOUND_RIGHT;
        part->failed += hy_store_blob_number(fixture.records, shared, BLOB) != HY_OK;
        part->failed += hy_load_blob_number(fixture.records, shared, BLOB) != HY_FOUND_RIGHT;
    }
}

TEST(records, threads_share_one_object)
{
    struct part parts[THREADS];
    hy_records_fixture_begin(&fixture);
    for (uint32_t i = 0; i < THREADS; i++)
        parts[i] = (struct part){.index = i};
    REQUIRE(hy_threads_run(THREADS, use_all, parts, sizeof *parts));
    for (uint32_t i = 0; i < THREADS; i++)
        EXPECT_INT(parts[i].failed, 0);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM digests"),
               THREADS * ROUNDS + 7);
    hy_records_fixture_end(&fixture);
}

static void open_and_close(void *argument)
{
    struct part *part = argument;
    for (uint32_t i = 0; i < 20; i++) {
        struct hy_records *records = NULL;
        part->failed += hy_records_open(fixture.dir, &records, NULL) != HY_OK;
        part->failed += !records || hy_store_number(records, part->index * 1000 + i) != HY_OK;
        hy_records_close(records);
    }
}

TEST(records, several_objects_of_one_folder_get_along)
{
    struct part parts[THREADS];
    hy_records_fixture_make(&fixture);
    for (uint32_t i = 0; i < THREADS; i++)
        parts[i] = (struct part){.index = i};
    REQUIRE(hy_threads_run(THREADS, open_and_close, parts, sizeof *parts));
    for (uint32_t i = 0; i < THREADS; i++)
        EXPECT_INT(parts[i].failed, 0);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM digests"), THREADS * 20);
    hy_records_fixture_end(&fixture);
}
