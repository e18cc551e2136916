#ifndef HY_TOOLS_CACHE_CACHE_DIR_H
#define HY_TOOLS_CACHE_CACHE_DIR_H

#include "common/error.h"

/* Makes the directory of a --cache option and its missing parents, with access for the current user
 * alone. Does nothing for NULL. */
HY_MUST_CHECK enum hy_code hy_cache_dir_make(const char *path, struct hy_error *err);

#endif
