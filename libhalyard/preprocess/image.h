#ifndef HY_LIBHALYARD_PREPROCESS_IMAGE_H
#define HY_LIBHALYARD_PREPROCESS_IMAGE_H

#include <stdbool.h>

#include "libhalyard/preprocess/input.h"

/*
 * PNG as the input of an image model, a tensor [1, H, W, C]: C = 1 grey, 3 RGB, 4 RGBA.
 *
 * Decoding is libpng's simplified API (png_image): packaged everywhere, maintained, under a licence
 * as free as ours, and it turns every PNG there is into 8-bit grey, RGB or RGBA by itself. An image
 * with transparency is laid on white where C is 1 or 3. At most 2^26 pixels are read.
 *
 * An image of another size is scaled with a triangle filter, as wide as the step between samples:
 * bilinear where it grows, a weighted area average where it shrinks. The note says so.
 *
 * A pixel (0 to 255) becomes a number by the tensor's type:
 *   uint8    the pixel itself
 *   float32  pixel / 255
 *   int8     the tensor's range tells what real number the model was trained on. With 256 steps
 *            that span less than 128 (vww: 1/255 each): pixel / 255; from there on (a step of 1):
 *            pixel. Then round(real / scale) + zero_point, clamped. For 1/255 and for 1, with zero
 *            point -128, this is pixel - 128.
 */
bool hy_png_is(const void *file, size_t length);

HY_MUST_CHECK enum hy_code hy_png_decode(const void *file, size_t length,
                                         const struct hy_input_spec *spec, void *out,
                                         struct hy_input_note *note, struct hy_error *err);

#endif
