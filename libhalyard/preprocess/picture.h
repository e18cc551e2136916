#ifndef HY_LIBHALYARD_PREPROCESS_PICTURE_H
#define HY_LIBHALYARD_PREPROCESS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Pixels, not owned: `channels` bytes each (1: grey, 3: RGB, 4: RGBA), rows `stride` bytes
 * apart. */
struct hy_pixels {
    const uint8_t *bytes;
    size_t stride;
    uint32_t width, height, channels;
};

/* A decoded file, upright: 1, 3 or 4 channels of 8 bits, rows without padding. */
struct hy_picture {
    uint8_t *bytes;
    uint32_t width, height, channels;
};

enum {
    HY_PICTURE_MAX_PIXELS = 1 << 26,
    HY_PICTURE_MAX_SIDE = 65535, /* the largest side of a JPEG */
};

/* True for a file that begins like a PNG or a JPEG. */
bool hy_picture_is(const void *file, size_t length);

/*
 * Decodes a PNG or a JPEG. Colours stay as the file stores them, interpreted as sRGB:
 *
 *   PNG    by libpng's simplified API: every depth becomes 8 bits, palettes become colours, a
 *          transparent colour becomes alpha. 16 bits are interpreted as sRGB.
 *   JPEG   by libjpeg: baseline and progressive, grey, YCbCr and RGB; CMYK and YCCK become RGB. A
 *          truncated file is refused; a file with a broken but decodable part is accepted.
 *
 * The picture is rotated and mirrored by its EXIF orientation. Errors: HY_BAD_DATA for a damaged
 * file, or for a picture beyond HY_PICTURE_MAX_PIXELS or HY_PICTURE_MAX_SIDE; HY_OUT_OF_MEMORY. The
 * caller finishes the picture.
 */
HY_MUST_CHECK enum hy_code hy_picture_decode(const void *file, size_t length,
                                             struct hy_picture *out, struct hy_error *err);

/* A zeroed struct is valid. */
void hy_picture_finish(struct hy_picture *picture);

/* HY_BAD_DATA for a side of 0 and for a size beyond the limits. `what` names the picture in the
 * error text. */
HY_MUST_CHECK enum hy_code hy_picture_check_size(const char *what, uint32_t width, uint32_t height,
                                                 struct hy_error *err);

/* Allocates the bytes of `out`, whose width, height and channels are set and checked. */
HY_MUST_CHECK enum hy_code hy_picture_allocate(const char *what, struct hy_picture *out,
                                               struct hy_error *err);

struct hy_pixels hy_picture_pixels(const struct hy_picture *picture);

#endif
