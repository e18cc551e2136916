#include "runtime/plan/prepare.h"

#include "runtime/driver_status.h"

#include <stdlib.h>

enum hy_code hy_prepare(const struct hy_runtime_device *device, const struct hy_model *model,
                        const struct hy_plan_request *request, void **ret, struct hy_error *err)
{
    char words[HY_DRIVER_TEXT_SIZE] = "";
    struct hy_prepare_options options = {
        .struct_size = sizeof options,
        .preference = request->preference,
        .priority = request->priority,
        .deadline = request->deadline,
        .hints = request->attributes->hints,
        .hint_count = request->attributes->count,
        .message = {.text = words, .size = sizeof words},
    };
    struct hy_extension_prefix *extensions;
    void *prepared = NULL;

    enum hy_code code = hy_attributes_list_prefixes(request->attributes, &device->info, &extensions,
                                                    &options.extension_count, err);
    if (code != HY_OK)
        return code;
    options.extensions = extensions;
    int32_t status = device->table->prepare(device->self, model, &options, &prepared);
    free(extensions);
    if (status != HY_STATUS_OK)
        return hy_driver_fail(err, device->info.name, "prepare", status, words);
    if (!prepared)
        return hy_fail(err, HY_FAILED, "%s: prepare succeeded without a prepared model",
                       device->info.name);
    *ret = prepared;
    return HY_OK;
}
