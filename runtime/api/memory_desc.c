/* Memory descriptors: memory defined by its uses. */
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/memory_domain/desc.h"

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc)
{
    static const char name[] = "MemoryDesc_create";
    struct hy_memory_desc *own = NULL;
    struct hy_error err;

    if (!desc)
        return hy_api_null(name, "desc");
    enum hy_code code = hy_memory_desc_create(&own, &err);
    *desc = hy_memory_desc_handle(own);
    return hy_api_result(name, code, &err);
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc)
{
    hy_memory_desc_destroy(hy_memory_desc_of(desc));
}

static int add_role(const char *name, ANeuralNetworksMemoryDesc *desc,
                    const ANeuralNetworksCompilation *compilation, bool is_output, uint32_t index,
                    float frequency)
{
    struct hy_error err;

    if (!desc)
        return hy_api_null(name, "desc");
    if (!compilation)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_memory_desc_add_role(
        hy_memory_desc_of(desc), hy_compilation_of(compilation), is_output, index, frequency, &err);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
                                           const ANeuralNetworksCompilation *compilation,
                                           uint32_t index, float frequency)
{
    return add_role("MemoryDesc_addInputRole", desc, compilation, false, index, frequency);
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
                                            const ANeuralNetworksCompilation *compilation,
                                            uint32_t index, float frequency)
{
    return add_role("MemoryDesc_addOutputRole", desc, compilation, true, index, frequency);
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
                                            const uint32_t *dimensions)
{
    static const char name[] = "MemoryDesc_setDimensions";
    struct hy_error err;

    if (!desc)
        return hy_api_null(name, "desc");
    if (!dimensions && rank > 0)
        return hy_api_null(name, "dimensions");
    enum hy_code code = hy_memory_desc_set_dims(hy_memory_desc_of(desc), rank, dimensions, &err);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc)
{
    static const char name[] = "MemoryDesc_finish";
    struct hy_error err;

    if (!desc)
        return hy_api_null(name, "desc");
    return hy_api_result(name, hy_memory_desc_finish(hy_memory_desc_of(desc), &err), &err);
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory)
{
    static const char name[] = "Memory_createFromDesc";
    struct hy_memory *own = NULL;
    struct hy_error err;

    if (!memory)
        return hy_api_null(name, "memory");
    *memory = NULL;
    if (!desc)
        return hy_api_null(name, "desc");
    enum hy_code code = hy_memory_from_desc(hy_memory_desc_of(desc), &own, &err);
    *memory = hy_memory_handle(own);
    return hy_api_result(name, code, &err);
}
