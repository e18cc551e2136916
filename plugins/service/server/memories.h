#ifndef HY_SERVICE_SERVER_MEMORIES_H
#define HY_SERVICE_SERVER_MEMORIES_H

#include "common/error.h"
#include "common/list.h"
#include "halyard/driver.h"
#include "plugins/service/server/clients/ration.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* How much memory is known by its id at most; beyond it what was not used for longest goes. */
#define HY_SERVER_MEMORIES 1024u

/*
 * A piece of a client's memory, mapped once. Whoever uses it holds it; a file that the client cuts
 * short reads as zeros from there on, and the memory counts as torn.
 */
struct hy_server_memory {
    uint64_t id;           /* that the client calls it by; 0: none */
    struct hy_pool pool;   /* its fd and address are the memory's, its id is unique here, and its
                              size, never 0, is that of what lies at the address */
    struct hy_image image; /* of the pool */
    uint64_t counted;      /* of them in the ration */
    atomic_bool is_torn;
    uint32_t torn_slot;
    struct hy_server_memories *table; /* that it counts for */
    uint32_t references;              /* under the table's lock; the table has one of its own */
    uint64_t last_use;                /* count of uses of the table, then */
    LIST_ENTRY(hy_server_memory) entry;
};

/* Memory by id. Thread-safe. All zero bytes but for the lock is empty. */
struct hy_server_memories {
    struct hy_ration *ration; /* NULL: none */
    /* Told when memory goes that a driver has seen under the id; NULL: nobody wants to know. */
    void (*gone)(void *context, uint64_t pool_id);
    void *context;
    pthread_mutex_t lock;
    LIST_HEAD(, hy_server_memory) list; /* the last used comes first */
    uint32_t count;
    uint64_t uses;
};

/* Maps it, and knows it by its id from now on; what is known already stays. The pool's fd becomes
 * the memory's, also on failure. Errors: BAD_DATA (no memory, a range that is not there, an image
 * that needs more than there is or cannot be, access that the descriptor does not give),
 * UNMAPPABLE, EXHAUSTED (everything known is in use), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_server_memories_add(struct hy_server_memories *memories,
                                                  const struct hy_pool *pool, struct hy_error *err);

/* Forgets it; whoever holds it goes on with it. */
void hy_server_memories_drop(struct hy_server_memories *memories, uint64_t id);

/* Held for the caller; NULL: it is not known. */
struct hy_server_memory *hy_server_memories_find(struct hy_server_memories *memories, uint64_t id);

/* Memory that is in no table, held for the caller; it counts as the table's client's. Errors as
 * above. */
HY_MUST_CHECK enum hy_code hy_server_memory_create(struct hy_server_memories *memories,
                                                   const struct hy_pool *pool,
                                                   struct hy_server_memory **ret,
                                                   struct hy_error *err);

void hy_server_memory_put(struct hy_server_memories *memories, struct hy_server_memory *memory);

void hy_server_memories_finish(struct hy_server_memories *memories);

#endif
