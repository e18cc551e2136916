#ifndef HY_TESTS_TOOLS_KIT_JPEG_WRITER_H
#define HY_TESTS_TOOLS_KIT_JPEG_WRITER_H

#include <stdbool.h>

#include "tests/tools/kit/png_writer.h"

/* What a JPEG is made of. Pixels are rows of `channels` bytes: 1: grey, 3: RGB, 4: CMYK. */
struct jpeg_draft {
    uint32_t width, height, channels;
    const uint8_t *pixels;
    bool progressive;
    bool ycck;            /* 4 channels are stored as YCCK, else as CMYK */
    bool without_adobe;   /* without the marker of Adobe's programs */
    unsigned orientation; /* 0: without EXIF */
};

/* Encodes at the best quality, without subsampling; free() the bytes. */
struct image_file make_jpeg(const struct jpeg_draft *draft);

/* The TIFF structure of an EXIF block that has the orientation alone: 26 bytes. */
enum { TIFF_BYTES = 26 };
void make_tiff(unsigned orientation, bool big_endian, uint8_t out[TIFF_BYTES]);

#endif
