#ifndef HY_TESTS_TOOLS_KIT_ZIP_WRITER_H
#define HY_TESTS_TOOLS_KIT_ZIP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry of an archive. */
struct zip_entry {
    const char *name;
    const void *bytes;
    size_t length;
    bool deflated; /* else stored */
};

/* Offsets of an entry's fields in the central directory, for tests that spoil one. */
enum {
    ZIP_FLAGS = 8,
    ZIP_METHOD = 10,
    ZIP_CHECKSUM = 16,
    ZIP_PACKED_BYTES = 20,
    ZIP_BYTES = 24,
    ZIP_OFFSET = 42,
};

/* Appends an archive to `*file`, of `*length` bytes in malloc'ed memory, and gives where the
 * central directory lies. Offsets count from the start of the file, as other writers do, or from
 * the start of the archive. */
size_t append_zip(uint8_t **file, size_t *length, const struct zip_entry *entries, uint32_t count,
                  bool from_archive);

#endif
