#ifndef HY_CACHE_STORE_DIRECTORY_FOLDER_H
#define HY_CACHE_STORE_DIRECTORY_FOLDER_H

#include "common/error.h"

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Folders and files of a cache directory by descriptors: nothing follows a symbolic link, waits for
 * a FIFO or survives exec, and what is not ours alone (owner, 0700 or 0600, with or without the
 * right to write, one link) is BAD_DATA, unless it is fixed.
 */

/*
 * Whether nobody of this user can change what is open: it belongs to root, who is somebody else, or
 * to root or this user on a read-only file system; and no others may write to it. It may be read by
 * others: images are made so. What a file system of some user says (FUSE) does not count. `info`:
 * of `fd`.
 */
bool hy_folder_is_fixed(int fd, const struct stat *info);

/* The code of a failed call: OUT_OF_MEMORY, EXHAUSTED (disk, quota, descriptors), FAILED. */
enum hy_code hy_folder_code(int error);

/* Errors: BAD_STATE (not there), BAD_DATA (no folder, or not ours alone), as hy_folder_code. */
HY_MUST_CHECK enum hy_code hy_folder_open(int parent, const char *name, int *ret,
                                          struct hy_error *err);

/* Makes it where it is missing. Errors as hy_folder_open, without BAD_STATE. */
HY_MUST_CHECK enum hy_code hy_folder_make(int parent, const char *name, int *ret,
                                          struct hy_error *err);

/* As mkdirat with 0700, whatever the mask of the process is. */
int hy_folder_mkdir(int parent, const char *name);

/* Whether an open folder is ours alone. */
bool hy_folder_is_ours(int fd);

/* Whether the name stands for the folder or file that is open. */
bool hy_folder_is_at(int parent, const char *name, int fd);

/* Opens an existing file with O_RDONLY or O_RDWR, or makes it with O_RDWR | O_CREAT | O_EXCL.
 * `info` may be NULL. Errors: BAD_STATE (EEXIST), BAD_DATA (not there, or not ours alone), as
 * hy_folder_code. */
HY_MUST_CHECK enum hy_code hy_file_open(int folder, const char *name, int flags, int *ret,
                                        struct stat *info, struct hy_error *err);

/* Writes all of it, from byte `at` of the file on, beyond no limit of the process: that is a
 * failure, not a signal. */
HY_MUST_CHECK enum hy_code hy_file_write(int fd, const void *bytes, size_t length, uint64_t at,
                                         struct hy_error *err);

/* Reads to the end of the file or up to `room` bytes. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_file_read(int fd, void *bytes, size_t room, size_t *ret,
                                        struct hy_error *err);

#endif
