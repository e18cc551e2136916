#ifndef HY_COMMON_MAKE_FOLDERS_H
#define HY_COMMON_MAKE_FOLDERS_H

#include <sys/types.h>

/* Makes the folder and those that it lies in, where they are missing, with this mode (less the mask
 * of the process). 0, or the errno of the first that could not be made. */
int hy_make_folders(const char *path, mode_t mode);

#endif
