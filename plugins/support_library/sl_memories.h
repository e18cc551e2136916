#ifndef HY_PLUGINS_SUPPORT_LIBRARY_SL_MEMORIES_H
#define HY_PLUGINS_SUPPORT_LIBRARY_SL_MEMORIES_H

#include "common/error.h"
#include "halyard/driver.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>
#include <pthread.h>
#include <stdbool.h>

/* Returns true for kinds of memory that a support library accepts as a file descriptor. */
bool hy_sl_memory_has_fd(const struct hy_pool *pool);

/* Creates a memory object of the library for a pool with a descriptor; the library duplicates the
 * descriptor. The caller frees `*ret`. */
HY_MUST_CHECK enum hy_code hy_sl_memory_create(const NnApiSLDriverImplFL5 *api,
                                               const struct hy_pool *pool,
                                               ANeuralNetworksMemory **ret, struct hy_error *err);

/*
 * Memory objects by pool id, created on first use. Only pools with an id are cached. A thread may
 * release an id while another thread gets a different id.
 */
struct hy_sl_memories {
    const NnApiSLDriverImplFL5 *api;
    pthread_mutex_t lock;
    struct hy_sl_memory *items; /* ascending by id */
    uint32_t count;
};

void hy_sl_memories_init(struct hy_sl_memories *memories, const NnApiSLDriverImplFL5 *api);
void hy_sl_memories_finish(struct hy_sl_memories *memories);

/* Gets the memory object of a pool with an id and a descriptor. The list owns the object. */
HY_MUST_CHECK enum hy_code hy_sl_memories_get(struct hy_sl_memories *memories,
                                              const struct hy_pool *pool,
                                              ANeuralNetworksMemory **ret, struct hy_error *err);

/* Frees the memory object of the pool `id`, if cached. */
void hy_sl_memories_release(struct hy_sl_memories *memories, uint64_t id);

#endif
