#include "xd_prepared.h"

#include "compile.h"
#include "driver_kit/clock.h"
#include "instances.h"
#include "xd_request.h"

#include <fenv.h>
#include <stdlib.h>

/*
 * Multiplications below which, at some 1 ms, a run is not worth other threads. They would help from
 * a tenth of that on while the machine is idle; but XNNPACK's threads wait for each other, and one
 * that loses its processor to other work costs the run a time slice.
 */
#define MIN_THREADED_WORK UINT64_C(50000000)

struct prepared {
    struct hy_single_prepared base;
    struct xd_program *program;
    struct xd_instances *instances;
};

/* ---- The floating-point environment ---------------------------------------------------------- */

/*
 * XNNPACK computes with the rounding of its caller, and its threads with that of who made them. So
 * results are rounded to nearest and nothing traps, whatever the app has set on its thread, which
 * gets its modes and flags back. XNNPACK turns subnormal numbers off by itself.
 */
static void enter_float_environment(fenv_t *app)
{
    (void)feholdexcept(app);
    (void)fesetround(FE_TONEAREST);
}

static void leave_float_environment(const fenv_t *app)
{
    (void)fesetenv(app);
}

/* ---- Running --------------------------------------------------------------------------------- */

static int32_t run(const struct prepared *prepared, const struct hy_request_target *target,
                   const struct hy_request *request, const struct hy_run_options *options,
                   uint64_t *time)
{
    struct xd_lease lease;
    int32_t status =
        xd_instances_acquire(prepared->instances, options->deadline, &options->message, &lease);
    if (status != HY_STATUS_OK) {
        hy_request_fail(target, request);
        return status;
    }
    status = xd_request_bind(target, request, prepared->program, lease.instance, &options->message);
    const int64_t start = options->measure ? hy_boottime() : 0;
    if (status == HY_STATUS_OK)
        status = xd_instance_run(lease.instance, lease.is_alone, options->deadline,
                                 HY_CANCELLED_WORD(options));
    *time = options->measure ? (uint64_t)(hy_boottime() - start) : HY_NO_TIME;
    hy_request_release(target, request, xd_instance_bound(lease.instance), status);
    xd_instances_release(prepared->instances, &lease);
    return status;
}

static int32_t execute(void *self, struct hy_pool_map *pools, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct prepared *prepared = self;
    const struct hy_request_target target = {.buffers = &prepared->base.device->buffers,
                                             .prepared = prepared,
                                             .pools = pools,
                                             .input_count = prepared->program->input_count,
                                             .output_count = prepared->program->output_count};
    if (!hy_request_fits(&target, request, options, result))
        return HY_STATUS_INVALID_ARGUMENT;
    const int64_t start = options->measure ? hy_boottime() : 0;
    uint64_t time = HY_NO_TIME;
    fenv_t app;
    enter_float_environment(&app);
    const int32_t status = run(prepared, &target, request, options, &time);
    leave_float_environment(&app);
    const uint64_t whole = options->measure ? (uint64_t)(hy_boottime() - start) : HY_NO_TIME;
    hy_request_write_result(&target, request, status, time, whole, result);
    return status;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static uint32_t threads_for(const struct hy_host *host, const struct xd_program *program)
{
    return program->work < MIN_THREADED_WORK ? 1 : host->worker_count(host->context);
}

static int32_t build(struct prepared *prepared, const struct hy_model *model,
                     const struct hy_prepare_options *options)
{
    const struct hy_host *host = prepared->base.device->host;
    const int32_t status = xd_compile(host, model, &options->message, &prepared->program);
    if (status != HY_STATUS_OK)
        return status;
    if (hy_deadline_is_past(options->deadline) || hy_is_cancelled(HY_CANCELLED_WORD(options)))
        return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    return xd_instances_create(prepared->program, threads_for(host, prepared->program),
                               &options->message, &prepared->instances);
}

int32_t xd_prepare(struct hy_single_device *device, const struct hy_model *model,
                   const struct hy_prepare_options *options, void **prepared)
{
    struct prepared *made = calloc(1, sizeof *made);
    if (!made)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    made->base = (struct hy_single_prepared){device, execute};
    fenv_t app;
    enter_float_environment(&app);
    const int32_t status = build(made, model, options);
    leave_float_environment(&app);
    if (status != HY_STATUS_OK) {
        xd_prepared_destroy(made);
        return status;
    }
    *prepared = made;
    return HY_STATUS_OK;
}

void xd_prepared_destroy(void *prepared)
{
    struct prepared *old = prepared;
    if (!old)
        return;
    xd_instances_destroy(old->instances);
    xd_program_destroy(old->program);
    free(old);
}

const struct xd_tensor *xd_prepared_argument(const void *prepared, bool is_output, uint32_t index)
{
    const struct xd_program *program = ((const struct prepared *)prepared)->program;
    if (index >= (is_output ? program->output_count : program->input_count))
        return NULL;
    return &program->tensors[program->arguments[is_output ? program->input_count + index : index]];
}
