#ifndef HY_RUNTIME_MANIFEST_DIRS_H
#define HY_RUNTIME_MANIFEST_DIRS_H

#include "common/error.h"

/* Lists the manifest directories of the installation in search order, according to the environment.
 * See hy_discovery_dirs_create and its counterpart for freeing the list. Errors:
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_manifest_dirs_create(char ***ret, struct hy_error *err);

#endif
