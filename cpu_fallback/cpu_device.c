#include "cpu_fallback/cpu_device.h"

#include <stdio.h>

#include "build_id.h"
#include "common/clock.h"
#include "common/operations/control_flow.h"
#include "common/status.h"
#include "cpu_fallback/buffers/buffer_copy.h"
#include "cpu_fallback/cache/cpu_cache.h"
#include "cpu_fallback/cpu_burst.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/cpu_info.h"
#include "cpu_fallback/entry.h"
#include "cpu_fallback/kernels/types.h"
#include "cpu_fallback/program/support.h"
#include "cpu_fallback/run/cpu_reusable.h"
#include "cpu_fallback/run/execute.h"
#include "cpu_fallback/tuning/tuning.h"
#include "driver_kit/fenced.h"
#include "halyard/operations.h"

/* Cost of starting an execution: checking the request and acquiring a context. */
#define LAUNCH_NS 100

/* The extension org.halyard.operations. supported_operations reports the operations with a
 * kernel. */
static const struct hy_extension_operand_type extension_types[] = {
#define OPERAND_TYPE(...)
#define EXTENSION_TYPE(name, letter, bytes) {HALYARD_##name, 1, bytes},
#include "common/operations/operand_types.def"
};

static const struct hy_extension extension = {
    .name = HALYARD_OPERATIONS_NAME,
    .operand_types = extension_types,
    .operand_type_count = HALYARD_OPERAND_TYPE_COUNT,
};

static int32_t describe(void *device, struct hy_device_info *info)
{
    const struct hy_cpu_device *self = device;

    if (!info || !HY_REACHES(info, burst_depth))
        return HY_STATUS_INVALID_ARGUMENT;
    const uint32_t cache_files = hy_cpu_cache_is_offered(self) ? HY_CPU_CACHE_FILES : 0;
    const struct hy_device_info own = {
        .struct_size = sizeof own,
        .type = HY_DEVICE_CPU,
        .name = self->name,
        .version = HY_CPU_VERSION,
        .build_id = self->build_id,
        .feature_level = 8,
        .model_cache_files = cache_files,
        .data_cache_files = cache_files,
        .extension_count = 1,
        .extensions = &extension,
        .pool_kinds = 1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                      1u << HY_POOL_HARDWARE_BUFFER_BLOB | 1u << HY_POOL_HARDWARE_BUFFER,
    };
    hy_fill(info, &own);
    return HY_STATUS_OK;
}

void hy_cpu_device_init(struct hy_cpu_device *device, const char *name, const struct hy_host *host,
                        const struct hy_kernel_table *kernels, uint32_t threads, float slowness)
{
    *device = (struct hy_cpu_device){
        .name = name,
        .host = host,
        .kernels = kernels,
        .threads = threads,
        .l2_bytes = hy_cpu_l2_bytes(),
        .performance = {slowness, slowness},
        .buffers = {.host = host, .tokens = {.capacity = HY_TOKEN_TABLE_LIMIT}},
    };
    snprintf(device->build_id, sizeof device->build_id, "%s %s", HY_CPU_BUILD_ID,
             hy_kernels_name(kernels));
    for (uint32_t i = 0; i < HY_CPU_TYPES; i++)
        device->types[i] = (struct hy_operand_performance){(int32_t)i, device->performance};
}

