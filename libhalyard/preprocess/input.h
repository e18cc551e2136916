#ifndef HY_LIBHALYARD_PREPROCESS_INPUT_H
#define HY_LIBHALYARD_PREPROCESS_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "libhalyard/graph/element.h"
#include "libhalyard/preprocess/image.h"

/*
 * Fills `out`, which has exactly the `bytes` that `spec` needs, from the contents of a file, whose
 * `name` is for the words of errors, and its extension a promise:
 *
 *   .npy        (known by its first bytes) the same element type and, but for leading 1s, the same
 *               shape; see npy.h
 *   PNG, JPEG   (known by their first bytes) where the tensor can be a picture; see image.h
 *   else        raw little-endian elements: the file has exactly `bytes` bytes
 *
 * `note` may be NULL. On failure `out` may be partly written.
 */
HY_MUST_CHECK enum hy_code hy_input_decode(const char *name, const void *file, size_t length,
                                           const struct hy_input_spec *spec, void *out,
                                           size_t bytes, struct hy_input_note *note,
                                           struct hy_error *err);

#endif
