#include "cpu_fallback/cache/read.h"

#include <string.h>

#include "common/checked.h"
#include "cpu_fallback/cache/reading.h"
#include "cpu_fallback/kernels/types.h"

/* The most bodies of a cached model. */
#define MOST_BODIES (1u << 16)

enum hy_code hy_cpu_reading_damaged(struct hy_error *err, const char *what)
{
    return hy_fail(err, HY_BAD_DATA, "the model cache is damaged: %s", what);
}

enum hy_code hy_cpu_reading_no_memory(struct hy_error *err)
{
    return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a cached model");
}

void *hy_cpu_recall_make(struct hy_cpu_recall *recall, uint64_t count, size_t size)
{
    uint64_t length;

    if (!hy_mul_u64(count, size, &length) || length >= PTRDIFF_MAX)
        return NULL;
    void *made = hy_arena_alloc(&recall->memory, length + 1);
    return made ? memset(made, 0, length) : NULL;
}

static enum hy_code recall_next(struct hy_cpu_reading *reading, bool is_main,
                                const struct hy_subgraph **referenced, struct hy_error *err)
{
    struct hy_cpu_recall *recall = reading->recall;
    const struct hy_cpu_cache_subgraph *record =
        hy_cpu_cursor_take(&reading->cursor, 1, sizeof *record);
    struct recalled {
        struct hy_subgraph view;
        struct hy_cpu_image image;
    } *recalled = hy_cpu_recall_make(recall, 1, sizeof *recalled);

    if (!recalled)
        return hy_cpu_reading_no_memory(err);
    struct hy_subgraph *view = &recalled->view;
    struct hy_cpu_image *image = &recalled->image;
    if (!record || is_main != (record->index == HY_CPU_CACHE_MAIN) ||
        (!is_main &&
         (record->index >= reading->header->referenced_count || referenced[record->index])))
        return hy_cpu_reading_damaged(err, "a subgraph is missing, or there twice");
    if (is_main) {
        recall->model.main = view;
        recall->image = image;
    } else {
        referenced[record->index] = view;
        recall->body_images[record->index] = image;
    }
    return hy_cpu_reading_subgraph(reading, record, view, image, err);
}

/* ---- The file -------------------------------------------------------------------------------- */

static enum hy_code check_header(const struct hy_bytes *model, const struct hy_bytes *data,
                                 const char *identity, struct hy_error *err)
{
    const struct hy_cpu_cache_header *header = model->data;

    if (!header || model->length < sizeof *header || (uintptr_t)header % HY_CPU_CACHE_ALIGN != 0 ||
        header->magic != HY_CPU_CACHE_MAGIC)
        return hy_fail(err, HY_BAD_DATA, "this is no model cache of the CPU driver");
    if (header->version != HY_CPU_CACHE_VERSION)
        return hy_fail(err, HY_BAD_DATA, "the model cache has version %u, needs %u",
                       header->version, HY_CPU_CACHE_VERSION);
    if (strncmp(header->identity, identity, sizeof header->identity) != 0)
        return hy_fail(err, HY_BAD_DATA, "the model cache was made by \"%.*s\", this is \"%s\"",
                       (int)sizeof header->identity - 1, header->identity, identity);
    if (header->length != model->length || header->data_length != data->length)
        return hy_fail(err, HY_BAD_DATA, "cache files of %llu and %llu bytes, needs %llu and %llu",
                       (unsigned long long)model->length, (unsigned long long)data->length,
                       (unsigned long long)header->length, (unsigned long long)header->data_length);
    if ((data->length > 0 && !data->data) || (uintptr_t)data->data % HY_KERNEL_ALIGNMENT != 0)
        return hy_fail(err, HY_BAD_DATA, "the data cache is not aligned");
    if (!hy_range_inside(header->values_offset, header->values_length, header->length) ||
        header->values_offset % HY_CPU_CACHE_ALIGN != 0 || header->values_offset < sizeof *header ||
        header->tuned_offset != header->values_offset + header->values_length ||
        header->tuned_length != header->length - header->tuned_offset ||
        header->subgraph_count == 0 || header->referenced_count > MOST_BODIES)
        return hy_cpu_reading_damaged(err, "its header");
    return HY_OK;
}

/* Fills in the model of the views. Constants that exist only packed are in a pool without access
 * rights. */
static void set_model(struct hy_cpu_reading *reading, const struct hy_bytes *data)
{
    struct hy_cpu_recall *recall = reading->recall;
    const struct hy_pool pool = {
        .kind = HY_POOL_HOST,
        .protection = HY_PROTECT_READ,
        .fd = -1,
        .size = data->length,
        .address = (void *)data->data,
    };

    recall->pools[HY_CPU_RECALL_DATA] = pool;
    recall->pools[HY_CPU_RECALL_NOWHERE] =
        (struct hy_pool){.kind = HY_POOL_HOST, .fd = -1, .size = UINT64_MAX};
    recall->model = (struct hy_model){
        .struct_size = sizeof recall->model,
        .values = reading->values,
        .values_size = reading->header->values_length,
        .pools = recall->pools,
        .pool_count = sizeof recall->pools / sizeof recall->pools[0],
        .referenced_count = reading->header->referenced_count,
    };
}

enum hy_code hy_cpu_cache_read(const struct hy_bytes *model, const struct hy_bytes *data,
                               const char *identity, uint64_t l2_bytes, const struct hy_host *host,
                               struct hy_cpu_recall *recall, struct hy_error *err)
{
    enum hy_code code = check_header(model, data, identity, err);

    *recall = (struct hy_cpu_recall){.memory = hy_cpu_arena(host)};
    if (code != HY_OK)
        return code;
    const struct hy_cpu_cache_header *header = model->data;
    struct hy_cpu_reading reading = {
        .recall = recall,
        .cursor = {model->data, header->values_offset, sizeof *header},
        .header = header,
        .values = (const uint8_t *)model->data + header->values_offset,
        .data = data->data,
    };
    const struct hy_subgraph **referenced = NULL;
    if (header->referenced_count > 0) {
        referenced = hy_cpu_recall_make(recall, header->referenced_count, sizeof *referenced);
        recall->body_images =
            hy_cpu_recall_make(recall, header->referenced_count, sizeof *recall->body_images);
        if (!referenced || !recall->body_images)
            return hy_cpu_reading_no_memory(err);
    }
    set_model(&reading, data);
    recall->model.referenced = referenced;
    for (uint32_t i = 0; i < header->subgraph_count && code == HY_OK; i++)
        code = recall_next(&reading, i == 0, referenced, err);
    if (code == HY_OK && reading.cursor.at != header->values_offset)
        code = hy_cpu_reading_damaged(err, "there is more than it counts");
    return code == HY_OK ? hy_cpu_reading_tuned(&reading, l2_bytes, err) : code;
}

void hy_cpu_recall_finish(struct hy_cpu_recall *recall)
{
    hy_arena_finish(&recall->memory);
    *recall = (struct hy_cpu_recall){0};
}
