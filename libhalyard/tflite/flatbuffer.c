#include "libhalyard/tflite/flatbuffer.h"

#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "common/checked.h"

/* Only the first failure is reported: later failures are consequences. */
#define reject(fb, ...) \
    do { \
        if ((fb)->code == HY_OK) \
            (fb)->code = hy_fail((fb)->err, HY_BAD_DATA, __VA_ARGS__); \
    } while (0)

static const struct hy_fb_table absent_table;
static const struct hy_fb_vector absent_vector;

uint16_t hy_load_u16(const void *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return le16toh(value);
}

uint32_t hy_load_u32(const void *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return le32toh(value);
}

uint64_t hy_load_u64(const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return le64toh(value);
}

float hy_load_f32(const void *from)
{
    uint32_t bits = hy_load_u32(from);
    float value;
    static_assert(sizeof value == sizeof bits, "float is IEEE binary32");
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Whether [at, at + size) is in the file; a cut file ends before what its offsets point to. */
static bool is_inside(struct hy_fb *fb, uint64_t at, uint64_t size)
{
    uint64_t end;

    if (hy_range_inside(at, size, fb->length))
        return true;
    if (fb->code == HY_OK && hy_add_u64(at, size, &end))
        fb->missing = end - fb->length;
    return false;
}

static bool vtable_inside(struct hy_fb *fb, const struct hy_fb_table *table)
{
    if (table->vtable_size < 4 || table->vtable_size % 2 != 0 ||
        !is_inside(fb, table->vtable, table->vtable_size)) {
        reject(fb, "vtable at byte %" PRIu64 " claims %u bytes; the file has %" PRIu64,
               table->vtable, table->vtable_size, fb->length);
        return false;
    }
    if (table->size < 4 || !is_inside(fb, table->at, table->size)) {
        reject(fb, "table at byte %" PRIu64 " claims %u bytes; the file has %" PRIu64, table->at,
               table->size, fb->length);
        return false;
    }
    return true;
}

static struct hy_fb_table read_table(struct hy_fb *fb, uint64_t at)
{
    if (at % 4 != 0 || !is_inside(fb, at, 4)) {
        reject(fb, "table at byte %" PRIu64 " is misaligned or outside the file of %" PRIu64, at,
               fb->length);
        return absent_table;
    }

    /* The distance back to the vtable is signed. In unsigned arithmetic an address before the file
     * wraps to an address far beyond its end, and fails the range check. */
    uint64_t vtable = at - (uint64_t)(int64_t)(int32_t)hy_load_u32(fb->bytes + at);
    if (vtable % 2 != 0 || !hy_range_inside(vtable, 4, fb->length)) {
        reject(fb, "table at byte %" PRIu64 ": its vtable is misaligned or outside the file", at);
        return absent_table;
    }
    const struct hy_fb_table table = {.at = at,
                                      .vtable = vtable,
                                      .vtable_size = hy_load_u16(fb->bytes + vtable),
                                      .size = hy_load_u16(fb->bytes + vtable + 2)};
    return vtable_inside(fb, &table) ? table : absent_table;
}

struct hy_fb_table hy_fb_open(struct hy_fb *fb, const void *bytes, size_t length,
                              const char identifier[4], struct hy_error *err)
{
    *fb = (struct hy_fb){.bytes = bytes, .length = length, .code = HY_OK, .err = err};

    if (length < 8) {
        reject(fb, "%zu bytes are too few for a FlatBuffer, needs 8 or more", length);
        return absent_table;
    }
    if (memcmp(fb->bytes + 4, identifier, 4) != 0) {
        reject(fb, "bytes 4 to 7 are not the file identifier \"%.4s\"", identifier);
        return absent_table;
    }
    uint32_t root = hy_load_u32(fb->bytes);
    if (root == 0) {
        reject(fb, "the root offset is 0");
        return absent_table;
    }
    return read_table(fb, root);
}

/* The position of a field of `size` bytes, aligned and inside its table; 0: absent, or failed. */
static uint64_t find_field(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot,
                           unsigned size)
{
    const uint64_t entry = 4 + 2 * (uint64_t)slot;
    if (fb->code != HY_OK || table->at == 0 || entry + 2 > table->vtable_size)
        return 0;

    const unsigned offset = hy_load_u16(fb->bytes + table->vtable + entry);
    if (offset == 0)
        return 0;
    if (offset < 4 || offset + size > table->size || (table->at + offset) % size != 0) {
        reject(fb,
               "table at byte %" PRIu64 ": field %u of %u bytes lies at %u, misaligned or outside "
               "the table's %u bytes",
               table->at, slot, size, offset, table->size);
        return 0;
    }
    return table->at + offset;
}

uint8_t hy_fb_u8(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot, uint8_t absent)
{
    uint64_t at = find_field(fb, table, slot, 1);
    return at ? fb->bytes[at] : absent;
}

uint32_t hy_fb_u32(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot,
                   uint32_t absent)
{
    uint64_t at = find_field(fb, table, slot, 4);
    return at ? hy_load_u32(fb->bytes + at) : absent;
}

int32_t hy_fb_i32(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot, int32_t absent)
{
    return (int32_t)hy_fb_u32(fb, table, slot, (uint32_t)absent);
}

uint64_t hy_fb_u64(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot,
                   uint64_t absent)
{
    uint64_t at = find_field(fb, table, slot, 8);
    return at ? hy_load_u64(fb->bytes + at) : absent;
}

float hy_fb_f32(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot, float absent)
{
    uint64_t at = find_field(fb, table, slot, 4);
    return at ? hy_load_f32(fb->bytes + at) : absent;
}

/* Follows the offset stored at `at`, which is inside the file. Offsets only point forwards: a chain
 * of offsets cannot form a cycle. */
static uint64_t follow(struct hy_fb *fb, uint64_t at)
{
    uint32_t offset = hy_load_u32(fb->bytes + at);
    if (offset == 0)
        reject(fb, "the offset at byte %" PRIu64 " is 0", at);
    return at + offset;
}

struct hy_fb_table hy_fb_child(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot)
{
    uint64_t at = find_field(fb, table, slot, 4);
    return at ? read_table(fb, follow(fb, at)) : absent_table;
}

struct hy_fb_vector hy_fb_vector(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot,
                                 size_t element_size)
{
    uint64_t field = find_field(fb, table, slot, 4);
    if (field == 0)
        return absent_vector;

    uint64_t at = follow(fb, field);
    if (at % 4 != 0 || !is_inside(fb, at, 4)) {
        reject(fb, "vector at byte %" PRIu64 " is misaligned or outside the file of %" PRIu64, at,
               fb->length);
        return absent_vector;
    }
    uint32_t count = hy_load_u32(fb->bytes + at);
    uint64_t size;
    if (!hy_mul_u64(count, element_size, &size) || !is_inside(fb, at + 4, size)) {
        reject(fb,
               "vector at byte %" PRIu64 " claims %" PRIu32 " elements of %zu bytes; the file has "
               "%" PRIu64 " bytes",
               at, count, element_size, fb->length);
        return absent_vector;
    }
    return (struct hy_fb_vector){.data = fb->bytes + at + 4, .count = count};
}

struct hy_fb_vector hy_fb_string(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot)
{
    struct hy_fb_vector string = hy_fb_vector(fb, table, slot, 1);
    if (!string.data)
        return string;

    uint64_t end = (uint64_t)(string.data - fb->bytes) + string.count;
    if (end >= fb->length || fb->bytes[end] != '\0') {
        reject(fb, "string of %" PRIu32 " bytes before byte %" PRIu64 " does not end in a NUL",
               string.count, end);
        return absent_vector;
    }
    return string;
}

struct hy_fb_table hy_fb_table_at(struct hy_fb *fb, const struct hy_fb_vector *vector,
                                  uint32_t index)
{
    if (fb->code != HY_OK || index >= vector->count)
        return absent_table;
    uint64_t at = (uint64_t)(vector->data - fb->bytes) + 4 * (uint64_t)index;
    return read_table(fb, follow(fb, at));
}
