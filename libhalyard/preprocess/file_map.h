#ifndef HY_LIBHALYARD_PREPROCESS_FILE_MAP_H
#define HY_LIBHALYARD_PREPROCESS_FILE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * A whole file in memory, read-only and private to this process. Pages come as they are touched, so
 * a large model costs what is used of it. Who truncates the file meanwhile takes the pages away
 * (SIGBUS): these are for a tool's own input files, not for files of an untrusted peer.
 */
struct hy_file {
    const void *bytes;
    size_t length;
};

/*
 * Maps a regular file of up to `max_length` bytes. The path "-" is standard input, which may be a
 * pipe and is then read to its end. Errors name the path: HY_BAD_DATA for a file that is none or is
 * too long, HY_FAILED where the system refuses.
 */
HY_MUST_CHECK enum hy_code hy_file_map(const char *path, uint64_t max_length, struct hy_file *out,
                                       struct hy_error *err);

/* Takes a zeroed struct, and leaves one. */
void hy_file_unmap(struct hy_file *file);

#endif
