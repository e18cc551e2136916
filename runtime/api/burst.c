#include "runtime/execute/execution.h"
#include "runtime/execute/execution_burst.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst)
{
    static const char name[] = "Burst_create";
    struct hy_burst *own = NULL;
    struct hy_error err;

    if (!burst)
        return hy_api_null(name, "burst");
    *burst = NULL;
    if (!compilation)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_burst_create(hy_compilation_of(compilation), &own, &err);
    *burst = hy_burst_handle(own);
    return hy_api_result(name, code, &err);
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst)
{
    hy_burst_destroy(hy_burst_of(burst));
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst)
{
    static const char name[] = "Execution_burstCompute";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    if (!burst)
        return hy_api_null(name, "burst");
    enum hy_code code = hy_burst_compute(hy_burst_of(burst), own, &err);
    return hy_api_result(name, code, &err);
}
