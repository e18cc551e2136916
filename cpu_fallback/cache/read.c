#include "cpu_fallback/cache/read.h"

#include <string.h>

#include "common/checked.h"
#include "cpu_fallback/cache/decode.h"
#include "cpu_fallback/kernels/types.h"

/* The most bodies of a cached model. */
#define MOST_BODIES (1u << 16)

enum hy_code hy_cpu_decode_damaged(struct hy_error *err, const char *what)
{
    return hy_fail(err, HY_BAD_DATA, "the model cache is damaged: %s", what);
}

enum hy_code hy_cpu_decode_no_memory(struct hy_error *err)
{
    return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a cached model");
}

void *hy_cpu_restored_model_alloc(struct hy_cpu_restored_model *restored_model, uint64_t count,
                                  size_t size)
{
    uint64_t length;

    if (!hy_mul_u64(count, size, &length) || length >= PTRDIFF_MAX)
        return NULL;
    void *made = hy_arena_alloc(&restored_model->memory, length + 1);
    return made ? memset(made, 0, length) : NULL;
}

static enum hy_code restore_next(struct hy_cpu_decoder *decoder, bool is_main,
                                 const struct hy_subgraph **referenced, struct hy_error *err)
{
    struct hy_cpu_restored_model *restored_model = decoder->restored_model;
    const struct hy_cpu_cache_subgraph *record =
        hy_cpu_cursor_next(&decoder->cursor, 1, sizeof *record);
    struct restored_subgraph {
        struct hy_subgraph view;
        struct hy_cpu_compiled_view compiled_view;
    } *restored_subgraph =
        hy_cpu_restored_model_alloc(restored_model, 1, sizeof *restored_subgraph);

    if (!restored_subgraph)
        return hy_cpu_decode_no_memory(err);
    struct hy_subgraph *view = &restored_subgraph->view;
    struct hy_cpu_compiled_view *compiled_view = &restored_subgraph->compiled_view;
    if (!record || is_main != (record->index == HY_CPU_CACHE_MAIN) ||
        (!is_main &&
         (record->index >= decoder->header->referenced_count || referenced[record->index])))
        return hy_cpu_decode_damaged(err, "a subgraph is missing or duplicated");
    if (is_main) {
        restored_model->model.main = view;
        restored_model->compiled_view = compiled_view;
    } else {
        referenced[record->index] = view;
        restored_model->body_views[record->index] = compiled_view;
    }
    return hy_cpu_decode_subgraph(decoder, record, view, compiled_view, err);
}

/* ---- The file -------------------------------------------------------------------------------- */

static enum hy_code check_header(const struct hy_bytes *model, const struct hy_bytes *data,
                                 const char *identity, struct hy_error *err)
{
    const struct hy_cpu_cache_header *header = model->data;

    if (!header || model->length < sizeof *header || (uintptr_t)header % HY_CPU_CACHE_ALIGN != 0 ||
        header->magic != HY_CPU_CACHE_MAGIC)
        return hy_fail(err, HY_BAD_DATA, "the file is not a model cache of the CPU driver");
    if (header->version != HY_CPU_CACHE_VERSION)
        return hy_fail(err, HY_BAD_DATA, "the model cache has version %u, needs %u",
                       header->version, HY_CPU_CACHE_VERSION);
    if (strncmp(header->identity, identity, sizeof header->identity) != 0)
        return hy_fail(err, HY_BAD_DATA, "the model cache was made by \"%.*s\", needs \"%s\"",
                       (int)sizeof header->identity - 1, header->identity, identity);
    if (header->length != model->length || header->data_length != data->length)
        return hy_fail(err, HY_BAD_DATA,
                       "the cache files have %llu and %llu bytes, need %llu and %llu",
                       (unsigned long long)model->length, (unsigned long long)data->length,
                       (unsigned long long)header->length, (unsigned long long)header->data_length);
    if ((data->length > 0 && !data->data) || (uintptr_t)data->data % HY_KERNEL_ALIGNMENT != 0)
        return hy_fail(err, HY_BAD_DATA, "the data cache is not aligned");
    if (!hy_range_inside(header->values_offset, header->values_length, header->length) ||
        header->values_offset % HY_CPU_CACHE_ALIGN != 0 || header->values_offset < sizeof *header ||
        header->tuned_offset != header->values_offset + header->values_length ||
        header->tuned_length != header->length - header->tuned_offset ||
        header->subgraph_count == 0 || header->referenced_count > MOST_BODIES)
        return hy_cpu_decode_damaged(err, "the header is invalid");
    return HY_OK;
}

/* Fills in the model of the views. Constants that exist only packed are in a pool without access
 * rights. */
static void set_model(struct hy_cpu_decoder *decoder, const struct hy_bytes *data)
{
    struct hy_cpu_restored_model *restored_model = decoder->restored_model;
    const struct hy_pool pool = {
        .kind = HY_POOL_HOST,
        .protection = HY_PROTECT_READ,
        .fd = -1,
        .size = data->length,
        .address = (void *)data->data,
    };

    restored_model->pools[HY_CPU_RESTORED_DATA] = pool;
    restored_model->pools[HY_CPU_RESTORED_UNMAPPED] =
        (struct hy_pool){.kind = HY_POOL_HOST, .fd = -1, .size = UINT64_MAX};
    restored_model->model = (struct hy_model){
        .struct_size = sizeof restored_model->model,
        .values = decoder->values,
        .values_size = decoder->header->values_length,
        .pools = restored_model->pools,
        .pool_count = sizeof restored_model->pools / sizeof restored_model->pools[0],
        .referenced_count = decoder->header->referenced_count,
    };
}

enum hy_code hy_cpu_cache_read(const struct hy_bytes *model, const struct hy_bytes *data,
                               const char *identity, uint64_t l2_bytes, const struct hy_host *host,
                               struct hy_cpu_restored_model *restored_model, struct hy_error *err)
{
    enum hy_code code = check_header(model, data, identity, err);

    *restored_model = (struct hy_cpu_restored_model){.memory = hy_cpu_arena(host)};
    if (code != HY_OK)
        return code;
    const struct hy_cpu_cache_header *header = model->data;
    struct hy_cpu_decoder decoder = {
        .restored_model = restored_model,
        .cursor = {model->data, header->values_offset, sizeof *header},
        .header = header,
        .values = (const uint8_t *)model->data + header->values_offset,
        .data = data->data,
    };
    const struct hy_subgraph **referenced =
        hy_cpu_restored_model_alloc(restored_model, header->referenced_count, sizeof *referenced);
    restored_model->body_views = hy_cpu_restored_model_alloc(
        restored_model, header->referenced_count, sizeof *restored_model->body_views);
    if (!referenced || !restored_model->body_views)
        return hy_cpu_decode_no_memory(err);
    set_model(&decoder, data);
    restored_model->model.referenced = referenced;
    for (uint32_t i = 0; i < header->subgraph_count && code == HY_OK; i++)
        code = restore_next(&decoder, i == 0, referenced, err);
    if (code == HY_OK && decoder.cursor.at != header->values_offset)
        code = hy_cpu_decode_damaged(err, "extra data follow the subgraphs");
    return code == HY_OK ? hy_cpu_decode_tuning(&decoder, l2_bytes, err) : code;
}

void hy_cpu_restored_model_finish(struct hy_cpu_restored_model *restored_model)
{
    hy_arena_finish(&restored_model->memory);
    *restored_model = (struct hy_cpu_restored_model){0};
}
