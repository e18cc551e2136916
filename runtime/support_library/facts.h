#ifndef HY_RUNTIME_SUPPORT_LIBRARY_FACTS_H
#define HY_RUNTIME_SUPPORT_LIBRARY_FACTS_H

#include "android/NeuralNetworksSupportLibraryImpl.h"
#include "cache_store/architecture.h"

struct hy_compilation;

/* What diagnostics tell of a compilation and, the same, of each of its executions. */
struct hy_diagnostic_facts {
    uint8_t architecture[HY_ARCHITECTURE_SIZE];
    const char *device_ids; /* "acme-npu=3,halyard-cpu=0.1": sorted */
    ANeuralNetworksDiagnosticDataClass input_class;
    ANeuralNetworksDiagnosticDataClass output_class;
    bool wants_caching;
    bool has_control_flow;
    bool has_dynamic_tensors; /* false where there is no plan */
};

/*
 * The facts of a compilation on which finish was called. Made when they are first asked for, by any
 * thread, and kept with it. Never NULL: without memory for them they are all 0 and "".
 */
const struct hy_diagnostic_facts *hy_diagnostic_facts_of(struct hy_compilation *compilation);

/* Takes NULL. */
void hy_diagnostic_facts_destroy(struct hy_diagnostic_facts *facts);

#endif
