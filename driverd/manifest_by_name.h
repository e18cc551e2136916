#ifndef HY_DRIVERD_MANIFEST_BY_NAME_H
#define HY_DRIVERD_MANIFEST_BY_NAME_H

#include "common/error.h"

/*
 * Finds the manifest NAME.json in the search directories of an app with the same environment.
 * `*ret` is an absolute path, which the caller frees. Errors: BAD_DATA (no manifest has the name;
 * the text suggests a similar name), FAILED, OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_driverd_find_manifest(const char *name, char **ret,
                                                    struct hy_error *err);

/* Prints the names of all manifests known to hy_driverd_find_manifest, for shell completions.
 */
HY_MUST_CHECK enum hy_code hy_driverd_list_manifests(struct hy_error *err);

#endif
