#include "common/random.h"
#include "records_fixture.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGESTS = 40, BLOBS = 3 };

static const uint64_t blob_lengths[BLOBS] = {100, 3000, 30000};
static struct hy_records_fixture fixture;

struct bytes {
    uint8_t *data;
    size_t length;
};

static struct bytes read_all(const char *path)
{
    struct bytes bytes = {0};
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0 || !(bytes.data = malloc((size_t)info.st_size + 1)) ||
        read(fd, bytes.data, (size_t)info.st_size) != info.st_size)
        abort();
    bytes.length = (size_t)info.st_size;
    close(fd);
    return bytes;
}

static void write_into(int fd, const void *data, size_t length)
{
    if (fd < 0 || ftruncate(fd, (off_t)length) != 0 || write(fd, data, length) != (ssize_t)length)
        abort();
    close(fd);
}

/* A new file: some file systems wait for the disk when the old one is cut short. */
static void write_all(const char *path, const void *data, size_t length)
{
    (void)unlink(path);
    (void)unlink(fixture.damaged);
    write_into(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), data, length);
}

static void fill(void)
{
    for (uint32_t i = 0; i < DIGESTS; i++)
        EXPECT_INT(hy_store_number(fixture.records, i), HY_OK);
    for (uint32_t i = 0; i < BLOBS; i++)
        EXPECT_INT(hy_store_blob_number(fixture.records, i, blob_lengths[i]), HY_OK);
}

/* Right or none; gives how many are none. */
static unsigned look_at_all(const char *what, size_t at)
{
    unsigned missing = 0;
    for (uint32_t i = 0; i < DIGESTS + BLOBS; i++) {
        enum hy_found found = i < DIGESTS ? hy_find_number(fixture.records, i)
                                          : hy_load_blob_number(fixture.records, i - DIGESTS,
                                                                blob_lengths[i - DIGESTS]);
        if (found == HY_FOUND_WRONG)
            hy_test_fail(__FILE__, __LINE__, "%s at %zu: record %u is wrong", what, at, i);
        missing += found == HY_FOUND_NONE;
    }
    return missing;
}

/* Whatever lies there: opening works, nothing wrong comes out, and what is stored is found. Each
 * sweep does this for one file after the other, so it records only what fails. */
static unsigned expect_sane(const char *what, size_t at)
{
    struct hy_error err = {.text = ""};
    if (hy_records_open(fixture.dir, &fixture.records, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s at %zu: %s", what, at, err.text);
        return 0;
    }
    const unsigned missing = look_at_all(what, at);
    const uint32_t again = (uint32_t)at % DIGESTS, blob = (uint32_t)at % BLOBS;
    if (hy_store_number(fixture.records, again) != HY_OK ||
        hy_find_number(fixture.records, again) != HY_FOUND_RIGHT ||
        hy_store_blob_number(fixture.records, blob, blob_lengths[blob]) != HY_OK ||
        hy_load_blob_number(fixture.records, blob, blob_lengths[blob]) != HY_FOUND_RIGHT)
        hy_test_fail(__FILE__, __LINE__, "%s at %zu: does not keep what is stored", what, at);
    hy_records_close(fixture.records);
    fixture.records = NULL;
    return missing;
}

static struct bytes make_good_file(void)
{
    hy_records_fixture_begin(&fixture);
    fill();
    hy_records_close(fixture.records);
    fixture.records = NULL;
    return read_all(fixture.file);
}

static void cut_at(const struct bytes *good, size_t length)
{
    write_all(fixture.file, good->data, length);
    (void)expect_sane("cut", length);
}

static void flip_at(struct bytes *good, size_t bit)
{
    good->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    write_all(fixture.file, good->data, good->length);
    good->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    (void)expect_sane("bit flipped", bit);
}

static void sweep(size_t step, unsigned flips)
{
    struct bytes good = make_good_file();
    struct hy_random random = {1};

    for (size_t length = 0; length < good.length; length += step)
        cut_at(&good, length);
    for (size_t bit = 0; bit < 100 * 8; bit++) /* the header of the file */
        flip_at(&good, bit);
    for (unsigned i = 0; i < flips; i++)
        flip_at(&good, hy_random_next(&random) % (good.length * 8));
    write_all(fixture.file, good.data, good.length);
    EXPECT_INT(expect_sane("nothing", 0), 0);
    free(good.data);
    hy_records_fixture_end(&fixture);
}

TEST(records, no_damage_makes_a_record_wrong_or_stops_the_work)
{
    sweep(509, 500);
}

TEST(records_slow, no_damage_makes_a_record_wrong_or_stops_the_work)
{
    sweep(127, 10000);
}

TEST(records, damaged_file_is_set_aside_and_begun_anew)
{
    static const char text[] = "this is no database, and long enough to be looked at: "
                               "0123456789012345678901234567890123456789012345678901234567890";
    struct bytes good = make_good_file();
    write_all(fixture.file, text, sizeof text);
    EXPECT_INT(expect_sane("text", 0), DIGESTS + BLOBS);
    struct bytes damaged = read_all(fixture.damaged);
    EXPECT_INT(damaged.length, sizeof text);
    EXPECT(memcmp(damaged.data, text, sizeof text) == 0);
    free(damaged.data);
    free(good.data);
    hy_records_fixture_end(&fixture);
}

TEST(records, file_with_other_tables_is_set_aside)
{
    static const char *const changes[] = {
        "CREATE TABLE more (x)",
        "DROP INDEX blobs_by_use",
        "CREATE TRIGGER t AFTER INSERT ON digests BEGIN DELETE FROM digests; END",
        "DROP TABLE digests; CREATE TABLE digests (id, owner, build, token)",
    };
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct bytes good = make_good_file();
        hy_records_fixture_sql(&fixture, changes[i]);
        EXPECT_INT(expect_sane(changes[i], i), DIGESTS + BLOBS);
        EXPECT_INT(access(fixture.damaged, F_OK), 0);
        free(good.data);
        hy_records_fixture_end(&fixture);
    }
}

