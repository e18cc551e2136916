#include "libhalyard/tflite/metadata/zip_archive.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/checked.h"
#include "libhalyard/tflite/flatbuffer.h"

/* Sizes of the fixed parts of records, and offsets of fields. */
enum {
    END_BYTES = 22,
    END_DISK = 4, /* 4 bytes: both numbers of parts */
    END_ENTRY_COUNT = 10,
    END_DIRECTORY_BYTES = 12,
    END_DIRECTORY_OFFSET = 16,
    END_COMMENT_BYTES = 20,
    MOST_COMMENT_BYTES = 65535,

    CENTRAL_BYTES = 46,
    CENTRAL_FLAGS = 8,
    CENTRAL_METHOD = 10,
    CENTRAL_CHECKSUM = 16,
    CENTRAL_PACKED_BYTES = 20,
    CENTRAL_BYTES_UNPACKED = 24,
    CENTRAL_NAME_BYTES = 28,
    CENTRAL_EXTRA_BYTES = 30,
    CENTRAL_COMMENT_BYTES = 32,
    CENTRAL_OFFSET = 42,

    LOCAL_BYTES = 30,
    LOCAL_NAME_BYTES = 26,
    LOCAL_EXTRA_BYTES = 28,

    FLAG_ENCRYPTED = 1,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
};

#define END_SIGNATURE     "PK\5\6"
#define CENTRAL_SIGNATURE "PK\1\2"
#define LOCAL_SIGNATURE   "PK\3\4"

static bool is_record(const struct hy_zip_archive *archive, uint64_t at, uint64_t size,
                      const char *signature)
{
    return hy_range_inside(at, size, archive->length) &&
           memcmp(archive->bytes + at, signature, 4) == 0;
}

/* The last record that can be the end of the archive: only its comment may follow. */
static bool find_end(const struct hy_zip_archive *archive, uint64_t *end)
{
    const uint64_t length = archive->length;
    const uint64_t least =
        length > END_BYTES + MOST_COMMENT_BYTES ? length - END_BYTES - MOST_COMMENT_BYTES : 0;
    for (uint64_t at = length; at-- > least;)
        if (is_record(archive, at, END_BYTES, END_SIGNATURE) &&
            hy_load_u16(archive->bytes + at + END_COMMENT_BYTES) <= length - at - END_BYTES) {
            *end = at;
            return true;
        }
    return false;
}

enum hy_code hy_zip_archive_open(const void *file, size_t length, struct hy_zip_archive *out,
                                 struct hy_error *err)
{
    struct hy_zip_archive archive = {.bytes = file, .length = length};
    uint64_t end;
    if (!find_end(&archive, &end))
        return hy_fail(err, HY_BAD_DATA, "no archive is appended to the file");
    const uint8_t *record = archive.bytes + end;
    if (hy_load_u32(record + END_DISK) != 0)
        return hy_fail(err, HY_BAD_DATA, "the appended archive has several parts");

    const uint64_t bytes = hy_load_u32(record + END_DIRECTORY_BYTES);
    const uint64_t offset = hy_load_u32(record + END_DIRECTORY_OFFSET);
    if (bytes > end || offset > end - bytes)
        return hy_fail(err, HY_BAD_DATA,
                       "the appended archive has a directory of %" PRIu64 " bytes at %" PRIu64
                       ", but ends at %" PRIu64,
                       bytes, offset, end);
    /* Offsets count from the archive or from the file: the directory ends where the end begins. */
    archive.directory = end - bytes;
    archive.start = archive.directory - offset;
    archive.entry_count = hy_load_u16(record + END_ENTRY_COUNT);
    if (archive.entry_count > HY_ZIP_MAX_ENTRIES)
        archive.entry_count = HY_ZIP_MAX_ENTRIES;
    *out = archive;
    return HY_OK;
}

/* Reads the entry at byte `*at` of the file, and advances `*at` to the next entry. NULL: no
 * complete entry. */
static const uint8_t *next_entry(const struct hy_zip_archive *archive, uint64_t *at)
{
    if (!is_record(archive, *at, CENTRAL_BYTES, CENTRAL_SIGNATURE))
        return NULL;
    const uint8_t *entry = archive->bytes + *at;
    const uint64_t size = CENTRAL_BYTES + (uint64_t)hy_load_u16(entry + CENTRAL_NAME_BYTES) +
                          hy_load_u16(entry + CENTRAL_EXTRA_BYTES) +
                          hy_load_u16(entry + CENTRAL_COMMENT_BYTES);
    if (!hy_range_inside(*at, size, archive->length))
        return NULL;
    *at += size;
    return entry;
}

/* The entry of this name in the central directory; NULL: none. */
static const uint8_t *find_entry(const struct hy_zip_archive *archive, const char *name,
                                 size_t name_length)
{
    uint64_t at = archive->directory;

    for (uint32_t i = 0; i < archive->entry_count; i++) {
        const uint8_t *entry = next_entry(archive, &at);
        if (!entry)
            return NULL;
        if (hy_load_u16(entry + CENTRAL_NAME_BYTES) == name_length &&
            memcmp(entry + CENTRAL_BYTES, name, name_length) == 0)
            return entry;
    }
    return NULL;
}

