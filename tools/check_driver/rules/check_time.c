/* Deadlines, the times that are measured, and waiting for a device: B7, B18, B25. */
#include "tools/check_driver/rules/check.h"

#include "common/clock.h"

#define LATENESS_MAX_NS INT64_C(500000000) /* tolerance for the return of a call */
/* a busy machine delays one call, a faulty driver every call */
#define ATTEMPTS 3
#define SOON_NS  INT64_C(50000000)
#define FAR_NS   INT64_C(60000000000)

static bool is_expired_status(int32_t status)
{
    return status == HY_STATUS_MISSED_DEADLINE_TRANSIENT ||
           status == HY_STATUS_MISSED_DEADLINE_PERSISTENT;
}

/* A call with a deadline. */
struct timed_call {
    const char *name; /* of the call */
    int64_t start, deadline, end;
    int32_t status;
};

/* By how much the call came back after its deadline, or after its start if that was later. */
static int64_t lateness(const struct timed_call *call)
{
    return call->end - (call->deadline > call->start ? call->deadline : call->start);
}

static void check_deadline(struct hy_check *check, const char *name, const struct timed_call *call)
{
    if (call->status != HY_STATUS_OK && !is_expired_status(call->status))
        hy_result_page_report(check->page, HY_RULE_B7, "%s of %s with a deadline failed with %s",
                              call->name, name, hy_status_text(call->status));
    else if (lateness(call) > LATENESS_MAX_NS)
        hy_result_page_report(check->page, HY_RULE_B7,
                              "%s of %s returned %lld ms after its deadline", call->name, name,
                              (long long)(lateness(call) / 1000000));
    else if (is_expired_status(call->status) && call->end < call->deadline)
        hy_result_page_report(check->page, HY_RULE_B7, "%s of %s failed with %s, %lld ms too early",
                              call->name, name, hy_status_text(call->status),
                              (long long)((call->deadline - call->end) / 1000000));
}

static struct timed_call prepare(struct hy_check *check, const struct hy_sample *sample,
                                 int64_t from_now)
{
    struct timed_call call = {.name = "prepare", .start = hy_clock_boot()};
    void *prepared;
    hy_result_page_step(check->page, HY_RULE_B7, "preparing %s with a deadline",
                        sample->vector->name);
    call.deadline = call.start + from_now;
    call.status = hy_call_prepare(check, &sample->model_view.model, call.deadline, &prepared);
    call.end = hy_clock_boot();
    if (call.status == HY_STATUS_OK)
        check->table.prepared_destroy(prepared);
    return call;
}

static struct timed_call execute(struct hy_check *check, struct hy_sample *sample, int64_t from_now)
{
    struct timed_call call = {.name = "execute", .start = hy_clock_boot()};
    hy_result_page_step(check->page, HY_RULE_B7, "executing %s with a deadline",
                        sample->vector->name);
    hy_request_case_reset(&sample->test_case, 0);
    call.deadline = sample->test_case.options.deadline = call.start + from_now;
    call.status = hy_call_execute(check, sample->prepared, &sample->test_case);
    call.end = hy_clock_boot();
    sample->test_case.options.deadline = HY_NO_DEADLINE;
    return call;
}

static void try_prepare(struct hy_check *check, const struct hy_sample *sample, int64_t from_now)
{
    struct timed_call call = prepare(check, sample, from_now);
    for (int i = 1; i < ATTEMPTS && lateness(&call) > LATENESS_MAX_NS; i++)
        call = prepare(check, sample, from_now);
    check_deadline(check, sample->vector->name, &call);
}

static void try_execute(struct hy_check *check, struct hy_sample *sample, int64_t from_now)
{
    struct timed_call call = execute(check, sample, from_now);
    for (int i = 1; i < ATTEMPTS && lateness(&call) > LATENESS_MAX_NS; i++)
        call = execute(check, sample, from_now);
    check_deadline(check, sample->vector->name, &call);
}

/* Over already, over soon, and far away. */
void hy_check_deadlines(struct hy_check *check)
{
    static const int64_t deadlines[] = {-SOON_NS, SOON_NS, FAR_NS};
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        const bool made = hy_sample_make(check, HY_RULE_B7, vector, &form, &sample);
        for (size_t i = 0; made && i < sizeof deadlines / sizeof *deadlines; i++) {
            try_prepare(check, &sample, deadlines[i]);
            try_execute(check, &sample, deadlines[i]);
        }
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B7);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static void check_reported_times(struct hy_check *check, const struct hy_sample *sample,
                                 uint64_t elapsed)
{
    const struct hy_result *result = &sample->test_case.result;
    const unsigned long long device = result->time_on_device, driver = result->time_in_driver;
    const char *name = sample->vector->name;
    if (!sample->test_case.options.measure) {
        if (device != HY_NO_TIME || driver != HY_NO_TIME)
            hy_result_page_report(check->page, HY_RULE_B18,
                                  "%s: times are reported without a request", name);
        return;
    }
    if (device != HY_NO_TIME && device > driver)
        hy_result_page_report(check->page, HY_RULE_B18,
                              "%s: %llu ns on the device, %llu ns in the driver", name, device,
                              driver);
    if (driver != HY_NO_TIME && driver > elapsed)
        hy_result_page_report(check->page, HY_RULE_B18,
                              "%s: %llu ns in the driver, the call took %llu ns", name, driver,
                              (unsigned long long)elapsed);
}

void hy_check_times(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        const bool made = hy_sample_make(check, HY_RULE_B18, vector, &form, &sample);
        for (uint32_t measure = 0; made && measure < 2; measure++) {
            hy_result_page_step(check->page, HY_RULE_B18, "executing %s, measured", vector->name);
            hy_request_case_reset(&sample.test_case, 0);
            sample.test_case.options.measure = measure;
            const int64_t start = hy_clock_boot();
            const int32_t status = hy_call_execute(check, sample.prepared, &sample.test_case);
            if (status == HY_STATUS_OK)
                check_reported_times(check, &sample, (uint64_t)(hy_clock_boot() - start));
            else
                hy_result_page_report(check->page, HY_RULE_B18,
                                      "%s: with measured times, the execution fails with %s",
                                      vector->name, hy_status_text(status));
        }
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B18);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* The device has just replied, so the wait must be short. */
void hy_check_wait(struct hy_check *check)
{
    static const int64_t deadlines[] = {HY_NO_DEADLINE, FAR_NS};
    if (!check->table.wait) {
        hy_result_page_skip(check->page, HY_RULE_B25, "the device does not offer wait");
        return;
    }
    for (size_t i = 0; i < sizeof deadlines / sizeof *deadlines; i++) {
        const int64_t deadline =
            deadlines[i] == HY_NO_DEADLINE ? HY_NO_DEADLINE : hy_clock_boot() + deadlines[i];
        hy_result_page_step(check->page, HY_RULE_B25, "wait for a device that responds");
        const int32_t status = check->table.wait(check->device, deadline);
        hy_check_status(check, "wait", status);
        if (status != HY_STATUS_OK)
            hy_result_page_report(check->page, HY_RULE_B25, "wait returned %s",
                                  hy_status_text(status));
    }
    hy_result_page_pass(check->page, HY_RULE_B25);
}
