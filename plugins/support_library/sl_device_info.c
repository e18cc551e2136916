#include "plugins/support_library/sl_device_info.h"

#include "plugins/device_info.h"
#include "plugins/support_library/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Who it is ------------------------------------------------------------------------------- */

static enum hy_code ask_name(struct hy_sl_device *device, const char *prefix, struct hy_error *err)
{
    const char *name = NULL;
    int result = device->table->base.ANeuralNetworksDevice_getName(device->handle, &name);
    enum hy_code code = hy_sl_result_made(result, name, "Device_getName", err);
    if (code != HY_OK)
        return code;

    const size_t size = strlen(prefix) + strnlen(name, HY_MAX_TEXT + 1) + 1;
    char *full = hy_arena_alloc(&device->memory, size);
    if (!full)
        return hy_fail(err, HY_OUT_OF_MEMORY, "name of a device");
    snprintf(full, size, "%s%s", prefix, name);
    device->info.name = full;
    return HY_OK;
}

/* Levels 1 to 5 are 27 to 31; level 6 and above are 1000006 and so on. Returns 0 for other
 * values. */
static uint32_t level_number(int64_t level)
{
    if (level >= ANEURALNETWORKS_FEATURE_LEVEL_8)
        return 8;
    if (level >= ANEURALNETWORKS_FEATURE_LEVEL_6)
        return (uint32_t)(level - ANEURALNETWORKS_FEATURE_LEVEL_6) + 6;
    if (level >= ANEURALNETWORKS_FEATURE_LEVEL_1 && level <= ANEURALNETWORKS_FEATURE_LEVEL_5)
        return (uint32_t)(level - ANEURALNETWORKS_FEATURE_LEVEL_1) + 1;
    return 0;
}

/* Devices of levels without types have an unknown type. */
static int32_t type_number(int32_t type)
{
    return type == ANEURALNETWORKS_DEVICE_UNKNOWN ? HY_DEVICE_OTHER : type;
}

static enum hy_code ask_info(struct hy_sl_device *device, struct hy_error *err)
{
    const NnApiSLDriverImplFL5 *api = &device->table->base;
    struct hy_device_info *info = &device->info;
    int32_t type = 0;
    int64_t level = 0;

    enum hy_code code =
        hy_sl_result(api->ANeuralNetworksDevice_getVersion(device->handle, &info->version),
                     "Device_getVersion", err);
    if (code == HY_OK)
        code = hy_sl_result(api->ANeuralNetworksDevice_getType(device->handle, &type),
                            "Device_getType", err);
    if (code == HY_OK)
        code = hy_sl_result(api->ANeuralNetworksDevice_getFeatureLevel(device->handle, &level),
                            "Device_getFeatureLevel", err);
    if (code == HY_OK)
        code = hy_sl_result(api->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(
                                device->handle, &info->model_cache_files, &info->data_cache_files),
                            "Device_getNumberOfCacheFilesNeeded", err);
    info->struct_size = sizeof *info;
    info->build_id = "";
    info->type = type_number(type);
    info->feature_level = level_number(level);
    info->pool_kinds = 1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                       1u << HY_POOL_HARDWARE_BUFFER_BLOB;
    return code;
}

/* ---- Extensions ------------------------------------------------------------------------------ */

/* Collects types from a callback; without capacity the types are only counted. */
struct type_list {
    struct hy_extension_operand_type *items;
    uint32_t space;
    uint32_t count;
};

static void receive_type(SL_ANeuralNetworksExtensionOperandTypeInformation info, void *context)
{
    struct type_list *list = context;
    uint8_t is_tensor; /* read as a byte, since the library may write any value */

    memcpy(&is_tensor, &info.isTensor, sizeof is_tensor);
    if (list->count < list->space)
        list->items[list->count] = (struct hy_extension_operand_type){
            .code = info.type, .is_tensor = is_tensor, .byte_size = info.byteSize};
    if (list->count < UINT32_MAX)
        list->count++;
}

static enum hy_code ask_types(const struct hy_sl_device *device, uint32_t index,
                              struct type_list *list, struct hy_error *err)
{
    list->count = 0;
    return hy_sl_result(
        device->table->base.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
            device->handle, index, list, receive_type),
        "Device_forEachVendorExtensionOperandTypeInformation", err);
}

