#include "plugins/service/wire/model.h"

#include "common/checked.h"
#include "plugins/service/wire/model_format.h"
#include "plugins/service/wire/model_nesting.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"

/* What the parts of one subgraph are read from. Its `dims`, `indices` and `scales` are handed out
 * one owner after the other. */
struct parts {
    const struct hy_model_record *model;
    const struct hy_subgraph_record *record;
    const struct hy_operand_record *operands;
    const struct hy_operation_record *operations;
    const uint32_t *dims;
    const uint32_t *indices;
    const float *scales;
    uint64_t dims_left;
    uint64_t indices_left;
    uint64_t scales_left;
};

/* ---- Operands -------------------------------------------------------------------------------- */

/* A constant of no bytes lies nowhere. */
static struct hy_location locate(const struct hy_operand_record *record)
{
    const int is_empty =
        record->location.length == 0 && (record->lifetime == HY_LIFETIME_CONSTANT_COPY ||
                                         record->lifetime == HY_LIFETIME_CONSTANT_POOL);

    return is_empty ? (struct hy_location){0} : record->location;
}

static void check_location(struct hy_unpack *in, const struct parts *parts, uint32_t index,
                           const struct hy_location *location)
{
    switch (parts->operands[index].lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
        if (!hy_range_inside(location->offset, location->length, parts->model->values_size))
            hy_unpack_fail(in, "operand %u: %llu bytes at %llu of %llu values", index,
                           (unsigned long long)location->length,
                           (unsigned long long)location->offset,
                           (unsigned long long)parts->model->values_size);
        break;
    case HY_LIFETIME_CONSTANT_POOL:
        if (location->length > 0 && location->pool >= parts->model->pool_count)
            hy_unpack_fail(in, "operand %u: pool %u of %u", index, location->pool,
                           parts->model->pool_count);
        break;
    case HY_LIFETIME_SUBGRAPH:
        if (location->offset >= parts->model->referenced_count)
            hy_unpack_fail(in, "operand %u: subgraph %llu of %u", index,
                           (unsigned long long)location->offset, parts->model->referenced_count);
        break;
    default:
        break;
    }
}

static void check_operand(struct hy_unpack *in, const struct parts *parts, uint32_t index)
{
    const struct hy_operand_record *record = &parts->operands[index];

    if (record->lifetime < HY_LIFETIME_TEMPORARY || record->lifetime > HY_LIFETIME_SUBGRAPH)
        hy_unpack_fail(in, "operand %u has lifetime %d", index, record->lifetime);
    if (record->rank > HY_MAX_RANK || record->rank > parts->dims_left)
        hy_unpack_fail(in, "operand %u has rank %u, %llu extents are left", index, record->rank,
                       (unsigned long long)parts->dims_left);
    if (record->channel_count > parts->scales_left)
        hy_unpack_fail(in, "operand %u has %u scales, %llu are left", index, record->channel_count,
                       (unsigned long long)parts->scales_left);
}

static const uint32_t *take_dims(struct parts *parts, uint32_t rank)
{
    const uint32_t *taken = parts->dims;

    if (rank == 0)
        return NULL;
    parts->dims += rank;
    parts->dims_left -= rank;
    return taken;
}

static const float *take_scales(struct parts *parts, uint32_t count)
{
    const float *taken = parts->scales;

    if (count == 0)
        return NULL;
    parts->scales += count;
    parts->scales_left -= count;
    return taken;
}

static void unpack_operand(struct hy_unpack *in, struct parts *parts, uint32_t index,
                           struct hy_operand *operand)
{
    const struct hy_operand_record *record = &parts->operands[index];
    const struct hy_location location = locate(record);

    check_operand(in, parts, index);
    check_location(in, parts, index, &location);
    if (!hy_unpack_good(in))
        return;
    *operand = (struct hy_operand){.type = record->type,
                                   .lifetime = record->lifetime,
                                   .rank = record->rank,
                                   .channel_dim = record->channel_dim,
                                   .dims = take_dims(parts, record->rank),
                                   .scale = record->scale,
                                   .zero_point = record->zero_point,
                                   .location = location,
                                   .channel_scales = take_scales(parts, record->channel_count),
                                   .channel_count = record->channel_count,
                                   .extension_length = record->extension_length};
}

static void unpack_extension_data(struct hy_unpack *in, struct hy_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++)
        operands[i].extension_data = hy_unpack_records(in, operands[i].extension_length, 1);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static void check_indices(struct hy_unpack *in, const char *what, const uint32_t *indices,
                          uint64_t count, uint32_t operand_count)
{
    for (uint64_t i = 0; i < count && hy_unpack_good(in); i++) {
        if (indices[i] >= operand_count)
            hy_unpack_fail(in, "%s: operand %u of %u", what, indices[i], operand_count);
    }
}

static const uint32_t *take_indices(struct parts *parts, uint32_t count)
{
    const uint32_t *taken = parts->indices;

    if (count == 0)
        return NULL;
    parts->indices += count;
    parts->indices_left -= count;
    return taken;
}

static void unpack_operation(struct hy_unpack *in, struct parts *parts, uint32_t index,
                             struct hy_operation *operation)
{
    const struct hy_operation_record *record = &parts->operations[index];
    const uint64_t count = (uint64_t)record->input_count + record->output_count;

    if (count > parts->indices_left) {
        hy_unpack_fail(in, "operation %u has %u inputs and %u outputs, %llu indices are left",
                       index, record->input_count, record->output_count,
                       (unsigned long long)parts->indices_left);
        return;
    }
    const uint32_t *inputs = take_indices(parts, record->input_count);
    const uint32_t *outputs = take_indices(parts, record->output_count);
    *operation = (struct hy_operation){.type = record->type,
                                       .input_count = record->input_count,
                                       .output_count = record->output_count,
                                       .inputs = inputs,
                                       .outputs = outputs};
}

