#ifndef HY_CACHE_STORE_DIRECTORY_WALK_H
#define HY_CACHE_STORE_DIRECTORY_WALK_H

#include "common/error.h"

#include "halyard/driver.h"

#include <stdint.h>

/*
 * Looking over everything in a cache directory, entries in the order of their tokens. What comes
 * and goes meanwhile may be seen or not.
 */
struct hy_walk {
    void *context;
    /* Something in the shard that has the name of an entry; it need not be one. */
    enum hy_code (*entry)(void *context, int shard, const char *name,
                          const uint8_t token[HY_TOKEN_SIZE], struct hy_error *err);
    /* Something in the shard that has another name. */
    enum hy_code (*strange)(void *context, int shard, const char *name, struct hy_error *err);
};

/* Stops at the first failure of a visit, and gives it. Errors: as hy_store_inner without BAD_STATE,
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_walk_shards(int root, const struct hy_walk *walk,
                                          struct hy_error *err);

/* Bytes of all regular files inside a folder and the folders in that. */
uint64_t hy_walk_bytes(int parent, const char *name);

#endif
