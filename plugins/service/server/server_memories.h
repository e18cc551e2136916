#ifndef HY_SERVICE_SERVER_MEMORIES_H
#define HY_SERVICE_SERVER_MEMORIES_H

#include "common/error.h"
#include "common/list.h"
#include "halyard/driver.h"
#include "plugins/service/server/clients/quota_levels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Maximum number of memories cached by id; the least recently used is evicted. */
#define HY_SERVER_MEMORIES 1024u

/*
 * A client's memory, mapped once and reference-counted. When the client truncates the file, the
 * missing part reads as zeros and `is_truncated` is set.
 */
struct hy_server_memory {
    uint64_t id;           /* the client's id; 0: none */
    struct hy_pool pool;   /* fd and address belong to the memory, the id is unique in this process,
                              and the size, never 0, is the mapped size */
    struct hy_image image; /* of the pool */
    uint64_t counted;      /* bytes charged to the quota */
    atomic_bool is_truncated;
    uint32_t guard_slot;
    struct hy_server_memories *table; /* the table that accounts for the memory */
    uint32_t references; /* under the table's lock; includes the table's own reference */
    uint64_t last_use;   /* value of the table's `uses` at the last use */
    LIST_ENTRY(hy_server_memory) entry;
};

/* Memory by id. Thread-safe. A zeroed table with an initialized lock is empty. */
struct hy_server_memories {
    struct hy_server_quota *quotas; /* NULL: none */
    /* Called when memory that a driver has seen under `pool_id` is unmapped; may be NULL. */
    void (*gone)(void *context, uint64_t pool_id);
    void *context;
    pthread_mutex_t lock;
    LIST_HEAD(, hy_server_memory) list; /* most recently used first */
    uint32_t count;
    uint64_t uses;
};

/* Maps the memory of a pool and caches the memory by the client's id; an id that is already cached
 * stays unchanged. Takes ownership of the pool's fd, also on failure. Errors: BAD_DATA (not a
 * memory descriptor, a range outside the file, an invalid or too large image, access that the
 * descriptor does not allow), UNMAPPABLE, EXHAUSTED (all cached memory is in use, or a quota is
 * exceeded), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_server_memories_add(struct hy_server_memories *memories,
                                                  const struct hy_pool *pool, struct hy_error *err);

/* Removes an id from the table; existing references stay valid. */
void hy_server_memories_drop(struct hy_server_memories *memories, uint64_t id);

/* Returns the memory with a new reference; NULL: unknown id. */
struct hy_server_memory *hy_server_memories_find(struct hy_server_memories *memories, uint64_t id);

/* Maps memory without adding it to the table, and returns a reference to the caller. The memory is
 * charged to the table's client. Errors: as for hy_server_memories_add. */
HY_MUST_CHECK enum hy_code hy_server_memory_create(struct hy_server_memories *memories,
                                                   const struct hy_pool *pool,
                                                   struct hy_server_memory **ret,
                                                   struct hy_error *err);

void hy_server_memory_put(struct hy_server_memories *memories, struct hy_server_memory *memory);

void hy_server_memories_finish(struct hy_server_memories *memories);

#endif
