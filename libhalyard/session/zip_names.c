#include "libhalyard/session/zip_names.h"

#include <stdint.h>
#include <string.h>

#include "common/checked.h"
#include "libhalyard/tflite/flatbuffer.h"

/* Sizes and fields of APPNOTE.TXT, sections 4.3.12 and 4.3.16. */
enum {
    END_SIZE = 22,
    END_ENTRIES = 10,
    END_OFFSET = 16,
    ENTRY_SIZE = 46,
    ENTRY_NAME_LENGTH = 28,
    ENTRY_EXTRA_LENGTH = 30,
    ENTRY_COMMENT_LENGTH = 32,
    MOST_COMMENT = 65535,
};

/* The end of the directory; NULL: there is none in the last 64 KiB. */
static const uint8_t *find_end(const uint8_t *bytes, size_t length)
{
    for (size_t back = END_SIZE; back <= length && back <= END_SIZE + MOST_COMMENT; back++) {
        if (memcmp(bytes + length - back, "PK\x05\x06", 4) == 0)
            return bytes + length - back;
    }
    return NULL;
}

static void give_name(const uint8_t *from, size_t length,
                      void (*name)(const char *text, void *context), void *context)
{
    char text[256];
    const size_t taken = length < sizeof text ? length : sizeof text - 1;

    memcpy(text, from, taken);
    text[taken] = '\0';
    name(text, context);
}

void hy_zip_names(const void *bytes, size_t length, void (*name)(const char *text, void *context),
                  void *context)
{
    const uint8_t *start = bytes, *end = find_end(start, length);

    if (!end)
        return;
    uint64_t at = hy_load_u32(end + END_OFFSET);
    for (unsigned left = hy_load_u16(end + END_ENTRIES); left > 0; left--) {
        if (!hy_range_inside(at, ENTRY_SIZE, length) || memcmp(start + at, "PK\x01\x02", 4) != 0)
            return;
        const uint8_t *entry = start + at;
        const size_t name_length = hy_load_u16(entry + ENTRY_NAME_LENGTH);
        if (!hy_range_inside(at + ENTRY_SIZE, name_length, length))
            return;
        give_name(entry + ENTRY_SIZE, name_length, name, context);
        at += ENTRY_SIZE + name_length + hy_load_u16(entry + ENTRY_EXTRA_LENGTH) +
              hy_load_u16(entry + ENTRY_COMMENT_LENGTH);
    }
}
