#include "tools/device_selection.h"

#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

#include "tools/api_result.h"

const char *hy_device_name(const ANeuralNetworksDevice *device)
{
    const char *name = NULL;
    if (!device || ANeuralNetworksDevice_getName(device, &name) != ANEURALNETWORKS_NO_ERROR)
        return "?";
    return name;
}

static enum hy_code list_all(struct hy_device_selection *all, struct hy_error *err)
{
    uint32_t count = 0;
    enum hy_code code =
        hy_api_result(ANeuralNetworks_getDeviceCount(&count), "getDeviceCount", err);

    for (uint32_t i = 0; code == HY_OK && i < count && i < HY_OPTION_LIST_MAX; i++) {
        ANeuralNetworksDevice *device = NULL;
        code = hy_api_result(ANeuralNetworks_getDevice(i, &device), "getDevice", err);
        if (code == HY_OK)
            all->devices[all->count++] = device;
    }
    return code;
}

static const ANeuralNetworksDevice *find(const struct hy_device_selection *among, const char *name)
{
    for (uint32_t i = 0; i < among->count; i++)
        if (strcmp(hy_device_name(among->devices[i]), name) == 0)
            return among->devices[i];
    return NULL;
}

static enum hy_code fail_unknown(const struct hy_device_selection *all, const char *name,
                                 struct hy_error *err)
{
    char names[HY_ERROR_TEXT_SIZE / 2] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < all->count && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                                   hy_device_name(all->devices[i]));
    return hy_fail(err, HY_BAD_DATA, "--device %s: no device has this name; known: %s", name,
                   all->count ? names : "none");
}

enum hy_code hy_device_selection_make(const struct hy_option_list *names,
                                      struct hy_device_selection *out, struct hy_error *err)
{
    struct hy_device_selection all = {0};
    const enum hy_code code = list_all(&all, err);
    if (code != HY_OK)
        return code;
    if (names->count == 0) {
        *out = all;
        return HY_OK;
    }

    struct hy_device_selection chosen = {.by_name = true};
    for (uint32_t i = 0; i < names->count; i++) {
        const ANeuralNetworksDevice *device = find(&all, names->items[i]);
        if (!device)
            return fail_unknown(&all, names->items[i], err);
        if (find(&chosen, names->items[i]))
            return hy_fail(err, HY_BAD_DATA, "--device %s is given twice", names->items[i]);
        chosen.devices[chosen.count++] = device;
    }
    *out = chosen;
    return HY_OK;
}

enum hy_code hy_device_selection_check_isolated(const struct hy_device_selection *selection,
                                                struct hy_error *err)
{
    for (uint32_t i = 0; i < selection->count; i++) {
        struct halyard_device_info info = {.struct_size = sizeof info};
        enum hy_code code = hy_api_result(halyard_device_get_info(selection->devices[i], &info),
                                          "device_get_info", err);
        if (code != HY_OK)
            return code;
        const bool may_stay = !selection->by_name && strcmp(info.name, "nnapi-reference") == 0;
        if (info.kind != HALYARD_DEVICE_SERVICE && !may_stay)
            return hy_fail(err, HY_FAILED, "%s runs in this process although --isolate is given",
                           info.name);
    }
    return HY_OK;
}

bool hy_device_selection_has_built_in(const struct hy_device_selection *selection)
{
    for (uint32_t i = 0; i < selection->count; i++) {
        struct halyard_device_info info = {.struct_size = sizeof info};
        if (halyard_device_get_info(selection->devices[i], &info) == ANEURALNETWORKS_NO_ERROR &&
            info.kind == HALYARD_DEVICE_BUILT_IN)
            return true;
    }
    return false;
}

enum hy_code hy_device_selection_compile(const struct hy_device_selection *selection,
                                         const ANeuralNetworksModel *model,
                                         ANeuralNetworksCompilation **out, struct hy_error *err)
{
    /* The API has no const for models for historical reasons: it does not change the model. */
    ANeuralNetworksModel *handle = (ANeuralNetworksModel *)model;
    if (!selection->by_name)
        return hy_api_result(ANeuralNetworksCompilation_create(handle, out), "Compilation_create",
                             err);
    return hy_api_result(ANeuralNetworksCompilation_createForDevices(handle, selection->devices,
                                                                     selection->count, out),
                         "Compilation_createForDevices", err);
}
