/* Getters of an ended execution for callbacks. */
#include "runtime/execute/execution.h"
#include "runtime/handle/last_error.h"
#include "runtime/support_library/diagnostics.h"
#include "runtime/support_library/functions.h"

#include <assert.h>

static_assert((int)HY_RUN_ASYNC == ANNDIAG_EXECUTION_MODE_ASYNC &&
                  (int)HY_RUN_SYNC == ANNDIAG_EXECUTION_MODE_SYNC &&
                  (int)HY_RUN_BURST == ANNDIAG_EXECUTION_MODE_BURST &&
                  (int)HY_RUN_FENCED == ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS,
              "run modes have the values of the API");

/* A getter of `value`; without an info 0 or NULL, with an error text. */
#define GETTER(type, name, value) \
    type SL_ANeuralNetworksDiagnosticExecutionInfo_##name( \
        const ANeuralNetworksDiagnosticExecutionInfo *info) \
    { \
        if (info) \
            return value; \
        hy_api_null("SL_DiagnosticExecutionInfo_" #name, "diagnosticExecutionInfo"); \
        return (type)0; \
    }

GETTER(int32_t, getSessionId, hy_diagnostics_session())
GETTER(int64_t, getNnApiVersion, ANeuralNetworks_getRuntimeFeatureLevel())
GETTER(const uint8_t *, getModelArchHash, info->details->architecture)
GETTER(const char *, getDeviceIds, info->details->device_ids)
GETTER(ANeuralNetworksDiagnosticExecutionMode, getExecutionMode,
       (ANeuralNetworksDiagnosticExecutionMode)info->mode)
GETTER(ANeuralNetworksDiagnosticDataClass, getInputDataClass, info->details->input_class)
GETTER(ANeuralNetworksDiagnosticDataClass, getOutputDataClass, info->details->output_class)
GETTER(uint64_t, getRuntimeExecutionTimeNanos, info->in_runtime)
GETTER(uint64_t, getDriverExecutionTimeNanos, info->in_driver)
GETTER(uint64_t, getHardwareExecutionTimeNanos, info->on_device)
GETTER(bool, isCachingEnabled, info->details->wants_caching)
GETTER(bool, isControlFlowUsed, info->details->has_control_flow)
GETTER(bool, areDynamicTensorsUsed, info->details->has_dynamic_tensors)

uint32_t SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode(
    const ANeuralNetworksDiagnosticExecutionInfo *info)
{
    if (!info)
        return (uint32_t)hy_api_null("SL_DiagnosticExecutionInfo_getErrorCode",
                                     "diagnosticExecutionInfo");
    return (uint32_t)info->code;
}
