#ifndef HY_CACHE_STORE_STORE_H
#define HY_CACHE_STORE_STORE_H

#include "common/error.h"

#include <stdbool.h>

/*
 * One cache directory, open. Opening costs the same however many entries there are. Any number of
 * processes and threads may use one directory, also through one store, which holds no descriptor
 * and no lock. See docs/cache.md for what lies in it.
 */
struct hy_store;

/*
 * `limit`: bytes of all entries together, above which the least recently used ones go; 0: nothing
 * is kept. `create`: makes the directory, and those above it, 0700. Errors: FAILED (it is not
 * there, is no directory, may not be used), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_store_open(const char *folder, bool create, uint64_t limit,
                                         struct hy_store **ret, struct hy_error *err);

struct hy_store *hy_store_retain(struct hy_store *store); /* one holder more */
void hy_store_close(struct hy_store *store); /* one less, with the last it goes; takes NULL */

/* Whether both are of one folder, by its path. */
bool hy_store_is_same(const struct hy_store *one, const struct hy_store *other);

#endif
