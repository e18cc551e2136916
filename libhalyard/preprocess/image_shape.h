#ifndef HY_LIBHALYARD_PREPROCESS_IMAGE_SHAPE_H
#define HY_LIBHALYARD_PREPROCESS_IMAGE_SHAPE_H

#include <stdbool.h>

#include "common/error.h"
#include "libhalyard/preprocess/input_spec.h"

/* The dimensions of a tensor, interpreted as a picture. */
struct hy_image_shape {
    uint32_t height_at, width_at; /* indices of dimensions */
    uint32_t channels;
    bool planar; /* NCHW */
};

/* Applies the rule of image.h. Height and width may be open (negative). HY_BAD_DATA: the tensor
 * does not have the shape of a picture. */
HY_MUST_CHECK enum hy_code hy_image_shape_find(const struct hy_input_spec *spec,
                                               struct hy_image_shape *out, struct hy_error *err);

#endif
