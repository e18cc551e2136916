#ifndef HY_COMMON_ABSOLUTE_PATH_H
#define HY_COMMON_ABSOLUTE_PATH_H

/*
 * Returns an absolute form of `path` relative to the current directory, valid after a change of the
 * directory; the caller calls free(). Symbolic links are not resolved. NULL with errno set: the
 * current directory is unknown, or out of memory.
 */
char *hy_absolute_path(const char *path);

#endif
