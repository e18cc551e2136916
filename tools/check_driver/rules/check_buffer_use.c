/* What buffers are used for in requests: B34. */
#include <string.h>

#include "tools/check_driver/buffer_trial.h"

static const uint32_t wrong_extents[] = {4711, 1, 1, 1, 1, 1, 1, 1};

static void use_both(struct hy_buffer_trial *trial)
{
    hy_buffer_trial_clear(trial);
    hy_buffer_trial_put(trial, 0, &trial->input);
    hy_buffer_trial_put(trial, hy_buffer_trial_output(trial), &trial->output);
}

static void expect_refused(struct hy_buffer_trial *trial, const char *words)
{
    hy_board_step(trial->check->board, trial->rule, "executing %s with %s",
                  trial->sample.vector->name, words);
    const int32_t status = hy_buffer_trial_run(trial);
    if (status != HY_STATUS_INVALID_ARGUMENT)
        hy_buffer_trial_find(trial, "%s: %s", words, hy_status_text(status));
}

/* ---- The arguments of one request ------------------------------------------------------------ */

static void check_locations(struct hy_buffer_trial *trial)
{
    struct hy_location *input = &trial->sample.trial.arguments[0].location;
    use_both(trial);
    input->offset = 1;
    expect_refused(trial, "an offset into a buffer");
    use_both(trial);
    input->length = trial->shared[0].length;
    expect_refused(trial, "a length within a buffer");
    use_both(trial);
    input->padding = 1;
    expect_refused(trial, "padding in a buffer");
}

static void check_roles(struct hy_buffer_trial *trial)
{
    const struct hy_buffer unknown = {.token = 0x7fffffff}, none = {.token = 0};
    hy_buffer_trial_clear(trial);
    hy_buffer_trial_put(trial, 0, &unknown);
    expect_refused(trial, "a token that was never given");
    hy_buffer_trial_clear(trial);
    hy_buffer_trial_put(trial, 0, &none);
    expect_refused(trial, "the token 0");
    hy_buffer_trial_clear(trial);
    hy_buffer_trial_put(trial, 0, &trial->output);
    expect_refused(trial, "an output's buffer as an input");
    hy_buffer_trial_clear(trial);
    hy_buffer_trial_put(trial, hy_buffer_trial_output(trial), &trial->input);
    expect_refused(trial, "an input's buffer as an output");
}