static enum hy_code gather_types(struct hy_sl_device *device, uint32_t index,
                                 struct hy_extension *extension, struct hy_error *err)
{
    struct type_list list = {0};
    enum hy_code code = ask_types(device, index, &list, err);
    if (code != HY_OK)
        return code;
    if (list.count > HY_MAX_EXTENSION_TYPES)
        return hy_fail(err, HY_BAD_DATA,
                       "extension %u has %u operand types, at most %u are allowed", index,
                       list.count, HY_MAX_EXTENSION_TYPES);
    list.space = list.count;
    list.items = hy_arena_alloc(&device->memory, list.space * sizeof *list.items);
    if (!list.items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u operand types", list.space);

    code = ask_types(device, index, &list, err);
    if (code == HY_OK && list.count != list.space)
        code = hy_fail(err, HY_BAD_DATA, "extension %u has %u operand types, then %u", index,
                       list.space, list.count);
    extension->operand_types = list.items;
    extension->operand_type_count = list.space;
    return code;
}

static enum hy_code ask_extension(struct hy_sl_device *device, uint32_t index,
                                  struct hy_extension *extension, struct hy_error *err)
{
    int result = device->table->base.SL_ANeuralNetworksDevice_getVendorExtensionName(
        device->handle, index, &extension->name);
    enum hy_code code =
        hy_sl_result_made(result, extension->name, "Device_getVendorExtensionName", err);
    return code == HY_OK ? gather_types(device, index, extension, err) : code;
}

static enum hy_code ask_extensions(struct hy_sl_device *device, struct hy_error *err)
{
    uint32_t count = 0;
    enum hy_code code =
        hy_sl_result(device->table->base.SL_ANeuralNetworksDevice_getVendorExtensionCount(
                         device->handle, &count),
                     "Device_getVendorExtensionCount", err);
    if (code != HY_OK)
        return code;
    if (count > HY_MAX_EXTENSIONS)
        return hy_fail(err, HY_BAD_DATA, "%u extensions, at most %u are allowed", count,
                       HY_MAX_EXTENSIONS);

    const size_t size = count * sizeof(struct hy_extension);
    struct hy_extension *extensions = hy_arena_alloc(&device->memory, size);
    if (!extensions)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u extensions", count);
    memset(extensions, 0, size);
    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = ask_extension(device, i, &extensions[i], err);
    device->info.extensions = extensions;
    device->info.extension_count = count;
    return code;
}

/* ---- What it can ----------------------------------------------------------------------------- */

static struct hy_performance performance_of(SL_ANeuralNetworksPerformanceInfo info)
{
    return (struct hy_performance){.exec_time = info.execTime, .power_usage = info.powerUsage};
}

struct figure_list {
    struct hy_operand_performance *items;
    uint32_t space;
    uint32_t count;
};

static void receive_figure(SL_ANeuralNetworksOperandPerformanceInfo info, void *context)
{
    struct figure_list *list = context;

    if (list->count < list->space)
        list->items[list->count] = (struct hy_operand_performance){
            .type = info.operandType, .performance = performance_of(info.performanceInfo)};
    if (list->count < UINT32_MAX)
        list->count++;
}

static int by_type(const void *a, const void *b)
{
    const struct hy_operand_performance *left = a, *right = b;
    return (left->type > right->type) - (left->type < right->type);
}

static enum hy_code ask_figures(struct hy_sl_device *device, struct hy_error *err)
{
    struct figure_list list = {.space = HY_MAX_FIGURES};
    list.items = hy_arena_alloc(&device->memory, list.space * sizeof *list.items);
    if (!list.items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "figures for %u operand types", list.space);

    enum hy_code code =
        hy_sl_result(device->table->base.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(
                         device->handle, &list, receive_figure),
                     "Device_forEachOperandPerformanceInfo", err);
    if (code == HY_OK && list.count > list.space)
        code = hy_fail(err, HY_BAD_DATA, "figures for %u operand types, at most %u are allowed",
                       list.count, list.space);
    if (code != HY_OK)
        return code;
    qsort(list.items, list.count, sizeof *list.items, by_type);
    device->capabilities.operands = list.items;
    device->capabilities.operand_count = list.count;
    return HY_OK;
}

static enum hy_code ask_figure(const struct hy_sl_device *device, int32_t kind,
                               struct hy_performance *out, struct hy_error *err)
{
    SL_ANeuralNetworksPerformanceInfo info = {0};
    enum hy_code code =
        hy_sl_result(device->table->base.SL_ANeuralNetworksDevice_getPerformanceInfo(device->handle,
                                                                                     kind, &info),
                     "Device_getPerformanceInfo", err);
    *out = performance_of(info);
    return code;
}

static enum hy_code ask_capabilities(struct hy_sl_device *device, struct hy_error *err)
{
    struct hy_capabilities *capabilities = &device->capabilities;

    capabilities->struct_size = sizeof *capabilities;
    enum hy_code code = ask_figures(device, err);
    if (code == HY_OK)
        code = ask_figure(device, SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR,
                          &capabilities->relaxed_scalar, err);
    if (code == HY_OK)
        code = ask_figure(device, SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR,
                          &capabilities->relaxed_tensor, err);
    if (code == HY_OK)
        code = ask_figure(device, SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF,
                          &capabilities->if_overhead, err);
    if (code == HY_OK)
        code = ask_figure(device, SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE,
                          &capabilities->while_overhead, err);
    return code;
}

enum hy_code hy_sl_device_info_query(struct hy_sl_device *device, const char *prefix,
                                     struct hy_error *err)
{
    enum hy_code code = ask_name(device, prefix, err);
    if (code == HY_OK)
        code = ask_info(device, err);
    if (code == HY_OK)
        code = ask_extensions(device, err);
    if (code == HY_OK)
        code = ask_capabilities(device, err);
    return code;
}
