#ifndef HY_CACHE_STORE_DIRECTORY_PRIVATE_DIR_H
#define HY_CACHE_STORE_DIRECTORY_PRIVATE_DIR_H

#include "common/error.h"

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Directories and files of a cache directory, by descriptors. Opening follows no symbolic link and
 * never waits for a FIFO; descriptors are closed on exec. A file or directory must be private:
 * owned by the effective user, with mode 0700 or 0600 (the owner's write permission may be missing)
 * and a single link. A read-only file (hy_dir_is_fixed) may have other modes. Everything else is
 * BAD_DATA.
 */

/*
 * True if processes of the user cannot change the open file: the file belongs to root and the user
 * is not root, or the file belongs to root or the user on a read-only file system. Group and others
 * must not have write permission; read permission is allowed, as in system images. A FUSE file
 * system is never trusted. `info`: result of fstat for `fd`.
 */
bool hy_dir_is_fixed(int fd, const struct stat *info);

/* Maps errno to a code: OUT_OF_MEMORY, EXHAUSTED (disk, quota, descriptors), FAILED. */
enum hy_code hy_dir_code(int error);

/* Opens a directory. Errors: BAD_STATE (missing), BAD_DATA (no directory, or not private), those of
 * hy_dir_code. */
HY_MUST_CHECK enum hy_code hy_dir_open(int parent, const char *name, int *ret,
                                       struct hy_error *err);

/* Opens a directory, and creates a missing directory. Errors: as hy_dir_open without
 * BAD_STATE. */
HY_MUST_CHECK enum hy_code hy_dir_make(int parent, const char *name, int *ret,
                                       struct hy_error *err);

/* mkdirat with mode 0700, independent of the umask. */
int hy_dir_mkdir(int parent, const char *name);

/* True if an open directory is private. */
bool hy_dir_is_ours(int fd);

/* True if the name refers to the open file or directory. */
bool hy_dir_is_at(int parent, const char *name, int fd);

/* Opens an existing file with O_RDONLY or O_RDWR, or creates a file with O_RDWR | O_CREAT | O_EXCL.
 * `info` may be NULL. Errors: BAD_STATE (EEXIST), BAD_DATA (missing or not private), those of
 * hy_dir_code. */
HY_MUST_CHECK enum hy_code hy_file_open(int dir, const char *name, int flags, int *ret,
                                        struct stat *info, struct hy_error *err);

/* Writes all bytes from offset `at` on. Exceeding a file size limit of the process is an error, not
 * a signal. */
HY_MUST_CHECK enum hy_code hy_file_write(int fd, const void *bytes, size_t length, uint64_t at,
                                         struct hy_error *err);

/* Reads up to `capacity` bytes, or to the end of the file. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_file_read(int fd, void *bytes, size_t capacity, size_t *ret,
                                        struct hy_error *err);

#endif
