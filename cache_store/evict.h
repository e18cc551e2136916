#ifndef HY_CACHE_STORE_EVICT_H
#define HY_CACHE_STORE_EVICT_H

#include "cache_store/directory/trash.h"
#include "cache_store/used.h"

#include "common/error.h"
#include "halyard/driver.h"

/* Sees the token of an entry just before it goes; its folder is open. May be NULL. */
typedef void (*hy_evict_visit_fn)(void *context, const uint8_t token[HY_TOKEN_SIZE], int folder);

/* Counts all entries, exactly, and removes the least recently used ones until `target` bytes are
 * left, but not the last one while that is within `limit`; notes what is left in the place of
 * `before`. Errors: FAILED, EXHAUSTED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_evict(int root, uint64_t target, uint64_t limit,
                                    struct hy_used before, hy_evict_visit_fn visit, void *context,
                                    struct hy_removal *removal, struct hy_error *err);

/* The same if the bound is above the limit, down to 7/8 of it, so that there is room for a while.
 * Trouble with it is nobody's: the next one tries again. */
void hy_evict_over_limit(int root, uint64_t limit, struct hy_used used);

#endif