static void check_shapes(struct hy_buffer_trial *trial)
{
    const struct hy_vector_model *model = &trial->sample.vector->models[0];
    const uint32_t outputs = hy_buffer_trial_output(trial);
    const struct {
        uint32_t argument, rank;
        const char *words;
    } places[] = {
        {0, model->operands[model->inputs.items[0]].rank, "another shape for an input's buffer"},
        {outputs, model->operands[model->outputs.items[0]].rank,
         "another shape for an output's buffer"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct hy_argument *argument = &trial->sample.trial.arguments[places[i].argument];
        const struct hy_argument right = *argument;
        if (places[i].rank < 1 || places[i].rank > 8)
            continue;
        use_both(trial);
        argument->rank = places[i].rank;
        argument->dims = wrong_extents;
        expect_refused(trial, places[i].words);
        argument->rank = right.rank;
        argument->dims = right.dims;
    }
}

/* The same model, prepared once more, has no roles in the buffers. */
static void check_other_prepared(struct hy_buffer_trial *trial)
{
    struct hy_check *check = trial->check;
    void *const own = trial->sample.prepared;
    void *other = NULL;
    if (hy_call_prepare(check, &trial->sample.draft.model, HY_NO_DEADLINE, &other) != HY_STATUS_OK)
        return;
    use_both(trial);
    trial->sample.prepared = other;
    expect_refused(trial, "buffers of another prepared model");
    trial->sample.prepared = own;
    check->table.prepared_destroy(other);
}

/* ---- One buffer for two arguments ------------------------------------------------------------ */

static const struct hy_vector_operand *operand_of(const struct hy_buffer_trial *trial,
                                                  const struct hy_buffer_use *use)
{
    const struct hy_vector_model *model = &trial->sample.vector->models[0];
    const struct hy_vector_indices *list = use->is_output ? &model->outputs : &model->inputs;
    return &model->operands[list->items[use->index]];
}

/* One buffer for both arguments, if they have the same type of tensor. */
static bool make_shared(struct hy_buffer_trial *trial, const struct hy_buffer_use uses[2],
                        struct hy_buffer *out)
{
    const struct hy_vector_operand *a = operand_of(trial, &uses[0]),
                                   *b = operand_of(trial, &uses[1]);
    return a->type == b->type && memcmp(&a->scale, &b->scale, sizeof a->scale) == 0 &&
           a->zero_point == b->zero_point && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 &&
           hy_buffer_make(trial->check, trial->rule, trial->sample.prepared, uses, 2, out) ==
               HY_STATUS_OK;
}

static void put_twice(struct hy_buffer_trial *trial, const struct hy_buffer_use uses[2],
                      const struct hy_buffer *buffer)
{
    hy_buffer_trial_clear(trial);
    for (uint32_t i = 0; i < 2; i++)
        hy_buffer_trial_put(
            trial, uses[i].index + (uses[i].is_output ? hy_buffer_trial_output(trial) : 0), buffer);
}

static int32_t fill(struct hy_buffer_trial *trial, const struct hy_buffer *buffer)
{
    const struct hy_location *at = &trial->shared[0];
    return hy_buffer_write(trial->check, buffer, HY_POOL_ASHMEM,
                           trial->sample.trial.memory[0].bytes + at->offset, at->length);
}

/* A buffer that is written is used for nothing else. */
static void check_in_and_out(struct hy_buffer_trial *trial)
{
    static const struct hy_buffer_use uses[] = {{.is_output = 0}, {.is_output = 1}};
    struct hy_buffer buffer = {0};
    if (make_shared(trial, uses, &buffer) && fill(trial, &buffer) == HY_STATUS_OK) {
        put_twice(trial, uses, &buffer);
        expect_refused(trial, "one buffer as an input and as an output");
    }
    hy_buffer_finish(trial->check, &buffer);
}

/* Output 0 or 1 and a later output of the same type. */
static void check_two_outputs(struct hy_buffer_trial *trial)
{
    const uint32_t count = trial->sample.trial.output_count;
    struct hy_buffer buffer = {0};
    for (uint32_t i = 0; i < 2 && !buffer.self; i++)
        for (uint32_t k = i + 1; k < count && !buffer.self; k++) {
            const struct hy_buffer_use uses[] = {{.is_output = 1, .index = i},
                                                 {.is_output = 1, .index = k}};
            if (!make_shared(trial, uses, &buffer))
                continue;
            put_twice(trial, uses, &buffer);
            expect_refused(trial, "one buffer as two outputs");
        }
    hy_buffer_finish(trial->check, &buffer);
}

/* Which several inputs may read. */
static void check_read_twice(struct hy_buffer_trial *trial)
{
    static const struct hy_buffer_use two_inputs[] = {{.is_output = 0}, {.index = 1}};
    struct hy_buffer buffer = {0};
    if (trial->sample.trial.input_count > 1 && trial->shared[1].length > 0 &&
        make_shared(trial, two_inputs, &buffer) && fill(trial, &buffer) == HY_STATUS_OK) {
        put_twice(trial, two_inputs, &buffer);
        const int32_t status = hy_buffer_trial_run(trial);
        if (status != HY_STATUS_OK)
            hy_buffer_trial_find(trial, "one buffer as two inputs: %s", hy_status_text(status));
    }
    hy_buffer_finish(trial->check, &buffer);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int32_t run_right(struct hy_buffer_trial *trial, const char *words)
{
    struct hy_error wrong;
    hy_buffer_trial_clear(trial);
    hy_trial_reset(&trial->sample.trial, 0x5a);
    if (hy_buffer_trial_fill(trial) != HY_STATUS_OK) {
        hy_buffer_trial_find(trial, "buffer_copy_from failed");
        return HY_STATUS_GENERAL_FAILURE;
    }
    use_both(trial);
    hy_board_step(trial->check->board, trial->rule, "executing %s %s", trial->sample.vector->name,
                  words);
    const int32_t status = hy_buffer_trial_run(trial);
    if (!hy_buffer_trial_is_right(trial, status, &wrong))
        hy_buffer_trial_find(trial, "%s: %.300s", words, wrong.text);
    return status;
}

/* Both buffers always have contents: a refusal is a reaction to the single fault. */
static void check_use(struct hy_buffer_trial *trial)
{
    if (run_right(trial, "over buffers") != HY_STATUS_OK)
        return;
    check_locations(trial);
    check_roles(trial);
    check_shapes(trial);
    check_other_prepared(trial);
    check_in_and_out(trial);
    check_two_outputs(trial);
    check_read_twice(trial);
    run_right(trial, "after wrong requests");
}

void hy_check_buffer_use(struct hy_check *check)
{
    hy_for_each_buffer_trial(check, HY_RULE_B34, check_use);
}
