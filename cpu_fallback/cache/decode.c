#include "cpu_fallback/cache/decode.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/checked.h"
#include "common/model/model_view.h"
#include "common/model/subgraph_codec.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/cache/format.h"
#include "cpu_fallback/kernels/types.h"

/* ---- Operands -------------------------------------------------------------------------------- */

/* The address of `length` bytes of the values or the data; NULL: out of range. */
static const void *locate(const struct hy_cpu_decoder *decoder, uint32_t storage, uint64_t offset,
                          uint64_t length)
{
    const bool in_values = storage == HY_CPU_STORED_VALUES;
    const struct hy_cpu_cache_header *header = decoder->header;
    const uint64_t alignment = in_values ? HY_CPU_CACHE_ALIGN : HY_KERNEL_ALIGNMENT;

    if (length == 0 || offset % alignment != 0 ||
        !hy_range_inside(offset, length, in_values ? header->values_length : header->data_length))
        return NULL;
    return (in_values ? decoder->values : decoder->data) + offset;
}

/* Restores a folded temporary, whose length must match its shape. */
static enum hy_code restore_folded(const struct hy_cpu_decoder *decoder,
                                   const struct hy_location *at, const struct hy_operand *view,
                                   const void **folded, struct hy_error *err)
{
    struct hy_shape shape;
    uint64_t bytes;

    if (!hy_shape_set(&shape, view->rank, view->dims) ||
        !hy_shape_bytes(&shape, hy_operand_type_bytes(view->type), &bytes) || bytes != at->length)
        return hy_cpu_decode_damaged(err, "a folded value has a wrong length");
    *folded = locate(decoder, at->pool, at->offset, at->length);
    return *folded ? HY_OK : hy_cpu_decode_damaged(err, "a folded value lies outside of the file");
}

/* Restores a constant that exists only packed. The number of its channel scales follows from the
 * view. */
static void restore_packed(const struct hy_location *at, struct hy_operand *view)
{
    view->location = (struct hy_location){.pool = HY_CPU_RESTORED_UNMAPPED, .length = at->length};
    if (view->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL &&
        view->channel_dim < view->rank)
        view->channel_count = view->dims[view->channel_dim];
}

/* Sets the location of an operand as in the view of a model, or stores the value in the image.
 * Before the call, the pool of the location is the HY_CPU_PLACE_*. */
static enum hy_code restore_value(const struct hy_cpu_decoder *decoder, uint32_t index,
                                  struct hy_operand *view,
                                  struct hy_cpu_compiled_view *compiled_view, struct hy_error *err)
{
    const struct hy_location at = view->location;
    const bool is_temporary = view->lifetime == HY_LIFETIME_TEMPORARY;
    const bool is_known = hy_lifetime_is_constant(view->lifetime);

    view->location = (struct hy_location){.offset = at.offset, .length = at.length};
    switch (at.pool) {
    case HY_CPU_STORED_NONE:
        return is_known ? hy_cpu_decode_damaged(err, "a constant has no value") : HY_OK;
    case HY_CPU_STORED_BODY:
        return view->lifetime == HY_LIFETIME_SUBGRAPH
                   ? HY_OK
                   : hy_cpu_decode_damaged(err, "the location of a body is wrong");
    case HY_CPU_STORED_PACKED:
        compiled_view->is_packed[index] = true;
        restore_packed(&at, view);
        break;
    case HY_CPU_STORED_VALUES:
    case HY_CPU_STORED_DATA:
        if (is_temporary)
            return restore_folded(decoder, &at, view, &compiled_view->folded[index], err);
        if (!locate(decoder, at.pool, at.offset, at.length))
            return hy_cpu_decode_damaged(err, "a constant lies outside of the file");
        view->location.pool = HY_CPU_RESTORED_DATA;
        break;
    default:
        return hy_cpu_decode_damaged(err, "a value has an unknown location");
    }
    if (is_known)
        view->lifetime =
            at.pool == HY_CPU_STORED_VALUES ? HY_LIFETIME_CONSTANT_COPY : HY_LIFETIME_CONSTANT_POOL;
    return is_known || is_temporary
               ? HY_OK
               : hy_cpu_decode_damaged(err, "an operand other than a constant has a value");
}

