#ifndef HY_DRIVERD_MANIFEST_BY_NAME_H
#define HY_DRIVERD_MANIFEST_BY_NAME_H

#include "common/error.h"

/*
 * The manifest NAME.json that an app with this environment would find, an absolute path that the
 * caller frees. Errors: BAD_DATA (there is none; words with the name that was meant), FAILED,
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_driverd_find_manifest(const char *name, char **ret,
                                                    struct hy_error *err);

/* Prints the names of all that it would find, for completions of shells. */
HY_MUST_CHECK enum hy_code hy_driverd_list_manifests(struct hy_error *err);

#endif
