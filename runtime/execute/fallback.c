#include "runtime/execute/fallback.h"

#include "common/clock.h"
#include "plugins/service/client/service.h"
#include "runtime/device/device_kind.h"
#include "runtime/device/health.h"
#include "runtime/execute/bounce_buffers.h"
#include "runtime/execute/copied.h"
#include "runtime/log.h"
#include "runtime/memory/memory_quota.h"
#include "runtime/plan/fallback_step.h"

#include <stdio.h>
#include <string.h>

bool hy_fallback_may_help(const struct hy_run *run, const struct hy_runtime_device *device,
                          enum hy_code code)
{
    const bool is_expired = code == HY_MISSED_DEADLINE || code == HY_MISSED_DEADLINE_FOR_GOOD;

    if (hy_is_cancelled(run->options.cancelled))
        return false;
    if (hy_memory_quota_is_over(code)) /* the limit holds for all devices */
        return false;
    if (is_expired && (run->options.deadline != HY_NO_DEADLINE ||
                       device->kind == HY_DEVICE_HIDDEN || hy_device_is_built_in(device)))
        return false;
    /* A shared service cannot be stopped from here, and may still write to the memory that a
     * fallback would use. */
    if (device->service && hy_service_may_still_write(device->service))
        return false;
    return code != HY_OK && code != HY_INSUFFICIENT_SIZE;
}

/* Joins "first; second", truncated to the buffer. */
static void append_message(struct hy_error *err, const struct hy_error *more)
{
    const size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "; %s", more->text);
}

/* Runs the step on one fallback step, with bounce buffers for inaccessible memory. */
static enum hy_code call_fallback(struct hy_run *run, const struct hy_step *step,
                                  struct hy_bound_step *bound,
                                  const struct hy_fallback_step *fallback, struct hy_error *err)
{
    const uint32_t index = (uint32_t)(step - run->execution->compilation->plan->steps);
    const struct hy_run_target position = {
        .device = fallback->device,
        .prepared = fallback->prepared,
        .operation_count = step->operation_count,
    };
    struct hy_bounce_buffers bounce = {0};

    if (hy_bounce_buffers_install(&bounce, run->execution, index, fallback->device, err) != HY_OK)
        return err->code = HY_FAILED;
    enum hy_code code = hy_run_call(run, &position, bound, err);
    if (code == HY_OK)
        code = hy_bounce_buffers_copy_out(&bounce, err);
    hy_bounce_buffers_remove(&bounce);
    return code;
}

static void note_run(const struct hy_plan *plan, const struct hy_step *step)
{
    struct hy_step_counters *counters = &plan->counters->steps[step - plan->steps];

    atomic_fetch_add_explicit(&counters->fallback_run_count, 1, memory_order_relaxed);
}

/* Runs the fallback steps in order until one succeeds. The result is the code of the last one.
 * `err` holds the previous failure. `should_log`: log each fallback. All earlier calls have
 * returned, so no driver still writes to the memory that is used again here. */
static enum hy_code try_fallbacks(struct hy_run *run, const struct hy_step *step,
                                  struct hy_bound_step *bound, bool should_log,
                                  struct hy_error *err)
{
    const struct hy_plan *plan = run->execution->compilation->plan;
    enum hy_code failure = err->code;

    for (uint32_t i = 0; i < HY_FALLBACK_STEPS; i++) {
        const struct hy_fallback_step *fallback = NULL;
        struct hy_error why;
        enum hy_code code = hy_plan_fallback_step(plan, step, i, &fallback, &why);
        if (code == HY_OK && !fallback)
            continue;
        if (code == HY_OK) {
            if (should_log)
                hy_log(HY_LOG_WARNING, "execute", "%s; the step runs again on %s", err->text,
                       fallback->device->info.name);
            code = call_fallback(run, step, bound, fallback, &why);
            if (code == HY_OK)
                note_run(plan, step);
            if (!hy_fallback_may_help(run, fallback->device, code)) {
                if (code != HY_OK)
                    *err = why;
                return code;
            }
            failure = err->code = code;
        }
        append_message(err, &why);
    }
    return failure;
}

enum hy_code hy_fallback_call(struct hy_run *run, const struct hy_step *step,
                              struct hy_bound_step *bound, bool should_log, struct hy_error *err)
{
    const uint64_t before = hy_copied_by_thread();
    const enum hy_code code = try_fallbacks(run, step, bound, should_log, err);

    hy_run_note_copies(run, before);
    return code;
}

enum hy_code hy_fallback_call_anew(struct hy_run *run, const struct hy_step *step,
                                   struct hy_bound_step *bound, struct hy_error *err)
{
    const struct hy_plan *plan = run->execution->compilation->plan;
    const struct hy_fallback_step *fallback = NULL;

    enum hy_code code = hy_plan_fallback_step(plan, step, HY_FALLBACK_ANEW, &fallback, err);
    if (code == HY_OK && !fallback)
        code = hy_fail(err, HY_FAILED, "the step cannot be compiled again");
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s: a data cache file was truncated",
                               step->device->info.name);
    const uint64_t before = hy_copied_by_thread();
    code = call_fallback(run, step, bound, fallback, err);
    hy_run_note_copies(run, before);
    return code;
}

void hy_fallback_note_failure(const struct hy_runtime_device *device, enum hy_code failure,
                              enum hy_code outcome)
{
    if (!device->health || (outcome != HY_OK && failure != HY_UNAVAILABLE && failure != HY_DEAD))
        return;
    const uint64_t length = hy_health_note_failure(device->health, hy_clock_now());
    if (length > 0)
        hy_log(HY_LOG_WARNING, "execute",
               "%s has failed %u times in a row and is not used for %llu ms", device->info.name,
               hy_health_failures(device->health), (unsigned long long)(length / 1000000));
}

bool hy_fallback_is_in_quarantine(const struct hy_runtime_device *device)
{
    return device->health && !hy_health_is_clear(device->health) &&
           hy_health_left(device->health, hy_clock_now()) > 0;
}
