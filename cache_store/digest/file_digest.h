#ifndef HY_CACHE_STORE_DIGEST_FILE_DIGEST_H
#define HY_CACHE_STORE_DIGEST_FILE_DIGEST_H

#include "common/error.h"

/* XXH3-128 of all bytes of a file, in its canonical form; `ret_length` counts them. The file may
 * change meanwhile. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_file_digest(int fd, uint8_t ret[16], uint64_t *ret_length,
                                          struct hy_error *err);

/* The same of bytes in memory. */
void hy_bytes_digest(const void *bytes, size_t length, uint8_t ret[16]);

#endif
