#ifndef HY_RUNTIME_SUPPORT_LIBRARY_DIAGNOSTIC_DETAILS_H
#define HY_RUNTIME_SUPPORT_LIBRARY_DIAGNOSTIC_DETAILS_H

#include "android/NeuralNetworksSupportLibraryImpl.h"
#include "cache_store/architecture.h"

struct hy_compilation;

/* Properties of a compilation and its executions for diagnostics. */
struct hy_diagnostic_details {
    uint8_t architecture[HY_ARCHITECTURE_SIZE];
    const char *device_ids; /* "acme-npu=3,halyard-cpu=0.1": sorted */
    ANeuralNetworksDiagnosticDataClass input_class;
    ANeuralNetworksDiagnosticDataClass output_class;
    bool wants_caching;
    bool has_control_flow;
    bool has_dynamic_tensors; /* false without a plan */
};

/*
 * Returns the properties of a compilation after finish. The first request, on any thread, creates
 * the properties for the life of the compilation. Never NULL: without memory all properties are 0
 * and "".
 */
const struct hy_diagnostic_details *hy_diagnostic_details_of(struct hy_compilation *compilation);

/* NULL is allowed. */
void hy_diagnostic_details_destroy(struct hy_diagnostic_details *details);

#endif
