#ifndef HY_LIBHALYARD_PREPROCESS_IMAGE_H
#define HY_LIBHALYARD_PREPROCESS_IMAGE_H

#include "libhalyard/preprocess/input_spec.h"
#include "libhalyard/preprocess/picture.h"

/*
 * A picture as the contents of a tensor.
 *
 * Shapes: [1,H,W,C] or [1,C,H,W], the same without the first 1 or with more of them, and [H,W]; C
 * is 1 (grey), 3 or 4. Where both the last and the first dimension could be C, the last is.
 *
 * Colours: grey is copied to three channels; grey is made of three by 0.299 R + 0.587 G + 0.114 B.
 * A picture with transparency is laid on white, but for a tensor of 4 channels.
 *
 * Elements: value' = (value - mean) / std, with values from 0 to 255. Without means:
 *
 *   float32, float16   value / 255
 *   uint8              value
 *   int8               value - 128
 *   int16, int32       value; where quantised, value / 255 if the tensor's numbers stay below 128,
 *                      else value
 *
 * Integers with a mean: round(value' / scale) + zero point, or round(value') where not quantised;
 * clamped to the type's range. For 8 bits without a mean the whole range of the type stands for the
 * whole range of the picture, whatever numbers a model was trained on. The same holds with a mean
 * where the formula takes 0 and 255 to the ends of the type, or to a step beside them: mean and
 * quantisation then cancel, and rounding would only add noise.
 */

/*
 * Fills `out`, a tensor of `spec`. `note` gets what was done: cropped, scaled. Errors: HY_BAD_DATA,
 * where the tensor is no picture or the options are wrong; HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_image_fill(const struct hy_pixels *pixels,
                                         const struct hy_input_spec *spec, void *out,
                                         struct hy_input_note *note, struct hy_error *err);

enum { HY_IMAGE_MAX_OPEN_SIDE = 2048 };

/*
 * A shape for a tensor whose height or width is open (negative in spec->dims): that of the picture,
 * or smaller in the same proportions, so that no open side is beyond HY_IMAGE_MAX_OPEN_SIDE. A
 * height or width that is fixed, and all other dimensions, are copied; open leading dimensions
 * become 1. `dims` has room for spec->rank. HY_BAD_DATA: the tensor is no picture, or the pixels
 * have no size within the limits.
 */
HY_MUST_CHECK enum hy_code hy_image_choose_dims(const struct hy_pixels *pixels,
                                                const struct hy_input_spec *spec, int32_t *dims,
                                                struct hy_error *err);

#endif
