#include "driver_kit/archive.h"

#include <assert.h>
#include <string.h>

/* The header of an archive. Absent parts have the length NO_PART. */
struct header {
    char format[HY_ARCHIVE_FORMAT_SIZE];
    uint64_t lengths[HY_ARCHIVE_MAX_PARTS];
};
static_assert(sizeof(struct header) == HY_ARCHIVE_ALIGNMENT, "the first part is aligned");

#define NO_PART UINT64_MAX

uint64_t hy_archive_aligned(uint64_t length)
{
    return (length + HY_ARCHIVE_ALIGNMENT - 1) / HY_ARCHIVE_ALIGNMENT * HY_ARCHIVE_ALIGNMENT;
}

uint64_t hy_archive_bytes(const struct hy_bytes *parts, uint32_t count)
{
    uint64_t bytes = sizeof(struct header);
    for (uint32_t i = 0; i < count; i++)
        bytes += hy_archive_aligned(parts[i].length);
    return bytes;
}

void hy_archive_write(const char format[HY_ARCHIVE_FORMAT_SIZE], const struct hy_bytes *parts,
                      uint32_t count, void *archive)
{
    struct header header;
    uint8_t *at = (uint8_t *)archive + sizeof header;
    memcpy(header.format, format, sizeof header.format);
    for (uint32_t i = 0; i < HY_ARCHIVE_MAX_PARTS; i++)
        header.lengths[i] = i < count ? parts[i].length : NO_PART;
    memcpy(archive, &header, sizeof header);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t length = parts[i].length, capacity = hy_archive_aligned(length);
        if (length > 0)
            memcpy(at, parts[i].data, length);
        memset(at + length, 0, capacity - length);
        at += capacity;
    }
}

bool hy_archive_read(const struct hy_bytes *archive, const char format[HY_ARCHIVE_FORMAT_SIZE],
                     struct hy_bytes *parts, uint32_t count)
{
    struct header header;
    if (archive->length < sizeof header)
        return false;
    memcpy(&header, archive->data, sizeof header);
    if (memcmp(header.format, format, sizeof header.format) != 0)
        return false;
    uint64_t used = sizeof header;
    for (uint32_t i = 0; i < HY_ARCHIVE_MAX_PARTS; i++) {
        const uint64_t length = header.lengths[i], left = archive->length - used;
        if (i >= count) {
            if (length != NO_PART)
                return false;
            continue;
        }
        if (length > left || hy_archive_aligned(length) > left)
            return false;
        parts[i] = (struct hy_bytes){(const uint8_t *)archive->data + used, length};
        used += hy_archive_aligned(length);
    }
    return used == archive->length;
}
