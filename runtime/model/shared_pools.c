#include "shared_pools.h"

#include "app_model.h"
#include "runtime/device/pool_kinds.h"
#include "runtime/log.h"
#include "runtime/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hy_shared_pools {
    struct hy_memory *memory;
    struct hy_pool pools[]; /* as many as the view has */
};

void hy_shared_pools_destroy(struct hy_shared_pools *shared)
{
    if (!shared)
        return;
    hy_memory_release(shared->memory);
    free(shared);
}

/* Each begins on a page of its own, since that is where mappings begin. */
static uint64_t room_for(uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static uint64_t measure(const struct hy_model *view)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < view->pool_count; i++) {
        if (view->pools[i].kind == HY_POOL_HOST)
            sum += room_for(view->pools[i].size);
    }
    return sum;
}

/* Nameless: nobody is told when they go. */
static void copy(const struct hy_model *view, struct hy_shared_pools *shared)
{
    const struct hy_pool *whole = hy_memory_pool(shared->memory);
    uint64_t offset = 0;

    for (uint32_t i = 0; i < view->pool_count; i++) {
        const struct hy_pool *from = &view->pools[i];
        shared->pools[i] = *from;
        if (from->kind != HY_POOL_HOST)
            continue;
        shared->pools[i] = (struct hy_pool){
            .kind = HY_POOL_MMAP_FD,
            .protection = HY_PROTECT_READ,
            .fd = whole->fd,
            .offset = offset,
            .size = from->size,
            .address = (char *)whole->address + offset,
        };
        memcpy(shared->pools[i].address, from->address, from->size);
        offset += room_for(from->size);
    }
    hy_log(HY_LOG_INFO, "model", "%" PRIu64 " bytes of constants copied into shared memory",
           whole->size);
}

static enum hy_code make(const struct hy_model *view, uint64_t bytes, struct hy_shared_pools **ret,
                         struct hy_error *err)
{
    struct hy_shared_pools *shared =
        calloc(1, sizeof *shared + view->pool_count * sizeof shared->pools[0]);
    if (!shared)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", view->pool_count);
    enum hy_code code = hy_memory_from_domain(NULL, bytes, &shared->memory, err);
    if (code != HY_OK) {
        hy_shared_pools_destroy(shared);
        return code;
    }
    copy(view, shared);
    *ret = shared;
    return HY_OK;
}

static bool needs_handles(const struct hy_runtime_device *device)
{
    return !hy_pool_kind_is_known(device, HY_POOL_HOST);
}

/* What a finished model looks like does not change: the list is but kept with it. */
static enum hy_code find_or_make(struct hy_app_model *model, uint64_t bytes,
                                 struct hy_shared_pools **ret, struct hy_error *err)
{
    struct hy_shared_pools *shared = atomic_load_explicit(&model->shared, memory_order_acquire);
    struct hy_shared_pools *made = NULL;
    enum hy_code code = shared ? HY_OK : make(&model->view, bytes, &made, err);

    if (code != HY_OK)
        return code;
    if (made && atomic_compare_exchange_strong(&model->shared, &shared, made))
        shared = made;
    else
        hy_shared_pools_destroy(made); /* another thread was first, or there is nothing to do */
    *ret = shared;
    return HY_OK;
}

enum hy_code hy_app_model_share_pools(const struct hy_app_model *model,
                                      const struct hy_runtime_device *const *devices,
                                      uint32_t device_count, const struct hy_pool **ret,
                                      struct hy_error *err)
{
    const uint64_t bytes = measure(&model->view);
    struct hy_shared_pools *shared = NULL;
    enum hy_code code = HY_OK;
    bool is_needed = false;

    for (uint32_t i = 0; bytes > 0 && i < device_count; i++)
        is_needed |= needs_handles(devices[i]);
    if (is_needed)
        code = find_or_make((struct hy_app_model *)(uintptr_t)model, bytes, &shared, err);
    if (code == HY_OK)
        *ret = shared ? shared->pools : NULL;
    return code;
}

const struct hy_model *hy_shared_pools_show(const struct hy_model *model,
                                            const struct hy_pool *shared,
                                            const struct hy_runtime_device *device,
                                            struct hy_model *copy)
{
    if (!shared || !needs_handles(device))
        return model;
    *copy = *model;
    copy->pools = shared;
    return copy;
}
