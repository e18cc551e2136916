#ifndef HY_LIBHALYARD_PREPROCESS_PICTURE_FORMAT_H
#define HY_LIBHALYARD_PREPROCESS_PICTURE_FORMAT_H

#include "libhalyard/preprocess/picture.h"

/* Shared by the decoders of picture.c; nothing else includes this. Each decoder gives the pixels as
 * they are stored, and the EXIF orientation that goes with them (1: upright). */

bool hy_png_is(const void *file, size_t length);
HY_MUST_CHECK enum hy_code hy_png_decode(const void *file, size_t length, struct hy_picture *out,
                                         unsigned *orientation, struct hy_error *err);

bool hy_jpeg_is(const void *file, size_t length);
HY_MUST_CHECK enum hy_code hy_jpeg_decode(const void *file, size_t length, struct hy_picture *out,
                                          unsigned *orientation, struct hy_error *err);

/* Memory for the pixels of `out`, whose size a file of `length` bytes claims; a byte can stand for
 * `pixels_per_byte` at most. Errors: as hy_picture_allocate, and HY_BAD_DATA where the bytes are
 * too few. */
HY_MUST_CHECK enum hy_code hy_picture_allocate_for_file(const char *format, size_t length,
                                                        uint32_t pixels_per_byte,
                                                        struct hy_picture *out,
                                                        struct hy_error *err);

#endif
