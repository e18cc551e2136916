#include "plugins/support_library/sl_device_table.h"

#include "plugins/loaded_object.h"

#include <inttypes.h>
#include <string.h>

struct member {
    const char *name;
    size_t offset;
};

/* The functions called by Halyard. All others are ignored. */
#define MEMBER(name) \
    { \
#name, offsetof(NnApiSLDriverImplFL5, name) \
    }
static const struct member members[] = {
    MEMBER(ANeuralNetworksBurst_create),
    MEMBER(ANeuralNetworksBurst_free),
    MEMBER(ANeuralNetworksCompilation_createForDevices),
    MEMBER(ANeuralNetworksCompilation_finish),
    MEMBER(ANeuralNetworksCompilation_free),
    MEMBER(ANeuralNetworksCompilation_setPreference),
    MEMBER(ANeuralNetworksCompilation_setPriority),
    MEMBER(ANeuralNetworksCompilation_setTimeout),
    MEMBER(ANeuralNetworksDevice_getFeatureLevel),
    MEMBER(ANeuralNetworksDevice_getName),
    MEMBER(ANeuralNetworksDevice_getType),
    MEMBER(ANeuralNetworksDevice_getVersion),
    MEMBER(ANeuralNetworksDevice_wait),
    MEMBER(ANeuralNetworksEvent_createFromSyncFenceFd),
    MEMBER(ANeuralNetworksEvent_free),
    MEMBER(ANeuralNetworksEvent_getSyncFenceFd),
    MEMBER(ANeuralNetworksEvent_wait),
    MEMBER(ANeuralNetworksExecution_burstCompute),
    MEMBER(ANeuralNetworksExecution_compute),
    MEMBER(ANeuralNetworksExecution_create),
    MEMBER(ANeuralNetworksExecution_enableInputAndOutputPadding),
    MEMBER(ANeuralNetworksExecution_free),
    MEMBER(ANeuralNetworksExecution_getDuration),
    MEMBER(ANeuralNetworksExecution_getOutputOperandDimensions),
    MEMBER(ANeuralNetworksExecution_getOutputOperandRank),
    MEMBER(ANeuralNetworksExecution_setInput),
    MEMBER(ANeuralNetworksExecution_setInputFromMemory),
    MEMBER(ANeuralNetworksExecution_setLoopTimeout),
    MEMBER(ANeuralNetworksExecution_setMeasureTiming),
    MEMBER(ANeuralNetworksExecution_setOutput),
    MEMBER(ANeuralNetworksExecution_setOutputFromMemory),
    MEMBER(ANeuralNetworksExecution_setReusable),
    MEMBER(ANeuralNetworksExecution_setTimeout),
    MEMBER(ANeuralNetworksExecution_startComputeWithDependencies),
    MEMBER(ANeuralNetworksMemory_createFromFd),
    MEMBER(ANeuralNetworksMemory_free),
    MEMBER(ANeuralNetworksModel_addOperand),
    MEMBER(ANeuralNetworksModel_addOperation),
    MEMBER(ANeuralNetworksModel_create),
    MEMBER(ANeuralNetworksModel_finish),
    MEMBER(ANeuralNetworksModel_free),
    MEMBER(ANeuralNetworksModel_getExtensionOperandType),
    MEMBER(ANeuralNetworksModel_getExtensionOperationType),
    MEMBER(ANeuralNetworksModel_getSupportedOperationsForDevices),
    MEMBER(ANeuralNetworksModel_identifyInputsAndOutputs),
    MEMBER(ANeuralNetworksModel_relaxComputationFloat32toFloat16),
    MEMBER(ANeuralNetworksModel_setOperandExtensionData),
    MEMBER(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams),
    MEMBER(ANeuralNetworksModel_setOperandValue),
    MEMBER(ANeuralNetworksModel_setOperandValueFromMemory),
    MEMBER(ANeuralNetworksModel_setOperandValueFromModel),
    MEMBER(ANeuralNetworks_getDevice),
    MEMBER(ANeuralNetworks_getDeviceCount),
    MEMBER(SL_ANeuralNetworksCompilation_setCachingFromFds),
    MEMBER(SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded),
    MEMBER(SL_ANeuralNetworksDevice_getPerformanceInfo),
    MEMBER(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo),
    MEMBER(SL_ANeuralNetworksDevice_getVendorExtensionCount),
    MEMBER(SL_ANeuralNetworksDevice_getVendorExtensionName),
    MEMBER(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation),
};
static const struct member members_8[] = {
    {"ANeuralNetworksCompilation_addExtensionAttribute",
     offsetof(NnApiSLDriverImplFL8, ANeuralNetworksCompilation_addExtensionAttribute)},
    {"ANeuralNetworksExecution_addExtensionAttribute",
     offsetof(NnApiSLDriverImplFL8, ANeuralNetworksExecution_addExtensionAttribute)},
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/*
 * Checks that all functions exist and belong to the library. A library that exports the API,
 * without being linked to prefer its own symbols, may resolve them to the app's Halyard: its table
 * would lead back to Halyard.
 */
static enum hy_code check_members(const NnApiSLDriverImplFL8 *table, const struct member *list,
                                  size_t count, struct hy_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const void *function;
        memcpy(&function, (const char *)table + list[i].offset, sizeof function);
        if (!function)
            return hy_fail(err, HY_BAD_DATA, "the table of the library has NULL for %s",
                           list[i].name);
        if (hy_loaded_object_is_own(function))
            return hy_fail(err, HY_BAD_DATA,
                           "%s in the table of the library is this runtime's function: link the "
                           "library with -Bsymbolic-functions",
                           list[i].name);
    }
    return HY_OK;
}

/* Levels up to 5 are 27 to 31; level 6 and above are 1000006 and so on. */
static enum hy_code check_level(int64_t level, struct hy_error *err)
{
    if (level == ANEURALNETWORKS_FEATURE_LEVEL_5 || level >= ANEURALNETWORKS_FEATURE_LEVEL_6)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "implFeatureLevel of the library is %" PRId64 ", needs %d, or %d and up", level,
                   ANEURALNETWORKS_FEATURE_LEVEL_5, ANEURALNETWORKS_FEATURE_LEVEL_6);
}

enum hy_code hy_sl_table_copy(const NnApiSLDriverImpl *given, NnApiSLDriverImplFL8 *out,
                              struct hy_error *err)
{
    if (!given)
        return hy_fail(err, HY_BAD_DATA, "ANeuralNetworks_getSLDriverImpl returned NULL");

    const int64_t level = given->implFeatureLevel;
    const bool has_8 = level >= ANEURALNETWORKS_FEATURE_LEVEL_8;
    NnApiSLDriverImplFL8 copy = {.base.base.implFeatureLevel = level};

    enum hy_code code = check_level(level, err);
    if (code != HY_OK)
        return code;
    memcpy(&copy, given, has_8 ? sizeof copy : sizeof copy.base);
    code = check_members(&copy, members, COUNT(members), err);
    if (code == HY_OK && has_8)
        code = check_members(&copy, members_8, COUNT(members_8), err);
    if (code == HY_OK)
        *out = copy;
    return code;
}
