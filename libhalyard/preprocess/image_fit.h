#ifndef HY_LIBHALYARD_PREPROCESS_IMAGE_FIT_H
#define HY_LIBHALYARD_PREPROCESS_IMAGE_FIT_H

#include "libhalyard/preprocess/input_spec.h"
#include "libhalyard/preprocess/picture.h"

/* The grey of a letterbox: the value that object detectors are commonly trained with. */
enum { HY_IMAGE_LETTERBOX_GREY = 114 };

/*
 * Brings pixels to the size of `frame`, whose bytes are the caller's, with rows without padding and
 * the channels of `pixels`. A letterbox is opaque. `note` gets what was done. HY_OUT_OF_MEMORY;
 * HY_BAD_DATA for a fit that does not exist.
 */
HY_MUST_CHECK enum hy_code hy_image_fit_pixels(const struct hy_pixels *pixels,
                                               enum hy_image_fit fit,
                                               const struct hy_picture *frame,
                                               struct hy_input_note *note, struct hy_error *err);

#endif
