/*
 * Parts of bytes in one piece: what a driver puts into a cache file or a blob. An archive begins
 * with the name of its format and the lengths of its parts; each part lies at a multiple of 64
 * bytes.
 *
 * An archive has no checksum: the host checks what it gives back (hy_host.cache_restore,
 * blob_load). A reader checks the lengths all the same. An archive is for the machine that wrote
 * it: the order of bytes is the processor's.
 */
#ifndef HY_DRIVER_KIT_ARCHIVE_H
#define HY_DRIVER_KIT_ARCHIVE_H

#include <halyard/driver.h>

#include <stdbool.h>

#define HY_ARCHIVE_ALIGNMENT   64u /* bytes */
#define HY_ARCHIVE_FORMAT_SIZE 8u  /* bytes of the name of a format */
#define HY_ARCHIVE_MAX_PARTS   7u

/* `length` rounded up to a multiple of HY_ARCHIVE_ALIGNMENT. `length` is at most 2^62 bytes. */
uint64_t hy_archive_aligned(uint64_t length);

/* Bytes of the archive of these parts: a multiple of HY_ARCHIVE_ALIGNMENT. */
uint64_t hy_archive_bytes(const struct hy_bytes *parts, uint32_t count);

/* Writes hy_archive_bytes bytes to `archive`. The bytes of a part may be NULL where its length is
 * 0. */
void hy_archive_write(const char format[HY_ARCHIVE_FORMAT_SIZE], const struct hy_bytes *parts,
                      uint32_t count, void *archive);

/* Points the parts into the bytes of the archive. False where the bytes are of another format, have
 * another number of parts, or are shorter or longer than their own lengths say. */
bool hy_archive_read(const struct hy_bytes *archive, const char format[HY_ARCHIVE_FORMAT_SIZE],
                     struct hy_bytes *parts, uint32_t count);

#endif
