/* The only table. */
#include "runtime/handle/last_error.h"
#include "runtime/support_library/functions.h"

/* ---- Devices shown --------------------------------------------------------------------------- */

/* A support library shows no reference device, because its loader has its own CPU fallback. The
 * reference device is the last of the list, so the other indices stay the same. */
static int count_shown_devices(uint32_t *count)
{
    int result = ANeuralNetworks_getDeviceCount(count);
    if (result == ANEURALNETWORKS_NO_ERROR)
        --*count;
    return result;
}

static int get_shown_device(uint32_t index, ANeuralNetworksDevice **device)
{
    static const char name[] = "getDevice";
    struct hy_error err;
    uint32_t count;

    if (!device)
        return hy_api_null(name, "device");
    *device = NULL;
    int result = count_shown_devices(&count);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;
    if (index >= count)
        return hy_api_result(
            name,
            hy_fail(&err, HY_BAD_DATA,
                    "device index %u does not exist, the support library has %u devices", index,
                    count),
            &err);
    return ANeuralNetworks_getDevice(index, device);
}

/* ---- Table ----------------------------------------------------------------------------------- */

#define FUNCTION(name) .name = name

static const NnApiSLDriverImplFL8 table = {
    .base =
        {
            .base = {.implFeatureLevel = ANEURALNETWORKS_FEATURE_LEVEL_8},
            FUNCTION(ANeuralNetworksBurst_create),
            FUNCTION(ANeuralNetworksBurst_free),
            FUNCTION(ANeuralNetworksCompilation_createForDevices),
            FUNCTION(ANeuralNetworksCompilation_finish),
            FUNCTION(ANeuralNetworksCompilation_free),
            FUNCTION(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput),
            FUNCTION(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput),
            FUNCTION(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput),
            FUNCTION(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput),
            FUNCTION(ANeuralNetworksCompilation_setCaching),
            FUNCTION(ANeuralNetworksCompilation_setPreference),
            FUNCTION(ANeuralNetworksCompilation_setPriority),
            FUNCTION(ANeuralNetworksCompilation_setTimeout),
            FUNCTION(ANeuralNetworksDevice_getExtensionSupport),
            FUNCTION(ANeuralNetworksDevice_getFeatureLevel),
            FUNCTION(ANeuralNetworksDevice_getName),
            FUNCTION(ANeuralNetworksDevice_getType),
            FUNCTION(ANeuralNetworksDevice_getVersion),
            FUNCTION(ANeuralNetworksDevice_wait),
            FUNCTION(ANeuralNetworksEvent_createFromSyncFenceFd),
            FUNCTION(ANeuralNetworksEvent_free),
            FUNCTION(ANeuralNetworksEvent_getSyncFenceFd),
            FUNCTION(ANeuralNetworksEvent_wait),
            FUNCTION(ANeuralNetworksExecution_burstCompute),
            FUNCTION(ANeuralNetworksExecution_compute),
            FUNCTION(ANeuralNetworksExecution_create),
            FUNCTION(ANeuralNetworksExecution_enableInputAndOutputPadding),
            FUNCTION(ANeuralNetworksExecution_free),
            FUNCTION(ANeuralNetworksExecution_getDuration),
            FUNCTION(ANeuralNetworksExecution_getOutputOperandDimensions),
            FUNCTION(ANeuralNetworksExecution_getOutputOperandRank),
            FUNCTION(ANeuralNetworksExecution_setInput),
            FUNCTION(ANeuralNetworksExecution_setInputFromMemory),
            FUNCTION(ANeuralNetworksExecution_setLoopTimeout),
            FUNCTION(ANeuralNetworksExecution_setMeasureTiming),
            FUNCTION(ANeuralNetworksExecution_setOutput),
            FUNCTION(ANeuralNetworksExecution_setOutputFromMemory),
            FUNCTION(ANeuralNetworksExecution_setReusable),
            FUNCTION(ANeuralNetworksExecution_setTimeout),
            FUNCTION(ANeuralNetworksExecution_startComputeWithDependencies),
            FUNCTION(ANeuralNetworksMemoryDesc_addInputRole),
            FUNCTION(ANeuralNetworksMemoryDesc_addOutputRole),
            FUNCTION(ANeuralNetworksMemoryDesc_create),
            FUNCTION(ANeuralNetworksMemoryDesc_finish),
            FUNCTION(ANeuralNetworksMemoryDesc_free),
            FUNCTION(ANeuralNetworksMemoryDesc_setDimensions),
            FUNCTION(ANeuralNetworksMemory_copy),
            FUNCTION(ANeuralNetworksMemory_createFromAHardwareBuffer),
            FUNCTION(ANeuralNetworksMemory_createFromDesc),
            FUNCTION(ANeuralNetworksMemory_createFromFd),
            FUNCTION(ANeuralNetworksMemory_free),
            FUNCTION(ANeuralNetworksModel_addOperand),
            FUNCTION(ANeuralNetworksModel_addOperation),
            FUNCTION(ANeuralNetworksModel_create),
            FUNCTION(ANeuralNetworksModel_finish),
            FUNCTION(ANeuralNetworksModel_free),
            FUNCTION(ANeuralNetworksModel_getExtensionOperandType),
            FUNCTION(ANeuralNetworksModel_getExtensionOperationType),
            FUNCTION(ANeuralNetworksModel_getSupportedOperationsForDevices),
            FUNCTION(ANeuralNetworksModel_identifyInputsAndOutputs),
            FUNCTION(ANeuralNetworksModel_relaxComputationFloat32toFloat16),
            FUNCTION(ANeuralNetworksModel_setOperandExtensionData),
            FUNCTION(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams),
            FUNCTION(ANeuralNetworksModel_setOperandValue),
            FUNCTION(ANeuralNetworksModel_setOperandValueFromMemory),
            FUNCTION(ANeuralNetworksModel_setOperandValueFromModel),
            FUNCTION(ANeuralNetworks_getDefaultLoopTimeout),
            .ANeuralNetworks_getDevice = get_shown_device,
            .ANeuralNetworks_getDeviceCount = count_shown_devices,
            FUNCTION(ANeuralNetworks_getMaximumLoopTimeout),
            FUNCTION(ANeuralNetworks_getRuntimeFeatureLevel),
            FUNCTION(SL_ANeuralNetworksCompilation_setCachingFromFds),
            FUNCTION(SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded),
            FUNCTION(SL_ANeuralNetworksDevice_getPerformanceInfo),
            FUNCTION(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo),
            FUNCTION(SL_ANeuralNetworksDevice_getVendorExtensionCount),
            FUNCTION(SL_ANeuralNetworksDevice_getVendorExtensionName),
            FUNCTION(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed),
            FUNCTION(SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed),
            FUNCTION(SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed),
            FUNCTION(SL_ANeuralNetworksDiagnostic_registerCallbacks),
        },
    FUNCTION(ANeuralNetworksCompilation_addExtensionAttribute),
    FUNCTION(ANeuralNetworksExecution_addExtensionAttribute),
};

NnApiSLDriverImpl *ANeuralNetworks_getSLDriverImpl(void)
{
    /* The API type is not const, but the table is read-only memory. */
    return (NnApiSLDriverImpl *)(uintptr_t)&table.base.base;
}
