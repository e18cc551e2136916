#ifndef HY_CACHE_STORE_DIGEST_FILE_DIGEST_H
#define HY_CACHE_STORE_DIGEST_FILE_DIGEST_H

#include "common/error.h"

/* Computes XXH3-128 of a whole file, in canonical form; `*ret_length` is the number of bytes. The
 * file may change during the call. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_file_digest(int fd, uint8_t ret[16], uint64_t *ret_length,
                                          struct hy_error *err);

/* Computes XXH3-128 of bytes in memory, in canonical form. */
void hy_bytes_digest(const void *bytes, size_t length, uint8_t ret[16]);

#endif
