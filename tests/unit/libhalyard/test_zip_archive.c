#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/tflite/metadata/zip_archive.h"
#include "tests/unit/tools/kit/zip_writer.h"

static const char long_text[] = "one one one one one one one one one one one one two\n";

static const struct zip_entry entries[] = {
    {"stored.txt", "cat\ndog\n", 8, false},
    {"deflated.txt", long_text, sizeof long_text - 1, true},
    {"empty.txt", "", 0, false},
};

struct archive_file {
    uint8_t *bytes;
    size_t length;
    size_t directory;
};

/* An archive behind some other contents; free() the bytes. */
static struct archive_file make_file(bool from_archive)
{
    struct archive_file file = {.bytes = malloc(100), .length = 100};
    if (!file.bytes)
        abort();
    memset(file.bytes, 'x', 100);
    file.directory = append_zip(&file.bytes, &file.length, entries, 3, from_archive);
    return file;
}

static enum hy_code read_entry(const struct archive_file *file, const char *name, size_t most,
                               uint8_t **out, size_t *length, struct hy_error *err)
{
    struct hy_zip_archive archive;
    const enum hy_code code = hy_zip_archive_open(file->bytes, file->length, &archive, err);
    if (code != HY_OK)
        return code;
    return hy_zip_archive_read(&archive, name, strlen(name), most, out, length, err);
}

static void expect_refused(const struct archive_file *file, const char *name, size_t most,
                           const char *expected)
{
    uint8_t *bytes = NULL;
    size_t length;
    struct hy_error err = {0};
    EXPECT_INT(read_entry(file, name, most, &bytes, &length, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, expected);
    EXPECT(bytes == NULL);
    free(bytes);
}

TEST(zip_archive, entries_are_read_whatever_their_offsets_count_from)
{
    for (int from_archive = 0; from_archive < 2; from_archive++) {
        struct archive_file file = make_file(from_archive);
        for (size_t i = 0; i < 3; i++) {
            uint8_t *bytes = NULL;
            size_t length = 0;
            struct hy_error err = {0};
            if (read_entry(&file, entries[i].name, 1000, &bytes, &length, &err) != HY_OK)
                hy_test_fail(__FILE__, __LINE__, "%s", err.text);
            EXPECT(bytes && length == entries[i].length &&
                   memcmp(bytes, entries[i].bytes, length) == 0);
            free(bytes);
        }
        free(file.bytes);
    }
}

TEST(zip_archive, a_comment_may_follow_that_looks_like_an_end)
{
    struct archive_file file = make_file(false);
    static const char comment[] = "PK\5\6 ... PK\5\6";
    file.bytes = realloc(file.bytes, file.length + sizeof comment);
    REQUIRE(file.bytes);
    file.bytes[file.length - 2] = sizeof comment;
    memcpy(file.bytes + file.length, comment, sizeof comment);
    file.length += sizeof comment;
    uint8_t *bytes = NULL;
    size_t length = 0;
    EXPECT_INT(read_entry(&file, "stored.txt", 1000, &bytes, &length, NULL), HY_OK);
    free(bytes);
    free(file.bytes);
}

TEST(zip_archive, files_without_an_archive_are_refused_in_words)
{
    static const char plain[] = "no archive here, none at all";
    const struct archive_file file = {(uint8_t *)plain, sizeof plain, 0};
    const struct archive_file nothing = {(uint8_t *)plain, 0, 0};
    expect_refused(&file, "stored.txt", 10, "no archive is appended");
    expect_refused(&nothing, "stored.txt", 10, "no archive is appended");
}

TEST(zip_archive, a_missing_entry_is_named)
{
    struct archive_file file = make_file(false);
    expect_refused(&file, "stored", 1000, "stored: the entry is not in the appended archive");
    expect_refused(&file, "", 1000, "the entry is not in the appended archive");
    free(file.bytes);
}

TEST(zip_archive, an_entry_beyond_the_limit_is_not_inflated)
{
    struct archive_file file = make_file(false);
    expect_refused(&file, "deflated.txt", sizeof long_text - 2,
                   "the entry has 52 bytes, the limit is 51");
    free(file.bytes);
}

/* Fields of the first entry (stored), or of the second (deflated), with a value that lies. */
TEST(zip_archive, entries_that_lie_are_refused)
{
    enum { SECOND = 46 + 10 };
    static const struct {
        unsigned entry, field, bytes;
        uint32_t value;
        const char *expected;
    } lies[] = {
        {0, ZIP_BYTES, 4, 9, "9 bytes are stored as 8"},
        {0, ZIP_PACKED_BYTES, 4, 0xfffffff0, "reach beyond the file's"},
        {0, ZIP_CHECKSUM, 4, 1, "the checksum is wrong"},
        {0, ZIP_METHOD, 2, 12, "compressed by method 12"},
        {0, ZIP_FLAGS, 2, 1, "the entry is encrypted"},
        {0, ZIP_OFFSET, 4, 0xffffffff, "is not the start of an entry"},
        {0, ZIP_OFFSET, 4, 3, "byte 3 is not the start of an entry"},
        {1, ZIP_BYTES, 4, 51, "do not expand to 51 bytes"},
        {1, ZIP_BYTES, 4, 53, "do not expand to 53 bytes"},
        {1, ZIP_PACKED_BYTES, 4, 3, "do not expand to 52 bytes"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct archive_file file = make_file(false);
        uint8_t *entry = file.bytes + file.directory + (lies[i].entry ? SECOND : 0);
        for (unsigned k = 0; k < lies[i].bytes; k++)
            entry[lies[i].field + k] = (uint8_t)(lies[i].value >> 8 * k);
        expect_refused(&file, entries[lies[i].entry].name, 1000, lies[i].expected);
        free(file.bytes);
    }
}

/* A megabyte of zeros in a kilobyte: more than the entry admits to is never written. */
TEST(zip_archive, a_bomb_gives_no_more_than_it_says)
{
    enum { BOMB = 1 << 20 };
    uint8_t *zeros = calloc(1, BOMB);
    struct archive_file file = {.bytes = malloc(1)};
    REQUIRE(zeros && file.bytes);
    const struct zip_entry bomb = {"bomb", zeros, BOMB, true};
    file.directory = append_zip(&file.bytes, &file.length, &bomb, 1, false);
    EXPECT(file.length < 4096);
    expect_refused(&file, "bomb", 4096, "the entry has 1048576 bytes, the limit is 4096");
    memcpy(file.bytes + file.directory + ZIP_BYTES, "\x10\0\0\0", 4);
    expect_refused(&file, "bomb", 4096, "do not expand to 16 bytes");
    free(file.bytes);
    free(zeros);
}

TEST(zip_archive, a_directory_outside_the_file_is_refused)
{
    struct archive_file file = make_file(false);
    memset(file.bytes + file.length - 10, 0xff, 4); /* its bytes */
    expect_refused(&file, "stored.txt", 1000, "has a directory of 4294967295 bytes");
    free(file.bytes);
}

TEST(zip_archive, damaged_archives_are_refused_or_read)
{
    struct archive_file file = make_file(false);
    for (size_t bit = 800; bit < 8 * file.length; bit++) {
        file.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        for (size_t i = 0; i < 3; i++) {
            uint8_t *bytes = NULL;
            size_t length = 0;
            const enum hy_code code =
                read_entry(&file, entries[i].name, 1000, &bytes, &length, NULL);
            EXPECT(code == HY_BAD_DATA || (code == HY_OK && length == entries[i].length));
            free(bytes);
        }
        file.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    free(file.bytes);
}