/* The records are open when it happens, and stay so. */
TEST(records, damage_under_open_records_is_noticed)
{
    for (size_t at = 0; at < 12; at++) {
        hy_records_fixture_begin(&fixture);
        fill();
        struct bytes bytes = read_all(fixture.file);
        const size_t start = at * 4096 % bytes.length;
        memset(bytes.data + start, (int)at * 29, bytes.length - start < 4096 ? 1 : 4096);
        write_into(open(fixture.file, O_WRONLY | O_CLOEXEC), bytes.data,
                   at % 3 == 0 ? start : bytes.length);
        (void)look_at_all("overwritten page", at);
        fill();
        EXPECT_INT(look_at_all("afterwards", at), 0);
        free(bytes.data);
        hy_records_fixture_end(&fixture);
    }
}

TEST(records, digests_that_changed_places_are_none)
{
    hy_records_fixture_begin(&fixture);
    fill();
    hy_records_fixture_sql(&fixture,
                           "UPDATE digests SET digest = (SELECT digest FROM digests WHERE id = 2),"
                           " mark = (SELECT mark FROM digests WHERE id = 2) WHERE id = 1;"
                           "UPDATE digests SET digest = x'00' WHERE id = 3;"
                           "UPDATE digests SET digest = 7, mark = 8 WHERE id = 4;"
                           "UPDATE digests SET mark = x'' WHERE id = 5");
    for (uint32_t i = 0; i < 6; i++)
        EXPECT_INT(hy_find_number(fixture.records, i),
                   i == 1 || i == 5 ? HY_FOUND_RIGHT : HY_FOUND_NONE);
    hy_records_fixture_end(&fixture);
}

TEST(records, records_that_change_owners_are_none)
{
    const struct hy_records_owner other = {1001, "npu", "1.0 abc"};
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];
    hy_records_fixture_begin(&fixture);
    fill();
    hy_token_number(1000, token);
    hy_digest_number(1000, digest);
    EXPECT_INT(hy_digest_store(fixture.records, &other, token, digest, NULL), HY_OK);
    hy_records_fixture_sql(&fixture, "UPDATE digests SET owner = 3 - owner, build = 3 - build");
    hy_records_fixture_reopen(&fixture);
    for (uint32_t i = 0; i < DIGESTS; i++) {
        hy_token_number(i, token);
        EXPECT_INT(hy_digest_find(fixture.records, &other, token, digest, NULL), HY_BAD_STATE);
    }
    hy_records_fixture_end(&fixture);
}

/* What a crash leaves beside the file, made up of anything. */
TEST(records, journal_of_garbage_does_no_harm)
{
    struct bytes good = make_good_file();
    uint8_t garbage[5000];
    char journal[192];
    snprintf(journal, sizeof journal, "%s-journal", fixture.file);
    struct hy_random random = {1};
    for (size_t i = 0; i < 40; i++) {
        static const uint8_t magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
        for (size_t j = 0; j < sizeof garbage; j++)
            garbage[j] = (uint8_t)hy_random_next(&random);
        if (i % 2)
            memcpy(garbage, magic, sizeof magic);
        write_all(fixture.file, good.data, good.length);
        write_all(journal, garbage, i * 128);
        (void)expect_sane("journal", i);
    }
    free(good.data);
    hy_records_fixture_end(&fixture);
}
