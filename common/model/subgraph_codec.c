#include "common/model/subgraph_codec.h"

#include "common/checked.h"
#include "common/model/model_view.h"

#include <string.h>

/* ---- Encoding -------------------------------------------------------------------------------- */

static enum hy_code count_lists(const struct hy_subgraph *graph, struct hy_subgraph_record *ret,
                                struct hy_error *err)
{
    uint64_t dims = 0, indices = 0, scales = 0;

    for (uint32_t i = 0; i < graph->operand_count; i++) {
        const struct hy_operand *operand = &graph->operands[i];
        if (operand->rank > HY_MAX_RANK)
            return hy_fail(err, HY_BAD_DATA, "operand %u has rank %u, at most %u is allowed", i,
                           operand->rank, HY_MAX_RANK);
        dims += operand->rank;
        scales += operand->channel_count;
    }
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        indices += graph->operations[i].input_count;
        indices += graph->operations[i].output_count;
    }
    if (dims > UINT32_MAX || indices > UINT32_MAX || scales > UINT32_MAX)
        return hy_fail(err, HY_BAD_DATA, "a subgraph with %llu extents, %llu indices, %llu scales",
                       (unsigned long long)dims, (unsigned long long)indices,
                       (unsigned long long)scales);
    *ret = (struct hy_subgraph_record){
#define SUBGRAPH(member) .member = graph->member,
#include "common/model/model_fields.def"
        .dim_count = (uint32_t)dims,
        .index_count = (uint32_t)indices,
        .scale_count = (uint32_t)scales,
    };
    return HY_OK;
}

static void *reserve(const struct hy_piece_sink *sink, uint32_t count, size_t size)
{
    return count > 0 ? sink->capacity(sink->to, count, size) : NULL;
}

static void put(const struct hy_piece_sink *sink, const void *elements, uint32_t count, size_t size)
{
    void *capacity = reserve(sink, count, size);

    if (capacity)
        memcpy(capacity, elements, count * size);
}

static void put_operands(const struct hy_piece_sink *sink, const struct hy_subgraph *graph)
{
    struct hy_operand_record *records = reserve(sink, graph->operand_count, sizeof *records);

    for (uint32_t i = 0; records && i < graph->operand_count; i++)
        records[i] = (struct hy_operand_record){
#define OPERAND(member) .member = graph->operands[i].member,
#include "common/model/model_fields.def"
        };
}

static void put_operations(const struct hy_piece_sink *sink, const struct hy_subgraph *graph)
{
    struct hy_operation_record *records = reserve(sink, graph->operation_count, sizeof *records);

    for (uint32_t i = 0; records && i < graph->operation_count; i++)
        records[i] = (struct hy_operation_record){
#define OPERATION(member) .member = graph->operations[i].member,
#include "common/model/model_fields.def"
        };
}

/* Returns the position behind the list of 4-byte elements. */
static uint8_t *append(uint8_t *to, const void *list, uint32_t count)
{
    const size_t bytes = count * sizeof(uint32_t);

    if (bytes > 0)
        memcpy(to, list, bytes);
    return to + bytes;
}

static void put_dims(const struct hy_piece_sink *sink, const struct hy_subgraph *graph,
                     uint32_t count)
{
    uint8_t *to = reserve(sink, count, sizeof(uint32_t));

    for (uint32_t i = 0; to && i < graph->operand_count; i++)
        to = append(to, graph->operands[i].dims, graph->operands[i].rank);
}

static void put_indices(const struct hy_piece_sink *sink, const struct hy_subgraph *graph,
                        uint32_t count)
{
    uint8_t *to = reserve(sink, count, sizeof(uint32_t));

    for (uint32_t i = 0; to && i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        to = append(to, operation->inputs, operation->input_count);
        to = append(to, operation->outputs, operation->output_count);
    }
}

static void put_scales(const struct hy_piece_sink *sink, const struct hy_subgraph *graph,
                       uint32_t count)
{
    uint8_t *to = reserve(sink, count, sizeof(float));

    for (uint32_t i = 0; to && i < graph->operand_count; i++)
        to = append(to, graph->operands[i].channel_scales, graph->operands[i].channel_count);
}

