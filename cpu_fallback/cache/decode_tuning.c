#include "cpu_fallback/cache/decode.h"

/* The image and view of a choice's subgraph; NULL: no such subgraph. */
static struct hy_cpu_compiled_view *
find_compiled_view(const struct hy_cpu_restored_model *restored_model, uint32_t index,
                   const struct hy_subgraph **view)
{
    if (index == HY_CPU_CACHE_MAIN) {
        *view = restored_model->model.main;
        return restored_model->compiled_view;
    }
    if (index >= restored_model->model.referenced_count)
        return NULL;
    *view = restored_model->model.referenced[index];
    return restored_model->body_views[index];
}

/* Applies a choice. Resolving the operation checks the block. */
static enum hy_code decode_blocking(struct hy_cpu_restored_model *restored_model,
                                    const struct hy_cpu_cache_blocking *record,
                                    struct hy_error *err)
{
    const struct hy_subgraph *view = NULL;
    struct hy_cpu_compiled_view *compiled_view =
        find_compiled_view(restored_model, record->subgraph, &view);

    if (!compiled_view || record->operation >= view->operation_count ||
        compiled_view->is_dropped[record->operation])
        return hy_cpu_decode_damaged(err, "a blocking refers to a missing operation");
    if (!compiled_view->blockings)
        compiled_view->blockings = hy_cpu_restored_model_alloc(
            restored_model, view->operation_count, sizeof *compiled_view->blockings);
    if (!compiled_view->blockings)
        return hy_cpu_decode_no_memory(err);
    if (compiled_view->blockings[record->operation].is_made)
        return hy_cpu_decode_damaged(err, "an operation has two blockings");
    compiled_view->blockings[record->operation] =
        (struct hy_cpu_blocking){.block = record->block, .is_made = true};
    return HY_OK;
}

enum hy_code hy_cpu_decode_tuning(struct hy_cpu_decoder *decoder, uint64_t l2_bytes,
                                  struct hy_error *err)
{
    const struct hy_cpu_cache_header *header = decoder->header;
    struct hy_cpu_cursor cursor = {(const uint8_t *)header + header->tuned_offset,
                                   (size_t)header->tuned_length, 0};
    enum hy_code code = HY_OK;

    if (header->tuned_length == 0)
        return HY_OK;
    const struct hy_cpu_cache_tuned *record = hy_cpu_cursor_next(&cursor, 1, sizeof *record);
    if (!record || record->version != HY_CPU_TUNED_VERSION)
        return hy_cpu_decode_damaged(err, "the record of blockings is invalid");
    const struct hy_cpu_cache_blocking *blockings =
        hy_cpu_cursor_next(&cursor, record->blocking_count, sizeof *blockings);
    if (!blockings || cursor.at != cursor.length)
        return hy_cpu_decode_damaged(err, "the number of blockings is wrong");
    if (record->l2_bytes != l2_bytes)
        return HY_OK; /* it will be measured again */
    for (uint32_t i = 0; i < record->blocking_count && code == HY_OK; i++)
        code = decode_blocking(decoder->restored_model, &blockings[i], err);
    decoder->restored_model->is_tuned = code == HY_OK;
    return code;
}
