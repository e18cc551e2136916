#include "plugins/support_library/sl_memories.h"

#include "common/array.h"
#include "plugins/support_library/result.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

struct hy_sl_memory {
    uint64_t id;
    ANeuralNetworksMemory *handle;
};

bool hy_sl_memory_has_fd(const struct hy_pool *pool)
{
    return pool->kind == HY_POOL_ASHMEM || pool->kind == HY_POOL_MMAP_FD ||
           pool->kind == HY_POOL_HARDWARE_BUFFER_BLOB;
}

enum hy_code hy_sl_memory_create(const NnApiSLDriverImplFL5 *api, const struct hy_pool *pool,
                                 ANeuralNetworksMemory **ret, struct hy_error *err)
{
    const int protect = (pool->protection & HY_PROTECT_READ ? PROT_READ : 0) |
                        (pool->protection & HY_PROTECT_WRITE ? PROT_WRITE : 0);
    ANeuralNetworksMemory *memory = NULL;
    int result = api->ANeuralNetworksMemory_createFromFd(pool->size, protect, pool->fd,
                                                         pool->offset, &memory);

    enum hy_code code = hy_sl_result_made(result, memory, "Memory_createFromFd", err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%" PRIu64 " bytes of file descriptor %d", pool->size,
                               pool->fd);
    *ret = memory;
    return HY_OK;
}

void hy_sl_memories_init(struct hy_sl_memories *memories, const NnApiSLDriverImplFL5 *api)
{
    *memories = (struct hy_sl_memories){.api = api};
    pthread_mutex_init(&memories->lock, NULL);
}

void hy_sl_memories_finish(struct hy_sl_memories *memories)
{
    for (uint32_t i = 0; i < memories->count; i++)
        memories->api->ANeuralNetworksMemory_free(memories->items[i].handle);
    free(memories->items);
    pthread_mutex_destroy(&memories->lock);
}

/* Returns the index of the first id >= `id`. */
static uint32_t index_of(const struct hy_sl_memories *memories, uint64_t id)
{
    uint32_t low = 0, high = memories->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (memories->items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct hy_sl_memories *memories, uint32_t location, uint64_t id)
{
    return location < memories->count && memories->items[location].id == id;
}

static enum hy_code add(struct hy_sl_memories *memories, uint32_t location,
                        const struct hy_pool *pool, struct hy_error *err)
{
    ANeuralNetworksMemory *handle;
    struct hy_sl_memory *items =
        hy_array_grow(memories->items, memories->count, sizeof *memories->items);
    if (!items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u memory objects", memories->count);
    memories->items = items;

    enum hy_code code = hy_sl_memory_create(memories->api, pool, &handle, err);
    if (code != HY_OK)
        return code;
    memmove(&items[location + 1], &items[location], (memories->count - location) * sizeof *items);
    items[location] = (struct hy_sl_memory){.id = pool->id, .handle = handle};
    memories->count++;
    return HY_OK;
}

enum hy_code hy_sl_memories_get(struct hy_sl_memories *memories, const struct hy_pool *pool,
                                ANeuralNetworksMemory **ret, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    pthread_mutex_lock(&memories->lock);
    const uint32_t location = index_of(memories, pool->id);
    if (!is_at(memories, location, pool->id))
        code = add(memories, location, pool, err);
    if (code == HY_OK)
        *ret = memories->items[location].handle;
    pthread_mutex_unlock(&memories->lock);
    return code;
}

void hy_sl_memories_release(struct hy_sl_memories *memories, uint64_t id)
{
    pthread_mutex_lock(&memories->lock);
    const uint32_t location = index_of(memories, id);
    if (is_at(memories, location, id)) {
        struct hy_sl_memory *item = &memories->items[location];
        memories->api->ANeuralNetworksMemory_free(item->handle);
        memories->count--;
        memmove(item, item + 1, (memories->count - location) * sizeof *item);
    }
    pthread_mutex_unlock(&memories->lock);
}