void hy_zip_archive_list(const struct hy_zip_archive *archive,
                         void (*visit)(const uint8_t *name, size_t length, void *context),
                         void *context)
{
    uint64_t at = archive->directory;

    for (uint32_t i = 0; i < archive->entry_count; i++) {
        const uint8_t *entry = next_entry(archive, &at);
        if (!entry)
            return;
        visit(entry + CENTRAL_BYTES, hy_load_u16(entry + CENTRAL_NAME_BYTES), context);
    }
}

/* The packed bytes of an entry. */
static enum hy_code find_data(const struct hy_zip_archive *archive, const uint8_t *entry,
                              const uint8_t **out, struct hy_error *err)
{
    const uint64_t at = archive->start + hy_load_u32(entry + CENTRAL_OFFSET);
    if (!is_record(archive, at, LOCAL_BYTES, LOCAL_SIGNATURE))
        return hy_fail(err, HY_BAD_DATA, "byte %" PRIu64 " is not the start of an entry", at);
    const uint8_t *local = archive->bytes + at;
    const uint64_t data = at + LOCAL_BYTES + hy_load_u16(local + LOCAL_NAME_BYTES) +
                          hy_load_u16(local + LOCAL_EXTRA_BYTES);
    const uint64_t packed = hy_load_u32(entry + CENTRAL_PACKED_BYTES);
    if (!hy_range_inside(data, packed, archive->length))
        return hy_fail(err, HY_BAD_DATA,
                       "%" PRIu64 " bytes at byte %" PRIu64 " reach beyond the file's %" PRIu64,
                       packed, data, archive->length);
    *out = archive->bytes + data;
    return HY_OK;
}

/* Inflates exactly `size` bytes; further data is not inflated. */
static enum hy_code inflate_bytes(const uint8_t *data, uint32_t packed, uint8_t *out, uint32_t size,
                                  struct hy_error *err)
{
    z_stream stream = {
        .next_in = (Bytef *)data, .avail_in = packed, .next_out = out, .avail_out = size};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) /* negative: without a header */
        return hy_fail(err, HY_OUT_OF_MEMORY, "inflating %" PRIu32 " bytes", size);
    const int result = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR)
        return hy_fail(err, HY_OUT_OF_MEMORY, "inflating %" PRIu32 " bytes", size);
    if (result != Z_STREAM_END || stream.avail_out != 0)
        return hy_fail(err, HY_BAD_DATA, "the deflated data do not expand to %" PRIu32 " bytes",
                       size);
    return HY_OK;
}

static enum hy_code unpack(const uint8_t *entry, const uint8_t *data, uint8_t *out,
                           struct hy_error *err)
{
    const uint32_t packed = hy_load_u32(entry + CENTRAL_PACKED_BYTES);
    const uint32_t size = hy_load_u32(entry + CENTRAL_BYTES_UNPACKED);
    const unsigned method = hy_load_u16(entry + CENTRAL_METHOD);
    if (hy_load_u16(entry + CENTRAL_FLAGS) & FLAG_ENCRYPTED)
        return hy_fail(err, HY_BAD_DATA, "the entry is encrypted");
    if (method == METHOD_DEFLATED) {
        const enum hy_code code = inflate_bytes(data, packed, out, size, err);
        if (code != HY_OK)
            return code;
    } else if (method != METHOD_STORED) {
        return hy_fail(err, HY_BAD_DATA,
                       "the entry is compressed by method %u; only 0 and 8 can be read", method);
    } else if (packed != size) {
        return hy_fail(err, HY_BAD_DATA, "%" PRIu32 " bytes are stored as %" PRIu32, size, packed);
    } else {
        memcpy(out, data, size);
    }
    if (crc32(0, out, size) != hy_load_u32(entry + CENTRAL_CHECKSUM))
        return hy_fail(err, HY_BAD_DATA, "the checksum is wrong");
    return HY_OK;
}

static enum hy_code read_entry(const struct hy_zip_archive *archive, const uint8_t *entry,
                               size_t most_bytes, uint8_t **out, size_t *length,
                               struct hy_error *err)
{
    const uint32_t size = hy_load_u32(entry + CENTRAL_BYTES_UNPACKED);
    if (size > most_bytes)
        return hy_fail(err, HY_BAD_DATA, "the entry has %" PRIu32 " bytes, the limit is %zu", size,
                       most_bytes);
    const uint8_t *data = NULL;
    enum hy_code code = find_data(archive, entry, &data, err);
    if (code != HY_OK)
        return code;
    uint8_t *bytes = malloc((size_t)size + 1); /* a valid pointer also for 0 bytes */
    if (!bytes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%" PRIu32 " bytes", size);
    code = unpack(entry, data, bytes, err);
    if (code != HY_OK) {
        free(bytes);
        return code;
    }
    *out = bytes;
    *length = size;
    return HY_OK;
}

enum hy_code hy_zip_archive_read(const struct hy_zip_archive *archive, const char *name,
                                 size_t name_length, size_t most_bytes, uint8_t **out,
                                 size_t *length, struct hy_error *err)
{
    const uint8_t *entry = find_entry(archive, name, name_length);
    const enum hy_code code =
        entry ? read_entry(archive, entry, most_bytes, out, length, err)
              : hy_fail(err, HY_BAD_DATA, "the entry is not in the appended archive");
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%.*s", (int)(name_length < 128 ? name_length : 128),
                               name);
    return HY_OK;
}
