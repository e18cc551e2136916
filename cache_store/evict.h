#ifndef HY_CACHE_STORE_EVICT_H
#define HY_CACHE_STORE_EVICT_H

#include "cache_store/directory/trash.h"
#include "cache_store/used.h"

#include "common/error.h"
#include "halyard/driver.h"

/* Called with the token and the open directory of an entry just before its removal. May be NULL. */
typedef void (*hy_evict_visit_fn)(void *context, const uint8_t token[HY_TOKEN_SIZE], int dir);

/* Counts all entries exactly and removes the least recently used entries until at most `target`
 * bytes are left. The last entry stays if its size is within `limit`. Replaces the estimate
 * `before` by the counted bytes. Errors: HY_FAILED, HY_EXHAUSTED, HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_evict(int root, uint64_t target, uint64_t limit,
                                    struct hy_used before, hy_evict_visit_fn visit, void *context,
                                    struct hy_removal *removal, struct hy_error *err);

/* Evicts down to 7/8 of the limit if the estimate is above the limit. Errors are ignored: the next
 * call tries again. */
void hy_evict_over_limit(int root, uint64_t limit, struct hy_used used);

#endif
