#include "runtime/plan/support/support_matrix.h"

#include "common/status.h"
#include "halyard/halyard.h"
#include "plugins/service/client/service.h"
#include "runtime/device/device_kind.h"
#include "runtime/device/driver_call.h"
#include "runtime/device/pool_kinds.h"
#include "runtime/driver_status.h"
#include "runtime/log.h"
#include "runtime/model/shared_pools.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/cost/cost.h"
#include "runtime/plan/deadline.h"
#include "runtime/plan/support/open_loops.h"
#include "runtime/plan/support/slice.h"
#include "runtime/plan/support/wrong_scales.h"

#include <stdio.h>
#include <string.h>

/* Receives a driver's reasons during a query. */
struct refusal_sink {
    struct hy_arena *arena;
    const char **reasons;     /* one per operation of the whole model */
    const uint32_t *numbers;  /* [operation of the query]: number in the whole model; NULL: equal */
    uint32_t operation_count; /* operations of the query */
    bool out_of_memory;
    bool is_expired; /* the deadline passed before the reply */
};

/* Keeps the first reason of each operation and ignores invalid operation numbers. */
static void note_refusal(void *context, uint32_t operation, const char *reason)
{
    struct refusal_sink *sink = context;
    char text[HY_DRIVER_TEXT_SIZE];

    if (operation >= sink->operation_count || !reason)
        return;
    const uint32_t number = sink->numbers ? sink->numbers[operation] : operation;
    if (sink->reasons[number])
        return;
    snprintf(text, sizeof text, "%s", reason);
    hy_driver_text_clean(text, sizeof text);
    sink->reasons[number] = hy_plan_strdup(sink->arena, text);
    if (!sink->reasons[number])
        sink->out_of_memory = true;
}

/* Refuses all operations of a device for one reason. */
static enum hy_code refuse_all(struct hy_support_matrix *support_matrix, struct hy_arena *arena,
                               uint32_t device, const char *reason, struct hy_error *err)
{
    const size_t row = (size_t)device * support_matrix->operation_count;
    const char *text = hy_plan_strdup(arena, reason);

    if (!text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "reason of device %u", device);
    for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
        support_matrix->supported[row + i] = 0;
        support_matrix->reasons[row + i] = text;
    }
    return HY_OK;
}

/* NULL for a consistent reply, otherwise the fault in `text`. */
static const char *reply_fault(const uint8_t *supported, uint32_t count,
                               char text[HY_DRIVER_TEXT_SIZE])
{
    for (uint32_t i = 0; i < count; i++) {
        if (supported[i] <= 1)
            continue;
        snprintf(text, HY_DRIVER_TEXT_SIZE,
                 "supported_operations failed: the result is %u for operation %u, needs 0 or 1",
                 supported[i], i);
        return text;
    }
    return NULL;
}

/* The driver's table has no deadline for the query, but the call to a service has. */
static int32_t put_question(const struct hy_runtime_device *device, const struct hy_model *model,
                            int64_t deadline, uint8_t *supported,
                            const struct hy_refusals *refusals)
{
    if (device->service)
        return hy_service_supported_operations(device->self, model, deadline, supported, refusals);
    const struct hy_driver_call call = hy_driver_call_begin(device, "supported_operations");
    const int32_t status =
        device->table->supported_operations(device->self, model, supported, refusals);
    hy_driver_call_end(call);
    return status;
}

/* The code of a temporary failure. OK: a permanent failure. */
static enum hy_code passing_code(int32_t status)
{
    switch (status) {
    case HY_STATUS_DEVICE_UNAVAILABLE:
    case HY_STATUS_DEAD_OBJECT: /* the service will be restarted */
        return HY_UNAVAILABLE;
    case HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT:
    case HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT:
        return hy_code_of(status);
    default:
        return HY_OK;
    }
}

/* The text of a service's failure is the reason for each operation. */
static void explain_failure(const struct refusal_sink *sink, int32_t status,
                            char text[HY_DRIVER_TEXT_SIZE])
{
    const uint32_t first = sink->numbers ? sink->numbers[0] : 0;
    const char *reason = sink->operation_count > 0 ? sink->reasons[first] : NULL;

    if (reason && *reason)
        snprintf(text, HY_DRIVER_TEXT_SIZE, "supported_operations failed: %s", reason);
    else
        snprintf(text, HY_DRIVER_TEXT_SIZE, "supported_operations failed with %s (%d)",
                 hy_status_name(status), (int)status);
}

