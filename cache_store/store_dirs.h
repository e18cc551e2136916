#ifndef HY_CACHE_STORE_STORE_DIRS_H
#define HY_CACHE_STORE_STORE_DIRS_H

#include "cache_store/store.h"

#include <stdint.h>

/*
 * The directories of a store, for the other files of cache_store. Each call opens a directory, and
 * the caller closes the descriptor. A store holds no descriptor: the directory may be removed and
 * created again during the life of a process, and fork() shares nothing.
 */

/* Opens the directory halyard-cache. Errors: HY_BAD_STATE (missing), HY_FAILED, HY_EXHAUSTED,
 * HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_store_root(const struct hy_store *store, int *ret,
                                         struct hy_error *err);

/* Opens or creates the directory halyard-cache. */
HY_MUST_CHECK enum hy_code hy_store_root_make(const struct hy_store *store, int *ret,
                                              struct hy_error *err);

/* Opens, or opens or creates, a directory in the root. A foreign file or directory with the name is
 * removed. Errors as above. */
HY_MUST_CHECK enum hy_code hy_store_inner(int root, const char *name, int *ret,
                                          struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_store_inner_make(int root, const char *name, int *ret,
                                               struct hy_error *err);

uint64_t hy_store_limit(const struct hy_store *store);

#endif
