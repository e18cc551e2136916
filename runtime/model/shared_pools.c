#include "shared_pools.h"

#include "app_model.h"
#include "common/model/model_view.h"
#include "runtime/device/pool_kinds.h"
#include "runtime/log.h"
#include "runtime/memory/bytes.h"
#include "runtime/memory/memory_object.h"
#include "runtime/memory/seals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct hy_shared_pools {
    struct hy_memory *memory; /* NULL: nothing is copied */
    struct hy_pool pools[];   /* one per pool of the view */
};

void hy_shared_pools_destroy(struct hy_shared_pools *shared)
{
    if (!shared)
        return;
    hy_memory_release(shared->memory);
    free(shared);
}

/* ---- Copied pools ---------------------------------------------------------------------------- */

/* Only sealed memory is safe from a driver in a service process, which may be hostile. */
static bool is_copied(const struct hy_pool *pool, bool is_sealed)
{
    return pool->kind == HY_POOL_HOST ||
           (is_sealed && !(hy_seals_of(pool->fd) & HY_SEALS_CONTENTS));
}

static void extend(const struct hy_subgraph *graph, struct hy_pool *pools)
{
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        const struct hy_operand *operand = &graph->operands[i];
        const uint64_t end = operand->location.offset + operand->location.length;
        if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL &&
            end > pools[operand->location.pool].size)
            pools[operand->location.pool].size = end;
    }
}

/* The size of each pool becomes the end of its last constant, as a file may be longer or shorter
 * than its pool. */
static void find_ends(const struct hy_model *view, struct hy_pool *pools)
{
    for (uint32_t i = 0; i <= view->referenced_count; i++)
        extend(hy_model_subgraph(view, i), pools);
}

/* Each copy begins on a page boundary, as mappings do. */
static uint64_t page_aligned(uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static uint64_t measure(const struct hy_model *view, bool is_sealed, const struct hy_pool *pools)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < view->pool_count; i++) {
        if (is_copied(&view->pools[i], is_sealed))
            sum += page_aligned(pools[i].size);
    }
    return sum;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* The copy has no id, so no driver is notified of its end. */
static enum hy_code copy_pool(const struct hy_model *view, uint32_t index, uint64_t offset,
                              struct hy_shared_pools *shared, struct hy_error *err)
{
    const struct hy_pool *whole = hy_memory_pool(shared->memory);
    struct hy_pool from = view->pools[index];
    struct hy_error why;

    from.size = shared->pools[index].size;
    shared->pools[index] = (struct hy_pool){
        .kind = HY_POOL_MMAP_FD,
        .protection = HY_PROTECT_READ,
        .fd = whole->fd,
        .offset = offset,
        .size = from.size,
        .address = (char *)whole->address + offset,
    };
    if (hy_memory_move_bytes(&from, &shared->pools[index], &why) == HY_OK)
        return HY_OK;
    return hy_fail(err, HY_UNMAPPABLE, "constants in pool %u: %s", index, why.text);
}

/* Uncopied memory of the app gets no id either: under its own id a driver could also get the memory
 * for writing. */
static enum hy_code copy(const struct hy_model *view, bool is_sealed,
                         struct hy_shared_pools *shared, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    uint64_t offset = 0;

    for (uint32_t i = 0; code == HY_OK && i < view->pool_count; i++) {
        if (is_copied(&view->pools[i], is_sealed)) {
            code = copy_pool(view, i, offset, shared, err);
            offset += page_aligned(shared->pools[i].size);
            continue;
        }
        shared->pools[i] = view->pools[i];
        if (is_sealed) {
            shared->pools[i].protection &= HY_PROTECT_READ;
            shared->pools[i].id = 0;
        }
    }
    return code;
}

/* Makes the copies read-only for this process, too. */
static void protect(const struct hy_memory *memory)
{
    const struct hy_pool *whole = hy_memory_pool(memory);

    if (mprotect(whole->address, whole->size, PROT_READ) != 0)
        hy_log(HY_LOG_DEBUG, "model", "constants stay writable in this process");
    hy_log(HY_LOG_INFO, "model", "%" PRIu64 " bytes of constants copied into shared memory",
           whole->size);
}

static enum hy_code make(const struct hy_model *view, bool is_sealed, struct hy_shared_pools **ret,
                         struct hy_error *err)
{
    struct hy_shared_pools *shared =
        calloc(1, sizeof *shared + view->pool_count * sizeof shared->pools[0]);
    if (!shared)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", view->pool_count);
    find_ends(view, shared->pools);
    const uint64_t bytes = measure(view, is_sealed, shared->pools);
    enum hy_code code = bytes > 0 ? hy_memory_to_read(bytes, &shared->memory, err) : HY_OK;
    if (code == HY_OK)
        code = copy(view, is_sealed, shared, err);
    if (code != HY_OK) {
        hy_shared_pools_destroy(shared);
        return code;
    }
    if (shared->memory)
        protect(shared->memory);
    *ret = shared;
    return HY_OK;
}

/* ---- Devices with copies --------------------------------------------------------------------- */

static bool needs_handles(const struct hy_runtime_device *device)
{
    return !hy_pool_kind_is_known(device, HY_POOL_HOST);
}

/* A finished model does not change, so adding the list to the const model is safe. */
static enum hy_code find_or_make(struct hy_app_model *model, bool is_sealed,
                                 struct hy_shared_pools **ret, struct hy_error *err)
{
    _Atomic(struct hy_shared_pools *) *cached = is_sealed ? &model->sealed : &model->shared;
    struct hy_shared_pools *shared = atomic_load_explicit(cached, memory_order_acquire);
    struct hy_shared_pools *made = NULL;
    enum hy_code code = shared ? HY_OK : make(&model->view, is_sealed, &made, err);

    if (code != HY_OK)
        return code;
    if (made && atomic_compare_exchange_strong(cached, &shared, made))
        shared = made;
    else
        hy_shared_pools_destroy(made); /* another thread was first, or nothing is copied */
    *ret = shared;
    return HY_OK;
}

static bool has_host_pools(const struct hy_model *view)
{
    for (uint32_t i = 0; i < view->pool_count; i++) {
        if (view->pools[i].kind == HY_POOL_HOST)
            return true;
    }
    return false;
}

enum hy_code hy_app_model_make_shared_pools(const struct hy_app_model *model,
                                            const struct hy_runtime_device *const *devices,
                                            uint32_t device_count, const struct hy_pool **ret,
                                            struct hy_error *err)
{
    struct hy_shared_pools *shared = NULL;
    enum hy_code code = HY_OK;
    bool is_sealed = false, is_needed = false;

    for (uint32_t i = 0; i < device_count; i++) {
        is_sealed |= devices[i]->service && model->view.pool_count > 0;
        is_needed |= needs_handles(devices[i]);
    }
    if (is_sealed || (is_needed && has_host_pools(&model->view)))
        code = find_or_make((struct hy_app_model *)(uintptr_t)model, is_sealed, &shared, err);
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
