#include "cpu_fallback/cache/reading.h"

#include <string.h>

#include "common/checked.h"
#include "common/operand_type.h"
#include "cpu_fallback/cache/format.h"
#include "cpu_fallback/kernels/types.h"

/* ---- Operands -------------------------------------------------------------------------------- */

static bool is_constant(int32_t lifetime)
{
    return lifetime == HY_LIFETIME_CONSTANT_COPY || lifetime == HY_LIFETIME_CONSTANT_POOL;
}

/* The address of `length` bytes of the values or the data; NULL where they leave it. */
static const void *locate(const struct hy_cpu_reading *reading, uint32_t place, uint64_t offset,
                          uint64_t length)
{
    const bool in_values = place == HY_CPU_PLACE_VALUES;
    const struct hy_cpu_cache_header *header = reading->header;
    const uint64_t alignment = in_values ? HY_CPU_CACHE_ALIGN : HY_KERNEL_ALIGNMENT;

    if (length == 0 || offset % alignment != 0 ||
        !hy_range_inside(offset, length, in_values ? header->values_length : header->data_length))
        return NULL;
    return (in_values ? reading->values : reading->data) + offset;
}

/* A temporary that became constant: its bytes are as many as its shape says. */
static enum hy_code recall_folded(const struct hy_cpu_reading *reading,
                                  const struct hy_cpu_cache_operand *record,
                                  const struct hy_operand *view, const void **folded,
                                  struct hy_error *err)
{
    struct hy_shape shape;
    uint64_t bytes;

    if (!hy_shape_set(&shape, view->rank, view->dims) ||
        !hy_shape_bytes(&shape, hy_operand_type_bytes(view->type), &bytes) ||
        bytes != record->length)
        return hy_cpu_reading_damaged(err, "a folded value of another length than its shape");
    *folded = locate(reading, record->place, record->offset, record->length);
    return *folded ? HY_OK : hy_cpu_reading_damaged(err, "a folded value outside of its file");
}

/* Puts the value of an operand where the view of a model has it; what no view can say goes to the
 * image. */
static enum hy_code recall_place(const struct hy_cpu_reading *reading,
                                 const struct hy_cpu_cache_operand *record, uint32_t index,
                                 struct hy_operand *view, struct hy_cpu_image *image,
                                 struct hy_error *err)
{
    const bool is_temporary = record->lifetime == HY_LIFETIME_TEMPORARY;
    const bool is_known = is_constant(record->lifetime);

    view->location = (struct hy_location){.offset = record->offset, .length = record->length};
    switch (record->place) {
    case HY_CPU_PLACE_NONE:
        return is_known ? hy_cpu_reading_damaged(err, "a constant without a value") : HY_OK;
    case HY_CPU_PLACE_BODY:
        return record->lifetime == HY_LIFETIME_SUBGRAPH
                   ? HY_OK
                   : hy_cpu_reading_damaged(err, "a body elsewhere");
    case HY_CPU_PLACE_PACKED:
        image->is_packed[index] = true;
        view->location =
            (struct hy_location){.pool = HY_CPU_RECALL_NOWHERE, .length = record->length};
        break;
    case HY_CPU_PLACE_VALUES:
    case HY_CPU_PLACE_DATA:
        if (is_temporary)
            return recall_folded(reading, record, view, &image->folded[index], err);
        if (!locate(reading, record->place, record->offset, record->length))
            return hy_cpu_reading_damaged(err, "a constant outside of its file");
        view->location.pool = HY_CPU_RECALL_DATA;
        break;
    default:
        return hy_cpu_reading_damaged(err, "a value in an unknown place");
    }
    if (is_known)
        view->lifetime = record->place == HY_CPU_PLACE_VALUES ? HY_LIFETIME_CONSTANT_COPY
                                                              : HY_LIFETIME_CONSTANT_POOL;
    return is_known || is_temporary
               ? HY_OK
               : hy_cpu_reading_damaged(err, "a value for what is no constant");
}

static enum hy_code recall_operand(struct hy_cpu_reading *reading, uint32_t index,
                                   struct hy_operand *view, struct hy_cpu_image *image,
                                   struct hy_error *err)
{
    const struct hy_cpu_cache_operand *record =
        hy_cpu_cursor_take(&reading->cursor, 1, sizeof *record);

