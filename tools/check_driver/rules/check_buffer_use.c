/* What buffers are used for in requests: B34. */
#include <string.h>

#include "tools/check_driver/buffer_case.h"

static const uint32_t wrong_extents[] = {4711, 1, 1, 1, 1, 1, 1, 1};

static void use_both(struct hy_buffer_case *test_case)
{
    hy_buffer_case_clear(test_case);
    hy_buffer_case_put(test_case, 0, &test_case->input);
    hy_buffer_case_put(test_case, hy_buffer_case_output(test_case), &test_case->output);
}

static void expect_refused(struct hy_buffer_case *test_case, const char *description)
{
    hy_result_page_step(test_case->check->page, test_case->rule, "executing %s with %s",
                        test_case->sample.vector->name, description);
    const int32_t status = hy_buffer_case_run(test_case);
    if (status != HY_STATUS_INVALID_ARGUMENT)
        hy_buffer_case_report(test_case, "%s: %s", description, hy_status_text(status));
}

/* ---- The arguments of one request ------------------------------------------------------------ */

static void check_locations(struct hy_buffer_case *test_case)
{
    struct hy_location *input = &test_case->sample.test_case.arguments[0].location;
    use_both(test_case);
    input->offset = 1;
    expect_refused(test_case, "an offset into a buffer");
    use_both(test_case);
    input->length = test_case->shared[0].length;
    expect_refused(test_case, "a length within a buffer");
    use_both(test_case);
    input->padding = 1;
    expect_refused(test_case, "padding in a buffer");
}

static void check_roles(struct hy_buffer_case *test_case)
{
    const struct hy_buffer unknown = {.token = 0x7fffffff}, none = {.token = 0};
    hy_buffer_case_clear(test_case);
    hy_buffer_case_put(test_case, 0, &unknown);
    expect_refused(test_case, "a token that was never returned");
    hy_buffer_case_clear(test_case);
    hy_buffer_case_put(test_case, 0, &none);
    expect_refused(test_case, "the token 0");
    hy_buffer_case_clear(test_case);
    hy_buffer_case_put(test_case, 0, &test_case->output);
    expect_refused(test_case, "an output's buffer as an input");
    hy_buffer_case_clear(test_case);
    hy_buffer_case_put(test_case, hy_buffer_case_output(test_case), &test_case->input);
    expect_refused(test_case, "an input's buffer as an output");
}

