#include "runtime/plan/prepare.h"

#include "common/lookup_failure.h"
#include "common/sigbus_guard.h"
#include "plugins/service/client/service.h"
#include "runtime/device/driver_call.h"
#include "runtime/driver_status.h"
#include "runtime/model/shared_pools.h"

#include <stdlib.h>

/* The arguments of a driver call, and a buffer for its text. */
struct question {
    const struct hy_runtime_device *device;
    const struct hy_model *model;
    struct hy_model copy; /* storage for the model shown to the driver */
    struct hy_prepare_options options;
    struct hy_extension_prefix *extensions;
    char text[HY_DRIVER_TEXT_SIZE];
};

/* The struct must not move in memory. */
static enum hy_code init(struct question *question, const struct hy_runtime_device *device,
                         const struct hy_model *model, const struct hy_plan_request *request,
                         struct hy_error *err)
{
    struct hy_prepare_options *options = &question->options;

    question->device = device;
    question->model = hy_shared_pools_show(model, request->shared_pools, device, &question->copy);
    question->text[0] = '\0';
    *options = (struct hy_prepare_options){
        .struct_size = sizeof *options,
        .preference = request->preference,
        .priority = request->priority,
        .deadline = request->deadline,
        .hints = request->attributes->hints,
        .hint_count = request->attributes->count,
        .message = {.text = question->text, .size = sizeof question->text},
    };
    enum hy_code code = hy_attributes_list_prefixes(
        request->attributes, &device->info, &question->extensions, &options->extension_count, err);
    if (code == HY_OK)
        options->extensions = question->extensions;
    return code;
}

static enum hy_code prepare(struct question *question, void **ret, struct hy_error *err)
{
    const struct hy_runtime_device *device = question->device;
    void *prepared = NULL;

    question->text[0] = '\0';
    const struct hy_driver_call call = hy_driver_call_begin(device, "prepare");
    const int32_t status =
        device->table->prepare(device->self, question->model, &question->options, &prepared);
    hy_driver_call_end(call);
    if (status != HY_STATUS_OK)
        return hy_driver_fail(err, device->info.name, "prepare", status, question->text);
    if (!prepared)
        return hy_fail(err, HY_FAILED, "%s: prepare failed: OK without a prepared model",
                       device->info.name);
    *ret = prepared;
    return HY_OK;
}

enum hy_code hy_prepare(const struct hy_runtime_device *device, const struct hy_model *model,
                        const struct hy_plan_request *request, void **ret, struct hy_error *err)
{
    struct question question;

    enum hy_code code = init(&question, device, model, request, err);
    if (code != HY_OK)
        return code;
    code = prepare(&question, ret, err);
    free(question.extensions);
    return code;
}

/* True: restored. */
static bool restore(struct question *question, struct hy_cache_session *session, void **ret)
{
    const struct hy_runtime_device *device = question->device;
    void *prepared = NULL;

    const uint64_t failures = hy_lookup_failure_count();
    sigset_t signals;
    const bool was_blocked = hy_sigbus_guard_enter(&signals); /* the driver may read mapped files */
    const struct hy_driver_call call = hy_driver_call_begin(device, "prepare_from_cache");
    int32_t status = device->table->prepare_from_cache(device->self, &question->options, &prepared);
    hy_driver_call_end(call);
    if (was_blocked)
        hy_sigbus_guard_leave(&signals);
    hy_driver_text_clean(question->text, sizeof question->text);
    if (status == HY_STATUS_GENERAL_FAILURE && hy_lookup_failure_count() != failures)
        status = HY_STATUS_DEVICE_UNAVAILABLE; /* the files are not the reason */
    if (!hy_cache_session_restored(session, status, prepared, question->text))
        return false;
    if (device->service)
        hy_service_save_model(prepared, question->model);
    *ret = prepared;
    return true;
}

bool hy_prepare_restored(const struct hy_runtime_device *device, const struct hy_model *model,
                         const struct hy_plan_request *request, struct hy_cache_session *session,
                         void **ret)
{
    const struct hy_cache_subject subject = {.device = device,
                                             .model = model,
                                             .attributes = request->attributes,
                                             .preference = request->preference,
                                             .priority = request->priority};
    struct question question;
    struct hy_error ignored;

    if (!hy_cache_session_begin(session, request->caching, &subject, request->deadline) ||
        init(&question, device, model, request, &ignored) != HY_OK)
        return false;
    const bool is_restored =
        hy_cache_session_find(session, &question.options) && restore(&question, session, ret);
    free(question.extensions);
    return is_restored;
}

enum hy_code hy_prepare_and_cache(const struct hy_runtime_device *device,
                                  const struct hy_model *model,
                                  const struct hy_plan_request *request,
                                  struct hy_cache_session *session, void **ret,
                                  struct hy_error *err)
{
    struct question question;

    if (!session->is_listed) /* begin has failed */
        return hy_prepare(device, model, request, ret, err);
    enum hy_code code = init(&question, device, model, request, err);
    if (code != HY_OK)
        return code;
    hy_cache_session_offer(session, &question.options);
    do
        code = prepare(&question, ret, err);
    while (hy_cache_session_publish(session, &question.options, code));
    free(question.extensions);
    return code;
}

void hy_prepared_destroy(const struct hy_runtime_device *device, void *prepared)
{
    const struct hy_driver_call call = hy_driver_call_begin(device, "prepared_destroy");

    device->table->prepared_destroy(prepared);
    hy_driver_call_end(call);
}