enum hy_code hy_subgraph_encode(const struct hy_subgraph *graph, const struct hy_piece_sink *sink,
                                struct hy_error *err)
{
    struct hy_subgraph_record record;

    enum hy_code code = count_lists(graph, &record, err);
    if (code != HY_OK)
        return code;
    put(sink, &record, 1, sizeof record);
    put_operands(sink, graph);
    put_operations(sink, graph);
    put_dims(sink, graph, record.dim_count);
    put_indices(sink, graph, record.index_count);
    put(sink, graph->inputs, graph->input_count, sizeof *graph->inputs);
    put(sink, graph->outputs, graph->output_count, sizeof *graph->outputs);
    put_scales(sink, graph, record.scale_count);
    for (uint32_t i = 0; i < graph->operand_count; i++)
        put(sink, graph->operands[i].extension_data, graph->operands[i].extension_length, 1);
    return HY_OK;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* A list of 4-byte elements that is divided among its owners in order. */
struct list {
    const uint32_t *next;
    uint32_t left;
};

struct decoding {
    const struct hy_piece_source *source;
    bool is_cut; /* the source has no further piece */
    const struct hy_subgraph_record *record;
    const struct hy_operand_record *operands;
    const struct hy_operation_record *operations;
    struct list dims, indices, scales;
    const uint32_t *inputs, *outputs;
};

static const void *next(struct decoding *decoding, uint64_t count, size_t size)
{
    const struct hy_piece_source *source = decoding->source;

    if (count == 0 || decoding->is_cut)
        return NULL;
    const void *piece = source->next(source->from, count, size);
    decoding->is_cut = !piece;
    return piece;
}

static struct list next_list(struct decoding *decoding, uint32_t count)
{
    return (struct list){next(decoding, count, sizeof(uint32_t)), count};
}

static const void *pop_numbers(struct list *list, uint32_t count)
{
    if (count == 0)
        return NULL;
    list->next += count;
    list->left -= count;
    return list->next - count;
}

static enum hy_code refuse_cut(struct hy_error *err)
{
    return hy_fail(err, HY_BAD_DATA, "a subgraph is truncated");
}

/* All pieces except extension data, whose lengths are in unchecked records. */
static enum hy_code find_pieces(struct decoding *decoding, struct hy_error *err)
{
    const struct hy_subgraph_record *record = next(decoding, 1, sizeof *record);

    if (!record)
        return refuse_cut(err);
    decoding->record = record;
    decoding->operands = next(decoding, record->operand_count, sizeof *decoding->operands);
    decoding->operations = next(decoding, record->operation_count, sizeof *decoding->operations);
    decoding->dims = next_list(decoding, record->dim_count);
    decoding->indices = next_list(decoding, record->index_count);
    decoding->inputs = next(decoding, record->input_count, sizeof *decoding->inputs);
    decoding->outputs = next(decoding, record->output_count, sizeof *decoding->outputs);
    decoding->scales = next_list(decoding, record->scale_count);
    return decoding->is_cut ? refuse_cut(err) : HY_OK;
}

static enum hy_code check_indices(const struct decoding *decoding, struct hy_error *err)
{
    const struct hy_subgraph_record *record = decoding->record;
    const struct {
        const char *name;
        const uint32_t *indices;
        uint32_t count;
    } lists[] = {{"operations", decoding->indices.next, record->index_count},
                 {"inputs", decoding->inputs, record->input_count},
                 {"outputs", decoding->outputs, record->output_count}};

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        for (uint32_t i = 0; i < lists[k].count; i++) {
            if (lists[k].indices[i] >= record->operand_count)
                return hy_fail(err, HY_BAD_DATA, "%s: operand %u of %u", lists[k].name,
                               lists[k].indices[i], record->operand_count);
        }
    }
    return HY_OK;
}

static enum hy_code decode_operand(struct decoding *decoding, uint32_t index,
                                   struct hy_operand *ret, struct hy_error *err)
{
    const struct hy_operand_record *record = &decoding->operands[index];

