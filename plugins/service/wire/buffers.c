#include "plugins/service/wire/buffers.h"

#include "plugins/service/wire/pools.h"

#include <assert.h>

static_assert(sizeof(struct hy_buffer_role) == 16, "travels as it is");

/* ---- Descriptions ---------------------------------------------------------------------------- */

struct desc_record {
    uint32_t rank;
    uint32_t prepared_count;
    uint32_t role_count;
    uint32_t reserved;
};

void hy_buffer_desc_pack(struct hy_pack *out, const struct hy_buffer_desc *desc,
                         const uint64_t *ids)
{
    const struct desc_record record = {
        .rank = desc->rank, .prepared_count = desc->prepared_count, .role_count = desc->role_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_copy(out, desc->dims, desc->rank, sizeof *desc->dims);
    hy_pack_copy(out, ids, desc->prepared_count, sizeof *ids);
    hy_pack_copy(out, desc->roles, desc->role_count, sizeof *desc->roles);
}

static void check_rank(struct hy_unpack *in, uint32_t rank)
{
    if (rank > HY_MAX_RANK)
        hy_unpack_fail(in, "a buffer of rank %u", rank);
}

static void check_roles(struct hy_unpack *in, const struct hy_buffer_role *roles,
                        const struct desc_record *record)
{
    for (uint32_t i = 0; i < record->role_count && hy_unpack_good(in); i++) {
        if (roles[i].prepared >= record->prepared_count || roles[i].is_output > 1)
            hy_unpack_fail(in, "role %u is of prepared model %u of %u, is_output %u", i,
                           roles[i].prepared, record->prepared_count, roles[i].is_output);
    }
}

void hy_buffer_desc_unpack(struct hy_unpack *in, struct hy_buffer_desc *desc, const uint64_t **ids,
                           void ***prepared)
{
    const struct desc_record *record = hy_unpack_records(in, 1, sizeof *record);
    if (!record)
        return;

    check_rank(in, record->rank);
    const uint32_t *dims = hy_unpack_records(in, record->rank, sizeof *dims);
    void **models = hy_unpack_reserve(in, record->prepared_count, sizeof *models, sizeof **ids);
    const uint64_t *names = hy_unpack_records(in, record->prepared_count, sizeof *names);
    const struct hy_buffer_role *roles = hy_unpack_records(in, record->role_count, sizeof *roles);
    check_roles(in, roles, record);
    if (!hy_unpack_good(in))
        return;
    *desc = (struct hy_buffer_desc){.struct_size = sizeof *desc,
                                    .rank = record->rank,
                                    .dims = dims,
                                    .prepared = models,
                                    .roles = roles,
                                    .prepared_count = record->prepared_count,
                                    .role_count = record->role_count};
    *ids = names;
    *prepared = models;
}

void hy_buffer_token_pack(struct hy_pack *out, uint32_t token)
{
    hy_pack_copy(out, &token, 1, sizeof token);
}

void hy_buffer_token_unpack(struct hy_unpack *in, uint32_t *token)
{
    const uint32_t *read = hy_unpack_records(in, 1, sizeof *read);

    if (read && *read == 0)
        hy_unpack_fail(in, "token 0");
    if (hy_unpack_good(in))
        *token = *read;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

void hy_buffer_copy_pack(struct hy_pack *out, const struct hy_pool *pool, const uint32_t *dims,
                         uint32_t rank)
{
    const uint64_t told = rank;

    hy_pack_copy(out, &told, 1, sizeof told);
    hy_pack_copy(out, dims, rank, sizeof *dims);
    hy_pools_pack(out, pool, 1);
}

void hy_buffer_copy_unpack(struct hy_unpack *in, struct hy_buffer_copy *copy)
{
    const uint64_t *rank = hy_unpack_records(in, 1, sizeof *rank);
    struct hy_pool *pool = NULL;
    if (!rank)
        return;

    if (*rank > HY_MAX_RANK)
        hy_unpack_fail(in, "a copy of rank %llu", (unsigned long long)*rank);
    const uint32_t *dims = hy_unpack_records(in, *rank, sizeof *dims);
    hy_pools_unpack(in, 1, &pool);
    if (hy_unpack_good(in))
        *copy = (struct hy_buffer_copy){.pool = *pool, .dims = dims, .rank = (uint32_t)*rank};
}
