#ifndef HY_CACHE_STORE_STORE_FOLDER_H
#define HY_CACHE_STORE_STORE_FOLDER_H

#include "cache_store/store.h"

#include <stdint.h>

/*
 * How the other files of this room get at a store's folders. Each call opens them anew and the
 * caller closes them: a store holds no descriptor, so that a folder may be removed and made again
 * under a process that lives on, and fork finds nothing to share.
 */

/* Folder halyard-cache. Errors: BAD_STATE (not there), FAILED, EXHAUSTED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_store_root(const struct hy_store *store, int *ret,
                                         struct hy_error *err);

/* The same, made where it is missing. */
HY_MUST_CHECK enum hy_code hy_store_root_make(const struct hy_store *store, int *ret,
                                              struct hy_error *err);

/* A folder inside of the root; what stands there and is none of ours is removed. Errors as above.
 */
HY_MUST_CHECK enum hy_code hy_store_inner(int root, const char *name, int *ret,
                                          struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_store_inner_make(int root, const char *name, int *ret,
                                               struct hy_error *err);

uint64_t hy_store_limit(const struct hy_store *store);

#endif