/* ---- Subgraphs ------------------------------------------------------------------------------- */

static void read_parts(struct hy_unpack *in, struct parts *parts)
{
    const struct hy_subgraph_record *record = parts->record;

    parts->operands = hy_unpack_records(in, record->operand_count, sizeof *parts->operands);
    parts->operations = hy_unpack_records(in, record->operation_count, sizeof *parts->operations);
    parts->dims = hy_unpack_records(in, record->dim_count, sizeof *parts->dims);
    parts->dims_left = record->dim_count;
    parts->indices = hy_unpack_records(in, record->index_count, sizeof *parts->indices);
    parts->indices_left = record->index_count;
    check_indices(in, "operations", parts->indices, record->index_count, record->operand_count);
}

static void check_all_used(struct hy_unpack *in, const struct parts *parts)
{
    if (hy_unpack_good(in) && (parts->dims_left | parts->indices_left | parts->scales_left) != 0)
        hy_unpack_fail(in, "%llu extents, %llu indices, %llu scales too many",
                       (unsigned long long)parts->dims_left,
                       (unsigned long long)parts->indices_left,
                       (unsigned long long)parts->scales_left);
}

static const uint32_t *read_ends(struct hy_unpack *in, const char *what, uint32_t count,
                                 uint32_t operand_count)
{
    const uint32_t *indices = hy_unpack_records(in, count, sizeof *indices);

    check_indices(in, what, indices, count, operand_count);
    return indices;
}

/* Hands the parts out to operands and operations. */
static void fill(struct hy_unpack *in, struct parts *parts, struct hy_operand *operands,
                 struct hy_operation *operations)
{
    for (uint32_t i = 0; i < parts->record->operand_count && hy_unpack_good(in); i++)
        unpack_operand(in, parts, i, &operands[i]);
    for (uint32_t i = 0; i < parts->record->operation_count && hy_unpack_good(in); i++)
        unpack_operation(in, parts, i, &operations[i]);
    check_all_used(in, parts);
    unpack_extension_data(in, operands, parts->record->operand_count);
}

static void unpack_subgraph(struct hy_unpack *in, const struct hy_model_record *model,
                            struct hy_subgraph *subgraph)
{
    const struct hy_subgraph_record *record = hy_unpack_records(in, 1, sizeof *record);
    struct parts parts = {.model = model, .record = record};
    if (!record)
        return;

    struct hy_operand *operands =
        hy_unpack_reserve(in, record->operand_count, sizeof *operands, sizeof *parts.operands);
    struct hy_operation *operations = hy_unpack_reserve(
        in, record->operation_count, sizeof *operations, sizeof *parts.operations);
    read_parts(in, &parts);
    const uint32_t *inputs = read_ends(in, "inputs", record->input_count, record->operand_count);
    const uint32_t *outputs = read_ends(in, "outputs", record->output_count, record->operand_count);
    parts.scales = hy_unpack_records(in, record->scale_count, sizeof *parts.scales);
    parts.scales_left = record->scale_count;
    fill(in, &parts, operands, operations);
    *subgraph = (struct hy_subgraph){.struct_size = sizeof *subgraph,
                                     .operand_count = record->operand_count,
                                     .operation_count = record->operation_count,
                                     .input_count = record->input_count,
                                     .output_count = record->output_count,
                                     .operands = operands,
                                     .operations = operations,
                                     .inputs = inputs,
                                     .outputs = outputs};
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* The main subgraph and the referenced ones, in one array. */
static void unpack_subgraphs(struct hy_unpack *in, const struct hy_model_record *record,
                             struct hy_model *model)
{
    const uint64_t count = (uint64_t)record->referenced_count + 1;
    struct hy_subgraph *subgraphs =
        hy_unpack_reserve(in, count, sizeof *subgraphs, sizeof(struct hy_subgraph_record));
    const struct hy_subgraph **referenced = hy_unpack_reserve(
        in, record->referenced_count, sizeof *referenced, sizeof(struct hy_subgraph_record));

    for (uint64_t i = 0; i < count && hy_unpack_good(in); i++) {
        unpack_subgraph(in, record, &subgraphs[i]);
        if (i > 0)
            referenced[i - 1] = &subgraphs[i];
    }
    model->main = subgraphs;
    model->referenced = referenced;
}

void hy_model_unpack(struct hy_unpack *in, struct hy_model *model, struct hy_pool **pools)
{
    const struct hy_model_record *record = hy_unpack_records(in, 1, sizeof *record);
    struct hy_pool *read_pools = NULL;
    if (!record)
        return;
    if (record->relaxed_float > 1)
        hy_unpack_fail(in, "relaxed_float is %u", record->relaxed_float);

    struct hy_model read = {.struct_size = sizeof read,
                            .relaxed_float = record->relaxed_float,
                            .values_size = record->values_size,
                            .referenced_count = record->referenced_count,
                            .pool_count = record->pool_count,
                            .extension_count = record->extension_count,
                            .feature_level = record->feature_level};
    read.values = hy_unpack_records(in, record->values_size, 1);
    hy_model_pools_unpack(in, record->pool_count, &read_pools);
    read.pools = read_pools;
    read.extensions = hy_prefixes_unpack(in, record->extension_count);
    unpack_subgraphs(in, record, &read);
    hy_model_nesting_check(in, &read);
    if (!hy_unpack_good(in))
        return;
    *model = read;
    *pools = read_pools;
}
