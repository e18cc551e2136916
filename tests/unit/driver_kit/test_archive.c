/* Archives and checksums: what a driver puts into cache files and blobs. */
#include "driver_kit/archive.h"
#include "driver_kit/checksum.h"
#include "tests/kit/test.h"

#include <string.h>

static const char format[HY_ARCHIVE_FORMAT_SIZE] = "testing";

enum { PARTS = 3 };

/* Room for an archive of three parts, of 5, 0 and 130 bytes, and for one more block. */
struct capacity {
    _Alignas(HY_ARCHIVE_ALIGNMENT) uint8_t bytes[64 + 64 + 0 + 192 + 64];
};

static struct hy_bytes make_frame(struct capacity *capacity)
{
    uint8_t bytes[130];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i + 1);
    const struct hy_bytes parts[PARTS] = {{bytes, 5}, {NULL, 0}, {bytes, sizeof bytes}};
    memset(capacity->bytes, 0xaa, sizeof capacity->bytes);
    EXPECT_INT(hy_archive_bytes(parts, PARTS), sizeof capacity->bytes - 64);
    hy_archive_write(format, parts, PARTS, capacity->bytes);
    return (struct hy_bytes){capacity->bytes, sizeof capacity->bytes - 64};
}

TEST(driver_kit_archive, parts_come_back_aligned_and_with_their_lengths)
{
    struct capacity capacity;
    const struct hy_bytes archive = make_frame(&capacity);
    struct hy_bytes parts[PARTS];
    EXPECT(hy_archive_read(&archive, format, parts, PARTS));
    EXPECT_INT(parts[0].length, 5);
    EXPECT_INT(parts[1].length, 0);
    EXPECT_INT(parts[2].length, 130);
    for (unsigned i = 0; i < PARTS; i++)
        EXPECT_INT((uintptr_t)parts[i].data % HY_ARCHIVE_ALIGNMENT, 0);
    for (unsigned i = 0; i < 130; i++)
        EXPECT_INT(((const uint8_t *)parts[2].data)[i], i + 1);
}

TEST(driver_kit_archive, bytes_between_the_parts_are_zero)
{
    struct capacity capacity;
    (void)make_frame(&capacity);
    for (unsigned i = 64 + 5; i < 128; i++)
        EXPECT_INT(capacity.bytes[i], 0);
    for (unsigned i = 128 + 130; i < 320; i++)
        EXPECT_INT(capacity.bytes[i], 0);
    EXPECT_INT(capacity.bytes[320], 0xaa); /* the first byte behind the archive */
}

TEST(driver_kit_archive, frame_of_another_length_is_refused)
{
    struct capacity capacity;
    struct hy_bytes archive = make_frame(&capacity), parts[PARTS];
    const uint64_t length = archive.length;
    for (archive.length = 0; archive.length <= length + 64; archive.length++)
        EXPECT(hy_archive_read(&archive, format, parts, PARTS) == (archive.length == length));
}

TEST(driver_kit_archive, lengths_that_do_not_fit_are_refused)
{
    static const uint64_t lengths[] = {
        65, 131, 193, UINT64_C(1) << 32, UINT64_MAX, UINT64_MAX - 62, UINT64_MAX - 63};
    for (unsigned part = 0; part < HY_ARCHIVE_MAX_PARTS; part++) {
        for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            if ((part == 2 && lengths[i] == 131) || (part > 2 && lengths[i] == UINT64_MAX))
                continue; /* those fit */
            struct capacity capacity;
            const struct hy_bytes archive = make_frame(&capacity);
            struct hy_bytes parts[PARTS];
            memcpy(capacity.bytes + HY_ARCHIVE_FORMAT_SIZE + 8 * part, &lengths[i], 8);
            EXPECT(!hy_archive_read(&archive, format, parts, PARTS));
        }
    }
}

TEST(driver_kit_archive, another_format_or_number_of_parts_is_refused)
{
    struct capacity capacity;
    const struct hy_bytes archive = make_frame(&capacity);
    struct hy_bytes parts[HY_ARCHIVE_MAX_PARTS];
    EXPECT(!hy_archive_read(&archive, "testinh", parts, PARTS));
    EXPECT(!hy_archive_read(&archive, format, parts, PARTS - 1));
    EXPECT(!hy_archive_read(&archive, format, parts, PARTS + 1));
    EXPECT(hy_archive_read(&archive, format, parts, PARTS));
}

TEST(driver_kit_checksum, changes_with_every_bit_and_with_the_length)
{
    uint8_t bytes[75];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 29);
    const uint64_t sum = hy_checksum(bytes, sizeof bytes);
    for (unsigned bit = 0; bit < sizeof bytes * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        EXPECT(hy_checksum(bytes, sizeof bytes) != sum);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (unsigned length = 0; length < sizeof bytes; length++)
        EXPECT(hy_checksum(bytes, length) != sum);
    EXPECT(hy_checksum(bytes, sizeof bytes) == sum);
}
