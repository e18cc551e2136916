#ifndef HY_LIBHALYARD_PREPROCESS_IMAGE_H
#define HY_LIBHALYARD_PREPROCESS_IMAGE_H

#include "libhalyard/preprocess/input_spec.h"
#include "libhalyard/preprocess/picture.h"

/*
 * Conversion of a picture to the contents of a tensor.
 *
 * Shapes: [1,H,W,C] or [1,C,H,W], also without the leading 1 or with more of them, and [H,W]; C is
 * 1 (grey), 3 or 4. If the last and the first dimension could both be C, the last dimension is C.
 *
 * Colours: grey is copied to three channels; three channels are converted to grey by 0.299 R +
 * 0.587 G + 0.114 B. A picture with transparency is laid on white, except for a tensor of 4
 * channels.
 *
 * Elements: value' = (value - mean) / std, with values from 0 to 255. Without means:
 *
 *   float32, float16   value / 255
 *   uint8              value
 *   int8               value - 128
 *   int16, int32       value; if quantised, value / 255 if the tensor's numbers stay below 128,
 *                      else value
 *
 * Integers with a mean: round(value' / scale) + zero point, or round(value') if not quantised;
 * clamped to the type's range. For 8 bits without a mean the whole range of the type represents the
 * whole range of the picture, independent of the numbers of a model's training. The same rule holds
 * with a mean if the formula maps 0 and 255 to the ends of the type, or to within one step of the
 * ends: mean and quantisation cancel out, and rounding would only add noise.
 */

/*
 * Fills `out`, a tensor of `spec`. `note` gets the applied conversions: cropped, scaled. Errors:
 * HY_BAD_DATA: the tensor does not have the shape of a picture, or the options are wrong;
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_image_fill(const struct hy_pixels *pixels,
                                         const struct hy_input_spec *spec, void *out,
                                         struct hy_input_note *note, struct hy_error *err);

enum { HY_IMAGE_MAX_OPEN_SIDE = 2048 };

/*
 * Chooses a shape for a tensor with an open height or width (negative in spec->dims): the size of
 * the picture, or a smaller size of the same proportions, so that no open side exceeds
 * HY_IMAGE_MAX_OPEN_SIDE pixels. A fixed height or width, and all other dimensions, are copied;
 * open leading dimensions become 1. `dims` has spec->rank elements. HY_BAD_DATA: the tensor does
 * not have the shape of a picture, or the pixels have no size within the limits.
 */
HY_MUST_CHECK enum hy_code hy_image_choose_dims(const struct hy_pixels *pixels,
                                                const struct hy_input_spec *spec, int32_t *dims,
                                                struct hy_error *err);

#endif
