#include "libhalyard/tflite/tflite_reader.h"

#include <inttypes.h>

/* Kinds of the union SparseIndexVector. */
enum { INDEX_INT32 = 1, INDEX_UINT16 = 2, INDEX_UINT8 = 3 };

static int32_t load_index(const uint8_t *from, size_t size)
{
    switch (size) {
    case 1:
        return *from;
    case 2:
        return hy_load_u16(from);
    default:
        return (int32_t)hy_load_u32(from);
    }
}

/* A list of indices of one, two or four bytes. */
static enum hy_code read_indices(struct hy_tflite_reader *reader, const struct hy_fb_table *level,
                                 unsigned kind_slot, uint32_t *count, const int32_t **out)
{
    struct hy_fb *fb = &reader->fb;
    const unsigned kind = hy_fb_u8(fb, level, kind_slot, 0);
    const size_t size = kind == INDEX_UINT8 ? 1 : kind == INDEX_UINT16 ? 2 : 4;
    const struct hy_fb_table table = hy_fb_child(fb, level, kind_slot + 1);
    const struct hy_fb_vector vector = hy_fb_vector(fb, &table, 0, size);
    if (fb->code != HY_OK)
        return fb->code;
    if (kind > INDEX_UINT8)
        return hy_fail(reader->err, HY_BAD_DATA, "indices of kind %u are unknown", kind);

    enum hy_code code;
    int32_t *indices = hy_tflite_alloc(reader, vector.count, sizeof *indices, &code);
    if (!indices)
        return code;
    for (uint32_t i = 0; i < vector.count; i++)
        indices[i] = load_index(vector.data + i * size, size);
    *count = vector.count;
    *out = indices;
    return HY_OK;
}

static enum hy_code read_level(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                               struct hy_sparse_level *level)
{
    const int32_t extent = hy_fb_i32(&reader->fb, table, LEVEL_EXTENT, 0);

    level->is_sparse = hy_fb_u8(&reader->fb, table, LEVEL_FORMAT, 0) != 0;
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (extent < 0)
        return hy_fail(reader->err, HY_BAD_DATA, "extent %" PRId32, extent);
    level->extent = (uint32_t)extent;
    if (!level->is_sparse)
        return HY_OK;
    enum hy_code code =
        read_indices(reader, table, LEVEL_SEGMENTS_KIND, &level->segment_count, &level->segments);
    if (code == HY_OK)
        code = read_indices(reader, table, LEVEL_INDICES_KIND, &level->index_count,
                            &level->level_indices);
    return code;
}

/* The dimension of a level: `order` counts the tensor's dimensions first, and the blocks'
 * dimensions second. */
static enum hy_code set_dimension(struct hy_tflite_reader *reader, uint32_t rank, int32_t order,
                                  const struct hy_tflite_ints *blocks,
                                  struct hy_sparse_level *level)
{
    int64_t dimension = order;
    level->is_block = order >= 0 && (uint32_t)order >= rank;
    if (level->is_block)
        dimension =
            (uint32_t)order - rank < blocks->count ? blocks->values[order - (int32_t)rank] : -1;
    if (dimension < 0 || dimension >= rank)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "dimension %" PRId32 " of the traversal order does not exist", order);
    level->dimension = (uint32_t)dimension;
    return HY_OK;
}

enum hy_code hy_tflite_read_sparsity(struct hy_tflite_reader *reader,
                                     const struct hy_fb_table *table, uint32_t rank,
                                     struct hy_sparsity *out)
{
    struct hy_tflite_ints order, blocks;
    enum hy_code code = hy_tflite_copy_ints(reader, table, SPARSITY_ORDER, &order);
    if (code == HY_OK)
        code = hy_tflite_copy_ints(reader, table, SPARSITY_BLOCKS, &blocks);
    if (code != HY_OK)
        return code;
    const struct hy_fb_vector levels = hy_fb_vector(&reader->fb, table, SPARSITY_LEVELS, 4);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (levels.count != order.count || levels.count > HY_SPARSE_MAX_LEVELS)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "%" PRIu32 " levels in a traversal of %" PRIu32 ", at most %d", levels.count,
                       order.count, HY_SPARSE_MAX_LEVELS);

    struct hy_sparse_level *made = hy_tflite_alloc(reader, levels.count, sizeof *made, &code);
    for (uint32_t i = 0; code == HY_OK && i < levels.count; i++) {
        const struct hy_fb_table from = hy_fb_table_at(&reader->fb, &levels, i);
        code = read_level(reader, &from, &made[i]);
        if (code == HY_OK)
            code = set_dimension(reader, rank, order.values[i], &blocks, &made[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "sparsity: level %" PRIu32, i);
    }
    *out = (struct hy_sparsity){.level_count = levels.count, .levels = made};
    return code;
}
