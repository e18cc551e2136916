#ifndef HY_LIBHALYARD_PREPROCESS_INPUT_H
#define HY_LIBHALYARD_PREPROCESS_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "libhalyard/graph/element.h"

/* The tensor that is to be filled: its type, its shape with no dimension left open, and how real
 * numbers are stored in it (scale 0: not quantised). */
struct hy_input_spec {
    enum hy_element type;
    uint32_t rank;
    const int32_t *dims;
    float scale;
    int32_t zero_point;
};

/* What was done to the data that its owner may want to know; an empty text if nothing was. */
struct hy_input_note {
    char text[160];
};

/*
 * Fills `out`, which has exactly the `bytes` that `spec` needs, from a file:
 *
 *   .npy   (known by its first bytes) the same element type and, but for leading 1s, the same
 *          shape; see npy.h
 *   PNG    (known by its first bytes) for a tensor [1, H, W, C] with C 1 (grey), 3 or 4; scaled to
 *          H x W, pixels mapped to numbers as image.h says
 *   else   raw little-endian elements: the file has exactly `bytes` bytes
 *
 * `note` may be NULL. On failure `out` may be partly written, and the error names the path.
 */
HY_MUST_CHECK enum hy_code hy_input_load(const char *path, const struct hy_input_spec *spec,
                                         void *out, size_t bytes, struct hy_input_note *note,
                                         struct hy_error *err);

/* The same from memory; for tests and fuzzers. `name` stands for the path: its extension counts. */
HY_MUST_CHECK enum hy_code hy_input_decode(const char *name, const void *file, size_t length,
                                           const struct hy_input_spec *spec, void *out,
                                           size_t bytes, struct hy_input_note *note,
                                           struct hy_error *err);

/* "float32[1,96,96,3]" for messages. Cut to fit. */
void hy_input_spec_text(const struct hy_input_spec *spec, char *text, size_t size);

#endif
