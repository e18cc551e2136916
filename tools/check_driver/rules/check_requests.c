/* Wrong requests, and outputs that are too small: B15, B16. */
#include "tools/check_driver/rules/check.h"

static const uint32_t wrong_extents[] = {4711, 1, 1, 1, 1, 1, 1, 1};

/* Each function adds one fault to a request; false if the request has no suitable part. */
static bool too_few_inputs(struct hy_request_case *test_case)
{
    return test_case->request.input_count-- > 0;
}

static bool no_outputs(struct hy_request_case *test_case)
{
    test_case->request.output_count = 0;
    return true;
}

static bool no_capacity_for_shapes(struct hy_request_case *test_case)
{
    test_case->result.output_count = 0;
    return true;
}

static bool input_in_no_pool(struct hy_request_case *test_case)
{
    test_case->arguments[0].location.pool = 9;
    return test_case->input_count > 0 && test_case->arguments[0].location.length > 0;
}

static bool output_in_no_pool(struct hy_request_case *test_case)
{
    test_case->arguments[test_case->input_count].location.pool = UINT32_MAX;
    return test_case->arguments[test_case->input_count].location.length > 0;
}

static bool input_past_the_end(struct hy_request_case *test_case)
{
    test_case->arguments[0].location.offset = test_case->pools[0].size - 1;
    return test_case->input_count > 0 && test_case->arguments[0].location.length > 1;
}

static bool output_past_the_end(struct hy_request_case *test_case)
{
    struct hy_location *at = &test_case->arguments[test_case->input_count].location;
    at->offset = test_case->pools[1].size;
    return at->length > 0;
}

static bool output_wraps_around(struct hy_request_case *test_case)
{
    struct hy_location *at = &test_case->arguments[test_case->input_count].location;
    at->offset = UINT64_MAX - at->length + 1;
    return at->length > 0;
}

static bool input_too_short(struct hy_request_case *test_case)
{
    return test_case->input_count > 0 && test_case->arguments[0].location.length-- > 0;
}

static bool input_of_other_shape(struct hy_request_case *test_case)
{
    const struct hy_vector_model *model = &test_case->vector->models[0];
    test_case->arguments[0].dims = wrong_extents;
    test_case->arguments[0].rank =
        test_case->input_count > 0 ? model->operands[model->inputs.items[0]].rank : 0;
    return test_case->arguments[0].rank > 0 && test_case->arguments[0].rank <= 8 &&
           test_case->arguments[0].location.length > 0;
}

static bool output_of_other_rank(struct hy_request_case *test_case)
{
    struct hy_argument *output = &test_case->arguments[test_case->input_count];
    const struct hy_vector_model *model = &test_case->vector->models[0];
    output->dims = wrong_extents;
    output->rank = model->operands[model->outputs.items[0]].rank + 1;
    return output->rank > 1 && output->rank <= 8;
}

static bool unknown_pool_kind(struct hy_request_case *test_case)
{
    test_case->pools[0].kind = 99;
    return test_case->input_count > 0 && test_case->arguments[0].location.length > 0;
}

static bool unknown_buffer(struct hy_request_case *test_case)
{
    test_case->pools[0] = (struct hy_pool){.kind = HY_POOL_BUFFER,
                                           .protection = HY_PROTECT_READ,
                                           .fd = -1,
                                           .buffer_token = 0x7fffffff};
    for (uint32_t i = 0; i < test_case->input_count; i++)
        test_case->arguments[i].location = (struct hy_location){.pool = 0};
    return test_case->input_count > 0;
}

static bool output_not_writable(struct hy_request_case *test_case)
{
    test_case->pools[1].protection = HY_PROTECT_READ;
    return test_case->arguments[test_case->input_count].location.length > 0;
}

