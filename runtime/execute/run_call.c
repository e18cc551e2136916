#include "runtime/execute/run_call.h"

#include "runtime/device/driver_call.h"
#include "runtime/driver_status.h"
#include "runtime/execute/boundary/open_tensors.h"
#include "runtime/execute/copied.h"
#include "runtime/execute/result_check.h"

static uint64_t add_times(uint64_t sum, uint64_t time)
{
    uint64_t both;
    if (sum == HY_NO_TIME || time == HY_NO_TIME || __builtin_add_overflow(sum, time, &both))
        return HY_NO_TIME;
    return both;
}

/* A failing reusable gives no error text, so the ordinary call must report the error. Not after a
 * missed deadline. */
static bool needs_message(int32_t status)
{
    return status != HY_STATUS_OK && status != HY_STATUS_MISSED_DEADLINE_TRANSIENT &&
           status != HY_STATUS_MISSED_DEADLINE_PERSISTENT;
}

static int32_t execute(const struct hy_run_target *position, struct hy_bound_step *step,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct hy_device *table = position->device->table;

    hy_result_check_reset(step);
    if (position->reusable) {
        int32_t status = table->reusable_execute(position->reusable, options->deadline, result);
        if (!needs_message(status))
            return status;
        hy_result_check_reset(step);
    }
    if (position->burst)
        return table->burst_execute(position->burst, &step->request, options, result);
    return table->execute(position->prepared, &step->request, options, result);
}

/* A call in another process may still be running after a missed deadline or a disconnect. */
static void note_given_up(const struct hy_run *run, const struct hy_run_target *position,
                          int32_t status)
{
    if (position->device->service &&
        (status == HY_STATUS_MISSED_DEADLINE_TRANSIENT || status == HY_STATUS_DEAD_OBJECT))
        run->execution->binding->may_be_written = true;
}

/* One driver call with a check of its results. */
static enum hy_code call_once(struct hy_run *run, const struct hy_run_target *position,
                              struct hy_bound_step *step, struct hy_error *err)
{
    char text[HY_DRIVER_TEXT_SIZE];
    struct hy_result result = {
        .struct_size = sizeof result,
        .output_count = step->request.output_count,
        .outputs = step->shapes,
        .time_on_device = HY_NO_TIME,
        .time_in_driver = HY_NO_TIME,
    };

    text[0] = '\0';
    run->options.message = (struct hy_message){.text = text, .size = sizeof text};
    const struct hy_driver_call call = hy_driver_call_begin(position->device, "execute");
    int32_t status = execute(position, step, &run->options, &result);
    hy_driver_call_end(call);
    if (status != HY_STATUS_OK && status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE) {
        note_given_up(run, position, status);
        return hy_driver_fail(err, position->device->info.name, "execute", status, text);
    }

    const bool insufficient = status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    enum hy_code code = hy_result_check(step, &result, insufficient, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s: execute failed", position->device->info.name);
    if (insufficient)
        return hy_driver_fail(err, position->device->info.name, "execute", status, text);
    run->on_device = add_times(run->on_device, result.time_on_device);
    run->in_driver = add_times(run->in_driver, result.time_in_driver);
    if (run->has_diverged)
        hy_work_count_step(position->device, position->operation_count);
    return HY_OK;
}

/* Limit of enlargements of a boundary tensor in one run; each at least grows the tensor. */
#define MAX_GROWTHS 24u

/* Repeats the call as long as only boundary tensors are too small. */
static enum hy_code call_with_more(struct hy_run *run, const struct hy_run_target *position,
                                   struct hy_bound_step *step, struct hy_error *err)
{
    struct hy_run_target again = *position;
    enum hy_code code = HY_INSUFFICIENT_SIZE;

    again.reusable = NULL; /* bound to the old boundary tensors */
    for (uint32_t i = 0; i < MAX_GROWTHS && code == HY_INSUFFICIENT_SIZE; i++) {
        code = hy_open_tensors_grow(run->execution->binding, step, err);
        if (code != HY_OK)
            return code;
        code = call_once(run, &again, step, err);
    }
    if (code == HY_INSUFFICIENT_SIZE)
        code = hy_fail(err, HY_FAILED, "%s asked for larger outputs %u times",
                       position->device->info.name, MAX_GROWTHS);
    return code;
}

/* The call in a plan with boundary tensors of unknown size. */
static enum hy_code call_open(struct hy_run *run, const struct hy_run_target *position,
                              struct hy_bound_step *step, struct hy_error *err)
{
    enum hy_code code = call_once(run, position, step, err);

    if (code == HY_INSUFFICIENT_SIZE)
        code = call_with_more(run, position, step, err);
    if (code == HY_OK)
        hy_open_tensors_pass_on(run->execution->binding, step);
    return code;
}

enum hy_code hy_run_call(struct hy_run *run, const struct hy_run_target *position,
                         struct hy_bound_step *step, struct hy_error *err)
{
    return run->execution->binding->memory.open ? call_open(run, position, step, err)
                                                : call_once(run, position, step, err);
}

void hy_run_note_copies(const struct hy_run *run, uint64_t before)
{
    const uint64_t bytes = hy_copied_by_thread() - before;

    if (bytes > 0)
        atomic_fetch_add_explicit(&run->execution->compilation->copied_bytes, bytes,
                                  memory_order_relaxed);
}
