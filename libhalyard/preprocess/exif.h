#ifndef HY_LIBHALYARD_PREPROCESS_EXIF_H
#define HY_LIBHALYARD_PREPROCESS_EXIF_H

#include <stddef.h>
#include <stdint.h>

/*
 * The orientation recorded by a camera, from the TIFF structure of an EXIF block: the sides of the
 * upright picture with row 0 and column 0 of the stored pixels.
 *
 *   1  top, left        5  left, top
 *   2  top, right       6  right, top
 *   3  bottom, right    7  right, bottom
 *   4  bottom, left     8  left, bottom
 *
 * 1 for a block without an orientation, and for a damaged block.
 */
unsigned hy_exif_orientation(const uint8_t *tiff, size_t length);

#endif
