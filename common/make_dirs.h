#ifndef HY_COMMON_MAKE_DIRS_H
#define HY_COMMON_MAKE_DIRS_H

#include <sys/types.h>

/* Creates a directory and its missing parents with `mode` (reduced by the umask). Returns 0, or the
 * errno value of the first failure. */
int hy_make_dirs(const char *path, mode_t mode);

#endif
