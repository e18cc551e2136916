/* Wrong requests, and outputs that are too small: B15, B16. */
#include "tools/check_driver/rules/check.h"

static const uint32_t wrong_extents[] = {4711, 1, 1, 1, 1, 1, 1, 1};

/* Each function adds one fault to a request; false if the request has no suitable part. */
static bool too_few_inputs(struct hy_trial *trial)
{
    return trial->request.input_count-- > 0;
}

static bool no_outputs(struct hy_trial *trial)
{
    trial->request.output_count = 0;
    return true;
}

static bool no_room_for_shapes(struct hy_trial *trial)
{
    trial->result.output_count = 0;
    return true;
}

static bool input_in_no_pool(struct hy_trial *trial)
{
    trial->arguments[0].location.pool = 9;
    return trial->input_count > 0 && trial->arguments[0].location.length > 0;
}

static bool output_in_no_pool(struct hy_trial *trial)
{
    trial->arguments[trial->input_count].location.pool = UINT32_MAX;
    return trial->arguments[trial->input_count].location.length > 0;
}

static bool input_past_the_end(struct hy_trial *trial)
{
    trial->arguments[0].location.offset = trial->pools[0].size - 1;
    return trial->input_count > 0 && trial->arguments[0].location.length > 1;
}

static bool output_past_the_end(struct hy_trial *trial)
{
    struct hy_location *at = &trial->arguments[trial->input_count].location;
    at->offset = trial->pools[1].size;
    return at->length > 0;
}

static bool output_wraps_around(struct hy_trial *trial)
{
    struct hy_location *at = &trial->arguments[trial->input_count].location;
    at->offset = UINT64_MAX - at->length + 1;
    return at->length > 0;
}

static bool input_too_short(struct hy_trial *trial)
{
    return trial->input_count > 0 && trial->arguments[0].location.length-- > 0;
}

static bool input_of_other_shape(struct hy_trial *trial)
{
    const struct hy_vector_model *model = &trial->vector->models[0];
    trial->arguments[0].dims = wrong_extents;
    trial->arguments[0].rank =
        trial->input_count > 0 ? model->operands[model->inputs.items[0]].rank : 0;
    return trial->arguments[0].rank > 0 && trial->arguments[0].rank <= 8 &&
           trial->arguments[0].location.length > 0;
}

static bool output_of_other_rank(struct hy_trial *trial)
{
    struct hy_argument *output = &trial->arguments[trial->input_count];
    const struct hy_vector_model *model = &trial->vector->models[0];
    output->dims = wrong_extents;
    output->rank = model->operands[model->outputs.items[0]].rank + 1;
    return output->rank > 1 && output->rank <= 8;
}

static bool unknown_pool_kind(struct hy_trial *trial)
{
    trial->pools[0].kind = 99;
    return trial->input_count > 0 && trial->arguments[0].location.length > 0;
}

static bool unknown_buffer(struct hy_trial *trial)
{
    trial->pools[0] = (struct hy_pool){.kind = HY_POOL_BUFFER,
                                       .protection = HY_PROTECT_READ,
                                       .fd = -1,
                                       .buffer_token = 0x7fffffff};
    for (uint32_t i = 0; i < trial->input_count; i++)
        trial->arguments[i].location = (struct hy_location){.pool = 0};
    return trial->input_count > 0;
}

static bool output_not_writable(struct hy_trial *trial)
{
    trial->pools[1].protection = HY_PROTECT_READ;
    return trial->arguments[trial->input_count].location.length > 0;
}

