#ifndef HY_LIBHALYARD_PREPROCESS_FILE_MAP_H
#define HY_LIBHALYARD_PREPROCESS_FILE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * A whole file in memory, read-only and private to this process. The system loads pages on first
 * access: unused parts of a large model use no memory. Truncating the file during the mapping
 * causes SIGBUS: use a mapping for a tool's own input files, not for files of an untrusted peer.
 */
struct hy_file {
    const void *bytes;
    size_t length;
};

/*
 * Maps a regular file of up to `max_length` bytes. The path "-" is standard input, which may be a
 * pipe and is read to its end. Errors name the path: HY_BAD_DATA: not a regular file, or too long;
 * HY_FAILED: an error of the system.
 */
HY_MUST_CHECK enum hy_code hy_file_map(const char *path, uint64_t max_length, struct hy_file *out,
                                       struct hy_error *err);

/* Unmaps the file, and zeroes the struct. A zeroed struct is valid. */
void hy_file_unmap(struct hy_file *file);

#endif
