#ifndef HY_LIBHALYARD_PREPROCESS_RESIZE_H
#define HY_LIBHALYARD_PREPROCESS_RESIZE_H

#include <stdint.h>

#include "common/error.h"

struct hy_pixels {
    uint32_t width;
    uint32_t height;
    uint32_t channels; /* interleaved, rows without padding */
};

/*
 * Scales an image to to->width x to->height with a triangle filter (see image.h). Both sizes have
 * the same channels and no dimension 0. HY_OUT_OF_MEMORY is the only error.
 */
HY_MUST_CHECK enum hy_code hy_resize(const uint8_t *in, const struct hy_pixels *from, uint8_t *out,
                                     const struct hy_pixels *to, struct hy_error *err);

#endif
