#ifndef HY_CACHE_STORE_FILE_COPY_H
#define HY_CACHE_STORE_FILE_COPY_H

#include "common/error.h"

/*
 * Private copies of cache files with their XXH3-128 in canonical form, in a single pass: the digest
 * is of the copied bytes. Copies the first `length` bytes of a longer file. Errors: HY_BAD_DATA
 * (the file is shorter), HY_FAILED, HY_EXHAUSTED (no descriptor, more bytes than HY_FILE_COPY_MAX),
 * HY_OUT_OF_MEMORY.
 */
#define HY_FILE_COPY_MAX (UINT64_C(4) << 30)

/* Copies to 64-byte aligned memory; free with free(). `length` is above 0. */
HY_MUST_CHECK enum hy_code hy_file_copy_to_memory(int fd, uint64_t length, void **ret,
                                                  uint8_t ret_digest[16], struct hy_error *err);

/* Copies to a new file without a name, open for reading and writing; the caller closes the
 * descriptor. */
HY_MUST_CHECK enum hy_code hy_file_copy_to_file(int fd, uint64_t length, int *ret,
                                                uint8_t ret_digest[16], struct hy_error *err);

#endif
