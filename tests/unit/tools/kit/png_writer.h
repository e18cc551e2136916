#ifndef HY_TESTS_UNIT_TOOLS_KIT_PNG_WRITER_H
#define HY_TESTS_UNIT_TOOLS_KIT_PNG_WRITER_H

#include <stddef.h>
#include <stdint.h>

/* A file in memory; the caller frees the bytes. */
struct image_file {
    uint8_t *bytes;
    size_t length;
};

/* Encodes pixels; `format` is a PNG_FORMAT_ of libpng. */
struct image_file make_png(uint32_t width, uint32_t height, uint32_t format, const uint8_t *pixels);

/* A row of bytes as stored in the file: `depth` bits per channel of `colour`, a PNG_COLOR_TYPE_.
 * Palettes have the three colours red, green and blue. If present, `exif` is stored in an eXIf
 * chunk. */
struct stored_png {
    uint32_t width;
    int depth, colour;
    const uint8_t *row;
    const uint8_t *exif;
    uint32_t exif_bytes;
};
struct image_file make_stored_png(const struct stored_png *png);

#endif
