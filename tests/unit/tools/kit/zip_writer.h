#ifndef HY_TESTS_UNIT_TOOLS_KIT_ZIP_WRITER_H
#define HY_TESTS_UNIT_TOOLS_KIT_ZIP_WRITER_H

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

/* Offsets of an entry's fields in the central directory, for tests with corrupted fields. */
enum {
    ZIP_FLAGS = 8,
    ZIP_METHOD = 10,
    ZIP_CHECKSUM = 16,
    ZIP_PACKED_BYTES = 20,
    ZIP_BYTES = 24,
    ZIP_OFFSET = 42,
};

/* Appends an archive to `*file`, `*length` bytes of malloc'ed memory. Returns the offset of the
 * central directory. With `from_archive` offsets in the archive count from its start, else from the
 * start of the file, as in other writers. */
size_t append_zip(uint8_t **file, size_t *length, const struct zip_entry *entries, uint32_t count,
                  bool from_archive);

#endif
