#include "tools/vectors/refusal.h"

#include <stdlib.h>

#include "tools/vectors/build.h"
#include "tools/vectors/vector_run.h"

static bool is_supported(const ANeuralNetworksModel *model, uint32_t operation_count,
                         const struct hy_device_selection *devices)
{
    bool *supported = calloc((size_t)operation_count + 1, sizeof *supported);
    bool all = supported != NULL &&
               ANeuralNetworksModel_getSupportedOperationsForDevices(
                   model, devices->devices, devices->count, supported) == ANEURALNETWORKS_NO_ERROR;
    for (uint32_t i = 0; all && i < operation_count; i++)
        all = supported[i];
    free(supported);
    return all;
}

bool hy_vector_is_refused(const struct hy_vector *vector, const struct hy_device_selection *devices,
                          struct hy_error *reason)
{
    if (vector->expect_failure && !hy_vector_is_endless(vector))
        return false;

    struct hy_vector_build build = {0};
    ANeuralNetworksCompilation *compilation = NULL;
    bool refused = false;
    if (hy_vector_build_make(vector, &build, NULL) == HY_OK &&
        !is_supported(build.models[0], vector->models[0].operation_count, devices)) {
        /* the error text comes from the attempt: the runtime may run models that no single device
         * supports */
        refused = hy_vector_build_compile(&build, devices, NULL, &compilation, reason) != HY_OK;
    }
    ANeuralNetworksCompilation_free(compilation);
    hy_vector_build_finish(&build);
    return refused;
}
