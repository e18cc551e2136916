/*
 * An archive: several byte sequences (parts) in one piece, for a cache file or a blob. An archive
 * begins with the name of its format and the lengths of its parts. Each part starts at a multiple
 * of 64 bytes.
 *
 * An archive has no checksum, because the host verifies restored bytes (hy_host.cache_restore,
 * blob_load). A reader still checks the lengths. Byte order is native, so an archive is only valid
 * on the machine that wrote the archive.
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

/* The size in bytes of an archive with these parts: a multiple of HY_ARCHIVE_ALIGNMENT. */
uint64_t hy_archive_bytes(const struct hy_bytes *parts, uint32_t count);

/* Writes hy_archive_bytes bytes to `archive`. The data of a part may be NULL if its length is 0. */
void hy_archive_write(const char format[HY_ARCHIVE_FORMAT_SIZE], const struct hy_bytes *parts,
                      uint32_t count, void *archive);

/* Points `parts` into `archive`. False: the bytes have another format or another number of parts,
 * or the length does not match the lengths of the parts. */
bool hy_archive_read(const struct hy_bytes *archive, const char format[HY_ARCHIVE_FORMAT_SIZE],
                     struct hy_bytes *parts, uint32_t count);

#endif
