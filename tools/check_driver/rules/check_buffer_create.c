/* Making buffers, and their tokens: B33, B35. */
#include <math.h>
#include <string.h>

#include "tools/check_driver/buffer_case.h"

#define NEW_BUFFERS 100u /* new buffers during which an outdated token must stay invalid */

/* A description that is right, before something is changed. */
struct desc_case {
    const struct hy_buffer_case *test_case;
    const struct hy_vector_operand *input, *output; /* number 0 */
    struct hy_buffer_desc desc;
    struct hy_buffer_role roles[2];
    void *prepared[2];
    uint32_t dims[HY_MAX_RANK + 1];
};

static void desc_case_init(const struct hy_buffer_case *test_case, struct desc_case *desc_case)
{
    const struct hy_vector_model *model = &test_case->sample.vector->models[0];
    *desc_case = (struct desc_case){.test_case = test_case,
                                    .input = &model->operands[model->inputs.items[0]],
                                    .output = &model->operands[model->outputs.items[0]],
                                    .roles = {{.frequency = 1}, {.frequency = 1}},
                                    .prepared = {test_case->sample.prepared}};
    desc_case->desc = (struct hy_buffer_desc){.struct_size = sizeof desc_case->desc,
                                              .dims = desc_case->dims,
                                              .prepared = desc_case->prepared,
                                              .roles = desc_case->roles,
                                              .prepared_count = 1,
                                              .role_count = 1};
}

/* ---- Each function adds one fault; false if the description has no suitable place ------------ */

static bool no_prepared(struct desc_case *desc_case)
{
    desc_case->desc.prepared_count = 0;
    return true;
}

static bool no_roles(struct desc_case *desc_case)
{
    desc_case->desc.role_count = 0;
    return true;
}

static bool prepared_past_the_end(struct desc_case *desc_case)
{
    desc_case->roles[0].prepared = 1;
    return true;
}

static bool input_past_the_end(struct desc_case *desc_case)
{
    desc_case->roles[0].index = desc_case->test_case->sample.test_case.input_count;
    return true;
}

static bool output_past_the_end(struct desc_case *desc_case)
{
    desc_case->roles[0].is_output = 1;
    desc_case->roles[0].index = desc_case->test_case->sample.test_case.output_count;
    return true;
}

static bool frequency_of_zero(struct desc_case *desc_case)
{
    desc_case->roles[0].frequency = 0;
    return true;
}

static bool frequency_above_one(struct desc_case *desc_case)
{
    desc_case->roles[0].frequency = 1.5f;
    return true;
}

static bool frequency_of_nan(struct desc_case *desc_case)
{
    desc_case->roles[0].frequency = NAN;
    return true;
}

static bool one_role_twice(struct desc_case *desc_case)
{
    desc_case->desc.role_count = 2;
    return true;
}

static bool other_extent(struct desc_case *desc_case)
{
    const struct hy_vector_operand *input = desc_case->input;
    if (input->rank == 0 || input->rank > HY_MAX_RANK)
        return false;
    desc_case->desc.rank = input->rank;
    desc_case->dims[input->rank - 1] = input->dims[input->rank - 1] + 1;
    return true;
}

static bool other_rank(struct desc_case *desc_case)
{
    if (desc_case->input->rank > HY_MAX_RANK)
        return false;
    desc_case->desc.rank = desc_case->input->rank + 1;
    for (uint32_t i = 0; i < desc_case->desc.rank; i++)
        desc_case->dims[i] = 1;
    return true;
}

/* Input 0 and output 0 in one buffer, if their types differ. */
static bool roles_that_differ(struct desc_case *desc_case)
{
    const struct hy_vector_operand *a = desc_case->input, *b = desc_case->output;
    desc_case->roles[1].is_output = 1;
    desc_case->desc.role_count = 2;
    return a->type != b->type || a->scale != b->scale || a->zero_point != b->zero_point ||
           a->rank != b->rank || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0;
}