static int32_t capabilities(void *device, struct hy_capabilities *capabilities)
{
    const struct hy_cpu_device *self = device;

    if (!capabilities || !HY_REACHES(capabilities, bytes_per_second))
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_capabilities figures = {
        .struct_size = sizeof figures,
        .operand_count = HY_CPU_TYPES,
        .operands = self->types,
        .relaxed_scalar = self->performance,
        .relaxed_tensor = self->performance,
        .if_overhead = self->performance,
        .while_overhead = self->performance,
        .launch_ns = LAUNCH_NS,
    };
    hy_fill(capabilities, &figures);
    return HY_STATUS_OK;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    const struct hy_cpu_device *self = device;
    struct hy_stop stop = {.deadline = HY_NO_DEADLINE};
    struct hy_error err;

    if (!supported)
        return HY_STATUS_INVALID_ARGUMENT;
    if (refusals) {
        stop.cancelled = HY_CANCELLED_WORD(refusals);
        if (HY_REACHES(refusals, deadline) && refusals->deadline != 0)
            stop.deadline = refusals->deadline;
    }
    const struct hy_cpu_entry before = hy_cpu_enter(&stop);
    enum hy_code code = hy_cpu_supported_operations(model, self->host, supported, refusals, &err);
    hy_cpu_leave(before);
    if (code != HY_OK)
        self->host->log(self->host->context, HY_LOG_WARNING, err.text);
    return hy_status_of(code);
}

/* Checks the deadline before work without a check of its own. */
static enum hy_code check_in_time(int64_t deadline, struct hy_error *err)
{
    const struct hy_cpu_limits limits = {.deadline = deadline};

    return hy_cpu_check_start(&limits, err);
}

/* Logs the note of the device once. A refusal by the system is final for a process. */
static void report_note(struct hy_cpu_device *self)
{
    const char *note = hy_cpu_device_note(self);

    if (*note && !atomic_exchange(&self->has_reported_note, true))
        self->host->log(self->host->context, HY_LOG_INFO, note);
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    struct hy_cpu_device *self = device;
    struct hy_cpu_prepared *made;
    struct hy_error err;

    if (!prepared || !options || !HY_REACHES(options, message))
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_cpu_setup setup = {
        .host = self->host,
        .kernels = self->kernels,
        .threads = self->threads,
        .l2_bytes = self->l2_bytes,
    };
    struct hy_stop stop = {HY_CANCELLED_WORD(options), options->deadline, 0};
    const struct hy_cpu_entry before = hy_cpu_enter(&stop);
    enum hy_code code = check_in_time(options->deadline, &err);
    if (code == HY_OK)
        code = hy_cpu_prepared_create(model, &setup, &made, &err);
    if (code == HY_OK) {
        hy_cpu_cache_save(self, options, made);
        hy_cpu_tuning_attach(self, options, made);
        made->buffers = &self->buffers;
        *prepared = made;
    }
    hy_cpu_leave(before);
    report_note(self);
    return hy_status_report(code, &err, &options->message);
}

static int32_t prepare_from_cache(void *device, const struct hy_prepare_options *options,
                                  void **prepared)
{
    struct hy_cpu_device *self = device;
    struct hy_cpu_prepared *made;
    struct hy_error err;

    if (!prepared || !options || !HY_REACHES(options, message))
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_stop stop = {HY_CANCELLED_WORD(options), options->deadline, 0};
    const struct hy_cpu_entry before = hy_cpu_enter(&stop);
    enum hy_code code = check_in_time(options->deadline, &err);
    if (code == HY_OK)
        code = hy_cpu_cache_restore(self, options, &made, &err);
    if (code == HY_OK) {
        hy_cpu_tuning_attach(self, options, made);
        made->buffers = &self->buffers;
        *prepared = made;
    }
    hy_cpu_leave(before);
    report_note(self);
    return hy_status_report(code, &err, &options->message);
}

static void prepared_destroy(void *prepared)
{
    hy_cpu_prepared_destroy(prepared);
}

static bool is_result(const struct hy_result *result)
{
    return result && HY_REACHES(result, time_in_driver) && result->outputs;
}

static uint64_t limit_loops(uint64_t loop_timeout)
{
    return loop_timeout < HY_LOOP_TIMEOUT_MAXIMUM ? loop_timeout : HY_LOOP_TIMEOUT_MAXIMUM;
}

/* `start`: start of the run on hy_clock_boot(), read only if `measure`. */
static void report_times(enum hy_code code, bool measure, int64_t start, struct hy_result *result)
{
    result->time_on_device = HY_NO_TIME; /* the device is the driver's own processor */
    result->time_in_driver = HY_NO_TIME;
    if (code == HY_OK && measure)
        result->time_in_driver = (uint64_t)(hy_clock_boot() - start);
}

