#include "tools/check_driver/guarded_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/check_driver/host_cache.h"
#include "tools/check_driver/host_quota.h"

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t size)
{
    const size_t page = page_size();
    return size == 0 ? page : (size + page - 1) / page * page;
}

/* The mapping stands between two pages without any rights. */
static int map_between(struct hy_memory *memory, size_t bytes)
{
    const size_t page = page_size();
    memory->mapping_size = bytes + 2 * page;
    memory->mapping =
        mmap(NULL, memory->mapping_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory->mapping == MAP_FAILED) {
        memory->mapping = NULL;
        return -1;
    }
    memory->bytes = mmap((char *)memory->mapping + page, bytes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_FIXED, memory->fd, (off_t)memory->skipped);
    return memory->bytes == MAP_FAILED ? -1 : 0;
}

enum hy_code hy_memory_create(uint32_t kind, size_t size, struct hy_memory *out,
                              struct hy_error *err)
{
    const size_t bytes = whole_pages(size);
    *out = (struct hy_memory){.size = bytes, .skipped = kind == HY_POOL_MMAP_FD ? page_size() : 0};
    out->fd = memfd_create("halyard-check", MFD_CLOEXEC);
    if (out->fd >= 0 && ftruncate(out->fd, (off_t)(out->skipped + bytes)) == 0 &&
        map_between(out, bytes) == 0)
        return HY_OK;
    const enum hy_code code =
        hy_fail(err, HY_FAILED, "memory of %zu bytes: %s", bytes, strerror(errno));
    hy_memory_destroy(out);
    return code;
}

void hy_memory_destroy(struct hy_memory *memory)
{
    if (memory->mapping)
        munmap(memory->mapping, memory->mapping_size);
    if (memory->former_mapping)
        munmap(memory->former_mapping, memory->mapping_size);
    if (memory->mapping_size && memory->fd >= 0)
        close(memory->fd);
    *memory = (struct hy_memory){.fd = -1};
}

enum hy_code hy_memory_move(struct hy_memory *memory, struct hy_error *err)
{
    struct hy_memory moved = *memory;

    moved.former_mapping = memory->mapping;
    if (map_between(&moved, memory->size) == 0 &&
        mprotect(memory->mapping, memory->mapping_size, PROT_NONE) == 0) {
        *memory = moved;
        return HY_OK;
    }
    const enum hy_code code =
        hy_fail(err, HY_FAILED, "moving %zu bytes: %s", memory->size, strerror(errno));
    if (moved.mapping)
        munmap(moved.mapping, moved.mapping_size);
    return code;
}

struct hy_pool hy_memory_pool(const struct hy_memory *memory, uint32_t kind, uint32_t protection)
{
    static atomic_uint_fast64_t next_id = 1;
    return (struct hy_pool){
        .kind = kind,
        .protection = protection,
        .fd = kind == HY_POOL_HOST ? -1 : memory->fd,
        .id = atomic_fetch_add(&next_id, 1),
        .offset = memory->skipped,
        .size = memory->size,
        .address = memory->bytes,
    };
}

void hy_memory_protect(const struct hy_memory *memory, int read_only)
{
    mprotect(memory->bytes, memory->size, read_only ? PROT_READ : PROT_READ | PROT_WRITE);
}

/* ---- The host -------------------------------------------------------------------------------- */

static void drop_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)context;
    if (pool->kind < HY_POOL_HOST || pool->kind > HY_POOL_HARDWARE_BUFFER ||
        (protection & ~pool->protection) || !pool->address)
        return HY_STATUS_INVALID_ARGUMENT;
    *address = pool->address;
    return HY_STATUS_OK;
}

static uint32_t worker_count(void *context)
{
    (void)context;
    return 1;
}

static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
}

const struct hy_host *hy_check_host(void)
{
    static struct hy_host host = {
        .struct_size = sizeof host,
        .abi = HY_DRIVER_ABI,
        .log = drop_line,
        .map = map,
        .worker_count = worker_count,
        .parallel = parallel,
    };
    if (!host.cache_save)
        hy_host_cache_add(&host);
    hy_host_quota_add(&host);
    return &host;
}