static const struct {
    const char *description;
    bool (*corrupt)(struct hy_request_case *test_case);
} corruptions[] = {
    {"one input is missing", too_few_inputs},
    {"there are no outputs", no_outputs},
    {"the result has no space for shapes", no_capacity_for_shapes},
    {"input 0 lies in a pool that does not exist", input_in_no_pool},
    {"output 0 lies in a pool that does not exist", output_in_no_pool},
    {"input 0 ends past its pool", input_past_the_end},
    {"output 0 starts past its pool", output_past_the_end},
    {"output 0 has an offset near 2^64", output_wraps_around},
    {"input 0 is a byte too short", input_too_short},
    {"input 0 has another shape than in the model", input_of_other_shape},
    {"output 0 has another rank than in the model", output_of_other_rank},
    {"the inputs are in memory of an unknown kind", unknown_pool_kind},
    {"the inputs are in a buffer that does not exist", unknown_buffer},
    {"the outputs are in read-only memory", output_not_writable},
};

/* Checks the effect of the faulty request on the memory of the valid request. */
static void check_case_memory(struct hy_check *check, const struct hy_request_case *corrupted,
                              const struct hy_argument *arguments, const char *description)
{
    struct hy_request_case right = *corrupted;
    struct hy_error err;
    right.arguments = (struct hy_argument *)arguments;
    if (hy_request_case_check_memory(&right, &err) != HY_REQUEST_CASE_OK)
        hy_result_page_report(check->page, HY_RULE_B15, "%s where %s: %s", right.vector->name,
                              description, err.text);
}

static void run_corrupted(struct hy_check *check, const struct hy_sample *sample,
                          struct hy_request_case *test_case, const char *description)
{
    hy_result_page_step(check->page, HY_RULE_B15, "executing %s where %s", sample->vector->name,
                        description);
    if (hy_call_execute(check, sample->prepared, test_case) == HY_STATUS_OK)
        hy_result_page_report(check->page, HY_RULE_B15, "%s where %s was executed",
                              sample->vector->name, description);
}

static void try_corrupted(struct hy_check *check, const struct hy_sample *sample, size_t which)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_request_case test_case = {0};
    struct hy_arena arena = {0};
    const bool made = hy_request_case_make(sample->vector, &form, &test_case, NULL) == HY_OK;
    const struct hy_argument *arguments =
        made ? hy_arena_copy(&arena, test_case.arguments,
                             test_case.input_count + test_case.output_count, sizeof *arguments)
             : NULL;
    if (arguments && corruptions[which].corrupt(&test_case)) {
        run_corrupted(check, sample, &test_case, corruptions[which].description);
        check_case_memory(check, &test_case, arguments, corruptions[which].description);
    }
    hy_arena_finish(&arena);
    hy_request_case_finish(&test_case);
}

void hy_check_requests(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B15, vector, &form, &sample)) {
            for (size_t i = 0; i < sizeof corruptions / sizeof *corruptions; i++)
                try_corrupted(check, &sample, i);
            hy_result_page_step(check->page, HY_RULE_B15, "executing %s after wrong requests",
                                vector->name);
            hy_sample_run(check, HY_RULE_B15, &sample);
        }
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B15);
}

/* ---- Small outputs --------------------------------------------------------------------------- */

void hy_check_small_outputs(struct hy_check *check)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD, .shortened = 1};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        struct hy_error reason = {.text = ""};
        if (hy_sample_make(check, HY_RULE_B16, vector, &form, &sample)) {
            hy_result_page_step(check->page, HY_RULE_B16,
                                "executing %s with outputs one byte too short", vector->name);
            const int32_t status = hy_call_execute(check, sample.prepared, &sample.test_case);
            enum hy_request_case_fault fault = HY_REQUEST_CASE_STATUS;
            if (status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
                fault = hy_request_case_check_shapes(&sample.test_case, &reason);
            if (fault == HY_REQUEST_CASE_OK)
                fault = hy_request_case_check_memory(&sample.test_case, &reason);
            if (fault != HY_REQUEST_CASE_OK)
                hy_result_page_report(check->page, HY_RULE_B16,
                                      "%s with outputs a byte too short: %s %s", vector->name,
                                      hy_status_text(status), reason.text);
        }
        hy_sample_finish(check, &sample);
    }
    hy_result_page_pass(check->page, HY_RULE_B16);
}
