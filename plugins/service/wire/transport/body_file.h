#ifndef HY_SERVICE_WIRE_BODY_FILE_H
#define HY_SERVICE_WIRE_BODY_FILE_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Bodies too long for a datagram: a memfd that nobody can write, shrink or grow any more. The
 * receiver trusts none of this before it has looked.
 */

/* A sealed file of these bytes, the caller's to close. Errors: HY_EXHAUSTED (no descriptors left),
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_body_file_make(const void *bytes, size_t size, int *ret,
                                             struct hy_error *err);

/*
 * A copy of the bytes, 8-byte aligned, the caller's to free. The file must be sealed as above and
 * have just this size, which the caller has bounded. Errors: HY_BAD_DATA, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_body_file_read(int fd, size_t size, uint8_t **ret,
                                             struct hy_error *err);

#endif
