#ifndef HY_CACHE_STORE_FILE_COPY_H
#define HY_CACHE_STORE_FILE_COPY_H

#include "common/error.h"

/*
 * Copies of cache files that nobody else can change or cut, each with its XXH3-128 in canonical
 * form, in one pass: what is digested is the copy. Of a longer file the first `length` bytes are
 * copied. Errors: BAD_DATA (the file ends before), FAILED, EXHAUSTED (no descriptor, more bytes
 * than HY_FILE_COPY_MAX), OUT_OF_MEMORY.
 */
#define HY_FILE_COPY_MAX (UINT64_C(4) << 30)

/* In memory, 64-byte aligned, for free(). `length` is above 0. */
HY_MUST_CHECK enum hy_code hy_file_copy_to_memory(int fd, uint64_t length, void **ret,
                                                  uint8_t ret_digest[16], struct hy_error *err);

/* In a file of its own that has no name, open for reading and writing; the caller closes it. */
HY_MUST_CHECK enum hy_code hy_file_copy_to_file(int fd, uint64_t length, int *ret,
                                                uint8_t ret_digest[16], struct hy_error *err);

#endif