/* NULL: the driver has replied; otherwise the fault, in `text`. */
static const char *ask(struct hy_support_matrix *support_matrix,
                       const struct hy_plan_request *request, uint32_t index,
                       const struct hy_model *model, uint8_t *supported, struct refusal_sink *sink,
                       char text[HY_DRIVER_TEXT_SIZE])
{
    const struct hy_runtime_device *device = support_matrix->devices[index];
    struct hy_model copy;
    const struct hy_refusals refusals = {
        .struct_size = sizeof refusals, .context = sink, .refuse = note_refusal};

    model = hy_shared_pools_show(model, request->shared_pools, device, &copy);
    const int32_t status = put_question(device, model, request->deadline, supported, &refusals);
    sink->is_expired =
        request->deadline != HY_NO_DEADLINE && hy_code_of(status) == HY_MISSED_DEADLINE;
    if (status != HY_STATUS_OK) {
        support_matrix->query_codes[index] = passing_code(status);
        explain_failure(sink, status, text);
        return text;
    }
    return reply_fault(supported, model->main->operation_count, text);
}

/* Like ask, for a device that may be unavailable. */
static const char *query(struct hy_support_matrix *support_matrix,
                         const struct hy_plan_request *request, uint32_t index,
                         const struct hy_model *model, uint8_t *supported,
                         struct refusal_sink *sink, char text[HY_DRIVER_TEXT_SIZE])
{
    if (!support_matrix->devices[index]->table)
        return "the device could not be described";
    return ask(support_matrix, request, index, model, supported, sink, text);
}

/* Errors that end the planning. */
static enum hy_code check_sink(const struct refusal_sink *sink,
                               const struct hy_runtime_device *device, struct hy_error *err)
{
    if (sink->out_of_memory)
        return hy_fail(err, HY_OUT_OF_MEMORY, "reasons of %s", device->info.name);
    if (sink->is_expired)
        return hy_fail(err, HY_MISSED_DEADLINE,
                       "%s did not return from supported_operations before the deadline",
                       device->info.name);
    return HY_OK;
}

/* Only the CPU backend runs open loops, independent of a driver's reply. */
static void refuse_open_loops(struct hy_support_matrix *support_matrix, uint32_t device)
{
    const size_t row = (size_t)device * support_matrix->operation_count;

    if (!support_matrix->open_loops || hy_device_is_backend(support_matrix->devices[device]))
        return;
    for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
        if (!support_matrix->open_loops[i] || !support_matrix->supported[row + i])
            continue;
        support_matrix->supported[row + i] = 0;
        support_matrix->reasons[row + i] =
            "control flow over tensors of unknown size runs on the CPU";
    }
}

/* Copies the reply for a slice to the rows of the whole model. */
static void spread(struct hy_support_matrix *support_matrix, size_t row,
                   const struct hy_model_slice *slice, const uint8_t *supported)
{
    for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
        if (slice->reasons[i])
            support_matrix->reasons[row + i] = slice->reasons[i];
    }
    for (uint32_t i = 0; slice->model && i < slice->model->main->operation_count; i++)
        support_matrix->supported[row + slice->operations[i]] = supported[i];
}

static enum hy_code ask_device(struct hy_support_matrix *support_matrix,
                               const struct hy_plan_request *request, struct hy_arena *arena,
                               uint32_t index, struct hy_error *err)
{
    const struct hy_runtime_device *device = support_matrix->devices[index];
    const size_t row = (size_t)index * support_matrix->operation_count;
    uint8_t *supported = support_matrix->supported + row;
    struct hy_model_slice slice;
    char text[HY_DRIVER_TEXT_SIZE];

    enum hy_code code = hy_model_slice_make(request->model, &device->info, device->abi,
                                            support_matrix->wrong_scales, arena, &slice, err);
    if (code != HY_OK)
        return code;
    if (slice.reasons) {
        supported = hy_plan_alloc(arena, support_matrix->operation_count, sizeof *supported);
        if (!supported)
            return hy_fail(err, HY_OUT_OF_MEMORY, "supported operations of %s", device->info.name);
    }

    struct refusal_sink sink = {
        .arena = arena,
        .reasons = support_matrix->reasons + row,
        .numbers = slice.operations,
        .operation_count = slice.model ? slice.model->main->operation_count : 0,
    };
    const char *fault =
        slice.model ? query(support_matrix, request, index, slice.model, supported, &sink, text)
                    : NULL;
    code = check_sink(&sink, device, err);
    if (code != HY_OK)
        return code;
    if (!fault) {
        if (slice.reasons)
            spread(support_matrix, row, &slice, supported);
        refuse_open_loops(support_matrix, index);
        return HY_OK;
    }
    hy_log(HY_LOG_WARNING, "plan", "%s: %s", device->info.name, fault);
    return refuse_all(support_matrix, arena, index, fault, err);
}

