#include "libhalyard/preprocess/exif.h"

#include <stdbool.h>
#include <string.h>

#include "common/checked.h"

enum {
    UPRIGHT = 1,
    TAG_ORIENTATION = 0x0112,
    TYPE_SHORT = 3,
    ENTRY_BYTES = 12,
};

struct tiff {
    const uint8_t *bytes;
    size_t length;
    bool big_endian;
};

static unsigned load_u16(const struct tiff *tiff, size_t at)
{
    const unsigned first = tiff->bytes[at], second = tiff->bytes[at + 1];
    return tiff->big_endian ? first << 8 | second : second << 8 | first;
}

static uint32_t load_u32(const struct tiff *tiff, size_t at)
{
    const uint32_t first = load_u16(tiff, at), second = load_u16(tiff, at + 2);
    return tiff->big_endian ? first << 16 | second : second << 16 | first;
}

static unsigned orientation_of_entry(const struct tiff *tiff, size_t at)
{
    if (load_u16(tiff, at + 2) != TYPE_SHORT || load_u32(tiff, at + 4) != 1)
        return UPRIGHT;
    const unsigned value = load_u16(tiff, at + 8);
    return value >= 1 && value <= 8 ? value : UPRIGHT;
}

unsigned hy_exif_orientation(const uint8_t *bytes, size_t length)
{
    if (length < 8 || (memcmp(bytes, "II*\0", 4) != 0 && memcmp(bytes, "MM\0*", 4) != 0))
        return UPRIGHT;
    const struct tiff tiff = {bytes, length, bytes[0] == 'M'};
    const uint32_t directory = load_u32(&tiff, 4);
    if (!hy_range_inside(directory, 2, length))
        return UPRIGHT;

    const unsigned count = load_u16(&tiff, directory);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t entry = (uint64_t)directory + 2 + (uint64_t)i * ENTRY_BYTES;
        if (!hy_range_inside(entry, ENTRY_BYTES, length))
            return UPRIGHT;
        if (load_u16(&tiff, entry) == TAG_ORIENTATION)
            return orientation_of_entry(&tiff, entry);
    }
    return UPRIGHT;
}
