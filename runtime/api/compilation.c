#include "device_set.h"
#include "runtime/compile/compile.h"
#include "runtime/drivers/device_list.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/support_library/observer.h"

#include <stdlib.h>

/* All devices of the process in order. The caller frees the array. */
static const struct hy_runtime_device **all_devices(const struct hy_device_list *list)
{
    const struct hy_runtime_device **devices = calloc(list->count, sizeof *devices);
    for (uint32_t i = 0; devices && i < list->count; i++)
        devices[i] = &list->devices[i];
    return devices;
}

/* Takes ownership of the list. */
static enum hy_code create(ANeuralNetworksModel *model, const struct hy_runtime_device **devices,
                           uint32_t count, bool explicit_devices,
                           ANeuralNetworksCompilation **compilation, struct hy_error *err)
{
    struct hy_compilation *own = NULL;
    enum hy_code code = devices ? hy_compilation_create(hy_model_of(model), devices, count,
                                                        explicit_devices, &own, err)
                                : hy_fail(err, HY_OUT_OF_MEMORY, "list of %u devices", count);
    free(devices);
    if (own)
        hy_compilation_set_observer(own, &hy_app_observer);
    *compilation = hy_compilation_handle(own);
    return code;
}

int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
                                      ANeuralNetworksCompilation **compilation)
{
    static const char name[] = "Compilation_create";
    struct hy_error err;

    if (!compilation)
        return hy_api_null(name, "compilation");
    *compilation = NULL;
    if (!model)
        return hy_api_null(name, "model");
    const struct hy_device_list *list = hy_devices();
    if (!list)
        return hy_api_no_devices(name);
    return hy_api_result(
        name, create(model, all_devices(list), list->count, false, compilation, &err), &err);
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
                                                const ANeuralNetworksDevice *const *devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation **compilation)
{
    static const char name[] = "Compilation_createForDevices";
    struct hy_error err;

    if (!compilation)
        return hy_api_null(name, "compilation");
    *compilation = NULL;
    if (!model)
        return hy_api_null(name, "model");
    if (!devices)
        return hy_api_null(name, "devices");

    enum hy_code code = hy_device_set_check(devices, numDevices, &err);
    if (code == HY_OK)
        code = create(model, hy_device_set_copy(devices, numDevices), numDevices, true, compilation,
                      &err);
    return hy_api_result(name, code, &err);
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation)
{
    hy_compilation_release(hy_compilation_of(compilation));
}

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation,
                                             int32_t preference)
{
    static const char name[] = "Compilation_setPreference";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK && (preference < ANEURALNETWORKS_PREFER_LOW_POWER ||
                          preference > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED))
        code = hy_fail(&err, HY_BAD_DATA, "preference is %d, values are 0 to 2", preference);
    if (code == HY_OK)
        own->preference = preference; /* HY_PREFER_* has the same values */
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority)
{
    static const char name[] = "Compilation_setPriority";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code != HY_OK)
        return hy_api_result(name, code, &err);
    switch (priority) {
    case ANEURALNETWORKS_PRIORITY_LOW:
        own->priority = HY_PRIORITY_LOW;
        break;
    case ANEURALNETWORKS_PRIORITY_MEDIUM:
        own->priority = HY_PRIORITY_MEDIUM;
        break;
    case ANEURALNETWORKS_PRIORITY_HIGH:
        own->priority = HY_PRIORITY_HIGH;
        break;
    default:
        code = hy_fail(&err, HY_BAD_DATA, "priority is %d, values are 90, 100 and 110", priority);
    }
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation,
                                          uint64_t duration)
{
    static const char name[] = "Compilation_setTimeout";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK)
        code = hy_compilation_check_single_device(own, "a timeout", &err);
    if (code == HY_OK)
        own->timeout = duration;
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation,
                                          const char *cacheDir, const uint8_t *token)
{
    static const char name[] = "Compilation_setCaching";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!cacheDir)
        return hy_api_null(name, "cacheDir");
    if (!token)
        return hy_api_null(name, "token");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK)
        code = hy_caching_set_dir(&own->caching, cacheDir, token, &err);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation)
{
    static const char name[] = "Compilation_finish";
    struct hy_error err;

    if (!compilation)
        return hy_api_null(name, "compilation");
    return hy_api_result(name, hy_compilation_finish(hy_compilation_of(compilation), &err), &err);
}

/* ---- Preferred memory ------------------------------------------------------------------------ */

typedef uint32_t preferred(const struct hy_compilation *compilation, bool is_output,
                           uint32_t index);

static int get_preferred(const char *name, const ANeuralNetworksCompilation *handle,
                         preferred *figure, bool is_output, uint32_t index, const char *out_name,
                         uint32_t *out)
{
    const struct hy_compilation *own = hy_compilation_of(handle);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!out)
        return hy_api_null(name, out_name);
    enum hy_code code = hy_compilation_check_finished(own, &err);
    if (code != HY_OK)
        return hy_api_result(name, code, &err);

    const struct hy_subgraph *graph = hy_app_model_view(own->model)->main;
    const uint32_t count = is_output ? graph->output_count : graph->input_count;
    if (index >= count)
        code = hy_fail(&err, HY_BAD_DATA, "%s %u, the model has %u", is_output ? "output" : "input",
                       index, count);
    else
        *out = figure(own, is_output, index);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment)
{
    return get_preferred("Compilation_getPreferredMemoryAlignmentForInput", compilation,
                         hy_compilation_alignment, false, index, "alignment", alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding)
{
    return get_preferred("Compilation_getPreferredMemoryPaddingForInput", compilation,
                         hy_compilation_padding, false, index, "padding", padding);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment)
{
    return get_preferred("Compilation_getPreferredMemoryAlignmentForOutput", compilation,
                         hy_compilation_alignment, true, index, "alignment", alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding)
{
    return get_preferred("Compilation_getPreferredMemoryPaddingForOutput", compilation,
                         hy_compilation_padding, true, index, "padding", padding);
}