enum hy_code hy_support_matrix_make(struct hy_support_matrix *support_matrix,
                                    const struct hy_model *model, struct hy_arena *arena,
                                    struct hy_error *err)
{
    size_t cells;
    if (!hy_mul_size(support_matrix->device_count, support_matrix->operation_count, &cells))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u devices, %u operations",
                       support_matrix->device_count, support_matrix->operation_count);

    support_matrix->supported = hy_plan_alloc(arena, cells, sizeof *support_matrix->supported);
    support_matrix->reasons = hy_plan_alloc(arena, cells, sizeof *support_matrix->reasons);
    support_matrix->costs = hy_plan_alloc(arena, cells, sizeof *support_matrix->costs);
    support_matrix->query_codes =
        hy_plan_alloc(arena, support_matrix->device_count, sizeof *support_matrix->query_codes);
    support_matrix->excluded =
        hy_plan_alloc(arena, support_matrix->device_count, sizeof *support_matrix->excluded);
    support_matrix->failures =
        hy_plan_alloc(arena, support_matrix->device_count, sizeof *support_matrix->failures);
    support_matrix->failure_codes =
        hy_plan_alloc(arena, support_matrix->device_count, sizeof *support_matrix->failure_codes);
    if (!support_matrix->supported || !support_matrix->reasons || !support_matrix->costs ||
        !support_matrix->query_codes || !support_matrix->excluded || !support_matrix->failures ||
        !support_matrix->failure_codes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "table of %u devices and %u operations",
                       support_matrix->device_count, support_matrix->operation_count);

    enum hy_code code = hy_plan_find_wrong_scales(model, arena, &support_matrix->wrong_scales, err);
    if (code == HY_OK)
        code = hy_plan_find_open_loops(model, arena, &support_matrix->open_loops, err);
    return code;
}

void hy_support_matrix_assume(struct hy_support_matrix *support_matrix)
{
    memset(support_matrix->supported, 1, support_matrix->operation_count);
    support_matrix->is_assumed = true;
}

enum hy_code hy_support_matrix_ask(struct hy_support_matrix *support_matrix,
                                   const struct hy_plan_request *request, struct hy_arena *arena,
                                   struct hy_error *err)
{
    enum hy_code code = HY_OK;

    memset(support_matrix->supported, 0,
           (size_t)support_matrix->device_count * support_matrix->operation_count);
    for (uint32_t i = 0; code == HY_OK && i < hy_support_matrix_listed(support_matrix); i++) {
        if (i > 0)
            code = hy_plan_check_deadline(request->deadline, err);
        if (code == HY_OK)
            code = ask_device(support_matrix, request, arena, i, err);
    }
    return code;
}

static const struct hy_profile *cpu_profile(const struct hy_support_matrix *support_matrix)
{
    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (hy_device_is_cpu(support_matrix->devices[i]))
            return support_matrix->devices[i]->profile;
    }
    return NULL;
}

enum hy_code hy_support_matrix_fill_costs(struct hy_support_matrix *support_matrix,
                                          const struct hy_plan_request *request,
                                          struct hy_plan_search *search, struct hy_error *err)
{
    const struct hy_subgraph *graph = request->model->main;
    struct hy_work_estimate *estimate =
        hy_plan_alloc(&search->arena, graph->operation_count, sizeof *estimate);
    enum hy_code code = HY_OK;

    if (!estimate)
        return hy_fail(err, HY_OUT_OF_MEMORY, "work estimates of %u operations",
                       graph->operation_count);
    for (uint32_t i = 0; i < graph->operation_count; i++)
        estimate[i] = hy_work_estimate_of(graph, &graph->operations[i]);
    for (uint32_t i = 0; code == HY_OK && i < hy_support_matrix_listed(support_matrix); i++) {
        const size_t row = (size_t)i * support_matrix->operation_count;
        const struct hy_cost_basis basis = {
            .capabilities = &support_matrix->devices[i]->capabilities,
            .profile = support_matrix->devices[i]->profile,
            .cpu_profile = cpu_profile(support_matrix),
            .estimate = estimate,
            .preference = request->preference,
        };
        code = hy_plan_costs(&basis, request->model, &search->arena, search->times + row,
                             support_matrix->costs + row, err);
    }
    return code;
}

