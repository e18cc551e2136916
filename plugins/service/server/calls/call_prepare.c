#include "common/clock.h"
#include "common/lookup_failure.h"
#include "common/status.h"
#include "plugins/service/server/calls/calls.h"
#include "plugins/service/server/calls/estimate.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/ranges.h"
#include "plugins/service/wire/scales.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_model.h"

#include <string.h>

/* Maximum size of a reason; longer texts are cut. */
#define REASON_SIZE 256u

/* Maximum size of all reasons in a reply. The limit keeps the size of the reply in proportion to
 * the model. */
#define REASONS_SIZE ((size_t)1 << 20)

/* Checks done by the server, so drivers need not repeat them. */
static int32_t check_model(const struct hy_model *model, struct hy_error *err)
{
    enum hy_code code = hy_model_check_ranges(model, err);

    if (code == HY_OK)
        code = hy_model_check_scales(model, err);
    return hy_status_of(code);
}

/* ---- Supported operations -------------------------------------------------------------------- */

/* Collects a driver's reasons; only the first reason of each operation is used. */
struct reasons {
    struct hy_arena *arena;
    struct hy_refused *list; /* in order of arrival */
    uint8_t *has_one;        /* [operation] */
    uint32_t operation_count;
    uint32_t count;
    size_t size; /* of all texts */
};

static void refuse(void *context, uint32_t operation, const char *reason)
{
    struct reasons *reasons = context;

    if (operation >= reasons->operation_count || !reason || reasons->has_one[operation])
        return;
    const size_t length = strnlen(reason, REASON_SIZE - 1);
    char *text =
        length < REASONS_SIZE - reasons->size ? hy_arena_alloc(reasons->arena, length + 1) : NULL;
    if (!text)
        return;
    reasons->size += length + 1;
    memcpy(text, reason, length);
    text[length] = '\0';
    reasons->has_one[operation] = 1;
    reasons->list[reasons->count++] = (struct hy_refused){.operation = operation, .reason = text};
}

