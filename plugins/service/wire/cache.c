#include "plugins/service/wire/cache.h"

/* ---- Tokens ---------------------------------------------------------------------------------- */

void hy_cache_token_pack(struct hy_pack *out, const uint8_t *token)
{
    hy_pack_copy(out, token, 1, HY_TOKEN_SIZE);
}

void hy_cache_token_unpack(struct hy_unpack *in, const uint8_t **token)
{
    const uint8_t *read = hy_unpack_records(in, 1, HY_TOKEN_SIZE);

    if (hy_unpack_good(in))
        *token = read;
}

/* ---- Updates --------------------------------------------------------------------------------- */

struct update_record {
    uint64_t update;
    uint32_t model_count;
    uint32_t data_count;
};

void hy_cache_update_pack(struct hy_pack *out, const struct hy_cache_update *update)
{
    const struct update_record record = {.update = update->update,
                                         .model_count = update->model_count,
                                         .data_count = update->data_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    for (uint32_t i = 0; i < update->model_count; i++)
        hy_pack_fd(out, update->model[i]);
    for (uint32_t i = 0; i < update->data_count; i++)
        hy_pack_fd(out, update->data[i]);
}

void hy_cache_update_unpack(struct hy_unpack *in, struct hy_cache_update *update)
{
    const struct update_record *record = hy_unpack_records(in, 1, sizeof *record);
    if (!record)
        return;

    if (record->model_count > HY_MAX_CACHE_FILES || record->data_count > HY_MAX_CACHE_FILES)
        hy_unpack_fail(in, "%u model and %u data cache files, at most %u each are allowed",
                       record->model_count, record->data_count, HY_MAX_CACHE_FILES);
    const int *model = hy_unpack_fds(in, record->model_count);
    const int *data = hy_unpack_fds(in, record->data_count);
    if (hy_unpack_good(in))
        *update = (struct hy_cache_update){.update = record->update,
                                           .model_count = record->model_count,
                                           .data_count = record->data_count,
                                           .model = model,
                                           .data = data};
}

struct commit_record {
    uint64_t update;
    uint64_t keep;
};

void hy_cache_commit_pack(struct hy_pack *out, uint64_t update, uint32_t keep)
{
    const struct commit_record record = {.update = update, .keep = keep};

    hy_pack_copy(out, &record, 1, sizeof record);
}

void hy_cache_commit_unpack(struct hy_unpack *in, uint64_t *update, uint32_t *keep)
{
    const struct commit_record *record = hy_unpack_records(in, 1, sizeof *record);

    if (record && record->keep > 1)
        hy_unpack_fail(in, "keep is %llu", (unsigned long long)record->keep);
    if (!hy_unpack_good(in))
        return;
    *update = record->update;
    *keep = (uint32_t)record->keep;
}

/* ---- Files opened anew ----------------------------------------------------------------------- */

void hy_cache_file_pack(struct hy_pack *out, int32_t fd)
{
    hy_pack_fd(out, fd);
}

void hy_cache_file_unpack(struct hy_unpack *in, int32_t *fd)
{
    const int read = hy_unpack_fd(in);

    if (hy_unpack_good(in))
        *fd = read;
}