/* The reply for a part only removes support. */
static void narrow(struct hy_support_matrix *support_matrix, uint32_t device,
                   const struct hy_model *part, const uint32_t *operations,
                   const uint8_t *supported, bool *ret_refused)
{
    const size_t row = (size_t)device * support_matrix->operation_count;

    for (uint32_t i = 0; i < part->main->operation_count; i++) {
        if (supported[i])
            continue;
        support_matrix->supported[row + operations[i]] = 0;
        if (!support_matrix->reasons[row + operations[i]])
            support_matrix->reasons[row + operations[i]] =
                "the device refuses the operation in a step whose inputs have unknown sizes";
        *ret_refused = true;
    }
}

enum hy_code hy_support_matrix_confirm(struct hy_support_matrix *support_matrix,
                                       const struct hy_plan_request *request,
                                       struct hy_arena *arena, uint32_t device,
                                       const struct hy_model *part, const uint32_t *operations,
                                       bool *ret_refused, struct hy_error *err)
{
    const uint32_t count = part->main->operation_count;
    uint8_t *supported = hy_plan_alloc(arena, count, sizeof *supported);
    struct refusal_sink sink = {
        .arena = arena,
        .reasons = support_matrix->reasons + (size_t)device * support_matrix->operation_count,
        .numbers = operations,
        .operation_count = count,
    };
    char text[HY_DRIVER_TEXT_SIZE];

    if (!supported)
        return hy_fail(err, HY_OUT_OF_MEMORY, "supported operations of %s",
                       support_matrix->devices[device]->info.name);
    /* Memory that grows during a run has no handle, so a device that needs handles refuses the
     * part. */
    const char *fault = hy_pool_kind_is_known(support_matrix->devices[device], HY_POOL_HOST)
                            ? ask(support_matrix, request, device, part, supported, &sink, text)
                            : NULL;
    enum hy_code code = check_sink(&sink, support_matrix->devices[device], err);
    if (code != HY_OK)
        return code;
    if (fault) {
        hy_log(HY_LOG_WARNING, "plan", "%s: %s", support_matrix->devices[device]->info.name, fault);
        memset(supported, 0, count);
    }
    narrow(support_matrix, device, part, operations, supported, ret_refused);
    return HY_OK;
}

/* Removes the device name from the start of a reason, as lists add the name. */
static const char *without_name(const char *text, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(text, name, length) == 0 && strncmp(text + length, ": ", 2) == 0
               ? text + length + 2
               : text;
}

enum hy_code hy_support_matrix_exclude(struct hy_support_matrix *support_matrix,
                                       struct hy_arena *arena, uint32_t device,
                                       const struct hy_error *why, struct hy_error *err)
{
    const char *text =
        hy_plan_strdup(arena, without_name(why->text, support_matrix->devices[device]->info.name));
    if (!text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "failure of device %u", device);

    support_matrix->excluded[device] = true;
    support_matrix->failures[device] = text;
    support_matrix->failure_codes[device] = why->code;
    return HY_OK;
}

bool hy_support_matrix_can(const struct hy_support_matrix *support_matrix, uint32_t device,
                           uint32_t operation)
{
    return !support_matrix->excluded[device] &&
           support_matrix->supported[(size_t)device * support_matrix->operation_count + operation];
}

const char *hy_support_matrix_refusal(const struct hy_support_matrix *support_matrix,
                                      uint32_t device, uint32_t operation)
{
    const size_t cell = (size_t)device * support_matrix->operation_count + operation;

    if (!support_matrix->supported[cell])
        return support_matrix->reasons[cell] ? support_matrix->reasons[cell] : "no reason given";
    return support_matrix->excluded[device] ? support_matrix->failures[device] : "";
}

enum hy_code hy_support_matrix_missing(const struct hy_support_matrix *support_matrix)
{
    for (uint32_t i = 0; i < hy_support_matrix_listed(support_matrix); i++) {
        if (support_matrix->query_codes[i] != HY_OK)
            return support_matrix->query_codes[i];
    }
    return HY_OK;
}

double hy_support_matrix_cost(const struct hy_support_matrix *support_matrix, uint32_t device,
                              uint32_t operation)
{
    return support_matrix->costs[(size_t)device * support_matrix->operation_count + operation];
}