    if (record->lifetime < HY_LIFETIME_TEMPORARY || record->lifetime > HY_LIFETIME_SUBGRAPH)
        return hy_fail(err, HY_BAD_DATA, "operand %u has lifetime %d", index, record->lifetime);
    if (record->rank > HY_MAX_RANK || record->rank > decoding->dims.left)
        return hy_fail(err, HY_BAD_DATA, "operand %u has rank %u, %u extents are left", index,
                       record->rank, decoding->dims.left);
    if (record->channel_count > decoding->scales.left)
        return hy_fail(err, HY_BAD_DATA, "operand %u has %u scales, %u are left", index,
                       record->channel_count, decoding->scales.left);
    *ret = (struct hy_operand){
#define OPERAND(member) .member = record->member,
#include "common/model/model_fields.def"
        .dims = pop_numbers(&decoding->dims, record->rank),
        .channel_scales = pop_numbers(&decoding->scales, record->channel_count),
    };
    if (ret->location.length == 0 && hy_lifetime_is_constant(ret->lifetime))
        ret->location = (struct hy_location){0};
    return HY_OK;
}

static enum hy_code decode_operation(struct decoding *decoding, uint32_t index,
                                     struct hy_operation *ret, struct hy_error *err)
{
    const struct hy_operation_record *record = &decoding->operations[index];

    if ((uint64_t)record->input_count + record->output_count > decoding->indices.left)
        return hy_fail(err, HY_BAD_DATA,
                       "operation %u has %u inputs and %u outputs, %u indices are left", index,
                       record->input_count, record->output_count, decoding->indices.left);
    *ret = (struct hy_operation){
#define OPERATION(member) .member = record->member,
#include "common/model/model_fields.def"
    };
    ret->inputs = pop_numbers(&decoding->indices, record->input_count);
    ret->outputs = pop_numbers(&decoding->indices, record->output_count);
    return HY_OK;
}

/* Distributes the pieces to operands and operations. */
static enum hy_code decode_all(struct decoding *decoding, struct hy_operand *operands,
                               struct hy_operation *operations, struct hy_error *err)
{
    enum hy_code code = check_indices(decoding, err);

    for (uint32_t i = 0; code == HY_OK && i < decoding->record->operand_count; i++)
        code = decode_operand(decoding, i, &operands[i], err);
    for (uint32_t i = 0; code == HY_OK && i < decoding->record->operation_count; i++)
        code = decode_operation(decoding, i, &operations[i], err);
    if (code != HY_OK)
        return code;
    if (decoding->dims.left || decoding->indices.left || decoding->scales.left)
        return hy_fail(err, HY_BAD_DATA, "%u extents, %u indices, %u scales too many",
                       decoding->dims.left, decoding->indices.left, decoding->scales.left);
    for (uint32_t i = 0; i < decoding->record->operand_count; i++)
        operands[i].extension_data = next(decoding, operands[i].extension_length, 1);
    return decoding->is_cut ? refuse_cut(err) : HY_OK;
}

/* NULL for no elements, and without memory. */
static void *alloc(struct hy_arena *memory, uint32_t count, size_t size)
{
    size_t bytes;

    return count > 0 && hy_mul_size(count, size, &bytes) ? hy_arena_alloc(memory, bytes) : NULL;
}

enum hy_code hy_subgraph_decode(const struct hy_piece_source *source, struct hy_arena *memory,
                                struct hy_subgraph *ret, struct hy_operand **operands,
                                struct hy_error *err)
{
    struct decoding decoding = {.source = source};

    /* The pieces come first, so that a large count alone allocates nothing. */
    enum hy_code code = find_pieces(&decoding, err);
    if (code != HY_OK)
        return code;
    const struct hy_subgraph_record *record = decoding.record;
    struct hy_operand *made = alloc(memory, record->operand_count, sizeof *made);
    struct hy_operation *operations = alloc(memory, record->operation_count, sizeof *operations);
    if ((record->operand_count > 0 && !made) || (record->operation_count > 0 && !operations))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u operands of %zu bytes, %u operations of %zu",
                       record->operand_count, sizeof *made, record->operation_count,
                       sizeof *operations);
    code = decode_all(&decoding, made, operations, err);
    if (code != HY_OK)
        return code;
    *ret = (struct hy_subgraph){
        .struct_size = sizeof *ret,
#define SUBGRAPH(member) .member = record->member,
#include "common/model/model_fields.def"
        .operands = made,
        .operations = operations,
        .inputs = decoding.inputs,
        .outputs = decoding.outputs,
    };
    *operands = made;
    return HY_OK;
}