static int32_t ask(struct hy_server_channel *channel, const struct hy_server_device *device,
                   const struct hy_model *model, struct hy_error *err)
{
    const uint32_t count = model->main->operation_count;
    struct reasons reasons = {
        .arena = &channel->arena,
        .list = hy_arena_alloc(&channel->arena, count * sizeof *reasons.list),
        .has_one = hy_arena_alloc(&channel->arena, count),
        .operation_count = count,
    };
    uint8_t *supported = hy_arena_alloc(&channel->arena, count);
    struct hy_server_call_slot call_slot;
    const struct hy_refusals refusals = {
        .struct_size = sizeof refusals,
        .context = &reasons,
        .refuse = refuse,
        .deadline = HY_NO_DEADLINE,
        .cancelled = &channel->cancelled,
    };

    if (!reasons.list || !reasons.has_one || !supported) {
        (void)hy_fail(err, HY_OUT_OF_MEMORY, "supported operations (%u)", count);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    memset(reasons.has_one, 0, count);
    memset(supported, 0, count);
    int32_t status = hy_server_channel_acquire_slot(channel, HY_NO_DEADLINE, &call_slot, err);
    if (status != HY_STATUS_OK)
        return status;
    status = hy_server_driver_status(
        device->table.supported_operations(device->device, model, supported, &refusals), err);
    hy_server_call_slot_release(&call_slot);
    for (uint32_t i = 0; i < count && status == HY_STATUS_OK; i++) {
        if (supported[i] <= 1)
            continue;
        (void)hy_fail(err, HY_FAILED, "the driver returned %u for operation %u, needs 0 or 1",
                      supported[i], i);
        status = HY_STATUS_GENERAL_FAILURE;
    }
    const struct hy_supported_ops_reply supported_ops_reply = {.supported = supported,
                                                               .refused = reasons.list,
                                                               .operation_count = count,
                                                               .refused_count = reasons.count};
    if (status == HY_STATUS_OK)
        hy_supported_ops_reply_pack(&channel->reply.body, &supported_ops_reply);
    return status;
}

int32_t hy_server_supported(struct hy_server_channel *channel, struct hy_unpack *in,
                            struct hy_error *err)
{
    struct hy_model model = {0};
    struct hy_pool *pools = NULL;

    hy_model_unpack(in, &model, &pools);
    int32_t status = hy_server_end_read(in);
    const struct hy_server_device *device = hy_server_find_device(channel, err);
    if (status == HY_STATUS_OK && !device)
        status = HY_STATUS_INVALID_ARGUMENT;
    if (status == HY_STATUS_OK)
        status = hy_server_hold_pools(channel, &device->table, &channel->holds, pools,
                                      model.pool_count, err);
    if (status == HY_STATUS_OK)
        status = check_model(&model, err);
    return status == HY_STATUS_OK ? ask(channel, device, &model, err) : status;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

/* Ends PREPARE and PREPARE_FROM_CACHE. */
static int32_t end_prepare(struct hy_server_channel *channel, struct hy_server_object *object,
                           int32_t status, struct hy_error *err)
{
    err->text[sizeof err->text - 1] = '\0';
    status = hy_server_driver_status(status, err);
    if (status == HY_STATUS_OK && !object->driver_object) {
        (void)hy_fail(err, HY_FAILED, "the driver returned OK without a prepared model");
        status = HY_STATUS_GENERAL_FAILURE;
    }
    if (status == HY_STATUS_OK && hy_server_holds_are_truncated(&object->holds)) {
        (void)hy_fail(err, HY_FAILED, "memory with constants was truncated during prepare");
        status = HY_STATUS_GENERAL_FAILURE;
    }
    if (status == HY_STATUS_OK) {
        object->run_bytes = hy_server_estimate_run(object->table, object->driver_object);
        return hy_server_register_object(channel, object, err);
    }
    hy_server_object_destroy(&channel->server->objects, object);
    return status;
}

/* A driver has capacity for exactly the reported number of files. */
static int32_t check_files(const struct hy_server_device *device,
                           const struct hy_prepare_options *options, struct hy_error *err)
{
    const struct hy_device_info *info = &device->info;
    const uint32_t model = options->model_cache_count, data = options->data_cache_count;

    if ((model == 0 && data == 0) ||
        (model == info->model_cache_files && data == info->data_cache_files))
        return HY_STATUS_OK;
    (void)hy_fail(err, HY_BAD_DATA, "%u model and %u data cache files, needs 0 and 0, or %u and %u",
                  model, data, info->model_cache_files, info->data_cache_files);
    return HY_STATUS_INVALID_ARGUMENT;
}

static struct hy_server_object *create(struct hy_server_channel *channel,
                                       const struct hy_server_device **device, struct hy_error *err)
{
    struct hy_server_device *found = hy_server_find_device(channel, err);
    if (!found)
        return NULL;
    *device = found;
    return hy_server_object_create(&channel->server->objects, HY_SERVER_PREPARED, &found->table);
}

int32_t hy_server_prepare(struct hy_server_channel *channel, struct hy_unpack *in,
                          struct hy_error *err)
{
    const struct hy_server_device *device = NULL;
    struct hy_prepare_options options = {0};
    struct hy_model model = {0};
    struct hy_pool *pools = NULL;
    struct hy_server_call_slot call_slot;
    void *driver_object = NULL;

    hy_model_unpack(in, &model, &pools);
    hy_prepare_options_unpack(in, &options);
    int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    struct hy_server_object *object = create(channel, &device, err);
    if (!object)
        return device ? HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT : HY_STATUS_INVALID_ARGUMENT;
    status = check_files(device, &options, err);
    if (status == HY_STATUS_OK)
        status = hy_server_hold_pools(channel, &device->table, &object->holds, pools,
                                      model.pool_count, err);
    if (status == HY_STATUS_OK)
        status = check_model(&model, err);
    if (status == HY_STATUS_OK)
        status = hy_server_charge(channel, hy_server_estimate_model(&model), &object->memory, err);
    if (status != HY_STATUS_OK) {
        hy_server_object_destroy(&channel->server->objects, object);
        return status;
    }
    options.message = hy_server_message(err);
    options.cancelled = &channel->cancelled;
    status = hy_server_channel_acquire_slot(channel, options.deadline, &call_slot, err);
    if (status == HY_STATUS_OK) {
        status = device->table.prepare(device->device, &model, &options, &driver_object);
        hy_server_call_slot_release(&call_slot);
    }
    object->driver_object = status == HY_STATUS_OK ? driver_object : NULL;
    return end_prepare(channel, object, status, err);
}

int32_t hy_server_prepare_from_cache(struct hy_server_channel *channel, struct hy_unpack *in,
                                     struct hy_error *err)
{
    const struct hy_server_device *device = NULL;
    struct hy_prepare_options options = {0};
    struct hy_server_call_slot call_slot;
    void *driver_object = NULL;

    hy_prepare_options_unpack(in, &options);
    int32_t status = hy_server_end_read(in);
    if (status != HY_STATUS_OK)
        return status;
    struct hy_server_object *object = create(channel, &device, err);
    if (!object)
        return device ? HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT : HY_STATUS_INVALID_ARGUMENT;
    options.message = hy_server_message(err);
    options.cancelled = &channel->cancelled;
    const uint64_t failures = hy_lookup_failure_count();
    status = device->table.prepare_from_cache ? check_files(device, &options, err)
                                              : HY_STATUS_GENERAL_FAILURE;
    if (status == HY_STATUS_OK)
        status = hy_server_channel_acquire_slot(channel, options.deadline, &call_slot, err);
    if (status == HY_STATUS_OK) {
        status = device->table.prepare_from_cache(device->device, &options, &driver_object);
        hy_server_call_slot_release(&call_slot);
    }
    if (status == HY_STATUS_GENERAL_FAILURE && hy_lookup_failure_count() != failures)
        status =
            HY_STATUS_DEVICE_UNAVAILABLE; /* a failed lookup does not mean that the files are bad */
    object->driver_object = status == HY_STATUS_OK ? driver_object : NULL;
    return end_prepare(channel, object, status, err);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* The driver's wait has no cancelled word, so a wait is split into parts of this length. */
#define WAIT_NS INT64_C(1000000000)

static int32_t wait_in_parts(const struct hy_server_channel *channel,
                             const struct hy_server_device *device, int64_t deadline)
{
    for (;;) {
        const int64_t part = hy_clock_deadline(WAIT_NS);
        const bool is_last = deadline != HY_NO_DEADLINE && deadline <= part;
        const int32_t status = hy_server_driver_status(
            device->table.wait(device->device, is_last ? deadline : part), NULL);
        if (is_last || hy_is_cancelled(&channel->cancelled) ||
            (status != HY_STATUS_MISSED_DEADLINE_TRANSIENT &&
             status != HY_STATUS_MISSED_DEADLINE_PERSISTENT))
            return status;
    }
}

int32_t hy_server_wait(struct hy_server_channel *channel, struct hy_unpack *in,
                       struct hy_error *err)
{
    struct hy_deadline deadline = {0};

    hy_deadline_unpack(in, &deadline);
    const int32_t status = hy_server_end_read(in);
    const struct hy_server_device *device = hy_server_find_device(channel, err);
    if (status != HY_STATUS_OK || !device)
        return HY_STATUS_INVALID_ARGUMENT;
    return device->table.wait ? wait_in_parts(channel, device, deadline.at) : HY_STATUS_OK;
}
