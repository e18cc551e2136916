#ifndef HY_RUNTIME_CACHE_FILE_BYTES_H
#define HY_RUNTIME_CACHE_FILE_BYTES_H

#include "common/error.h"
#include "halyard/driver.h"

/* Limits for private copies of cache files, in bytes, for all files of a prepared model
 * together. */
#define HY_MAX_COPIED_MODEL_CACHE (UINT64_C(256) << 20)
#define HY_MAX_COPIED_DATA_CACHE  (UINT64_C(4) << 30)

/*
 * Reads a regular file of at most `capacity` bytes into private, 64-byte aligned memory. The length
 * is the one at the time of the call; the file offset does not change. The caller calls free() on
 * the data. Errors: HY_BAD_DATA (file longer than `capacity`, not regular, or shortened during the
 * call), HY_FAILED, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_private_copy(int32_t fd, uint64_t capacity, struct hy_bytes *ret,
                                           struct hy_error *err);

/* Replaces the content of the file. Errors: HY_FAILED (disk full, file size limit, …); the content
 * is undefined after a failure. The caller handles SIGXFSZ, see size_signal.h. */
HY_MUST_CHECK enum hy_code hy_whole_write(int32_t fd, const struct hy_bytes *bytes,
                                          struct hy_error *err);

/* Returns the total size of open files in bytes. A file with unknown size counts as 0 bytes. */
uint64_t hy_file_bytes(const int32_t *files, uint32_t count);

#endif