static void check_shapes(struct hy_buffer_case *test_case)
{
    const struct hy_vector_model *model = &test_case->sample.vector->models[0];
    const uint32_t outputs = hy_buffer_case_output(test_case);
    const struct {
        uint32_t argument, rank;
        const char *description;
    } cases[] = {
        {0, model->operands[model->inputs.items[0]].rank, "another shape for an input's buffer"},
        {outputs, model->operands[model->outputs.items[0]].rank,
         "another shape for an output's buffer"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct hy_argument *argument = &test_case->sample.test_case.arguments[cases[i].argument];
        const struct hy_argument right = *argument;
        if (cases[i].rank < 1 || cases[i].rank > 8)
            continue;
        use_both(test_case);
        argument->rank = cases[i].rank;
        argument->dims = wrong_extents;
        expect_refused(test_case, cases[i].description);
        argument->rank = right.rank;
        argument->dims = right.dims;
    }
}

/* The same model, prepared once more, has no roles in the buffers. */
static void check_other_prepared(struct hy_buffer_case *test_case)
{
    struct hy_check *check = test_case->check;
    void *const own = test_case->sample.prepared;
    void *other = NULL;
    if (hy_call_prepare(check, &test_case->sample.model_view.model, HY_NO_DEADLINE, &other) !=
        HY_STATUS_OK)
        return;
    use_both(test_case);
    test_case->sample.prepared = other;
    expect_refused(test_case, "buffers of another prepared model");
    test_case->sample.prepared = own;
    check->table.prepared_destroy(other);
}

/* ---- One buffer for two arguments ------------------------------------------------------------ */

static const struct hy_vector_operand *operand_of(const struct hy_buffer_case *test_case,
                                                  const struct hy_buffer_use *use)
{
    const struct hy_vector_model *model = &test_case->sample.vector->models[0];
    const struct hy_vector_indices *list = use->is_output ? &model->outputs : &model->inputs;
    return &model->operands[list->items[use->index]];
}

/* One buffer for both arguments, if they have the same type of tensor. */
static bool make_shared(struct hy_buffer_case *test_case, const struct hy_buffer_use uses[2],
                        struct hy_buffer *out)
{
    const struct hy_vector_operand *a = operand_of(test_case, &uses[0]),
                                   *b = operand_of(test_case, &uses[1]);
    return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point &&
           a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 &&
           hy_buffer_make(test_case->check, test_case->rule, test_case->sample.prepared, uses, 2,
                          out) == HY_STATUS_OK;
}

static void put_twice(struct hy_buffer_case *test_case, const struct hy_buffer_use uses[2],
                      const struct hy_buffer *buffer)
{
    hy_buffer_case_clear(test_case);
    for (uint32_t i = 0; i < 2; i++)
        hy_buffer_case_put(
            test_case, uses[i].index + (uses[i].is_output ? hy_buffer_case_output(test_case) : 0),
            buffer);
}

static int32_t fill(struct hy_buffer_case *test_case, const struct hy_buffer *buffer)
{
    const struct hy_location *at = &test_case->shared[0];
    return hy_buffer_write(test_case->check, buffer, HY_POOL_ASHMEM,
                           test_case->sample.test_case.memory[0].bytes + at->offset, at->length);
}

/* A buffer that is written is used for nothing else. */
static void check_in_and_out(struct hy_buffer_case *test_case)
{
    static const struct hy_buffer_use uses[] = {{.is_output = 0}, {.is_output = 1}};
    struct hy_buffer buffer = {0};
    if (make_shared(test_case, uses, &buffer) && fill(test_case, &buffer) == HY_STATUS_OK) {
        put_twice(test_case, uses, &buffer);
        expect_refused(test_case, "one buffer as an input and as an output");
    }
    hy_buffer_finish(test_case->check, &buffer);
}

/* Output 0 or 1 and a later output of the same type. */
static void check_two_outputs(struct hy_buffer_case *test_case)
{
    const uint32_t count = test_case->sample.test_case.output_count;
    struct hy_buffer buffer = {0};
    for (uint32_t i = 0; i < 2 && !buffer.self; i++)
        for (uint32_t k = i + 1; k < count && !buffer.self; k++) {
            const struct hy_buffer_use uses[] = {{.is_output = 1, .index = i},
                                                 {.is_output = 1, .index = k}};
            if (!make_shared(test_case, uses, &buffer))
                continue;
            put_twice(test_case, uses, &buffer);
            expect_refused(test_case, "one buffer as two outputs");
        }
    hy_buffer_finish(test_case->check, &buffer);
}

/* Which several inputs may read. */
static void check_read_twice(struct hy_buffer_case *test_case)
{
    static const struct hy_buffer_use two_inputs[] = {{.is_output = 0}, {.index = 1}};
    struct hy_buffer buffer = {0};
    if (test_case->sample.test_case.input_count > 1 && test_case->shared[1].length > 0 &&
        make_shared(test_case, two_inputs, &buffer) && fill(test_case, &buffer) == HY_STATUS_OK) {
        put_twice(test_case, two_inputs, &buffer);
        const int32_t status = hy_buffer_case_run(test_case);
        if (status != HY_STATUS_OK)
            hy_buffer_case_report(test_case, "one buffer as two inputs: %s",
                                  hy_status_text(status));
    }
    hy_buffer_finish(test_case->check, &buffer);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int32_t run_right(struct hy_buffer_case *test_case, const char *description)
{
    struct hy_error wrong;
    hy_buffer_case_clear(test_case);
    hy_request_case_reset(&test_case->sample.test_case, 0x5a);
    if (hy_buffer_case_fill(test_case) != HY_STATUS_OK) {
        hy_buffer_case_report(test_case, "buffer_copy_from failed");
        return HY_STATUS_GENERAL_FAILURE;
    }
    use_both(test_case);
    hy_result_page_step(test_case->check->page, test_case->rule, "executing %s %s",
                        test_case->sample.vector->name, description);
    const int32_t status = hy_buffer_case_run(test_case);
    if (!hy_buffer_case_is_correct(test_case, status, &wrong))
        hy_buffer_case_report(test_case, "%s: %.300s", description, wrong.text);
    return status;
}

/* Both buffers always have contents: a refusal is a reaction to the single fault. */
static void check_use(struct hy_buffer_case *test_case)
{
    if (run_right(test_case, "over buffers") != HY_STATUS_OK)
        return;
    check_locations(test_case);
    check_roles(test_case);
    check_shapes(test_case);
    check_other_prepared(test_case);
    check_in_and_out(test_case);
    check_two_outputs(test_case);
    check_read_twice(test_case);
    run_right(test_case, "after wrong requests");
}

void hy_check_buffer_use(struct hy_check *check)
{
    hy_for_each_buffer_case(check, HY_RULE_B34, check_use);
}
