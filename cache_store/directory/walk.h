#ifndef HY_CACHE_STORE_DIRECTORY_WALK_H
#define HY_CACHE_STORE_DIRECTORY_WALK_H

#include "common/error.h"

#include "halyard/driver.h"

#include <stdint.h>

/*
 * Visits all entries of a cache directory in the order of their tokens. Entries added or removed
 * during the walk may be missed.
 */
struct hy_walk {
    void *context;
    /* A name in the shard with the form of an entry; the file need not be an entry. */
    enum hy_code (*entry)(void *context, int shard, const char *name,
                          const uint8_t token[HY_TOKEN_SIZE], struct hy_error *err);
    /* A name in the shard with another form. */
    enum hy_code (*strange)(void *context, int shard, const char *name, struct hy_error *err);
};

/* Stops at the first error of a visit and returns the error. Errors: as hy_store_inner without
 * BAD_STATE, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_walk_shards(int root, const struct hy_walk *walk,
                                          struct hy_error *err);

/* Total bytes of all regular files in a directory tree. */
uint64_t hy_walk_bytes(int parent, const char *name);

#endif
