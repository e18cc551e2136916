#include "plugins/support_library/sl_prepared.h"

#include "common/status.h"
#include "plugins/support_library/result.h"

#include <string.h>

static void refuse(const struct hy_refusals *refusals, uint32_t operation, const char *reason)
{
    if (refusals && refusals->refuse)
        refusals->refuse(refusals->context, operation, reason);
}

/* `answer` has an element for each operation. The library writes bools; reading bytes avoids
 * undefined values. */
static enum hy_code ask(const struct hy_sl_device *device, const struct hy_sl_model *model,
                        uint32_t count, uint8_t *flags, struct hy_error *err)
{
    memset(flags, 0, count);
    enum hy_code code =
        hy_sl_result(device->table->base.ANeuralNetworksModel_getSupportedOperationsForDevices(
                         model->main, &device->handle, 1, (bool *)flags),
                     "Model_getSupportedOperationsForDevices", err);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        if (flags[i] > 1)
            code = hy_fail(err, HY_FAILED,
                           "Model_getSupportedOperationsForDevices returned %u for operation %u",
                           flags[i], i);
    }
    return code;
}

static enum hy_code build_and_ask(const struct hy_sl_device *device, const struct hy_model *view,
                                  uint8_t *supported, const struct hy_refusals *refusals,
                                  struct hy_error *err)
{
    const uint32_t count = view->main->operation_count;
    struct hy_sl_model model;
    uint8_t *flags = NULL;

    enum hy_code code = hy_sl_model_build(&device->table->base, view, &model, err);
    if (code == HY_OK) {
        flags = hy_arena_alloc(&model.memory, count);
        code = flags ? ask(device, &model, count, flags, err)
                     : hy_fail(err, HY_OUT_OF_MEMORY, "supported operations (%u)", count);
    }
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        supported[i] = flags[i];
        if (!supported[i])
            refuse(refusals, i, "the support library does not support the operation");
    }
    hy_sl_model_finish(&model);
    return code;
}

/* A model refused by the library has no supported operations, and the refusal's text becomes the
 * reason. Only temporary failures are errors. */
int32_t hy_sl_supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                   const struct hy_refusals *refusals)
{
    const uint32_t count = model->main->operation_count;
    struct hy_error err;

    enum hy_code code = build_and_ask(device, model, supported, refusals, &err);
    if (code == HY_OK || code == HY_OUT_OF_MEMORY || code == HY_UNAVAILABLE || code == HY_DEAD)
        return hy_status_report(code, &err, NULL);
    memset(supported, 0, count);
    for (uint32_t i = 0; i < count; i++)
        refuse(refusals, i, err.text);
    return HY_STATUS_OK;
}
