#include "tests/unit/tools/kit/zip_writer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct output {
    uint8_t *bytes;
    size_t length;
};

static uint8_t *extend(struct output *out, size_t size)
{
    out->bytes = realloc(out->bytes, out->length + size + 1);
    if (!out->bytes)
        abort();
    uint8_t *at = out->bytes + out->length;
    memset(at, 0, size);
    out->length += size;
    return at;
}

static void put(uint8_t *at, size_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* What an entry has in both of its records: method, checksum, sizes and the length of its name. */
struct packed {
    uint8_t *bytes;
    size_t length;
    size_t offset;
};

static struct packed pack(const struct zip_entry *entry)
{
    struct packed packed = {.bytes = malloc(entry->length + 1024), .length = entry->length};
    if (!packed.bytes)
        abort();
    if (!entry->deflated) {
        memcpy(packed.bytes, entry->bytes, entry->length);
        return packed;
    }
    z_stream stream = {.next_in = (Bytef *)entry->bytes,
                       .avail_in = (uInt)entry->length,
                       .next_out = packed.bytes,
                       .avail_out = (uInt)entry->length + 1024};
    if (deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&stream, Z_FINISH) != Z_STREAM_END)
        abort();
    packed.length = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

static void put_entry_header(uint8_t *at, const struct zip_entry *entry,
                             const struct packed *packed)
{
    put(at, 20, 2);
    put(at + 4, entry->deflated ? 8 : 0, 2);
    put(at + 10, crc32(0, entry->bytes, (uInt)entry->length), 4);
    put(at + 14, packed->length, 4);
    put(at + 18, entry->length, 4);
    put(at + 22, strlen(entry->name), 2);
}

static void write_entry(struct output *out, const struct zip_entry *entry, struct packed *packed)
{
    packed->offset = out->length;
    uint8_t *local = extend(out, 30 + strlen(entry->name) + packed->length);
    memcpy(local, "PK\3\4", 4);
    put_entry_header(local + 4, entry, packed);
    memcpy(local + 30, entry->name, strlen(entry->name));
    memcpy(local + 30 + strlen(entry->name), packed->bytes, packed->length);
}

static void write_central(struct output *out, const struct zip_entry *entry,
                          const struct packed *packed, size_t start)
{
    uint8_t *central = extend(out, 46 + strlen(entry->name));
    memcpy(central, "PK\1\2", 4);
    put_entry_header(central + 6, entry, packed);
    put(central + ZIP_OFFSET, packed->offset - start, 4);
    memcpy(central + 46, entry->name, strlen(entry->name));
}

size_t append_zip(uint8_t **file, size_t *length, const struct zip_entry *entries, uint32_t count,
                  bool from_archive)
{
    struct output out = {*file, *length};
    const size_t start = from_archive ? *length : 0;
    struct packed *packed = calloc(count + 1, sizeof *packed);
    if (!packed)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        packed[i] = pack(&entries[i]);
        write_entry(&out, &entries[i], &packed[i]);
    }
    const size_t directory = out.length;
    for (uint32_t i = 0; i < count; i++) {
        write_central(&out, &entries[i], &packed[i], start);
        free(packed[i].bytes);
    }
    free(packed);
    const size_t directory_bytes = out.length - directory;
    uint8_t *end = extend(&out, 22);
    memcpy(end, "PK\5\6", 4);
    put(end + 8, count, 2);
    put(end + 10, count, 2);
    put(end + 12, directory_bytes, 4);
    put(end + 16, directory - start, 4);
    *file = out.bytes;
    *length = out.length;
    return directory;
}
