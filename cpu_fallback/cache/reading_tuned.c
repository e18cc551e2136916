#include "cpu_fallback/cache/reading.h"

/* The image and view of a choice's subgraph; NULL: no such subgraph. */
static struct hy_cpu_image *find_image(const struct hy_cpu_recall *recall, uint32_t index,
                                       const struct hy_subgraph **view)
{
    if (index == HY_CPU_CACHE_MAIN) {
        *view = recall->model.main;
        return recall->image;
    }
    if (index >= recall->model.referenced_count)
        return NULL;
    *view = recall->model.referenced[index];
    return recall->body_images[index];
}

/* Applies a choice. Resolving the operation checks the block. */
static enum hy_code take_choice(struct hy_cpu_recall *recall,
                                const struct hy_cpu_cache_choice *record, struct hy_error *err)
{
    const struct hy_subgraph *view = NULL;
    struct hy_cpu_image *image = find_image(recall, record->subgraph, &view);

    if (!image || record->operation >= view->operation_count ||
        image->is_dropped[record->operation])
        return hy_cpu_reading_damaged(err, "a choice for what is not there");
    if (!image->choices)
        image->choices = hy_cpu_recall_make(recall, view->operation_count, sizeof *image->choices);
    if (!image->choices)
        return hy_cpu_reading_no_memory(err);
    if (image->choices[record->operation].is_made)
        return hy_cpu_reading_damaged(err, "two choices for one operation");
    image->choices[record->operation] =
        (struct hy_cpu_choice){.block = record->block, .is_made = true};
    return HY_OK;
}

enum hy_code hy_cpu_reading_tuned(struct hy_cpu_reading *reading, uint64_t l2_bytes,
                                  struct hy_error *err)
{
    const struct hy_cpu_cache_header *header = reading->header;
    struct hy_cpu_cursor cursor = {(const uint8_t *)header + header->tuned_offset,
                                   (size_t)header->tuned_length, 0};
    enum hy_code code = HY_OK;

    if (header->tuned_length == 0)
        return HY_OK;
    const struct hy_cpu_cache_tuned *record = hy_cpu_cursor_take(&cursor, 1, sizeof *record);
    if (!record || record->version != HY_CPU_TUNED_VERSION)
        return hy_cpu_reading_damaged(err, "how work is cut");
    const struct hy_cpu_cache_choice *choices =
        hy_cpu_cursor_take(&cursor, record->choice_count, sizeof *choices);
    if (!choices || cursor.at != cursor.length)
        return hy_cpu_reading_damaged(err, "choices are missing, or too many");
    if (record->l2_bytes != l2_bytes)
        return HY_OK; /* it will be measured again */
    for (uint32_t i = 0; i < record->choice_count && code == HY_OK; i++)
        code = take_choice(reading->recall, &choices[i], err);
    reading->recall->is_tuned = code == HY_OK;
    return code;
}