    if (!record)
        return hy_cpu_reading_damaged(err, "operands are missing");
    const uint32_t *dims = hy_cpu_cursor_take(&reading->cursor, record->rank, sizeof *dims);
    const uint32_t scale_count = record->place == HY_CPU_PLACE_PACKED ? 0 : record->channel_count;
    const float *scales = hy_cpu_cursor_take(&reading->cursor, scale_count, sizeof *scales);
    if (!dims || !scales || record->rank > HY_MAX_RANK)
        return hy_cpu_reading_damaged(err, "an operand is cut off");
    *view = (struct hy_operand){
        .type = record->type,
        .lifetime = record->lifetime,
        .rank = record->rank,
        .channel_dim = record->channel_dim,
        .dims = record->rank > 0 ? dims : NULL,
        .scale = record->scale,
        .zero_point = record->zero_point,
        .channel_scales = scale_count > 0 ? scales : NULL,
        .channel_count = record->channel_count,
    };
    return recall_place(reading, record, index, view, image, err);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static enum hy_code recall_weights(struct hy_cpu_reading *reading,
                                   const struct hy_cpu_cache_operation *record,
                                   const struct hy_cpu_packed **packed, struct hy_error *err)
{
    const void *bytes =
        locate(reading, HY_CPU_PLACE_DATA, record->weights_offset, record->weights_length);
    struct hy_cpu_packed *made = hy_cpu_recall_make(reading->recall, 1, sizeof *made);

    if (!made)
        return hy_cpu_reading_no_memory(err);
    if (!bytes)
        return hy_cpu_reading_damaged(err, "packed weights outside of the data cache");
    *made = (struct hy_cpu_packed){
        .bytes = bytes,
        .length = record->weights_length,
        .layout = record->weights_layout,
        .is_borrowed = true,
    };
    memcpy(made->kernel, record->weights_kernel, sizeof made->kernel - 1);
    *packed = made;
    return HY_OK;
}

static enum hy_code recall_operation(struct hy_cpu_reading *reading, uint32_t index,
                                     struct hy_operation *view, struct hy_cpu_image *image,
                                     struct hy_error *err)
{
    const struct hy_cpu_cache_operation *record =
        hy_cpu_cursor_take(&reading->cursor, 1, sizeof *record);

    if (!record)
        return hy_cpu_reading_damaged(err, "operations are missing");
    *view = (struct hy_operation){
        .type = record->type,
        .input_count = record->input_count,
        .output_count = record->output_count,
        .inputs = hy_cpu_cursor_take(&reading->cursor, record->input_count, sizeof(uint32_t)),
        .outputs = hy_cpu_cursor_take(&reading->cursor, record->output_count, sizeof(uint32_t)),
    };
    if (!view->inputs || !view->outputs)
        return hy_cpu_reading_damaged(err, "an operation is cut off");
    image->is_dropped[index] = record->flags & HY_CPU_OPERATION_DROPPED;
    if (record->flags & HY_CPU_OPERATION_PACKED)
        return recall_weights(reading, record, &image->packed[index], err);
    return HY_OK;
}

/* ---- Subgraphs ------------------------------------------------------------------------------- */

/* A view and an image with room for all that the record counts. */
static enum hy_code make_room(struct hy_cpu_reading *reading,
                              const struct hy_cpu_cache_subgraph *record,
                              struct hy_operand **operands, struct hy_operation **operations,
                              struct hy_cpu_image *image, struct hy_error *err)
{
    const size_t left = reading->cursor.length - reading->cursor.at;

    if (record->operand_count > left / sizeof(struct hy_cpu_cache_operand) ||
        record->operation_count > left / sizeof(struct hy_cpu_cache_operation))
        return hy_cpu_reading_damaged(err, "a subgraph is cut off");
    *operands = hy_cpu_recall_make(reading->recall, record->operand_count, sizeof **operands);
    *operations = hy_cpu_recall_make(reading->recall, record->operation_count, sizeof **operations);
    *image = (struct hy_cpu_image){
        .folded = hy_cpu_recall_make(reading->recall, record->operand_count, sizeof *image->folded),
        .is_packed =
            hy_cpu_recall_make(reading->recall, record->operand_count, sizeof *image->is_packed),
        .is_dropped =
            hy_cpu_recall_make(reading->recall, record->operation_count, sizeof *image->is_dropped),
        .packed =
            hy_cpu_recall_make(reading->recall, record->operation_count, sizeof *image->packed),
        .folded_count = record->folded_count,
        .dropped_count = record->dropped_count,
    };
    if (!*operands || !*operations || !image->folded || !image->is_packed || !image->is_dropped ||
        !image->packed)
        return hy_cpu_reading_no_memory(err);
    return HY_OK;
}

enum hy_code hy_cpu_reading_subgraph(struct hy_cpu_reading *reading,
                                     const struct hy_cpu_cache_subgraph *record,
                                     struct hy_subgraph *view, struct hy_cpu_image *image,
                                     struct hy_error *err)
{
    struct hy_operand *operands = NULL;
    struct hy_operation *operations = NULL;

    *view = (struct hy_subgraph){
        .struct_size = sizeof *view,
        .operand_count = record->operand_count,
        .operation_count = record->operation_count,
        .input_count = record->input_count,
        .output_count = record->output_count,
        .inputs = hy_cpu_cursor_take(&reading->cursor, record->input_count, sizeof(uint32_t)),
        .outputs = hy_cpu_cursor_take(&reading->cursor, record->output_count, sizeof(uint32_t)),
    };
    if (!view->inputs || !view->outputs)
        return hy_cpu_reading_damaged(err, "a subgraph is cut off");
    enum hy_code code = make_room(reading, record, &operands, &operations, image, err);
    for (uint32_t i = 0; i < record->operand_count && code == HY_OK; i++)
        code = recall_operand(reading, i, &operands[i], image, err);
    for (uint32_t i = 0; i < record->operation_count && code == HY_OK; i++)
        code = recall_operation(reading, i, &operations[i], image, err);
    view->operands = operands;
    view->operations = operations;
    return code;
}
