/* Memory that the driver asks its host for: B40. */
#include "tools/check_driver/host_cache.h"
#include "tools/check_driver/host_quota.h"
#include "tools/check_driver/rules/check.h"

/* The most requests for quota per model that are refused, one after the other. */
#define MOST_QUESTIONS 200u

static bool is_refusal(int32_t status)
{
    return status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT ||
           status == HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
}

static void check_refused_call(struct hy_check *check, const char *name, const char *call,
                               unsigned number, int32_t status)
{
    if (status != HY_STATUS_OK && !is_refusal(status))
        hy_result_page_report(check->page, HY_RULE_B40,
                              "%s: %s without memory for allocation %u: %s", name, call, number,
                              hy_status_text(status));
}

/* A driver may do without: then all is as ever. */
static void run_without(struct hy_check *check, struct hy_sample *sample, unsigned number)
{
    const char *name = sample->vector->name;
    void *prepared = NULL;

    hy_result_page_step(check->page, HY_RULE_B40, "%s without memory for allocation %u", name,
                        number);
    hy_host_quota_refuse(number);
    int32_t status = hy_call_prepare(check, &sample->model_view.model, HY_NO_DEADLINE, &prepared);
    check_refused_call(check, name, "prepare", number, status);
    if (status == HY_STATUS_OK) {
        status = hy_call_execute(check, prepared, &sample->test_case);
        check_refused_call(check, name, "execute", number, status);
        check->table.prepared_destroy(prepared);
    }
    hy_host_quota_refuse(0);
}

static void check_model(struct hy_check *check, const struct hy_vector *vector)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_sample sample;
    bool goes_on = hy_sample_make(check, HY_RULE_B40, vector, &form, &sample);

    for (unsigned number = 1; goes_on && number <= MOST_QUESTIONS; number++) {
        const unsigned refused = hy_host_quota_counts().refused;
        run_without(check, &sample, number);
        goes_on = hy_host_quota_counts().refused > refused;
    }
    hy_sample_finish(check, &sample);
}

/* Resources that a driver shares between models are released with the instance. */
void hy_check_quota(struct hy_check *check)
{
    const struct hy_vector *vector;

    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));)
        check_model(check, vector);
    hy_result_page_step(check->page, HY_RULE_B40, "destroying the instance");
    hy_host_cache_end_tasks();
    check->driver.destroy(check->instance);
    const struct hy_host_quota_counts info = hy_host_quota_counts();
    if (info.asked == 0)
        hy_result_page_skip(check->page, HY_RULE_B40,
                            "the driver does not reserve memory with the host");
    else if (info.held != 0)
        hy_result_page_report(check->page, HY_RULE_B40,
                              "%ld reservations of memory are not released", info.held);
    hy_result_page_pass(check->page, HY_RULE_B40);
}
