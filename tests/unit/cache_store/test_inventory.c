/* Looking over a cache, and clearing it up. */
#include "cache_fixture.h"

#include "cache_store/inventory.h"

#include "tests/kit/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

/* What was visited, in order. */
struct seen {
    unsigned count;
    struct hy_listed_entry entries[MOST]; /* without their strings */
    char faults[MOST][128];
    char devices[MOST][32];
};

static void see(void *context, const struct hy_listed_entry *entry)
{
    struct seen *seen = context;
    if (seen->count == MOST)
        return;
    seen->entries[seen->count] = *entry;
    snprintf(seen->faults[seen->count], sizeof *seen->faults, "%.100s",
             entry->fault ? entry->fault : "");
    snprintf(seen->devices[seen->count], sizeof *seen->devices, "%.30s", entry->info.device);
    seen->count++;
}

static bool has_number(const struct seen *seen, unsigned index, unsigned number)
{
    uint8_t token[HY_TOKEN_SIZE];
    cache_token(number, token);
    return memcmp(seen->entries[index].token, token, sizeof token) == 0;
}

TEST(cache_inventory, nothing_is_in_a_folder_without_a_cache)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_inventory_summary summary = {.entries = 9};
    struct seen seen = {0};

    EXPECT_INT(hy_inventory_list(cache.store, true, see, &seen, &summary, NULL), HY_OK);
    EXPECT_INT(summary.entries, 0);
    EXPECT_INT(hy_inventory_collect(cache.store, 0, see, &seen, &summary, NULL), HY_OK);
    EXPECT_INT(summary.removed, 0);
    EXPECT_INT(seen.count, 0);
    EXPECT_INT(cache_name_count((struct cache_path){"/"}) > 0, 1);
    EXPECT(!cache_exists(cache_root_path(&cache, "")));
    cache_fixture_remove(&cache);
}

TEST(cache_inventory, list_tells_what_the_metadata_say_in_order_of_tokens)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_inventory_summary summary = {0};
    struct seen seen = {0};
    const time_t now = time(NULL);

    for (unsigned i = 0; i < 20; i++)
        EXPECT_INT(cache_publish(cache.store, i, 100, 1000, NULL), HY_OK);
    EXPECT_INT(hy_inventory_list(cache.store, false, see, &seen, &summary, NULL), HY_OK);
    EXPECT_INT(summary.entries, 20);
    EXPECT_INT(summary.faulty, 0);
    EXPECT_INT(summary.removed, 0);
    EXPECT(summary.bytes > 20 * 3400 && summary.bytes < 20 * 3600);
    REQUIRE(seen.count == 20);
    for (unsigned i = 0; i < seen.count; i++) {
        const struct hy_listed_entry *entry = &seen.entries[i];
        EXPECT(i == 0 || memcmp(seen.entries[i - 1].token, entry->token, HY_TOKEN_SIZE) < 0);
        EXPECT_STR(seen.faults[i], "");
        EXPECT_STR(seen.devices[i], "sample-device");
        EXPECT_INT(entry->info.operations, 3);
        EXPECT_INT(entry->counts.model, 1);
        EXPECT_INT(entry->counts.data, 1);
        EXPECT(entry->bytes > 3400 && entry->bytes < 3600);
        EXPECT(entry->created >= now && entry->created <= now + 60);
        EXPECT(entry->used >= now && entry->used <= now + 60);
        EXPECT(!entry->is_kept_open);
    }
    cache_fixture_remove(&cache);
}

static void flip(struct cache_path path)
{
    FILE *file = fopen(path.text, "r+");
    REQUIRE(file != NULL);
    const int byte = fgetc(file);
    rewind(file);
    fputc(byte ^ 1, file);
    fclose(file);
}

