/* Making buffers, and their tokens: B33, B35. */
#include <math.h>
#include <string.h>

#include "tools/check_driver/buffer_trial.h"

#define NEW_BUFFERS 100u /* new buffers during which an outdated token must stay invalid */

/* A description that is right, before something is changed. */
struct draft {
    const struct hy_buffer_trial *trial;
    const struct hy_vector_operand *input, *output; /* number 0 */
    struct hy_buffer_desc desc;
    struct hy_buffer_role roles[2];
    void *prepared[2];
    uint32_t dims[HY_MAX_RANK + 1];
};

static void draft_init(const struct hy_buffer_trial *trial, struct draft *draft)
{
    const struct hy_vector_model *model = &trial->sample.vector->models[0];
    *draft = (struct draft){.trial = trial,
                            .input = &model->operands[model->inputs.items[0]],
                            .output = &model->operands[model->outputs.items[0]],
                            .roles = {{.frequency = 1}, {.frequency = 1}},
                            .prepared = {trial->sample.prepared}};
    draft->desc = (struct hy_buffer_desc){.struct_size = sizeof draft->desc,
                                          .dims = draft->dims,
                                          .prepared = draft->prepared,
                                          .roles = draft->roles,
                                          .prepared_count = 1,
                                          .role_count = 1};
}

/* ---- Each function adds one fault; false if the description has no suitable place ------------ */

static bool no_prepared(struct draft *draft)
{
    draft->desc.prepared_count = 0;
    return true;
}

static bool no_roles(struct draft *draft)
{
    draft->desc.role_count = 0;
    return true;
}

static bool prepared_past_the_end(struct draft *draft)
{
    draft->roles[0].prepared = 1;
    return true;
}

static bool input_past_the_end(struct draft *draft)
{
    draft->roles[0].index = draft->trial->sample.trial.input_count;
    return true;
}

static bool output_past_the_end(struct draft *draft)
{
    draft->roles[0].is_output = 1;
    draft->roles[0].index = draft->trial->sample.trial.output_count;
    return true;
}

static bool frequency_of_zero(struct draft *draft)
{
    draft->roles[0].frequency = 0;
    return true;
}

static bool frequency_above_one(struct draft *draft)
{
    draft->roles[0].frequency = 1.5f;
    return true;
}

static bool frequency_of_nan(struct draft *draft)
{
    draft->roles[0].frequency = NAN;
    return true;
}

static bool one_role_twice(struct draft *draft)
{
    draft->desc.role_count = 2;
    return true;
}

static bool other_extent(struct draft *draft)
{
    const struct hy_vector_operand *input = draft->input;
    if (input->rank == 0 || input->rank > HY_MAX_RANK)
        return false;
    draft->desc.rank = input->rank;
    draft->dims[input->rank - 1] = input->dims[input->rank - 1] + 1;
    return true;
}

static bool other_rank(struct draft *draft)
{
    if (draft->input->rank > HY_MAX_RANK)
        return false;
    draft->desc.rank = draft->input->rank + 1;
    for (uint32_t i = 0; i < draft->desc.rank; i++)
        draft->dims[i] = 1;
    return true;
}

/* Input 0 and output 0 in one buffer, if their types differ. */
static bool roles_that_differ(struct draft *draft)
{
    const struct hy_vector_operand *a = draft->input, *b = draft->output;
    draft->roles[1].is_output = 1;
    draft->desc.role_count = 2;
    return a->type != b->type || memcmp(&a->scale, &b->scale, sizeof a->scale) != 0 ||
           a->zero_point != b->zero_point || a->rank != b->rank ||
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0;
}

static const struct {
    const char *words;
    bool (*spoil)(struct draft *draft);
} spoilers[] = {
    {"without a prepared model", no_prepared},
    {"without a role", no_roles},
    {"with a role of a prepared model that is not there", prepared_past_the_end},
    {"for an input that is not there", input_past_the_end},
    {"for an output that is not there", output_past_the_end},
    {"with a frequency of 0", frequency_of_zero},
    {"with a frequency of 1.5", frequency_above_one},
    {"with a frequency that is no number", frequency_of_nan},
    {"with one role twice", one_role_twice},
    {"with an extent that is not the role's", other_extent},
    {"with a rank that is not the role's", other_rank},
    {"for roles of different tensors", roles_that_differ},
};

static void check_descriptions(struct hy_buffer_trial *trial)
{
    struct hy_check *check = trial->check;
    for (size_t i = 0; i < sizeof spoilers / sizeof *spoilers; i++) {
        struct draft draft;
        struct hy_buffer buffer = {0};
        draft_init(trial, &draft);
        if (!spoilers[i].spoil(&draft))
            continue;
        hy_board_step(check->board, HY_RULE_B33, "making a buffer %s, for %s", spoilers[i].words,
                      trial->sample.vector->name);
        const int32_t status =
            check->table.buffer_create(check->device, &draft.desc, &buffer.token, &buffer.self);
        hy_check_status(check, "buffer_create", status);
        if (status != HY_STATUS_INVALID_ARGUMENT)
            hy_buffer_trial_find(trial, "a buffer %s: %s", spoilers[i].words,
                                 hy_status_text(status));
        else if (buffer.self)
            hy_buffer_trial_find(trial, "a buffer %s was refused and given", spoilers[i].words);
        if (status == HY_STATUS_OK)
            hy_buffer_finish(check, &buffer);
    }
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static void expect_stale(struct hy_buffer_trial *trial, const struct hy_buffer *old,
                         const char *words)
{
    hy_buffer_trial_clear(trial);
    hy_buffer_trial_put(trial, 0, old);
    const int32_t status = hy_buffer_trial_run(trial);
    if (status != HY_STATUS_INVALID_ARGUMENT)
        hy_buffer_trial_find(trial, "the token of a buffer that is destroyed, %s: %s", words,
                             hy_status_text(status));
}

/* Replaces the old buffer by new buffers with contents; its token must not name any of them. */
static void check_tokens(struct hy_buffer_trial *trial)
{
    static const struct hy_buffer_use use = {.is_output = 0};
    struct hy_check *check = trial->check;
    const struct hy_buffer old = trial->input;
    hy_buffer_finish(check, &trial->input);
    expect_stale(trial, &old, "at once");
    for (uint32_t i = 0; i < NEW_BUFFERS; i++) {
        hy_board_step(check->board, HY_RULE_B35, "making buffer %u after another one, for %s", i,
                      trial->sample.vector->name);
        if (hy_buffer_make(check, HY_RULE_B35, trial->sample.prepared, &use, 1, &trial->input) !=
                HY_STATUS_OK ||
            hy_buffer_trial_fill(trial) != HY_STATUS_OK) {
            hy_buffer_trial_find(trial, "no new buffer can be made and filled");
            return;
        }
        if (trial->input.token == trial->output.token)
            hy_buffer_trial_find(trial, "a new buffer has the token of another that is live");
        expect_stale(trial, &old, "after new ones were made");
        hy_buffer_finish(check, &trial->input);
        if (hy_board_has(check->board, HY_RULE_B35))
            return;
    }
}

void hy_check_buffer_create(struct hy_check *check)
{
    hy_for_each_buffer_trial(check, HY_RULE_B33, check_descriptions);
    hy_for_each_buffer_trial(check, HY_RULE_B35, check_tokens);
}
