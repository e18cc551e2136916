/* Executions of legal inputs: B8 to B12. */
#include <stdlib.h>
#include <string.h>

#include "tools/check_driver/rules/check.h"

static enum hy_rule rule_of(enum hy_request_case_fault fault)
{
    switch (fault) {
    case HY_REQUEST_CASE_SHAPE:
        return HY_RULE_B9;
    case HY_REQUEST_CASE_OUTSIDE:
        return HY_RULE_B11;
    case HY_REQUEST_CASE_INPUTS:
        return HY_RULE_B12;
    default:
        return HY_RULE_B8;
    }
}

/* Detects unwritten outputs: two runs over memory with different initial bytes, which each run
 * would leave unchanged. */
static bool is_written(struct hy_check *check, const struct hy_sample *sample,
                       const uint8_t *before, uint8_t was, uint8_t is)
{
    const struct hy_request_case *test_case = &sample->test_case;
    for (uint32_t i = 0; i < test_case->output_count; i++) {
        const struct hy_location *at = &test_case->arguments[test_case->input_count + i].location;
        for (size_t k = 0; k < at->length; k++)
            if (before[at->offset + k] == was && test_case->memory[1].bytes[at->offset + k] == is) {
                hy_result_page_report(check->page, HY_RULE_B10,
                                      "%s: byte %zu of output %u is not written",
                                      sample->vector->name, k, i);
                return false;
            }
    }
    return true;
}

static int32_t run_once(struct hy_check *check, struct hy_sample *sample, uint8_t fill)
{
    hy_request_case_reset(&sample->test_case, fill);
    return hy_call_execute(check, sample->prepared, &sample->test_case);
}

static void run_twice(struct hy_check *check, struct hy_sample *sample)
{
    const struct hy_memory *outputs = &sample->test_case.memory[1];
    struct hy_error reason;
    uint8_t *before = malloc(outputs->size);
    if (!before)
        return;

    hy_result_page_step(check->page, HY_RULE_B8, "executing %s", sample->vector->name);
    run_once(check, sample, 0x3c);
    memcpy(before, outputs->bytes, outputs->size);
    const int32_t status = run_once(check, sample, 0xa5);
    if (status != HY_STATUS_OK || is_written(check, sample, before, 0x3c, 0xa5)) {
        const enum hy_request_case_fault fault =
            hy_request_case_check(&sample->test_case, status, &reason);
        if (fault != HY_REQUEST_CASE_OK)
            hy_result_page_report(check->page, rule_of(fault), "%s: %s", sample->vector->name,
                                  reason.text);
    }
    free(before);
}

static void check_model(struct hy_check *check, const struct hy_vector *vector)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_sample sample;
    if (hy_sample_make(check, HY_RULE_B8, vector, &form, &sample)) {
        hy_model_view_corrupt(&sample.model_view);
        run_twice(check, &sample);
    }
    hy_sample_finish(check, &sample);
}

/* The request repeats the shapes of the model for its arguments. */
static void check_shapes(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD, .has_shapes = 1};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B8, vector, &form, &sample)) {
            hy_result_page_step(check->page, HY_RULE_B8, "executing %s with shapes in the request",
                                vector->name);
            hy_sample_run(check, HY_RULE_B8, &sample);
        }
        hy_sample_finish(check, &sample);
    }
}

/* A write to the inputs ends the process here, and is a finding about B12. */
static void check_frozen(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD, .has_frozen_inputs = 1};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B12, vector, &form, &sample)) {
            hy_result_page_step(check->page, HY_RULE_B12,
                                "executing %s over inputs that cannot be written", vector->name);
            hy_sample_run(check, HY_RULE_B12, &sample);
        }
        hy_sample_finish(check, &sample);
    }
}

void hy_check_execute(struct hy_check *check)
{
    struct hy_result_page *page = check->page;
    for (uint32_t i = 0; i < check->models->count; i++)
        if (page->is_claimed[i] && check->models->vectors[i]->multinomial_tolerance == 0)
            check_model(check, check->models->vectors[i]);
    if (page->finding_count == 0)
        check_shapes(check);
    hy_result_page_pass(page, HY_RULE_B8);
    hy_result_page_pass(page, HY_RULE_B9);
    hy_result_page_pass(page, HY_RULE_B10);
    hy_result_page_pass(page, HY_RULE_B11);
    if (page->finding_count == 0)
        check_frozen(check);
    hy_result_page_pass(page, HY_RULE_B12);
}
