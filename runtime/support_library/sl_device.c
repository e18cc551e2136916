/* Device properties that only the table has: cache files, performance, extensions. */
#include "runtime/device/runtime_device.h"
#include "runtime/extension/extension.h"
#include "runtime/handle/device_check.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/support_library/functions.h"

int SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(const ANeuralNetworksDevice *device,
                                                         uint32_t *numModelCacheFiles,
                                                         uint32_t *numDataCacheFiles)
{
    static const char name[] = "SL_Device_getNumberOfCacheFilesNeeded";

    if (numModelCacheFiles)
        *numModelCacheFiles = 0;
    if (numDataCacheFiles)
        *numDataCacheFiles = 0;
    if (!numModelCacheFiles)
        return hy_api_null(name, "numModelCacheFiles");
    if (!numDataCacheFiles)
        return hy_api_null(name, "numDataCacheFiles");
    int result = hy_api_check_device(name, device);
    if (result == ANEURALNETWORKS_NO_ERROR) {
        *numModelCacheFiles = hy_device_of(device)->info.model_cache_files;
        *numDataCacheFiles = hy_device_of(device)->info.data_cache_files;
    }
    return result;
}

/* ---- Performance ----------------------------------------------------------------------------- */

static SL_ANeuralNetworksPerformanceInfo figures(const struct hy_performance *from)
{
    return (SL_ANeuralNetworksPerformanceInfo){
        .execTime = from->exec_time,
        .powerUsage = from->power_usage,
    };
}

/* NULL: unknown kind. */
static const struct hy_performance *performance_of(const struct hy_capabilities *capabilities,
                                                   int32_t kind)
{
    switch (kind) {
    case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR:
        return &capabilities->relaxed_scalar;
    case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR:
        return &capabilities->relaxed_tensor;
    case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF:
        return &capabilities->if_overhead;
    case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE:
        return &capabilities->while_overhead;
    default:
        return NULL;
    }
}

int SL_ANeuralNetworksDevice_getPerformanceInfo(const ANeuralNetworksDevice *device,
                                                int32_t performanceInfoKind,
                                                SL_ANeuralNetworksPerformanceInfo *performanceInfo)
{
    static const char name[] = "SL_Device_getPerformanceInfo";
    struct hy_error err;

    if (!performanceInfo)
        return hy_api_null(name, "performanceInfo");
    *performanceInfo = (SL_ANeuralNetworksPerformanceInfo){0};
    int result = hy_api_check_device(name, device);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;

    const struct hy_performance *found =
        performance_of(&hy_device_of(device)->capabilities, performanceInfoKind);
    if (!found)
        return hy_api_result(
            name,
            hy_fail(&err, HY_BAD_DATA, "performance kind is %d, needs 0 to 3", performanceInfoKind),
            &err);
    *performanceInfo = figures(found);
    return ANEURALNETWORKS_NO_ERROR;
}

int SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(
    const ANeuralNetworksDevice *device, void *context,
    void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo info, void *context))
{
    static const char name[] = "SL_Device_forEachOperandPerformanceInfo";

    if (!context)
        return hy_api_null(name, "context");
    if (!callback)
        return hy_api_null(name, "callback");
    int result = hy_api_check_device(name, device);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;

    const struct hy_capabilities *capabilities = &hy_device_of(device)->capabilities;
    for (uint32_t i = 0; i < capabilities->operand_count; i++) {
        const SL_ANeuralNetworksOperandPerformanceInfo info = {
            .operandType = capabilities->operands[i].type,
            .performanceInfo = figures(&capabilities->operands[i].performance),
        };
        callback(info, context);
    }
    return ANEURALNETWORKS_NO_ERROR;
}

/* ---- Extensions ------------------------------------------------------------------------------ */

/* Users of a support library expect full support of an extension. */
static uint32_t count_whole(const struct hy_device_info *info)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < info->extension_count; i++)
        count += hy_extension_is_whole(info, i);
    return count;
}

int SL_ANeuralNetworksDevice_getVendorExtensionCount(const ANeuralNetworksDevice *device,
                                                     uint32_t *vendorExtensionCount)
{
    static const char name[] = "SL_Device_getVendorExtensionCount";

    if (!vendorExtensionCount)
        return hy_api_null(name, "vendorExtensionCount");
    *vendorExtensionCount = 0;
    int result = hy_api_check_device(name, device);
    if (result == ANEURALNETWORKS_NO_ERROR)
        *vendorExtensionCount = count_whole(&hy_device_of(device)->info);
    return result;
}

/* The fully supported extension of that index, or a failure. */
static int find_extension(const char *name, const ANeuralNetworksDevice *device, uint32_t index,
                          const struct hy_extension **ret)
{
    struct hy_error err;
    int result = hy_api_check_device(name, device);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;

    const struct hy_device_info *info = &hy_device_of(device)->info;
    for (uint32_t i = 0, passed = 0; i < info->extension_count; i++) {
        if (hy_extension_is_whole(info, i) && passed++ == index) {
            *ret = &info->extensions[i];
            return ANEURALNETWORKS_NO_ERROR;
        }
    }
    return hy_api_result(name,
                         hy_fail(&err, HY_BAD_DATA, "extension %u does not exist, %s has %u", index,
                                 info->name, count_whole(info)),
                         &err);
}

int SL_ANeuralNetworksDevice_getVendorExtensionName(const ANeuralNetworksDevice *device,
                                                    uint32_t vendorExtensionIndex,
                                                    const char **extensionName)
{
    static const char name[] = "SL_Device_getVendorExtensionName";
    const struct hy_extension *extension;

    if (!extensionName)
        return hy_api_null(name, "extensionName");
    *extensionName = NULL;
    int result = find_extension(name, device, vendorExtensionIndex, &extension);
    if (result == ANEURALNETWORKS_NO_ERROR)
        *extensionName = extension->name;
    return result;
}

int SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
    const ANeuralNetworksDevice *device, uint32_t vendorExtensionIndex, void *context,
    void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation info, void *context))
{
    static const char name[] = "SL_Device_forEachVendorExtensionOperandTypeInformation";
    const struct hy_extension *extension = NULL;

    if (!context)
        return hy_api_null(name, "context");
    if (!callback)
        return hy_api_null(name, "callback");
    int result = find_extension(name, device, vendorExtensionIndex, &extension);
    for (uint32_t i = 0; extension && i < extension->operand_type_count; i++) {
        const struct hy_extension_operand_type *type = &extension->operand_types[i];
        const SL_ANeuralNetworksExtensionOperandTypeInformation info = {
            .byteSize = type->byte_size,
            .type = type->code,
            .isTensor = type->is_tensor != 0,
        };
        callback(info, context);
    }
    return result;
}
