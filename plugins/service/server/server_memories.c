#include "plugins/service/server/server_memories.h"

#include "common/checked.h"
#include "common/image/image_layout.h"
#include "common/sigbus_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define NO_SLOT UINT32_MAX

/* Client ids are private to each client. Drivers get ids that are unique in this process and never
 * reused. */
static atomic_uint_fast64_t last_id;

/* ---- One piece ------------------------------------------------------------------------------- */

static void destroy(struct hy_server_memory *memory)
{
    if (!memory)
        return;
    const struct hy_server_memories *table = memory->table;

    if (memory->pool.id != 0 && table->gone)
        table->gone(table->context, memory->pool.id);
    if (memory->guard_slot != NO_SLOT)
        hy_sigbus_guard_remove(memory->guard_slot);
    if (memory->pool.address)
        munmap(memory->pool.address, memory->pool.size);
    if (memory->pool.fd >= 0)
        close(memory->pool.fd);
    hy_server_quota_release(table->quotas, HY_SERVER_QUOTA_MAPPED, memory->counted);
    hy_server_quota_release(table->quotas, HY_SERVER_QUOTA_MEMORIES, 1);
    free(memory);
}

/* Huge pages are refused: a length that is not a multiple of the huge page size can be mapped, but
 * not unmapped. */
static bool has_huge_pages(int fd)
{
    struct statfs system;

    return fstatfs(fd, &system) == 0 && system.f_type == HUGETLBFS_MAGIC;
}

/* Gets the mappable size: st_size of a file, the end of a dma-buf. */
static enum hy_code measure(int fd, uint64_t *bytes, struct hy_error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return hy_fail(err, HY_BAD_DATA, "descriptor of memory: %s", strerror(errno));
    if (has_huge_pages(fd))
        return hy_fail(err, HY_BAD_DATA, "descriptor of memory has huge pages");
    if (S_ISREG(info.st_mode)) {
        *bytes = (uint64_t)info.st_size;
        return HY_OK;
    }
    const off_t end = S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode) ? -1 : lseek(fd, 0, SEEK_END);
    if (end <= 0)
        return hy_fail(err, HY_BAD_DATA, "descriptor of memory is neither a file nor a buffer");
    *bytes = (uint64_t)end;
    return HY_OK;
}

/* Only files have an offset. Drivers that map the descriptor themselves start other kinds of memory
 * at 0. */
static enum hy_code check_offset(const struct hy_pool *pool, struct hy_error *err)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    if (pool->kind != HY_POOL_MMAP_FD && pool->offset != 0)
        return hy_fail(err, HY_BAD_DATA, "memory of kind %u has offset %" PRIu64 ", needs 0",
                       pool->kind, pool->offset);
    if (pool->offset % page != 0)
        return hy_fail(err, HY_BAD_DATA,
                       "offset %" PRIu64 " of memory is not a multiple of %" PRIu64, pool->offset,
                       page);
    return HY_OK;
}

/* Sets the pool's size to the size of its memory; for an image, to the size needed by the image.
 * Neither the mapping nor the size passed to drivers exceeds the file. */
static enum hy_code check_range(struct hy_server_memory *memory, struct hy_error *err)
{
    struct hy_pool *pool = &memory->pool;
    uint64_t bytes = 0;

    enum hy_code code = check_offset(pool, err);
    if (code == HY_OK && pool->kind == HY_POOL_HARDWARE_BUFFER)
        code = hy_image_pool_check(pool, &pool->size, err);
    if (code == HY_OK)
        code = measure(pool->fd, &bytes, err);
    if (code != HY_OK)
        return code;
    if (pool->size == 0 || !hy_range_inside(pool->offset, pool->size, bytes))
        return hy_fail(err, HY_BAD_DATA,
                       "%" PRIu64 " bytes at offset %" PRIu64 " do not fit the memory of %" PRIu64
                       " bytes",
                       pool->size, pool->offset, bytes);
    return HY_OK;
}

/* Older kernels refuse every shared mapping of a memfd sealed against writing if the descriptor is
 * writable; a private mapping shows the same content. */
static void *map_pages(const struct hy_server_memory *memory, int protect)
{
    const struct hy_pool *pool = &memory->pool;
    void *address = mmap(NULL, pool->size, protect, MAP_SHARED, pool->fd, (off_t)pool->offset);

    if (address == MAP_FAILED && errno == EPERM && !(protect & PROT_WRITE))
        address = mmap(NULL, pool->size, protect, MAP_PRIVATE, pool->fd, (off_t)pool->offset);
    return address;
}

/* Access not allowed by the descriptor is the client's fault; all other errors are local. */
static enum hy_code code_of_map(int error)
{
    if (error == ENOMEM)
        return HY_OUT_OF_MEMORY;
    return error == EACCES || error == EPERM || error == EBADF || error == ENODEV ? HY_BAD_DATA
                                                                                  : HY_UNMAPPABLE;
}

static enum hy_code map(struct hy_server_memory *memory, struct hy_error *err)
{
    struct hy_pool *pool = &memory->pool;
    const int protect = (pool->protection & HY_PROTECT_READ ? PROT_READ : 0) |
                        (pool->protection & HY_PROTECT_WRITE ? PROT_WRITE : 0);

