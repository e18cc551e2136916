#ifndef HY_TOOLS_CACHE_FOLDER_H
#define HY_TOOLS_CACHE_FOLDER_H

#include "common/error.h"

/* Makes the folder of a --cache option, and those that it lies in, if they are not there, for this
 * user alone. NULL is none. */
HY_MUST_CHECK enum hy_code hy_cache_folder_make(const char *path, struct hy_error *err);

#endif
