/* Getters of a finished compilation for callbacks. */
#include "runtime/handle/last_error.h"
#include "runtime/support_library/diagnostics.h"
#include "runtime/support_library/functions.h"

/* A getter of `value`; without an info 0 or NULL, with an error text. */
#define GETTER(type, name, value) \
    type SL_ANeuralNetworksDiagnosticCompilationInfo_##name( \
        const ANeuralNetworksDiagnosticCompilationInfo *info) \
    { \
        if (info) \
            return value; \
        hy_api_null("SL_DiagnosticCompilationInfo_" #name, "diagnosticCompilationInfo"); \
        return (type)0; \
    }

GETTER(int32_t, getSessionId, hy_diagnostics_session())
GETTER(int64_t, getNnApiVersion, ANeuralNetworks_getRuntimeFeatureLevel())
GETTER(const uint8_t *, getModelArchHash, info->details->architecture)
GETTER(const char *, getDeviceIds, info->details->device_ids)
GETTER(ANeuralNetworksDiagnosticDataClass, getInputDataClass, info->details->input_class)
GETTER(ANeuralNetworksDiagnosticDataClass, getOutputDataClass, info->details->output_class)
GETTER(uint64_t, getCompilationTimeNanos, info->total_ns)
GETTER(bool, isCachingEnabled, info->details->wants_caching)
GETTER(bool, isControlFlowUsed, info->details->has_control_flow)
GETTER(bool, areDynamicTensorsUsed, info->details->has_dynamic_tensors)

int32_t SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode(
    const ANeuralNetworksDiagnosticCompilationInfo *info)
{
    if (!info)
        return hy_api_null("SL_DiagnosticCompilationInfo_getErrorCode",
                           "diagnosticCompilationInfo");
    return (int32_t)info->code;
}
