#ifndef HY_LIBHALYARD_TFLITE_METADATA_ZIP_ARCHIVE_H
#define HY_LIBHALYARD_TFLITE_METADATA_ZIP_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * A ZIP archive at the end of a file, behind other contents: how `.tflite` files carry label files.
 * Entries are stored or deflated; encrypted entries, ZIP64 and archives of several parts are
 * refused. Every offset and size is checked against the bytes that are there.
 */
struct hy_zip_archive {
    const uint8_t *bytes; /* of the whole file, which outlives the struct */
    uint64_t length;
    uint64_t directory;   /* where the central directory begins */
    uint64_t start;       /* where the archive begins: added to the offsets of entries */
    uint32_t entry_count; /* HY_ZIP_MAX_ENTRIES at most: others are not looked at */
};

enum { HY_ZIP_MAX_ENTRIES = 4096 };

/* HY_BAD_DATA: the file does not end in an archive, or in one of a kind that is not read. */
HY_MUST_CHECK enum hy_code hy_zip_archive_open(const void *file, size_t length,
                                               struct hy_zip_archive *out, struct hy_error *err);

/* Calls `visit` with the name of each entry, which has no NUL at its end, up to the first entry
 * that is not whole. */
void hy_zip_archive_list(const struct hy_zip_archive *archive,
                         void (*visit)(const uint8_t *name, size_t length, void *context),
                         void *context);

/*
 * The contents of the entry called `name`, of `name_length` bytes; free() them. HY_BAD_DATA: there
 * is no such entry, the entry is damaged (its checksum is compared), or it has more than
 * `most_bytes`, of which nothing is inflated then. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_zip_archive_read(const struct hy_zip_archive *archive,
                                               const char *name, size_t name_length,
                                               size_t most_bytes, uint8_t **out, size_t *length,
                                               struct hy_error *err);

#endif
