/* Bursts are not implemented, see docs/status.md: none can be made, so each call has its NULL
 * checks and nothing to work on. */
#include "last_error.h"

#include "android/NeuralNetworks.h"

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst)
{
    static const char name[] = "Burst_create";

    if (!burst)
        return hy_api_null(name, "burst");
    *burst = NULL;
    if (!compilation)
        return hy_api_null(name, "compilation");
    return hy_api_not_implemented(name);
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst)
{
    (void)burst;
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst)
{
    static const char name[] = "Execution_burstCompute";

    if (!execution)
        return hy_api_null(name, "execution");
    if (!burst)
        return hy_api_null(name, "burst");
    return hy_api_not_implemented(name);
}
