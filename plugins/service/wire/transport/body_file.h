#ifndef HY_SERVICE_WIRE_BODY_FILE_H
#define HY_SERVICE_WIRE_BODY_FILE_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Bodies too long for a datagram, sent as a memfd sealed against writing, shrinking and growing.
 * The receiver checks the seals and the size.
 */

/* Creates a sealed file with the bytes; the caller closes `*ret`. Errors: HY_EXHAUSTED (no
 * descriptors left), HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_body_file_make(const void *bytes, size_t size, int *ret,
                                             struct hy_error *err);

/*
 * Copies the file's bytes, 8-byte aligned; the caller frees `*ret`. The file must be sealed as
 * above and have exactly `size` bytes; the caller limits `size`. Errors: HY_BAD_DATA,
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_body_file_read(int fd, size_t size, uint8_t **ret,
                                             struct hy_error *err);

#endif
