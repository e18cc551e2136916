/* The groups for executions that are repeated: bursts (B20) and reusable executions (B21). */
#include "tools/check_driver/rules/check.h"

#define RUNS 4u

static void check_run(struct hy_check *check, enum hy_rule rule,
                      const struct hy_request_case *test_case, int32_t status)
{
    struct hy_error reason;
    if (hy_request_case_check(test_case, status, &reason) != HY_REQUEST_CASE_OK)
        hy_result_page_report(check->page, rule, "%s: %s", test_case->vector->name, reason.text);
}

/* ---- Bursts ---------------------------------------------------------------------------------- */

static void run_burst(struct hy_check *check, struct hy_sample *sample, void *burst)
{
    struct hy_request_case *test_case = &sample->test_case;
    hy_request_case_reset(test_case, 0x5a);
    const int32_t status = check->table.burst_execute(burst, &test_case->request,
                                                      &test_case->options, &test_case->result);
    hy_check_status(check, "burst_execute", status);
    check_run(check, HY_RULE_B20, test_case, status);
}

/* Moves the inputs to another address, as new memory with the same id would be: a burst with the
 * remembered address ends the process. */
static void release_memory(struct hy_check *check, struct hy_sample *sample, void *const bursts[2])
{
    struct hy_error err;
    hy_result_page_step(check->page, HY_RULE_B20, "bursts of %s after burst_release",
                        sample->vector->name);
    for (int i = 0; i < 2; i++)
        check->table.burst_release(bursts[i], sample->test_case.pools[0].id);
    if (hy_request_case_move(&sample->test_case, 0, &err) != HY_OK)
        hy_result_page_report(check->page, HY_RULE_B20, "%s: %s", sample->vector->name, err.text);
}

static void check_burst(struct hy_check *check, struct hy_sample *sample)
{
    void *bursts[2] = {NULL, NULL};
    hy_result_page_step(check->page, HY_RULE_B20, "two bursts of %s", sample->vector->name);
    for (int i = 0; i < 2; i++) {
        const int32_t status = check->table.burst_open(sample->prepared, &bursts[i]);
        hy_check_status(check, "burst_open", status);
        if (status != HY_STATUS_OK || !bursts[i]) {
            hy_result_page_report(check->page, HY_RULE_B20, "%s: burst_open returned %s and %s",
                                  sample->vector->name, hy_status_text(status),
                                  bursts[i] ? "a burst" : "none");
            return;
        }
    }
    for (uint32_t i = 0; i < RUNS; i++)
        run_burst(check, sample, bursts[i % 2]);
    release_memory(check, sample, bursts);
    for (uint32_t i = 0; i < RUNS; i++)
        run_burst(check, sample, bursts[i % 2]);
    check->table.burst_release(bursts[0], 0x7fffffff); /* unknown: nothing happens */
    check->table.burst_close(bursts[0]);
    run_burst(check, sample, bursts[1]);
    check->table.burst_close(bursts[1]);
}

void hy_check_bursts(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    if (!check->table.burst_open) {
        hy_result_page_skip(check->page, HY_RULE_B20, "the device does not offer bursts");
        return;
    }
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B20, vector, &form, &sample))
            check_burst(check, &sample);
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B20);
}

/* ---- Reusable executions --------------------------------------------------------------------- */

static void check_reusable(struct hy_check *check, struct hy_sample *sample)
{
    struct hy_request_case *test_case = &sample->test_case;
    void *reusable = NULL;
    hy_result_page_step(check->page, HY_RULE_B21, "a reusable execution of %s",
                        sample->vector->name);
    const int32_t created = check->table.reusable_create(sample->prepared, &test_case->request,
                                                         &test_case->options, &reusable);
    hy_check_status(check, "reusable_create", created);
    if (created != HY_STATUS_OK || !reusable) {
        hy_result_page_report(check->page, HY_RULE_B21, "%s: reusable_create returned %s and %s",
                              sample->vector->name, hy_status_text(created),
                              reusable ? "one" : "none");
        return;
    }
    for (uint32_t i = 0; i < RUNS; i++) {
        hy_request_case_reset(test_case, (uint8_t)i);
        const int32_t status =
            check->table.reusable_execute(reusable, HY_NO_DEADLINE, &test_case->result);
        hy_check_status(check, "reusable_execute", status);
        check_run(check, HY_RULE_B21, test_case, status);
    }
    check->table.reusable_destroy(reusable);
}

void hy_check_reusable(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    if (!check->table.reusable_create) {
        hy_result_page_skip(check->page, HY_RULE_B21,
                            "the device does not offer reusable executions");
        return;
    }
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B21, vector, &form, &sample))
            check_reusable(check, &sample);
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B21);
}
