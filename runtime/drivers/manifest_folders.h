#ifndef HY_RUNTIME_MANIFEST_FOLDERS_H
#define HY_RUNTIME_MANIFEST_FOLDERS_H

#include "common/error.h"

/* The folders that this installation searches for manifests, in order, as the environment has them:
 * hy_discovery_folders_create, whose counterpart frees them. Error: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_manifest_folders_create(char ***ret, struct hy_error *err);

#endif
