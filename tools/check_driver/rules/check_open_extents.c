/* Models with open extents of outputs, or also of inputs: B27. A driver may refuse such models; a
 * driver that accepts one finds the extents during the run. */
#include <string.h>

#include "tools/check_driver/rules/check.h"

enum openness { OPEN_OUTPUTS, OPEN_INPUTS_TOO, OPENNESS_COUNT };

static const char *const openness_words[] = {"open outputs", "open inputs and outputs"};

/* ---- The same model, with open extents ------------------------------------------------------- */

/* A test whose model declares less. The example is the same, and so are the shapes to come back. */
struct open_test {
    struct hy_arena arena;
    struct hy_vector vector;
};

static bool is_open(const struct hy_vector_operand *operand, enum openness openness)
{
    return operand->rank > 0 &&
           (operand->lifetime == HY_VECTOR_OUTPUT ||
            (operand->lifetime == HY_VECTOR_INPUT && openness != OPEN_OUTPUTS));
}

/* False without memory, or where no tensor can be left open. */
static bool open_up(const struct hy_vector *source, enum openness openness, struct open_test *out)
{
    static const uint32_t none[HY_MAX_RANK];
    struct hy_vector_model *models =
        hy_arena_copy(&out->arena, source->models, source->model_count, sizeof *models);
    struct hy_vector_operand *operands =
        models
            ? hy_arena_copy(&out->arena, models->operands, models->operand_count, sizeof *operands)
            : NULL;
    bool any = false;
    for (uint32_t i = 0; operands && i < models->operand_count; i++)
        if (operands[i].rank <= HY_MAX_RANK && is_open(&operands[i], openness)) {
            operands[i].declared_dims = none;
            any = any || openness == OPEN_OUTPUTS || operands[i].lifetime == HY_VECTOR_INPUT;
        }
    if (!any)
        return false;
    models->operands = operands;
    out->vector = *source;
    out->vector.models = models;
    return true;
}

/* ---- Running it ------------------------------------------------------------------------------ */

static bool begin(struct hy_check *check, const struct hy_vector *vector,
                  const struct hy_trial_form *form, const char *words, struct hy_sample *out)
{
    if (!hy_sample_make(check, HY_RULE_B27, vector, form, out))
        return false;
    hy_board_step(check->board, HY_RULE_B27, "executing %s with %s", vector->name, words);
    return true;
}

static void run_with_room(struct hy_check *check, const struct hy_vector *vector, const char *words)
{
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD, .has_shapes = 1};
    struct hy_sample sample;
    if (begin(check, vector, &form, words, &sample))
        hy_sample_run(check, HY_RULE_B27, &sample);
    hy_sample_finish(check, &sample);
}

static bool can_be_shorter(const struct hy_vector *vector)
{
    for (uint32_t i = 0; i < vector->models[0].outputs.count; i++)
        if (vector->examples[0].outputs[i].length == 0)
            return false;
    return true;
}

/* Only the run determines the required capacity. */
static void run_without_room(struct hy_check *check, const struct hy_vector *vector,
                             const char *words)
{
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD, .has_shapes = 1, .shortened = 1};
    struct hy_error told = {.text = ""};
    struct hy_sample sample;
    if (begin(check, vector, &form, words, &sample)) {
        const int32_t status = hy_call_execute(check, sample.prepared, &sample.trial);
        const bool is_right = status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE &&
                              hy_trial_judge_shapes(&sample.trial, &told) == HY_TRIAL_GOOD &&
                              hy_trial_judge_memory(&sample.trial, &told) == HY_TRIAL_GOOD;
        if (!is_right)
            hy_board_find(check->board, HY_RULE_B27,
                          "%s with %s and outputs a byte too short: %s %s", vector->name, words,
                          hy_status_text(status), told.text);
    }
    hy_sample_finish(check, &sample);
}

/* ---- Tensors of no elements ------------------------------------------------------------------ */

