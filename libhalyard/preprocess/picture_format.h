#ifndef HY_LIBHALYARD_PREPROCESS_PICTURE_FORMAT_H
#define HY_LIBHALYARD_PREPROCESS_PICTURE_FORMAT_H

#include "libhalyard/preprocess/picture.h"

/* Shared by the decoders of picture.c; no other file includes this header. Each decoder returns the
 * stored pixels and their EXIF orientation (1: upright). */

bool hy_png_is(const void *file, size_t length);
HY_MUST_CHECK enum hy_code hy_png_decode(const void *file, size_t length, struct hy_picture *out,
                                         unsigned *orientation, struct hy_error *err);

bool hy_jpeg_is(const void *file, size_t length);
HY_MUST_CHECK enum hy_code hy_jpeg_decode(const void *file, size_t length, struct hy_picture *out,
                                          unsigned *orientation, struct hy_error *err);

/* Allocates the pixels of `out`, whose size comes from a file of `length` bytes. A byte of the file
 * represents at most `pixels_per_byte` pixels. Errors: as hy_picture_allocate; HY_BAD_DATA: the
 * file has too few bytes for the size. */
HY_MUST_CHECK enum hy_code hy_picture_allocate_for_file(const char *format, size_t length,
                                                        uint32_t pixels_per_byte,
                                                        struct hy_picture *out,
                                                        struct hy_error *err);

#endif
