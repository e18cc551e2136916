#ifndef HY_LIBHALYARD_PREPROCESS_RESIZE_H
#define HY_LIBHALYARD_PREPROCESS_RESIZE_H

#include "libhalyard/preprocess/picture.h"

/*
 * Scales pixels to `width` x `height`, rows `stride` bytes apart, of the same channels. The filter
 * is a triangle as wide as the step between samples: bilinear for a growing side, a weighted
 * average of the area for a shrinking side. Sample i covers [i, i + 1); the sides of both pictures
 * coincide, and pixels outside have no weight. No side may be 0 or beyond HY_PICTURE_MAX_SIDE.
 * Error: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_resize(const struct hy_pixels *from, uint8_t *out, size_t stride,
                                     uint32_t width, uint32_t height, struct hy_error *err);

#endif
