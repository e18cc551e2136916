#ifndef HY_LIBHALYARD_PREPROCESS_INPUT_H
#define HY_LIBHALYARD_PREPROCESS_INPUT_H

#include <stddef.h>

#include "common/error.h"
#include "libhalyard/preprocess/input_spec.h"

/*
 * Fills `out`, of exactly `bytes` bytes for `spec`, from the contents of a file that is no picture:
 *
 *   .npy   (recognised by its first bytes) the same element type and, except for leading 1s, the
 *          same shape; see npy.h
 *   else   raw little-endian elements: the file has exactly `bytes` bytes; for a file of another
 *          length that begins like a picture, the error names the picture format
 *
 * `name` is the path: errors begin with the path. A file with an extension of pictures or arrays
 * and other contents is an error. After a failure `out` may be partly written.
 */
HY_MUST_CHECK enum hy_code hy_input_decode(const char *name, const void *file, size_t length,
                                           const struct hy_input_spec *spec, void *out,
                                           size_t bytes, struct hy_error *err);

#endif
