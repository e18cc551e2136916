#ifndef HY_LIBHALYARD_PREPROCESS_EXIF_H
#define HY_LIBHALYARD_PREPROCESS_EXIF_H

#include <stddef.h>
#include <stdint.h>

/*
 * The orientation that a camera noted, from the TIFF structure of an EXIF block: where the row 0
 * and the column 0 of the stored pixels lie in the upright picture.
 *
 *   1  top, left        5  left, top
 *   2  top, right       6  right, top
 *   3  bottom, right    7  right, bottom
 *   4  bottom, left     8  left, bottom
 *
 * 1 where there is none, or where the block is damaged.
 */
unsigned hy_exif_orientation(const uint8_t *tiff, size_t length);

#endif
