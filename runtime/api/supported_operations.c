/* Support of devices for the operations of a model, before compilation. */
#include "device_set.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/model/constant_files.h"
#include "runtime/model/shared_pools.h"
#include "runtime/plan/overrides.h"

#include <stdlib.h>

static const char name[] = "Model_getSupportedOperationsForDevices";

static bool is_supported(const struct hy_support_matrix *support_matrix, uint32_t operation)
{
    bool any = false;

    for (uint32_t i = 0; i < support_matrix->device_count; i++)
        any |= hy_support_matrix_can(support_matrix, i, operation);
    return any;
}

static bool has_wrong_scale(const struct hy_support_matrix *support_matrix, uint32_t operation)
{
    return support_matrix->wrong_scales && support_matrix->wrong_scales[operation];
}

/* Fails if a device did not reply: only a device that was asked can refuse an operation. Devices
 * are not asked about an operation with a wrong scale. */
static enum hy_code check_replies(const struct hy_support_matrix *support_matrix,
                                  const uint32_t *order, struct hy_error *err)
{
    const enum hy_code missing = hy_support_matrix_missing(support_matrix);

    for (uint32_t i = 0; missing != HY_OK && i < support_matrix->operation_count; i++) {
        if (has_wrong_scale(support_matrix, i))
            continue;
        for (uint32_t j = 0; !is_supported(support_matrix, i) && j < support_matrix->device_count;
             j++) {
            if (support_matrix->query_codes[j] != HY_OK)
                return hy_fail(err, support_matrix->query_codes[j], "operation %u: %s: %s",
                               order[i], support_matrix->devices[j]->info.name,
                               hy_support_matrix_refusal(support_matrix, j, i));
        }
    }
    return HY_OK;
}

static void merge(const struct hy_support_matrix *support_matrix, const uint32_t *order,
                  bool *supported)
{
    for (uint32_t i = 0; i < support_matrix->operation_count; i++)
        supported[order[i]] = is_supported(support_matrix, i);
}

/* Logs operations with a wrong scale: the app only sees "unsupported", and no driver gives a
 * reason. */
static void log_wrong_scales(const struct hy_support_matrix *support_matrix, const uint32_t *order)
{
    for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
        struct hy_error why;
        if (!has_wrong_scale(support_matrix, i))
            continue;
        (void)hy_fail(&why, HY_BAD_DATA, "operation %u: %s", order[i],
                      support_matrix->wrong_scales[i]);
        hy_api_note(name, &why);
    }
}

static enum hy_code ask(const struct hy_app_model *model,
                        const ANeuralNetworksDevice *const *devices, uint32_t count,
                        bool *supported, struct hy_error *err)
{
    const struct hy_model *view = hy_app_model_view(model);
    const struct hy_runtime_device **list = hy_device_set_copy(devices, count);
    struct hy_support_matrix support_matrix = {
        .devices = list, .device_count = count, .operation_count = view->main->operation_count};
    struct hy_plan_request request = {.model = view, .deadline = HY_NO_DEADLINE};
    struct hy_arena arena = {0};

    enum hy_code code =
        list ? hy_app_model_make_shared_pools(model, list, count, &request.shared_pools, err)
             : hy_fail(err, HY_OUT_OF_MEMORY, "list of %u devices", count);
    if (code == HY_OK)
        code = hy_support_matrix_make(&support_matrix, view, &arena, err);
    if (code == HY_OK)
        code = hy_support_matrix_ask(&support_matrix, &request, &arena, err);
    if (code == HY_OK)
        hy_plan_overrides_pick_devices(hy_plan_overrides(), &support_matrix);
    if (code == HY_OK)
        code = check_replies(&support_matrix, hy_app_model_operation_order(model), err);
    if (code == HY_OK) {
        merge(&support_matrix, hy_app_model_operation_order(model), supported);
        log_wrong_scales(&support_matrix, hy_app_model_operation_order(model));
    }
    hy_arena_finish(&arena);
    free(list);
    return code;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, bool *supportedOps)
{
    const struct hy_app_model *own = hy_model_of(model);
    struct hy_error err;
    enum hy_code code = HY_OK;

    if (!model)
        return hy_api_null(name, "model");
    if (!devices)
        return hy_api_null(name, "devices");
    if (!supportedOps)
        return hy_api_null(name, "supportedOps");

    if (numDevices == 0)
        code = hy_fail(&err, HY_BAD_DATA, "the list of devices is empty");
    else if (hy_app_model_state(own) != HY_MODEL_FINISHED)
        code = hy_fail(&err, HY_BAD_STATE, "the model is not finished, or is invalid");
    if (code == HY_OK)
        code = hy_device_set_check(devices, numDevices, &err);
    if (code == HY_OK)
        code = hy_app_model_check_files_again(own, &err);
    if (code == HY_OK)
        code = ask(own, devices, numDevices, supportedOps, &err);
    return hy_api_result(name, code, &err);
}
