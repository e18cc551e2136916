/* Concurrent executions of one prepared model, and of prepared models of each thread: B17. */
#include <pthread.h>

#include "tools/check_driver/rules/check.h"

#define THREADS 4u
#define RUNS    16u

/* The work of one thread, with a separate request and prepared model, and with the shared prepared
 * model. */
struct runner {
    struct hy_check *check;
    const struct hy_model *model;
    void *prepared[2]; /* shared, own */
    struct hy_request_case test_case;
    enum hy_request_case_fault fault;
    struct hy_error reason;
    pthread_t thread;
    bool is_started;
};

static bool prepare(struct runner *runner)
{
    const struct hy_prepare_options options = {
        .struct_size = sizeof options, .priority = HY_PRIORITY_MEDIUM, .deadline = HY_NO_DEADLINE};
    const struct hy_check *check = runner->check;
    const int32_t status =
        check->table.prepare(check->device, runner->model, &options, &runner->prepared[1]);
    if (status == HY_STATUS_OK)
        return true;
    hy_error_set(&runner->reason, HY_FAILED, __FILE__, __LINE__, "prepare failed with %s",
                 hy_status_text(status));
    runner->fault = HY_REQUEST_CASE_STATUS;
    return false;
}

static void *run(void *argument)
{
    struct runner *runner = argument;
    if (!prepare(runner))
        return NULL;
    for (uint32_t i = 0; i < RUNS && runner->fault == HY_REQUEST_CASE_OK; i++) {
        struct hy_request_case *test_case = &runner->test_case;
        hy_request_case_reset(test_case, (uint8_t)i);
        const int32_t status = runner->check->table.execute(
            runner->prepared[i % 2], &test_case->request, &test_case->options, &test_case->result);
        runner->fault = hy_request_case_check(test_case, status, &runner->reason);
    }
    runner->check->table.prepared_destroy(runner->prepared[1]);
    return NULL;
}

static void run_together(struct hy_check *check, const struct hy_sample *sample)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct runner runners[THREADS] = {0};
    for (uint32_t i = 0; i < THREADS; i++) {
        runners[i] = (struct runner){
            .check = check, .model = &sample->model_view.model, .prepared = {sample->prepared}};
        runners[i].is_started = hy_request_case_make(sample->vector, &form, &runners[i].test_case,
                                                     &runners[i].reason) == HY_OK &&
                                pthread_create(&runners[i].thread, NULL, run, &runners[i]) == 0;
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        if (runners[i].is_started)
            pthread_join(runners[i].thread, NULL);
        if (runners[i].fault != HY_REQUEST_CASE_OK)
            hy_result_page_report(check->page, HY_RULE_B17, "%s, on %u threads: %s",
                                  sample->vector->name, THREADS, runners[i].reason.text);
        hy_request_case_finish(&runners[i].test_case);
    }
}

void hy_check_threads(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B17, vector, &form, &sample)) {
            hy_result_page_step(check->page, HY_RULE_B17, "executing %s on %u threads at once",
                                vector->name, THREADS);
            run_together(check, &sample);
        }
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B17);
}
