#ifndef HY_LIBHALYARD_PREPROCESS_IMAGE_ELEMENTS_H
#define HY_LIBHALYARD_PREPROCESS_IMAGE_ELEMENTS_H

#include "libhalyard/preprocess/image_shape.h"

/* A table from the values of a pixel (0 to 255) to elements, for each channel of a tensor. Elements
 * have 1, 2 or 4 bytes, little-endian. */
struct hy_image_elements {
    uint32_t element_bytes;
    uint8_t table[HY_IMAGE_MAX_CHANNELS][256][4];
};

/* Makes the table by the rules of image.h. HY_BAD_DATA: a type that does not support pixels; a
 * number of means and stds that differs from the channels; a std that cannot be a divisor. */
HY_MUST_CHECK enum hy_code hy_image_elements_make(const struct hy_input_spec *spec,
                                                  uint32_t channels, struct hy_image_elements *out,
                                                  struct hy_error *err);

/* Stores a row of `width` pixels of `shape->channels` bytes each, as row `y` of the tensor. */
void hy_image_elements_store(const struct hy_image_elements *elements,
                             const struct hy_image_shape *shape, const uint8_t *row, uint32_t y,
                             uint32_t width, uint32_t height, void *out);

#endif