static const struct {
    const char *words;
    bool (*spoil)(struct hy_trial *trial);
} spoilers[] = {
    {"one input is missing", too_few_inputs},
    {"there are no outputs", no_outputs},
    {"the result has no room for shapes", no_room_for_shapes},
    {"input 0 lies in a pool that is not there", input_in_no_pool},
    {"output 0 lies in a pool that is not there", output_in_no_pool},
    {"input 0 ends past its pool", input_past_the_end},
    {"output 0 starts past its pool", output_past_the_end},
    {"output 0 has an offset near 2^64", output_wraps_around},
    {"input 0 is a byte too short", input_too_short},
    {"input 0 has another shape than in the model", input_of_other_shape},
    {"output 0 has another rank than in the model", output_of_other_rank},
    {"the inputs are in memory of an unknown kind", unknown_pool_kind},
    {"the inputs are in a buffer that is not there", unknown_buffer},
    {"the outputs are in memory for reading", output_not_writable},
};

/* Checks the effect of the faulty request on the memory of the valid request. */
static void judge_memory(struct hy_check *check, const struct hy_trial *spoiled,
                         const struct hy_argument *arguments, const char *words)
{
    struct hy_trial right = *spoiled;
    struct hy_error err;
    right.arguments = (struct hy_argument *)arguments;
    if (hy_trial_judge_memory(&right, &err) != HY_TRIAL_GOOD)
        hy_board_find(check->board, HY_RULE_B15, "%s where %s: %s", right.vector->name, words,
                      err.text);
}

static void run_spoiled(struct hy_check *check, const struct hy_sample *sample,
                        struct hy_trial *trial, const char *words)
{
    hy_board_step(check->board, HY_RULE_B15, "executing %s where %s", sample->vector->name, words);
    if (hy_call_execute(check, sample->prepared, trial) == HY_STATUS_OK)
        hy_board_find(check->board, HY_RULE_B15, "%s where %s was executed", sample->vector->name,
                      words);
}

static void try_spoiled(struct hy_check *check, const struct hy_sample *sample, size_t which)
{
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_trial trial = {0};
    struct hy_arena arena = {0};
    const bool made = hy_trial_make(sample->vector, &form, &trial, NULL) == HY_OK;
    const struct hy_argument *arguments =
        made ? hy_arena_copy(&arena, trial.arguments, trial.input_count + trial.output_count,
                             sizeof *arguments)
             : NULL;
    if (arguments && spoilers[which].spoil(&trial)) {
        run_spoiled(check, sample, &trial, spoilers[which].words);
        judge_memory(check, &trial, arguments, spoilers[which].words);
    }
    hy_arena_finish(&arena);
    hy_trial_finish(&trial);
}

void hy_check_requests(struct hy_check *check)
{
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B15, vector, &form, &sample)) {
            for (size_t i = 0; i < sizeof spoilers / sizeof *spoilers; i++)
                try_spoiled(check, &sample, i);
            hy_board_step(check->board, HY_RULE_B15, "executing %s after wrong requests",
                          vector->name);
            hy_sample_run(check, HY_RULE_B15, &sample);
        }
        hy_sample_finish(check, &sample);
    }
    hy_board_pass(check->board, HY_RULE_B15);
}

/* ---- Small outputs --------------------------------------------------------------------------- */

void hy_check_small_outputs(struct hy_check *check)
{
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD, .shortened = 1};
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        struct hy_error words = {.text = ""};
        if (hy_sample_make(check, HY_RULE_B16, vector, &form, &sample)) {
            hy_board_step(check->board, HY_RULE_B16, "executing %s with too little room",
                          vector->name);
            const int32_t status = hy_call_execute(check, sample.prepared, &sample.trial);
            enum hy_trial_fault fault = HY_TRIAL_STATUS;
            if (status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
                fault = hy_trial_judge_shapes(&sample.trial, &words);
            if (fault == HY_TRIAL_GOOD)
                fault = hy_trial_judge_memory(&sample.trial, &words);
            if (fault != HY_TRIAL_GOOD)
                hy_board_find(check->board, HY_RULE_B16, "%s with outputs a byte too short: %s %s",
                              vector->name, hy_status_text(status), words.text);
        }
        hy_sample_finish(check, &sample);
    }
    hy_board_pass(check->board, HY_RULE_B16);
}