    void *address = map_pages(memory, protect);
    if (address == MAP_FAILED) {
        const int error = errno;
        return hy_fail(err, code_of_map(error), "mapping %" PRIu64 " bytes of memory: %s",
                       pool->size, strerror(error));
    }
    pool->address = address;
    return hy_sigbus_guard_add(address, pool->size, &memory->is_truncated, &memory->guard_slot,
                               err);
}

static enum hy_code count(struct hy_server_memory *memory, struct hy_error *err)
{
    enum hy_code code = hy_server_quota_charge(memory->table->quotas, HY_SERVER_QUOTA_MAPPED,
                                               memory->pool.size, err);
    if (code == HY_OK)
        memory->counted = memory->pool.size;
    return code;
}

enum hy_code hy_server_memory_create(struct hy_server_memories *memories,
                                     const struct hy_pool *pool, struct hy_server_memory **ret,
                                     struct hy_error *err)
{
    struct hy_server_memory *memory = NULL;
    enum hy_code code = hy_server_quota_charge(memories->quotas, HY_SERVER_QUOTA_MEMORIES, 1, err);
    if (code == HY_OK && !(memory = calloc(1, sizeof *memory))) {
        hy_server_quota_release(memories->quotas, HY_SERVER_QUOTA_MEMORIES, 1);
        code = hy_fail(err, HY_OUT_OF_MEMORY, "memory of a client");
    }
    if (code != HY_OK) {
        close(pool->fd);
        return code;
    }

    memory->table = memories;
    memory->id = pool->id;
    memory->pool = *pool;
    memory->pool.id = pool->id ? atomic_fetch_add(&last_id, 1) + 1 : 0;
    memory->pool.address = NULL;
    memory->references = 1;
    memory->guard_slot = NO_SLOT;
    if (pool->image) {
        memory->image = *pool->image;
        memory->pool.image = &memory->image;
    }
    code = check_range(memory, err);
    if (code == HY_OK)
        code = count(memory, err);
    if (code == HY_OK)
        code = map(memory, err);
    if (code != HY_OK) {
        destroy(memory);
        return code;
    }
    *ret = memory;
    return HY_OK;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* With the lock held. Returns NULL for an unknown id. */
static struct hy_server_memory *look_up(const struct hy_server_memories *memories, uint64_t id)
{
    struct hy_server_memory *memory;

    LIST_FOREACH (memory, &memories->list, entry) {
        if (memory->id == id)
            return memory;
    }
    return NULL;
}

/* With the lock held. Removes the least recently used memory without users; NULL: all are in
 * use. */
static struct hy_server_memory *evict(struct hy_server_memories *memories)
{
    struct hy_server_memory *memory, *oldest = NULL;

    LIST_FOREACH (memory, &memories->list, entry) {
        if (memory->references == 1 && (!oldest || memory->last_use < oldest->last_use))
            oldest = memory;
    }
    if (oldest) {
        LIST_REMOVE(oldest, entry);
        memories->count--;
    }
    return oldest;
}

enum hy_code hy_server_memories_add(struct hy_server_memories *memories, const struct hy_pool *pool,
                                    struct hy_error *err)
{
    struct hy_server_memory *memory = NULL, *evicted = NULL;
    enum hy_code code = hy_server_memory_create(memories, pool, &memory, err);
    if (code != HY_OK)
        return code;

    pthread_mutex_lock(&memories->lock);
    if (memories->count >= HY_SERVER_MEMORIES)
        evicted = evict(memories);
    if (memories->count >= HY_SERVER_MEMORIES)
        code = hy_fail(err, HY_EXHAUSTED, "%u memories are in use, the limit", HY_SERVER_MEMORIES);
    if (code == HY_OK && !look_up(memories, pool->id)) {
        memory->last_use = ++memories->uses;
        LIST_INSERT_HEAD(&memories->list, memory, entry);
        memories->count++;
        memory = NULL;
    }
    pthread_mutex_unlock(&memories->lock);
    destroy(memory);
    destroy(evicted);
    return code;
}

void hy_server_memories_drop(struct hy_server_memories *memories, uint64_t id)
{
    pthread_mutex_lock(&memories->lock);
    struct hy_server_memory *memory = look_up(memories, id);
    if (memory) {
        LIST_REMOVE(memory, entry);
        memories->count--;
    }
    pthread_mutex_unlock(&memories->lock);
    if (memory)
        hy_server_memory_put(memories, memory);
}

struct hy_server_memory *hy_server_memories_find(struct hy_server_memories *memories, uint64_t id)
{
    pthread_mutex_lock(&memories->lock);
    struct hy_server_memory *memory = look_up(memories, id);
    if (memory) {
        memory->references++;
        memory->last_use = ++memories->uses;
        LIST_REMOVE(memory, entry); /* move to the front of the list */
        LIST_INSERT_HEAD(&memories->list, memory, entry);
    }
    pthread_mutex_unlock(&memories->lock);
    return memory;
}

void hy_server_memory_put(struct hy_server_memories *memories, struct hy_server_memory *memory)
{
    pthread_mutex_lock(&memories->lock);
    const bool is_last = --memory->references == 0;
    pthread_mutex_unlock(&memories->lock);
    if (is_last)
        destroy(memory);
}

void hy_server_memories_finish(struct hy_server_memories *memories)
{
    while (!LIST_EMPTY(&memories->list)) {
        struct hy_server_memory *memory = LIST_FIRST(&memories->list);
        LIST_REMOVE(memory, entry);
        hy_server_memory_put(memories, memory);
    }
    memories->count = 0;
}
