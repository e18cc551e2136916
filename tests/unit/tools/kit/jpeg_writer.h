#ifndef HY_TESTS_UNIT_TOOLS_KIT_JPEG_WRITER_H
#define HY_TESTS_UNIT_TOOLS_KIT_JPEG_WRITER_H

#include <stdbool.h>

#include "tests/unit/tools/kit/png_writer.h"

/* Contents of a JPEG. Pixels are rows of `channels` bytes: 1: grey, 3: RGB, 4: CMYK. */
struct jpeg_spec {
    uint32_t width, height, channels;
    const uint8_t *pixels;
    bool progressive;
    bool ycck;            /* stores 4 channels as YCCK instead of CMYK */
    bool without_adobe;   /* omits Adobe's marker */
    unsigned orientation; /* 0: without EXIF */
};

/* Encodes at the best quality without subsampling. The caller frees the bytes. */
struct image_file make_jpeg(const struct jpeg_spec *spec);

/* The TIFF structure of an EXIF block with only the orientation: 26 bytes. */
enum { TIFF_BYTES = 26 };
void make_tiff(unsigned orientation, bool big_endian, uint8_t out[TIFF_BYTES]);

#endif