/* The memory of the host, if it is aligned for kernels. */
static struct hy_cpu_block given_by(const struct hy_run_options *options)
{
    if ((uintptr_t)options->scratch % HY_KERNEL_ALIGNMENT != 0 || !options->scratch)
        return (struct hy_cpu_block){0};
    return (struct hy_cpu_block){.bytes = options->scratch, .size = options->scratch_bytes};
}

static int32_t scratch_needed(void *prepared, struct hy_scratch *scratch)
{
    if (!prepared || !scratch || !HY_REACHES(scratch, bytes))
        return HY_STATUS_INVALID_ARGUMENT;
    scratch->bytes = hy_cpu_prepared_memory(prepared);
    scratch->alignment = scratch->bytes > 0 ? HY_KERNEL_ALIGNMENT : 0;
    return HY_STATUS_OK;
}

/* Runs a request in `burst`, or without a burst if NULL. */
static int32_t run(struct hy_cpu_prepared *prepared, struct hy_cpu_burst *burst,
                   const struct hy_request *request, const struct hy_run_options *options,
                   struct hy_result *result)
{
    struct hy_error err;

    if (!request || !options || !HY_REACHES(options, scratch_bytes) || !is_result(result) ||
        result->output_count != request->output_count)
        return HY_STATUS_INVALID_ARGUMENT;
    int64_t start = options->measure ? hy_clock_boot() : 0;
    struct hy_stop stop = {HY_CANCELLED_WORD(options), options->deadline, 0};
    const struct hy_cpu_limits limits = {
        .deadline = options->deadline,
        .loop_timeout = limit_loops(options->loop_timeout),
        .stop = &stop,
    };
    const struct hy_cpu_entry before = hy_cpu_enter(&stop);
    enum hy_code code = burst ? hy_cpu_burst_execute(burst, request, given_by(options), &limits,
                                                     result->outputs, &err)
                              : hy_cpu_prepared_execute(prepared, request, given_by(options),
                                                        &limits, result->outputs, &err);
    hy_cpu_leave(before);
    report_times(code, options->measure, start, result);
    return hy_status_report(code, &err, &options->message);
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    return prepared ? run(prepared, NULL, request, options, result) : HY_STATUS_INVALID_ARGUMENT;
}

static int32_t execute_fenced(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, const int32_t *wait_for,
                              uint32_t wait_count, int32_t *fence, void **fenced)
{
    if (!prepared || !request || !options || !fence || !fenced)
        return HY_STATUS_INVALID_ARGUMENT;
    return hy_fenced_execute(execute, prepared, request, options, wait_for, wait_count, fence,
                             fenced);
}

/* The processor is never unavailable. */
static int32_t wait_until_available(void *device, int64_t deadline)
{
    (void)device, (void)deadline;
    return HY_STATUS_OK;
}

/* ---- Bursts ---------------------------------------------------------------------------------- */

static int32_t burst_open(void *prepared, void **burst)
{
    struct hy_cpu_burst *made;
    struct hy_error err;

    if (!prepared || !burst)
        return HY_STATUS_INVALID_ARGUMENT;
    enum hy_code code = hy_cpu_burst_create(prepared, &made, &err);
    if (code == HY_OK)
        *burst = made;
    return hy_status_of(code);
}

static int32_t burst_execute(void *burst, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    return burst ? run(NULL, burst, request, options, result) : HY_STATUS_INVALID_ARGUMENT;
}

static void burst_release(void *burst, uint64_t pool_id)
{
    hy_cpu_burst_release(burst, pool_id);
}

static void burst_close(void *burst)
{
    hy_cpu_burst_destroy(burst);
}

/* ---- Reusable executions --------------------------------------------------------------------- */

