/* The limit: which entries go, and when anybody looks. */
#include "cache_fixture.h"
#include "cache_store/metadata.h"

#include "tests/kit/test.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Entries take EACH bytes, a few less. */
enum { DATA = 10000, EACH = DATA + sizeof(struct hy_metadata) + 20 };

/* As if the entry had last been used so many seconds after the epoch. */
static void set_use(const struct cache_fixture *cache, unsigned number, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    EXPECT(utimensat(AT_FDCWD, cache_entry_path(cache, number, "metadata").text, times, 0) == 0);
}

static bool has(const struct cache_fixture *cache, unsigned number)
{
    return cache_exists(cache_entry_path(cache, number, ""));
}

TEST(cache_evict, least_recently_used_entries_go_first)
{
    struct cache_fixture cache = cache_fixture_make(10 * EACH);

    for (unsigned i = 1; i <= 9; i++) {
        EXPECT_INT(cache_publish(cache.store, i, 10, DATA, NULL), HY_OK);
        set_use(&cache, i, 1000 + (time_t)(i * 7 % 10)); /* 3 is the oldest, then 6, 9, 2, 5 */
    }
    EXPECT_INT(cache_check(cache.store, 3, NULL), HY_OK); /* is used: the youngest now */
    EXPECT_INT(cache_publish(cache.store, 10, 10, DATA, NULL), HY_OK);
    EXPECT_INT(cache_publish(cache.store, 11, 10, DATA, NULL), HY_OK);
    EXPECT(!has(&cache, 6));
    EXPECT(!has(&cache, 9));
    EXPECT(!has(&cache, 2));
    EXPECT(has(&cache, 3));
    EXPECT(has(&cache, 5));
    EXPECT(has(&cache, 10));
    EXPECT(has(&cache, 11));
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "old")), 0);
    cache_fixture_remove(&cache);
}

TEST(cache_evict, bytes_stay_within_the_limit)
{
    struct cache_fixture cache = cache_fixture_make(10 * EACH);

    for (unsigned i = 1; i <= 60; i++) {
        int count = 0;
        EXPECT_INT(cache_publish(cache.store, i, 10, DATA - i, NULL), HY_OK);
        EXPECT_INT(cache_check(cache.store, i, NULL), HY_OK);
        for (unsigned k = 1; k <= i; k++)
            count += has(&cache, k);
        EXPECT(count <= 10);
        EXPECT(count >= 8 || count == (int)i);
    }
    cache_fixture_remove(&cache);
}

