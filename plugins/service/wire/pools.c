#include "plugins/service/wire/pools.h"

#include "common/checked.h"
#include "plugins/service/wire/records.h"

/* Flags for the pieces behind a pool's record. */
#define WITH_FD    1u
#define WITH_IMAGE 2u

/* ---- Writing --------------------------------------------------------------------------------- */

static void pack_whole(struct hy_pack *out, const struct hy_pool *pool)
{
    const int has_fd = pool->kind != HY_POOL_BUFFER;
    const struct hy_pool_record record = {.kind = pool->kind,
                                          .protection = pool->protection,
                                          .buffer_token = pool->buffer_token,
                                          .with = (has_fd ? WITH_FD : 0) |
                                                  (pool->image ? WITH_IMAGE : 0),
                                          .id = has_fd ? pool->id : 0,
                                          .offset = pool->offset,
                                          .size = pool->size};

    hy_pack_copy(out, &record, 1, sizeof record);
    if (has_fd)
        hy_pack_fd(out, pool->fd);
    if (pool->image)
        hy_pack_copy(out, pool->image, 1, sizeof *pool->image);
}

static void pack_pool(struct hy_pack *out, const struct hy_pool *pool)
{
    if (pool->kind == HY_POOL_HOST) {
        hy_pack_fail(out, HY_BAD_DATA, "%llu bytes at %p belong to this process",
                     (unsigned long long)pool->size, pool->address);
        return;
    }
    if (pool->id == 0 || pool->kind == HY_POOL_BUFFER) {
        pack_whole(out, pool);
        return;
    }
    const struct hy_pool_record named = {.kind = pool->kind, .id = pool->id};
    hy_pack_copy(out, &named, 1, sizeof named);
}

void hy_pools_pack(struct hy_pack *out, const struct hy_pool *pools, uint32_t count)
{
    for (uint32_t i = 0; i < count && out->code == HY_OK; i++)
        pack_pool(out, &pools[i]);
}

void hy_memory_pack(struct hy_pack *out, const struct hy_pool *pool)
{
    if (pool->id == 0 || pool->kind == HY_POOL_HOST || pool->kind == HY_POOL_BUFFER)
        hy_pack_fail(out, HY_BAD_DATA, "memory of kind %u with id %llu cannot be announced",
                     pool->kind, (unsigned long long)pool->id);
    pack_whole(out, pool);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int is_named(const struct hy_pool_record *record)
{
    return record->id != 0 && record->with == 0 && record->kind >= HY_POOL_ASHMEM &&
           record->kind <= HY_POOL_HARDWARE_BUFFER && record->protection == 0 &&
           record->buffer_token == 0 && record->offset == 0 && record->size == 0;
}

static int is_token(const struct hy_pool_record *record)
{
    return record->kind == HY_POOL_BUFFER && record->buffer_token != 0 && record->id == 0 &&
           record->with == 0 && record->offset == 0;
}

/* Images and their descriptions come together. */
static int is_whole(const struct hy_pool_record *record)
{
    const uint32_t with = record->kind == HY_POOL_HARDWARE_BUFFER ? WITH_FD | WITH_IMAGE : WITH_FD;

    return record->kind >= HY_POOL_ASHMEM && record->kind <= HY_POOL_HARDWARE_BUFFER &&
           record->with == with && record->buffer_token == 0;
}

static void check(struct hy_unpack *in, const struct hy_pool_record *record)
{
    uint64_t end;

    if (!is_named(record) && !is_token(record) && !is_whole(record))
        hy_unpack_fail(in, "a pool of kind %u has id %llu, token %u and attachments %#x",
                       record->kind, (unsigned long long)record->id, record->buffer_token,
                       record->with);
    if (record->protection & ~(HY_PROTECT_READ | HY_PROTECT_WRITE))
        hy_unpack_fail(in, "a pool has protection %#x", record->protection);
    if (!hy_add_u64(record->offset, record->size, &end) || end > INT64_MAX)
        hy_unpack_fail(in, "a pool has %llu bytes at offset %llu", (unsigned long long)record->size,
                       (unsigned long long)record->offset);
}

static void unpack_pool(struct hy_unpack *in, struct hy_pool *pool)
{
    const struct hy_pool_record *record = hy_unpack_records(in, 1, sizeof *record);

    if (!record)
        return;
    check(in, record);
    *pool = (struct hy_pool){.kind = record->kind, .fd = -1, .id = record->id};
    if (is_named(record))
        return;
    pool->protection = record->protection;
    pool->buffer_token = record->buffer_token;
    pool->offset = record->offset;
    pool->size =
        is_token(record) ? 0 : record->size; /* only the driver knows the size of a buffer */
    if (record->with & WITH_FD)
        pool->fd = hy_unpack_fd(in);
    if (record->with & WITH_IMAGE)
        pool->image = hy_unpack_records(in, 1, sizeof *pool->image);
}

void hy_pools_unpack(struct hy_unpack *in, uint32_t count, struct hy_pool **pools)
{
    struct hy_pool *read =
        hy_unpack_reserve(in, count, sizeof *read, sizeof(struct hy_pool_record));

    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++) {
        unpack_pool(in, &read[i]);
        if (hy_unpack_good(in) && read[i].id != 0 && read[i].fd >= 0)
            hy_unpack_fail(in, "pool %u has both id %llu and a descriptor", i,
                           (unsigned long long)read[i].id);
    }
    if (hy_unpack_good(in))
        *pools = read;
}

void hy_model_pools_unpack(struct hy_unpack *in, uint32_t count, struct hy_pool **pools)
{
    struct hy_pool *read = NULL;

    hy_pools_unpack(in, count, &read);
    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++) {
        if (read[i].kind == HY_POOL_HARDWARE_BUFFER || read[i].kind == HY_POOL_BUFFER)
            hy_unpack_fail(in, "pool %u has kind %u, which cannot hold constants", i, read[i].kind);
    }
    if (hy_unpack_good(in))
        *pools = read;
}

void hy_memory_unpack(struct hy_unpack *in, struct hy_pool *pool)
{
    struct hy_pool read = {0};

    unpack_pool(in, &read);
    if (hy_unpack_good(in) && (read.id == 0 || read.fd < 0))
        hy_unpack_fail(in, "memory of kind %u has id %llu and descriptor %d", read.kind,
                       (unsigned long long)read.id, read.fd);
    if (hy_unpack_good(in))
        *pool = read;
}