TEST(cache_inventory, faults_are_told_and_verify_reads_every_byte)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_inventory_summary summary = {0};
    struct seen seen = {0};
    unsigned faults = 0;

    for (unsigned i = 1; i <= 5; i++)
        EXPECT_INT(cache_publish(cache.store, i, 100, 1000, NULL), HY_OK);
    flip(cache_entry_path(&cache, 1, "data-0"));
    flip(cache_entry_path(&cache, 2, "metadata"));
    EXPECT(unlink(cache_entry_path(&cache, 3, "model-0").text) == 0);
    EXPECT(chmod(cache_entry_path(&cache, 4, "").text, 0777) == 0);

    EXPECT_INT(hy_inventory_list(cache.store, false, see, &seen, &summary, NULL), HY_OK);
    EXPECT_INT(summary.entries, 5);
    EXPECT_INT(summary.faulty, 3);
    seen.count = 0;
    EXPECT_INT(hy_inventory_list(cache.store, true, see, &seen, &summary, NULL), HY_OK);
    EXPECT_INT(summary.faulty, 4);
    REQUIRE(seen.count == 5);
    for (unsigned i = 0; i < 5; i++) {
        const char *expected = "";
        if (has_number(&seen, i, 1))
            expected = "data-0, 1000 bytes: the digest differs from the digest in the metadata";
        else if (has_number(&seen, i, 2))
            expected = "metadata: magic";
        else if (has_number(&seen, i, 3))
            expected = "model-0: No such file";
        else if (has_number(&seen, i, 4))
            expected = "the mode is 777";
        EXPECT_CONTAINS(seen.faults[i], expected);
        faults + = expected[0] ! = '\0';
        EXPECT_INT(seen.faults[i][0] ! = '\0', expected[0] ! = '\0');
    }
    EXPECT_INT(faults, 4);
    for (unsigned i = 1; i <= 5; i++)
        EXPECT(cache_exists(cache_entry_path(&cache, i, "")));
    cache_fixture_remove(&cache);
}

TEST(cache_inventory, collect_removes_faults_leftovers_and_then_the_least_recently_used)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_inventory_summary summary = {0};
    struct seen seen = {0};
    struct cache_path strange = cache_entry_path(&cache, 1, "");

    for (unsigned i = 1; i <= 6; i++) {
        const struct timespec times[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};
        EXPECT_INT(cache_publish(cache.store, i, 100, 10000, NULL), HY_OK);
        EXPECT(utimensat(-1, cache_entry_path(&cache, i, "metadata").text, times, 0) == 0);
    }
    EXPECT(truncate(cache_entry_path(&cache, 5, "data-0").text, 7) == 0);
    strcpy(strange.text + strlen(strange.text) - 2 * HY_TOKEN_SIZE, "strange");
    EXPECT(mkdir(strange.text, 0700) == 0);

    EXPECT_INT(hy_inventory_collect(cache.store, 40000, see, &seen, &summary, NULL), HY_OK);
    EXPECT_INT(summary.entries, 3);
    EXPECT_INT(summary.faulty, 1);
    EXPECT_INT(summary.removed, 3);
    EXPECT_INT(summary.leftovers, 1);
    EXPECT(summary.bytes > 35000 && summary.bytes <= 40000);
    EXPECT(summary.removed_bytes > 20000);
    REQUIRE(seen.count == 3);
    EXPECT(has_number(&seen, 0, 5));
    EXPECT_CONTAINS(seen.faults[0], "data-0 has 7 bytes, the metadata says 10000");
    EXPECT(has_number(&seen, 1, 1));
    EXPECT(has_number(&seen, 2, 2));
    EXPECT_STR(seen.devices[2], "sample-device");
    EXPECT(!cache_exists(strange));
    EXPECT_INT(cache_check(cache.store, 3, NULL), HY_OK);

    EXPECT_INT(hy_inventory_collect(cache.store, 0, NULL, NULL, &summary, NULL), HY_OK);
    EXPECT_INT(summary.removed, 3);
    EXPECT_INT(summary.entries, 0);
    EXPECT_INT(cache_check(cache.store, 3, NULL), HY_BAD_STATE);
    cache_fixture_remove(&cache);
}

TEST(cache_inventory, collect_leaves_a_writer_alone)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_inventory_summary summary = {0};
    struct hy_entry_writer *writer = NULL;
    uint8_t token[HY_TOKEN_SIZE];

    cache_token(1, token);
    REQUIRE(hy_entry_writer_create(cache.store, token, cache_counts, &writer, NULL) == HY_OK);
    EXPECT(cache_write(writer, 1, 10, 10));
    EXPECT_INT(hy_inventory_collect(cache.store, 0, NULL, NULL, &summary, NULL), HY_OK);
    EXPECT_INT(hy_entry_writer_publish(writer, &cache_test_info, false, NULL), HY_OK);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}
