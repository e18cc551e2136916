/* Models with open extents of outputs, or also of inputs: B27. A driver may refuse such models; a
 * driver that accepts one finds the extents during the run. */
#include <string.h>

#include "tools/check_driver/rules/check.h"

enum openness { OPEN_OUTPUTS, OPEN_INPUTS_TOO, OPENNESS_COUNT };

static const char *const openness_text[] = {"open outputs", "open inputs and outputs"};

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
                  const struct hy_request_case_form *form, const char *description,
                  struct hy_sample *out)
{
    if (!hy_sample_make(check, HY_RULE_B27, vector, form, out))
        return false;
    hy_result_page_step(check->page, HY_RULE_B27, "executing %s with %s", vector->name,
                        description);
    return true;
}

static void run_with_capacity(struct hy_check *check, const struct hy_vector *vector,
                              const char *description)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD, .has_shapes = 1};
    struct hy_sample sample;
    if (begin(check, vector, &form, description, &sample))
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
static void run_without_capacity(struct hy_check *check, const struct hy_vector *vector,
                                 const char *description)
{
    const struct hy_request_case_form form = {
        .kind = HY_POOL_MMAP_FD, .has_shapes = 1, .shortened = 1};
    struct hy_error reported = {.text = ""};
    struct hy_sample sample;
    if (begin(check, vector, &form, description, &sample)) {
        const int32_t status = hy_call_execute(check, sample.prepared, &sample.test_case);
        const bool is_right =
            status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE &&
            hy_request_case_check_shapes(&sample.test_case, &reported) == HY_REQUEST_CASE_OK &&
            hy_request_case_check_memory(&sample.test_case, &reported) == HY_REQUEST_CASE_OK;
        if (!is_right)
            hy_result_page_report(check->page, HY_RULE_B27,
                                  "%s with %s and outputs a byte too short: %s %s", vector->name,
                                  description, hy_status_text(status), reported.text);
    }
    hy_sample_finish(check, &sample);
}

/* ---- Tensors of no elements ------------------------------------------------------------------ */

/* Every input has an extent of 0 in front. */
static bool empty_inputs(struct hy_request_case *test_case, uint32_t dims[][HY_MAX_RANK],
                         uint32_t capacity)
{
    bool any = false;
    if (test_case->input_count > capacity)
        return false;
    for (uint32_t i = 0; i < test_case->input_count; i++) {
        struct hy_argument *input = &test_case->arguments[i];
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
static bool is_untouched(const struct hy_request_case *test_case, uint8_t fill, uint32_t *which)
{
    for (uint32_t i = 0; i < test_case->output_count; i++) {
        const struct hy_output_shape *reported = &test_case->shapes[i];
        bool is_empty = false;
        for (uint32_t d = 0; d < reported->rank && d < HY_MAX_RANK; d++)
            is_empty = is_empty || reported->dims[d] == 0;
        const uint64_t length = test_case->arguments[test_case->input_count + i].location.length;
        *which = i;
        for (uint64_t k = 0; is_empty && k < length; k++)
            if (hy_request_case_output(test_case, i)[k] != fill)
                return false;
    }
    return true;
}

/* Many operations have no result for empty inputs: an error is also a valid reply. */
static void run_empty(struct hy_check *check, const struct hy_vector *vector)
{
    enum { INPUTS = 16, FILL = 0x5a };
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD, .has_shapes = 1};
    uint32_t dims[INPUTS][HY_MAX_RANK], output;
    struct hy_error reason;
    struct hy_sample sample;
    if (begin(check, vector, &form, "inputs of no elements", &sample) &&
        empty_inputs(&sample.test_case, dims, INPUTS)) {
        hy_request_case_reset(&sample.test_case, FILL);
        const int32_t status = hy_call_execute(check, sample.prepared, &sample.test_case);
        if (hy_request_case_check_memory(&sample.test_case, &reason) != HY_REQUEST_CASE_OK)
            hy_result_page_report(check->page, HY_RULE_B27, "%s: %s", check->page->doing,
                                  reason.text);
        else if (status == HY_STATUS_OK && !is_untouched(&sample.test_case, FILL, &output))
            hy_result_page_report(check->page, HY_RULE_B27,
                                  "%s: output %u is reported without elements, but was written",
                                  check->page->doing, output);
    }
    hy_sample_finish(check, &sample);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool supports(struct hy_check *check, const struct hy_vector *vector)
{
    struct hy_model_view model_view = {0};
    hy_result_page_step(check->page, HY_RULE_B27, "supported_operations of %s with open extents",
                        vector->name);
    const bool all = hy_model_view_make(vector, 0, &model_view, NULL) == HY_OK &&
                     hy_call_supports(check, &model_view.model);
    hy_model_view_finish(&model_view);
    return all;
}

static bool check_model(struct hy_check *check, const struct hy_vector *vector,
                        enum openness openness)
{
    struct open_test test = {0};
    const bool is_accepted = open_up(vector, openness, &test) && supports(check, &test.vector);
    if (is_accepted) {
        run_with_capacity(check, &test.vector, openness_text[openness]);
        if (can_be_shorter(vector))
            run_without_capacity(check, &test.vector, openness_text[openness]);
        if (openness == OPEN_INPUTS_TOO)
            run_empty(check, &test.vector);
    }
    hy_arena_finish(&test.arena);
    return is_accepted;
}

void hy_check_open_extents(struct hy_check *check)
{
    bool any = false;
    for (uint32_t i = 0; i < check->models->count; i++) {
        const struct hy_vector *vector = check->models->vectors[i];
        if (!check->page->is_claimed[i] || vector->multinomial_tolerance > 0)
            continue;
        for (int openness = 0; openness < OPENNESS_COUNT; openness++)
            any |= check_model(check, vector, (enum openness)openness);
    }
    if (any)
        hy_result_page_pass(check->page, HY_RULE_B27);
    else
        hy_result_page_skip(check->page, HY_RULE_B27,
                            "the device supports no model with open extents");
}
