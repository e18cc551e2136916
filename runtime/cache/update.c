#include "runtime/cache/update.h"

#include "runtime/cache/file_bytes.h"
#include "runtime/cache/session_list.h"
#include "runtime/log.h"

#include <stdlib.h>
#include <string.h>

struct hy_cache_update {
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_store *store;
    struct hy_entry_writer *writer;
    struct hy_file_counts counts;
    struct hy_entry_info entry_info;
};

static void destroy(struct hy_cache_update *update)
{
    hy_store_close(update->store);
    free(update);
}

enum hy_code hy_cache_update_begin(const uint8_t token[HY_TOKEN_SIZE], int32_t *model,
                                   int32_t *data, struct hy_cache_update **ret,
                                   struct hy_error *err)
{
    struct hy_cache_update *update = calloc(1, sizeof *update);
    if (!update)
        return hy_fail(err, HY_OUT_OF_MEMORY, "update of a cache entry");
    if (!hy_cache_sessions_find_store(token, &update->store, &update->counts,
                                      &update->entry_info)) {
        free(update);
        return hy_fail(err, HY_BAD_STATE, "no compilation with a cache directory uses the token");
    }
    enum hy_code code =
        hy_entry_writer_create(update->store, token, update->counts, &update->writer, err);
    if (code != HY_OK) {
        destroy(update);
        return code;
    }
    memcpy(update->token, token, sizeof update->token);
    for (uint32_t i = 0; i < update->counts.model; i++)
        model[i] = update->writer->model[i];
    for (uint32_t i = 0; i < update->counts.data; i++)
        data[i] = update->writer->data[i];
    *ret = update;
    return HY_OK;
}

static enum hy_code publish(const struct hy_cache_update *update, struct hy_error *err)
{
    const struct hy_entry_writer *writer = update->writer;
    const uint64_t bytes = hy_file_bytes(writer->model, update->counts.model) +
                           hy_file_bytes(writer->data, update->counts.data);

    enum hy_code code = hy_entry_writer_publish(update->writer, &update->entry_info, false, err);
    if (code != HY_OK)
        return code;
    hy_cache_sessions_note_update(update->token, update->store, bytes);
    hy_log(HY_LOG_INFO, "cache", "%s: entry stored after the compilation; %llu bytes",
           update->entry_info.device, (unsigned long long)bytes);
    return HY_OK;
}

enum hy_code hy_cache_update_commit(struct hy_cache_update *update, bool keep, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (keep)
        code = publish(update, err);
    else
        hy_entry_writer_discard(update->writer);
    destroy(update);
    return code;
}
