#include "runtime/plan/prepare.h"

#include "runtime/driver_status.h"

enum hy_code hy_prepare(const struct hy_runtime_device *device, const struct hy_model *model,
                        const struct hy_plan_request *request, void **ret, struct hy_error *err)
{
    char words[HY_DRIVER_TEXT_SIZE] = "";
    const struct hy_prepare_options options = {
        .struct_size = sizeof options,
        .preference = request->preference,
        .priority = request->priority,
        .deadline = request->deadline,
        .message = {.text = words, .size = sizeof words},
    };
    void *prepared = NULL;

    int32_t status = device->table->prepare(device->self, model, &options, &prepared);
    if (status != HY_STATUS_OK)
        return hy_driver_fail(err, device->info.name, "prepare", status, words);
    if (!prepared)
        return hy_fail(err, HY_FAILED, "%s: prepare succeeded without a prepared model",
                       device->info.name);
    *ret = prepared;
    return HY_OK;
}
