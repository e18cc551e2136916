/* Memory descriptors are not implemented, see docs/status.md: none can be made, so every other call
 * has its NULL checks and nothing to work on. */
#include "last_error.h"

#include "android/NeuralNetworks.h"

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc)
{
    static const char name[] = "MemoryDesc_create";

    if (!desc)
        return hy_api_null(name, "desc");
    *desc = NULL;
    return hy_api_not_implemented(name);
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc)
{
    (void)desc;
}

static int add_role(const char *function, const ANeuralNetworksMemoryDesc *desc,
                    const ANeuralNetworksCompilation *compilation)
{
    if (!desc)
        return hy_api_null(function, "desc");
    if (!compilation)
        return hy_api_null(function, "compilation");
    return hy_api_not_implemented(function);
}

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
                                           const ANeuralNetworksCompilation *compilation,
                                           uint32_t index, float frequency)
{
    (void)index;
    (void)frequency;
    return add_role("MemoryDesc_addInputRole", desc, compilation);
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
                                            const ANeuralNetworksCompilation *compilation,
                                            uint32_t index, float frequency)
{
    (void)index;
    (void)frequency;
    return add_role("MemoryDesc_addOutputRole", desc, compilation);
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
                                            const uint32_t *dimensions)
{
    static const char name[] = "MemoryDesc_setDimensions";

    if (!desc)
        return hy_api_null(name, "desc");
    if (!dimensions && rank > 0)
        return hy_api_null(name, "dimensions");
    return hy_api_not_implemented(name);
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc)
{
    static const char name[] = "MemoryDesc_finish";

    if (!desc)
        return hy_api_null(name, "desc");
    return hy_api_not_implemented(name);
}