/* ---- Operations ------------------------------------------------------------------------------ */

static enum hy_code restore_weights(struct hy_cpu_decoder *decoder,
                                    const struct hy_cpu_cache_operation *record,
                                    const struct hy_cpu_packed **packed, struct hy_error *err)
{
    const void *bytes =
        locate(decoder, HY_CPU_STORED_DATA, record->weights_offset, record->weights_length);
    struct hy_cpu_packed *made =
        hy_cpu_restored_model_alloc(decoder->restored_model, 1, sizeof *made);

    if (!made)
        return hy_cpu_decode_no_memory(err);
    if (!bytes)
        return hy_cpu_decode_damaged(err, "packed weights lie outside of the data cache");
    *made = (struct hy_cpu_packed){
        .bytes = bytes,
        .length = record->weights_length,
        .layout = record->weights_layout,
        .reads_filter = record->flags & HY_CPU_OPERATION_FILTER,
        .is_borrowed = true,
    };
    memcpy(made->kernel, record->weights_kernel, sizeof made->kernel - 1);
    *packed = made;
    return HY_OK;
}

/* ---- Subgraphs ------------------------------------------------------------------------------- */

static enum hy_code make_compiled_view(struct hy_cpu_restored_model *restored_model,
                                       const struct hy_subgraph *view,
                                       const struct hy_cpu_cache_subgraph *record,
                                       struct hy_cpu_compiled_view *compiled_view,
                                       struct hy_error *err)
{
    const uint64_t flag_count = (uint64_t)view->operand_count + view->operation_count;
    bool *flags = hy_cpu_restored_model_alloc(restored_model, flag_count, sizeof *flags);

    if (!flags)
        return hy_cpu_decode_no_memory(err);
    *compiled_view = (struct hy_cpu_compiled_view){
        .folded = hy_cpu_restored_model_alloc(restored_model, view->operand_count,
                                              sizeof *compiled_view->folded),
        .is_packed = flags,
        .is_dropped = flags + view->operand_count,
        .packed = hy_cpu_restored_model_alloc(restored_model, view->operation_count,
                                              sizeof *compiled_view->packed),
        .folded_count = record->folded_count,
        .dropped_count = record->dropped_count,
    };
    if (!compiled_view->folded || !compiled_view->packed)
        return hy_cpu_decode_no_memory(err);
    return HY_OK;
}

static enum hy_code restore_view(struct hy_cpu_decoder *decoder, struct hy_subgraph *view,
                                 struct hy_operand **operands, struct hy_error *err)
{
    const struct hy_piece_source source = {.next = hy_cpu_cursor_next, .from = &decoder->cursor};
    struct hy_error why;

    enum hy_code code =
        hy_subgraph_decode(&source, &decoder->restored_model->memory, view, operands, &why);
    if (code == HY_OUT_OF_MEMORY)
        return hy_cpu_decode_no_memory(err);
    return code == HY_OK ? HY_OK : hy_cpu_decode_damaged(err, why.text);
}

enum hy_code hy_cpu_decode_subgraph(struct hy_cpu_decoder *decoder,
                                    const struct hy_cpu_cache_subgraph *record,
                                    struct hy_subgraph *view,
                                    struct hy_cpu_compiled_view *compiled_view,
                                    struct hy_error *err)
{
    struct hy_operand *operands;

    enum hy_code code = restore_view(decoder, view, &operands, err);
    if (code == HY_OK)
        code = make_compiled_view(decoder->restored_model, view, record, compiled_view, err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < view->operand_count && code == HY_OK; i++)
        code = restore_value(decoder, i, &operands[i], compiled_view, err);
    const struct hy_cpu_cache_operation *operations =
        hy_cpu_cursor_next(&decoder->cursor, view->operation_count, sizeof *operations);
    if (code == HY_OK && !operations)
        return hy_cpu_decode_damaged(err, "operations are missing");
    for (uint32_t i = 0; i < view->operation_count && code == HY_OK; i++) {
        compiled_view->is_dropped[i] = operations[i].flags & HY_CPU_OPERATION_DROPPED;
        if (operations[i].flags & HY_CPU_OPERATION_PACKED)
            code = restore_weights(decoder, &operations[i], &compiled_view->packed[i], err);
    }
    return code;
}
