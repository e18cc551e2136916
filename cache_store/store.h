#ifndef HY_CACHE_STORE_STORE_H
#define HY_CACHE_STORE_STORE_H

#include "common/error.h"

#include <stdbool.h>

/*
 * An open cache directory. The cost of opening does not depend on the number of entries. Any number
 * of processes and threads may use a directory, also through the same store, because a store holds
 * no descriptor and no lock. See docs/cache.md for the contents.
 */
struct hy_store;

/*
 * Opens a cache directory. `limit`: bytes of all entries together; above the limit the least
 * recently used entries are evicted. 0: nothing is cached. `create`: creates the directory and its
 * parents with mode 0700. Errors: HY_FAILED (missing, no directory, no permission),
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_store_open(const char *dir, bool create, uint64_t limit,
                                         struct hy_store **ret, struct hy_error *err);

struct hy_store *hy_store_retain(struct hy_store *store); /* adds a reference */
void hy_store_close(struct hy_store *store); /* drops a reference; the last one destroys the store;
                                                NULL is allowed */

/* True if both stores have the same directory path. */
bool hy_store_is_same(const struct hy_store *one, const struct hy_store *other);

#endif