TEST(cache_evict, replacing_one_entry_again_and_again_keeps_the_others)
{
    struct cache_fixture cache = cache_fixture_make(10 * EACH);

    for (unsigned i = 1; i <= 5; i++)
        EXPECT_INT(cache_publish(cache.store, i, 10, DATA, NULL), HY_OK);
    for (unsigned i = 0; i < 30; i++)
        EXPECT_INT(cache_publish(cache.store, 5, 10, DATA, NULL), HY_OK);
    for (unsigned i = 1; i <= 5; i++)
        EXPECT_INT(cache_check(cache.store, i, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(cache_evict, entry_as_large_as_the_limit_is_kept_alone)
{
    struct cache_fixture cache = cache_fixture_make(10 * EACH);
    struct hy_error err = {0};

    EXPECT_INT(cache_publish(cache.store, 1, 10, DATA, NULL), HY_OK);
    EXPECT_INT(cache_publish(cache.store, 2, 10, 9 * EACH + DATA - 100, NULL), HY_OK);
    EXPECT_INT(cache_check(cache.store, 2, NULL), HY_OK);
    EXPECT(!has(&cache, 1));
    EXPECT_INT(cache_publish(cache.store, 3, 10, 10 * EACH - 100, &err), HY_EXHAUSTED);
    EXPECT_CONTAINS(err.text, "the limit for all entries is 124120");
    EXPECT_INT(cache_check(cache.store, 2, NULL), HY_OK);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    cache_fixture_remove(&cache);
}

TEST(cache_evict, smaller_limit_of_another_process_applies_when_it_publishes)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_store *small = cache_fixture_reopen(&cache, 3 * EACH);
    int count = 0;

    for (unsigned i = 1; i <= 20; i++)
        EXPECT_INT(cache_publish(cache.store, i, 10, DATA, NULL), HY_OK);
    EXPECT_INT(cache_publish(small, 21, 10, DATA, NULL), HY_OK);
    for (unsigned i = 1; i <= 21; i++)
        count += has(&cache, i);
    EXPECT_INT(count, 2);
    EXPECT_INT(cache_check(small, 21, NULL), HY_OK);
    hy_store_close(small);
    cache_fixture_remove(&cache);
}

/* ---- The note of bytes ----------------------------------------------------------------------- */

static void write_used(const struct cache_fixture *cache, const char *text)
{
    FILE *file = fopen(cache_root_path(cache, "used").text, "w");
    REQUIRE(file != NULL);
    fputs(text, file);
    fclose(file);
}

TEST(cache_evict, note_of_bytes_is_exact_after_counting)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    unsigned long long noted = 0, want = 0;
    struct stat info;

    EXPECT_INT(cache_publish(cache.store, 1, 10, DATA, NULL), HY_OK);
    EXPECT_INT(cache_publish(cache.store, 2, 10, DATA, NULL), HY_OK);
    for (unsigned i = 1; i <= 2; i++) {
        EXPECT(stat(cache_entry_path(&cache, i, "metadata").text, &info) == 0);
        want += (unsigned long long)info.st_size + 10 + DATA + 1; /* the mark */
    }
    FILE *file = fopen(cache_root_path(&cache, "used").text, "r");
    REQUIRE(file != NULL);
    EXPECT_INT(fscanf(file, "%llu bytes at most", &noted), 1);
    fclose(file);
    EXPECT_INT(noted, want);
    cache_fixture_remove(&cache);
}

TEST(cache_evict, what_is_odd_about_the_note_of_bytes_is_counted_again)
{
    const char *const odd[] = {
        "",
        "0\n",
        "00000000000000000000 bytes at most, counted at 00000000000000000000",
        "00000000000000000000 bytes at most, counted at 00000000000000000000\nx",
        "0000000000000000000x bytes at most, counted at 00000000000000000000\n",
        "                   0 bytes at most, counted at 00000000000000000000\n",
        "99999999999999999999 bytes at most, counted at 99999999999999999999\n",
    };
    struct cache_fixture cache = cache_fixture_make(5 * EACH);
    unsigned number = 0;

    for (; number < 5; number++)
        EXPECT_INT(cache_publish(cache.store, number, 10, DATA, NULL), HY_OK);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        int count = 0;
        write_used(&cache, odd[i]);
        EXPECT_INT(cache_publish(cache.store, ++number, 10, DATA, NULL), HY_OK);
        EXPECT_INT(cache_publish(cache.store, ++number, 10, DATA, NULL), HY_OK);
        for (unsigned k = 0; k <= number; k++)
            count += has(&cache, k);
        EXPECT(count <= 5);
    }
    cache_fixture_remove(&cache);
}

TEST(cache_evict, note_of_bytes_that_stays_locked_holds_nobody_up)
{
    struct cache_fixture cache = cache_fixture_make(5 * EACH);

    EXPECT_INT(cache_publish(cache.store, 1, 10, DATA, NULL), HY_OK);
    const int fd = open(cache_root_path(&cache, "used").text, O_RDWR);
    REQUIRE(fd >= 0 && flock(fd, LOCK_EX) == 0);
    for (unsigned i = 2; i <= 9; i++)
        EXPECT_INT(cache_publish(cache.store, i, 10, DATA, NULL), HY_OK);
    close(fd);
    int count = 0;
    for (unsigned i = 1; i <= 9; i++)
        count += has(&cache, i);
    EXPECT(count <= 5);
    EXPECT(has(&cache, 9));
    cache_fixture_remove(&cache);
}

TEST(cache_evict, strange_things_among_the_entries_are_cleared_away)
{
    struct cache_fixture cache = cache_fixture_make(4 * EACH);
    struct cache_path strange = cache_entry_path(&cache, 1, "");
    char *end = strange.text + strlen(strange.text) - 2 * HY_TOKEN_SIZE;

    EXPECT_INT(cache_publish(cache.store, 1, 10, DATA, NULL), HY_OK);
    snprintf(end, 8, "strange");
    REQUIRE(mkdir(strange.text, 0700) == 0);
    for (unsigned i = 3; i <= 8; i++)
        EXPECT_INT(cache_publish(cache.store, i, 10, DATA, NULL), HY_OK);
    EXPECT(!cache_exists(strange));
    cache_fixture_remove(&cache);
}
