#include "plugins/service/wire/describe.h"

#include <assert.h>

/* ---- Extensions ------------------------------------------------------------------------------ */

static_assert(sizeof(struct hy_extension_operand_type) == 8, "travels as it is");

struct extension_record {
    uint32_t operand_type_count;
    uint32_t reserved;
};

static void pack_extension(struct hy_pack *out, const struct hy_extension *extension)
{
    const struct extension_record record = {.operand_type_count = extension->operand_type_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_text(out, extension->name);
    hy_pack_copy(out, extension->operand_types, extension->operand_type_count,
                 sizeof *extension->operand_types);
}

static void unpack_extension(struct hy_unpack *in, struct hy_extension *extension)
{
    const struct extension_record *record = hy_unpack_records(in, 1, sizeof *record);

    extension->name = hy_unpack_text(in);
    extension->operand_type_count = record ? record->operand_type_count : 0;
    extension->operand_types =
        hy_unpack_records(in, extension->operand_type_count, sizeof *extension->operand_types);
}

/* ---- hy_device_info -------------------------------------------------------------------------- */

struct info_record {
    int32_t type;
    uint32_t feature_level;
    uint32_t model_cache_files;
    uint32_t data_cache_files;
    uint32_t pool_kinds;
    uint32_t extension_count;
    uint32_t burst_depth;
    uint32_t reserved;
};

static void pack_info(struct hy_pack *out, const struct hy_device_info *info)
{
    const struct info_record record = {.type = info->type,
                                       .feature_level = info->feature_level,
                                       .model_cache_files = info->model_cache_files,
                                       .data_cache_files = info->data_cache_files,
                                       .pool_kinds = info->pool_kinds,
                                       .extension_count = info->extension_count,
                                       .burst_depth = info->burst_depth};

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_text(out, info->name);
    hy_pack_text(out, info->version);
    hy_pack_text(out, info->build_id);
    for (uint32_t i = 0; i < info->extension_count; i++)
        pack_extension(out, &info->extensions[i]);
}

static void unpack_info(struct hy_unpack *in, struct hy_device_info *info)
{
    const struct info_record *record = hy_unpack_records(in, 1, sizeof *record);
    const char *name = hy_unpack_text(in);
    const char *version = hy_unpack_text(in);
    const char *build_id = hy_unpack_text(in);
    const uint32_t count = record ? record->extension_count : 0;
    struct hy_extension *extensions =
        hy_unpack_reserve(in, count, sizeof *extensions, sizeof(struct extension_record) + 8);

    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++)
        unpack_extension(in, &extensions[i]);
    if (hy_unpack_good(in))
        *info = (struct hy_device_info){.struct_size = sizeof *info,
                                        .type = record->type,
                                        .name = name,
                                        .version = version,
                                        .build_id = build_id,
                                        .feature_level = record->feature_level,
                                        .model_cache_files = record->model_cache_files,
                                        .data_cache_files = record->data_cache_files,
                                        .extension_count = count,
                                        .extensions = extensions,
                                        .pool_kinds = record->pool_kinds,
                                        .burst_depth = record->burst_depth};
}

/* ---- hy_capabilities ------------------------------------------------------------------------- */

static_assert(sizeof(struct hy_performance) == 8, "travels as it is");
static_assert(sizeof(struct hy_operand_performance) == 12, "travels as it is");

struct capabilities_record {
    struct hy_performance relaxed_scalar;
    struct hy_performance relaxed_tensor;
    struct hy_performance if_overhead;
    struct hy_performance while_overhead;
    uint64_t launch_ns;
    uint64_t bytes_per_second;
    uint64_t operand_count;
};

static void pack_capabilities(struct hy_pack *out, const struct hy_capabilities *capabilities)
{
    const struct capabilities_record record = {.relaxed_scalar = capabilities->relaxed_scalar,
                                               .relaxed_tensor = capabilities->relaxed_tensor,
                                               .if_overhead = capabilities->if_overhead,
                                               .while_overhead = capabilities->while_overhead,
                                               .launch_ns = capabilities->launch_ns,
                                               .bytes_per_second = capabilities->bytes_per_second,
                                               .operand_count = capabilities->operand_count};

    hy_pack_copy(out, &record, 1, sizeof record);
    hy_pack_copy(out, capabilities->operands, capabilities->operand_count,
                 sizeof *capabilities->operands);
}

static void unpack_capabilities(struct hy_unpack *in, struct hy_capabilities *capabilities)
{
    const struct capabilities_record *record = hy_unpack_records(in, 1, sizeof *record);
    const uint64_t count = record ? record->operand_count : 0;
    const struct hy_operand_performance *operands = hy_unpack_records(in, count, sizeof *operands);

    if (hy_unpack_good(in))
        *capabilities = (struct hy_capabilities){.struct_size = sizeof *capabilities,
                                                 .operand_count = (uint32_t)count,
                                                 .operands = operands,
                                                 .relaxed_scalar = record->relaxed_scalar,
                                                 .relaxed_tensor = record->relaxed_tensor,
                                                 .if_overhead = record->if_overhead,
                                                 .while_overhead = record->while_overhead,
                                                 .launch_ns = record->launch_ns,
                                                 .bytes_per_second = record->bytes_per_second};
}

/* ---- The whole ------------------------------------------------------------------------------- */

void hy_description_pack(struct hy_pack *out, const struct hy_description *description)
{
    const uint64_t members = description->members;

    hy_pack_copy(out, &members, 1, sizeof members);
    pack_info(out, &description->info);
    pack_capabilities(out, &description->capabilities);
}

void hy_description_unpack(struct hy_unpack *in, struct hy_description *description)
{
    const uint64_t *members = hy_unpack_records(in, 1, sizeof *members);
    struct hy_description read = {0};

    if (members && (*members & ~(uint64_t)HY_WIRE_HAS_ALL))
        hy_unpack_fail(in, "members %#llx", (unsigned long long)*members);
    unpack_info(in, &read.info);
    unpack_capabilities(in, &read.capabilities);
    if (!hy_unpack_good(in))
        return;
    read.members = (uint32_t)*members;
    *description = read;
}
