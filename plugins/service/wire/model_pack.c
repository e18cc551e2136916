#include "plugins/service/wire/model.h"
#include "plugins/service/wire/model_format.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"

#include <string.h>

/* ---- Counts ---------------------------------------------------------------------------------- */

struct counts {
    uint64_t dims;
    uint64_t indices;
    uint64_t scales;
};

static struct counts count_all(struct hy_pack *out, const struct hy_subgraph *subgraph)
{
    struct counts counts = {0};

    for (uint32_t i = 0; i < subgraph->operand_count; i++) {
        const struct hy_operand *operand = &subgraph->operands[i];
        if (operand->rank > HY_MAX_RANK)
            hy_pack_fail(out, HY_BAD_DATA, "operand %u has rank %u, at most %u is allowed", i,
                         operand->rank, HY_MAX_RANK);
        counts.dims += operand->rank;
        counts.scales += operand->channel_count;
    }
    for (uint32_t i = 0; i < subgraph->operation_count; i++) {
        counts.indices += subgraph->operations[i].input_count;
        counts.indices += subgraph->operations[i].output_count;
    }
    if (counts.dims > UINT32_MAX || counts.indices > UINT32_MAX || counts.scales > UINT32_MAX)
        hy_pack_fail(out, HY_BAD_DATA, "a subgraph with %llu extents, %llu indices, %llu scales",
                     (unsigned long long)counts.dims, (unsigned long long)counts.indices,
                     (unsigned long long)counts.scales);
    return counts;
}

static void pack_counts(struct hy_pack *out, const struct hy_subgraph *subgraph,
                        const struct counts *counts)
{
    const struct hy_subgraph_record record = {.operand_count = subgraph->operand_count,
                                              .operation_count = subgraph->operation_count,
                                              .input_count = subgraph->input_count,
                                              .output_count = subgraph->output_count,
                                              .dim_count = (uint32_t)counts->dims,
                                              .index_count = (uint32_t)counts->indices,
                                              .scale_count = (uint32_t)counts->scales};

    hy_pack_copy(out, &record, 1, sizeof record);
}

/* ---- Parts of a subgraph --------------------------------------------------------------------- */

static void pack_operands(struct hy_pack *out, const struct hy_subgraph *subgraph)
{
    struct hy_operand_record *records =
        hy_pack_records(out, subgraph->operand_count, sizeof *records);

    for (uint32_t i = 0; i < subgraph->operand_count && records; i++) {
        const struct hy_operand *operand = &subgraph->operands[i];
        records[i] = (struct hy_operand_record){.type = operand->type,
                                                .lifetime = operand->lifetime,
                                                .rank = operand->rank,
                                                .channel_dim = operand->channel_dim,
                                                .scale = operand->scale,
                                                .zero_point = operand->zero_point,
                                                .channel_count = operand->channel_count,
                                                .extension_length = operand->extension_length,
                                                .location = operand->location};
    }
}

static void pack_operations(struct hy_pack *out, const struct hy_subgraph *subgraph)
{
    struct hy_operation_record *records =
        hy_pack_records(out, subgraph->operation_count, sizeof *records);

    for (uint32_t i = 0; i < subgraph->operation_count && records; i++) {
        const struct hy_operation *operation = &subgraph->operations[i];
        records[i] = (struct hy_operation_record){.type = operation->type,
                                                  .input_count = operation->input_count,
                                                  .output_count = operation->output_count};
    }
}

static void pack_dims(struct hy_pack *out, const struct hy_subgraph *subgraph, uint64_t count)
{
    uint32_t *dims = hy_pack_records(out, count, sizeof *dims);

    for (uint32_t i = 0; i < subgraph->operand_count && dims; i++) {
        const struct hy_operand *operand = &subgraph->operands[i];
        for (uint32_t k = 0; k < operand->rank; k++)
            *dims++ = operand->dims[k];
    }
}

static uint32_t *append(uint32_t *indices, const uint32_t *more, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        indices[i] = more[i];
    return indices + count;
}

static void pack_indices(struct hy_pack *out, const struct hy_subgraph *subgraph, uint64_t count)
{
    uint32_t *indices = hy_pack_records(out, count, sizeof *indices);

    for (uint32_t i = 0; i < subgraph->operation_count && indices; i++) {
        const struct hy_operation *operation = &subgraph->operations[i];
        indices = append(indices, operation->inputs, operation->input_count);
        indices = append(indices, operation->outputs, operation->output_count);
    }
}

static void pack_scales(struct hy_pack *out, const struct hy_subgraph *subgraph, uint64_t count)
{
    float *scales = hy_pack_records(out, count, sizeof *scales);

    for (uint32_t i = 0; i < subgraph->operand_count && scales; i++) {
        const struct hy_operand *operand = &subgraph->operands[i];
        if (operand->channel_count == 0)
            continue;
        memcpy(scales, operand->channel_scales, operand->channel_count * sizeof *scales);
        scales += operand->channel_count;
    }
}

static void pack_extension_data(struct hy_pack *out, const struct hy_subgraph *subgraph)
{
    for (uint32_t i = 0; i < subgraph->operand_count; i++)
        hy_pack_copy(out, subgraph->operands[i].extension_data,
                     subgraph->operands[i].extension_length, 1);
}

static void pack_subgraph(struct hy_pack *out, const struct hy_subgraph *subgraph)
{
    if (!subgraph) {
        hy_pack_fail(out, HY_UNEXPECTED_NULL, "a subgraph is NULL");
        return;
    }
    const struct counts counts = count_all(out, subgraph);

    pack_counts(out, subgraph, &counts);
    pack_operands(out, subgraph);
    pack_operations(out, subgraph);
    pack_dims(out, subgraph, counts.dims);
    pack_indices(out, subgraph, counts.indices);
    hy_pack_copy(out, subgraph->inputs, subgraph->input_count, sizeof *subgraph->inputs);
    hy_pack_copy(out, subgraph->outputs, subgraph->output_count, sizeof *subgraph->outputs);
    pack_scales(out, subgraph, counts.scales);
    pack_extension_data(out, subgraph);
}

/* ---- The whole ------------------------------------------------------------------------------- */

void hy_model_pack(struct hy_pack *out, const struct hy_model *model)
{
    const struct hy_model_record record = {.values_size = model->values_size,
                                           .relaxed_float = model->relaxed_float,
                                           .feature_level = model->feature_level,
                                           .referenced_count = model->referenced_count,
                                           .pool_count = model->pool_count,
                                           .extension_count = model->extension_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_copy(out, model->values, model->values_size, 1);
    hy_pools_pack(out, model->pools, model->pool_count);
    hy_prefixes_pack(out, model->extensions, model->extension_count);
    pack_subgraph(out, model->main);
    for (uint32_t i = 0; i < model->referenced_count; i++)
        pack_subgraph(out, model->referenced[i]);
}