static int32_t reusable_create(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **reusable)
{
    struct hy_cpu_reusable *made;
    struct hy_error err;

    if (!prepared || !request || !options || !HY_REACHES(options, scratch_bytes) || !reusable)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_cpu_entry before = hy_cpu_enter(NULL);
    enum hy_code code = hy_cpu_reusable_create(
        prepared, request, given_by(options), limit_loops(options->loop_timeout),
        HY_CANCELLED_WORD(options), options->measure, &made, &err);
    hy_cpu_leave(before);
    if (code == HY_OK)
        *reusable = made;
    return hy_status_report(code, &err, &options->message);
}

static int32_t reusable_execute(void *reusable, int64_t deadline, struct hy_result *result)
{
    struct hy_error err;

    if (!reusable || !is_result(result))
        return HY_STATUS_INVALID_ARGUMENT;
    return hy_status_of(hy_cpu_reusable_execute(reusable, deadline, result, &err));
}

static void reusable_destroy(void *reusable)
{
    hy_cpu_reusable_destroy(reusable);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

/* These calls return no message, so errors are logged. */
static int32_t report_error(const struct hy_cpu_device *self, enum hy_code code,
                            const struct hy_error *err)
{
    if (code != HY_OK)
        self->host->log(self->host->context, HY_LOG_INFO, err->text);
    return hy_status_of(code);
}

static struct hy_cpu_device *device_of(const struct hy_cpu_buffer *buffer)
{
    return (struct hy_cpu_device *)((uint8_t *)buffer->owner -
                                    offsetof(struct hy_cpu_device, buffers));
}

static int32_t buffer_create(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                             void **buffer)
{
    struct hy_cpu_device *self = device;
    struct hy_cpu_buffer *made;
    struct hy_error err;

    if (!token || !buffer)
        return HY_STATUS_INVALID_ARGUMENT;
    enum hy_code code = hy_cpu_buffer_create(&self->buffers, desc, &made, &err);
    if (code == HY_OK) {
        *token = made->token;
        *buffer = made;
    }
    return report_error(self, code, &err);
}

static int32_t buffer_copy_from(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank)
{
    struct hy_error err;

    if (!buffer || !source)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_cpu_device *self = device_of(buffer);
    enum hy_code code = hy_cpu_buffer_copy_from(buffer, self->host, source, dims, rank, &err);
    return report_error(self, code, &err);
}

static int32_t buffer_copy_to(void *buffer, const struct hy_pool *destination)
{
    struct hy_error err;

    if (!buffer || !destination)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_cpu_device *self = device_of(buffer);
    return report_error(self, hy_cpu_buffer_copy_to(buffer, self->host, destination, &err), &err);
}

static void buffer_destroy(void *buffer)
{
    hy_cpu_buffer_destroy(buffer);
}

#define WITHOUT_BUFFERS \
    .struct_size = sizeof(struct hy_device), .abi = HY_DRIVER_ABI, .describe = describe, \
    .capabilities = capabilities, .supported_operations = supported_operations, \
    .prepare = prepare, .prepared_destroy = prepared_destroy, .execute = execute, \
    .prepare_from_cache = prepare_from_cache, .wait = wait_until_available, \
    .execute_fenced = execute_fenced, .fenced_result = hy_fenced_result, \
    .fenced_destroy = hy_fenced_destroy, .burst_open = burst_open, .burst_execute = burst_execute, \
    .burst_release = burst_release, .burst_close = burst_close, \
    .reusable_create = reusable_create, .reusable_execute = reusable_execute, \
    .reusable_destroy = reusable_destroy, .scratch_needed = scratch_needed

const struct hy_device hy_cpu_device_table = {WITHOUT_BUFFERS};

const struct hy_device hy_cpu_device_table_with_buffers = {
    WITHOUT_BUFFERS,
    .buffer_create = buffer_create,
    .buffer_copy_from = buffer_copy_from,
    .buffer_copy_to = buffer_copy_to,
    .buffer_destroy = buffer_destroy,
};
