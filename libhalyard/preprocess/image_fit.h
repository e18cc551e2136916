#ifndef HY_LIBHALYARD_PREPROCESS_IMAGE_FIT_H
#define HY_LIBHALYARD_PREPROCESS_IMAGE_FIT_H

#include "libhalyard/preprocess/input_spec.h"
#include "libhalyard/preprocess/picture.h"

/* The grey of a letterbox: the usual value in the training of object detectors. */
enum { HY_IMAGE_LETTERBOX_GREY = 114 };

/*
 * Scales and crops pixels to the size of `frame`, whose bytes belong to the caller, with rows
 * without padding and the channels of `pixels`. A letterbox is opaque. `note` gets the applied
 * conversions. Errors: HY_OUT_OF_MEMORY; HY_BAD_DATA: an unknown fit.
 */
HY_MUST_CHECK enum hy_code hy_image_fit_pixels(const struct hy_pixels *pixels,
                                               enum hy_image_fit fit,
                                               const struct hy_picture *frame,
                                               struct hy_input_note *note, struct hy_error *err);

#endif
