#ifndef HY_PLUGINS_SUPPORT_LIBRARY_MEMORIES_H
#define HY_PLUGINS_SUPPORT_LIBRARY_MEMORIES_H

#include "common/error.h"
#include "halyard/driver.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>
#include <pthread.h>
#include <stdbool.h>

/* True for kinds of memory that a support library can be given as a file descriptor. */
bool hy_sl_memory_has_fd(const struct hy_pool *pool);

/* A memory object of the library for such a pool; the library duplicates the descriptor. */
HY_MUST_CHECK enum hy_code hy_sl_memory_create(const NnApiSLDriverImplFL5 *api,
                                               const struct hy_pool *pool,
                                               ANeuralNetworksMemory **ret, struct hy_error *err);

/*
 * Memory objects by the id of their pool, each made when it is first asked for. Pools without an id
 * have no place here. Any thread may release one while another gets a different one.
 */
struct hy_sl_memories {
    const NnApiSLDriverImplFL5 *api;
    pthread_mutex_t lock;
    struct hy_sl_memory *items; /* ascending by id */
    uint32_t count;
};

void hy_sl_memories_init(struct hy_sl_memories *memories, const NnApiSLDriverImplFL5 *api);
void hy_sl_memories_finish(struct hy_sl_memories *memories);

/* The memory object of a pool that has an id and a descriptor; it stays the list's. */
HY_MUST_CHECK enum hy_code hy_sl_memories_get(struct hy_sl_memories *memories,
                                              const struct hy_pool *pool,
                                              ANeuralNetworksMemory **ret, struct hy_error *err);

/* Frees the memory object of a pool, if there is one. */
void hy_sl_memories_release(struct hy_sl_memories *memories, uint64_t id);

#endif