static const struct {
    const char *description;
    bool (*corrupt)(struct desc_case *desc_case);
} corruptions[] = {
    {"without a prepared model", no_prepared},
    {"without a role", no_roles},
    {"with a role of a prepared model that does not exist", prepared_past_the_end},
    {"for an input that does not exist", input_past_the_end},
    {"for an output that does not exist", output_past_the_end},
    {"with a frequency of 0", frequency_of_zero},
    {"with a frequency of 1.5", frequency_above_one},
    {"with a frequency of NaN", frequency_of_nan},
    {"with one role twice", one_role_twice},
    {"with an extent other than the role's", other_extent},
    {"with a rank other than the role's", other_rank},
    {"for roles of different tensors", roles_that_differ},
};

static void check_descriptions(struct hy_buffer_case *test_case)
{
    struct hy_check *check = test_case->check;
    for (size_t i = 0; i < sizeof corruptions / sizeof *corruptions; i++) {
        struct desc_case desc_case;
        struct hy_buffer buffer = {0};
        desc_case_init(test_case, &desc_case);
        if (!corruptions[i].corrupt(&desc_case))
            continue;
        hy_result_page_step(check->page, HY_RULE_B33, "making a buffer %s, for %s",
                            corruptions[i].description, test_case->sample.vector->name);
        const int32_t status =
            check->table.buffer_create(check->device, &desc_case.desc, &buffer.token, &buffer.self);
        hy_check_status(check, "buffer_create", status);
        if (status != HY_STATUS_INVALID_ARGUMENT)
            hy_buffer_case_report(test_case, "a buffer %s: %s", corruptions[i].description,
                                  hy_status_text(status));
        else if (buffer.self)
            hy_buffer_case_report(test_case, "a buffer %s was refused, but returned",
                                  corruptions[i].description);
        if (status == HY_STATUS_OK)
            hy_buffer_finish(check, &buffer);
    }
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static void expect_stale(struct hy_buffer_case *test_case, const struct hy_buffer *old,
                         const char *description)
{
    hy_buffer_case_clear(test_case);
    hy_buffer_case_put(test_case, 0, old);
    const int32_t status = hy_buffer_case_run(test_case);
    if (status != HY_STATUS_INVALID_ARGUMENT)
        hy_buffer_case_report(test_case, "the token of a destroyed buffer, %s: %s", description,
                              hy_status_text(status));
}

/* Replaces the old buffer by new buffers with contents; its token must not name any of them. */
static void check_tokens(struct hy_buffer_case *test_case)
{
    static const struct hy_buffer_use use = {.is_output = 0};
    struct hy_check *check = test_case->check;
    const struct hy_buffer old = test_case->input;
    hy_buffer_finish(check, &test_case->input);
    expect_stale(test_case, &old, "at once");
    for (uint32_t i = 0; i < NEW_BUFFERS; i++) {
        hy_result_page_step(check->page, HY_RULE_B35, "making buffer %u after another one, for %s",
                            i, test_case->sample.vector->name);
        if (hy_buffer_make(check, HY_RULE_B35, test_case->sample.prepared, &use, 1,
                           &test_case->input) != HY_STATUS_OK ||
            hy_buffer_case_fill(test_case) != HY_STATUS_OK) {
            hy_buffer_case_report(test_case, "a new buffer cannot be created and filled");
            return;
        }
        if (test_case->input.token == test_case->output.token)
            hy_buffer_case_report(test_case, "a new buffer has the token of another live buffer");
        expect_stale(test_case, &old, "after the creation of new buffers");
        hy_buffer_finish(check, &test_case->input);
        if (hy_result_page_has_finding(check->page, HY_RULE_B35))
            return;
    }
}

void hy_check_buffer_create(struct hy_check *check)
{
    hy_for_each_buffer_case(check, HY_RULE_B33, check_descriptions);
    hy_for_each_buffer_case(check, HY_RULE_B35, check_tokens);
}
