#ifndef HY_LIBHALYARD_TFLITE_METADATA_ZIP_ARCHIVE_H
#define HY_LIBHALYARD_TFLITE_METADATA_ZIP_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * A ZIP archive at the end of a file, after other contents: the container of label files in
 * `.tflite` files. Entries are stored or deflated; encrypted entries, ZIP64 and archives of several
 * parts are refused. Every offset and size is checked against the length of the file.
 */
struct hy_zip_archive {
    const uint8_t *bytes; /* the whole file, which outlives the struct */
    uint64_t length;
    uint64_t directory;   /* offset of the central directory */
    uint64_t start;       /* offset of the archive: added to the offsets of entries */
    uint32_t entry_count; /* at most HY_ZIP_MAX_ENTRIES: further entries are ignored */
};

enum { HY_ZIP_MAX_ENTRIES = 4096 };

/* HY_BAD_DATA: the file does not end in an archive, or ends in an archive of an unsupported
 * kind. */
HY_MUST_CHECK enum hy_code hy_zip_archive_open(const void *file, size_t length,
                                               struct hy_zip_archive *out, struct hy_error *err);

/* Calls `visit` with the name of each entry, which does not end in a NUL, up to the first damaged
 * entry. */
void hy_zip_archive_list(const struct hy_zip_archive *archive,
                         void (*visit)(const uint8_t *name, size_t length, void *context),
                         void *context);

/*
 * The contents of the entry called `name`, of `name_length` bytes; the caller frees them with
 * free(). HY_BAD_DATA: the entry does not exist or is damaged (its checksum is compared); or the
 * entry has more than `most_bytes`, and nothing is inflated. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_zip_archive_read(const struct hy_zip_archive *archive,
                                               const char *name, size_t name_length,
                                               size_t most_bytes, uint8_t **out, size_t *length,
                                               struct hy_error *err);

#endif