/* Every input has an extent of 0 in front. */
static bool empty_inputs(struct hy_trial *trial, uint32_t dims[][HY_MAX_RANK], uint32_t room)
{
    bool any = false;
    if (trial->input_count > room)
        return false;
    for (uint32_t i = 0; i < trial->input_count; i++) {
        struct hy_argument *input = &trial->arguments[i];
        if (input->rank == 0)
            continue;
        memcpy(dims[i], input->dims, input->rank * sizeof *input->dims);
        dims[i][0] = 0;
        input->dims = dims[i];
        input->location.length = 0;
        any = true;
    }
    return any;
}

/* An output without elements must stay unwritten. */
static bool is_untouched(const struct hy_trial *trial, uint8_t fill, uint32_t *which)
{
    for (uint32_t i = 0; i < trial->output_count; i++) {
        const struct hy_output_shape *told = &trial->shapes[i];
        bool is_empty = false;
        for (uint32_t d = 0; d < told->rank && d < HY_MAX_RANK; d++)
            is_empty = is_empty || told->dims[d] == 0;
        const uint64_t length = trial->arguments[trial->input_count + i].location.length;
        *which = i;
        for (uint64_t k = 0; is_empty && k < length; k++)
            if (hy_trial_output(trial, i)[k] != fill)
                return false;
    }
    return true;
}

/* Many operations have no result for empty inputs: an error is also a valid reply. */
static void run_empty(struct hy_check *check, const struct hy_vector *vector)
{
    enum { INPUTS = 16, FILL = 0x5a };
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD, .has_shapes = 1};
    uint32_t dims[INPUTS][HY_MAX_RANK], output;
    struct hy_error words;
    struct hy_sample sample;
    if (begin(check, vector, &form, "inputs of no elements", &sample) &&
        empty_inputs(&sample.trial, dims, INPUTS)) {
        hy_trial_reset(&sample.trial, FILL);
        const int32_t status = hy_call_execute(check, sample.prepared, &sample.trial);
        if (hy_trial_judge_memory(&sample.trial, &words) != HY_TRIAL_GOOD)
            hy_board_find(check->board, HY_RULE_B27, "%s: %s", check->board->doing, words.text);
        else if (status == HY_STATUS_OK && !is_untouched(&sample.trial, FILL, &output))
            hy_board_find(check->board, HY_RULE_B27,
                          "%s: output %u is told to have no elements, and was written",
                          check->board->doing, output);
    }
    hy_sample_finish(check, &sample);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool takes(struct hy_check *check, const struct hy_vector *vector)
{
    struct hy_draft draft = {0};
    hy_board_step(check->board, HY_RULE_B27, "supported_operations of %s with open extents",
                  vector->name);
    const bool all =
        hy_draft_make(vector, 0, &draft, NULL) == HY_OK && hy_call_takes(check, &draft.model);
    hy_draft_finish(&draft);
    return all;
}

static bool check_model(struct hy_check *check, const struct hy_vector *vector,
                        enum openness openness)
{
    struct open_test test = {0};
    const bool is_taken = open_up(vector, openness, &test) && takes(check, &test.vector);
    if (is_taken) {
        run_with_room(check, &test.vector, openness_words[openness]);
        if (can_be_shorter(vector))
            run_without_room(check, &test.vector, openness_words[openness]);
        if (openness == OPEN_INPUTS_TOO)
            run_empty(check, &test.vector);
    }
    hy_arena_finish(&test.arena);
    return is_taken;
}

void hy_check_open_extents(struct hy_check *check)
{
    bool any = false;
    for (uint32_t i = 0; i < check->models->count; i++) {
        const struct hy_vector *vector = check->models->vectors[i];
        if (!check->board->is_claimed[i] || vector->multinomial_tolerance > 0)
            continue;
        for (int openness = 0; openness < OPENNESS_COUNT; openness++)
            any |= check_model(check, vector, (enum openness)openness);
    }
    if (any)
        hy_board_pass(check->board, HY_RULE_B27);
    else
        hy_board_skip(check->board, HY_RULE_B27, "the device takes no model with open extents");
}
