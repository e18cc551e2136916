#ifndef HY_RUNTIME_CACHE_FILE_BYTES_H
#define HY_RUNTIME_CACHE_FILE_BYTES_H

#include "common/error.h"
#include "halyard/driver.h"

/* Bytes of files in memory of ours, all files of a prepared model together. */
#define HY_MAX_COPIED_MODEL_CACHE (UINT64_C(256) << 20)
#define HY_MAX_COPIED_DATA_CACHE  (UINT64_C(4) << 30)

/*
 * Reads a whole file, as long as it is at this moment, into memory that nobody else can change,
 * 64-byte aligned, for free(). At most `room` bytes. Leaves the file's offset alone. Errors:
 * BAD_DATA (longer than that, no regular file, shorter than it was), FAILED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_private_copy(int32_t fd, uint64_t room, struct hy_bytes *ret,
                                           struct hy_error *err);

/* Makes the file hold these bytes and no others. Errors: FAILED (no room, longer than this
 * process may write, …): it may hold anything then. SIGXFSZ is the caller's: size_signal.h. */
HY_MUST_CHECK enum hy_code hy_whole_write(int32_t fd, const struct hy_bytes *bytes,
                                          struct hy_error *err);

/* Bytes of open files together; a file whose length cannot be told counts as empty. */
uint64_t hy_file_bytes(const int32_t *files, uint32_t count);

#endif
