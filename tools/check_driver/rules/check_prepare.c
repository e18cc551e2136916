/* Preparing supported and invalid models: B4 to B6. */
#include <android/NeuralNetworks.h>
#include <string.h>

#include "tools/check_driver/rules/check.h"

static void prepare_model(struct hy_check *check, const struct hy_vector *vector)
{
    struct hy_model_view model_view = {0};
    void *prepared = NULL;
    hy_result_page_step(check->page, HY_RULE_B4, "preparing %s", vector->name);
    if (hy_model_view_make(vector, 0, &model_view, NULL) == HY_OK) {
        const int32_t status = hy_call_prepare(check, &model_view.model, HY_NO_DEADLINE, &prepared);
        if (status != HY_STATUS_OK && !hy_result_page_has_finding(check->page, HY_RULE_B6))
            hy_result_page_report(check->page, HY_RULE_B4,
                                  "%s: all operations are supported, prepare fails with %s%s%s",
                                  vector->name, hy_status_text(status), *check->text ? ": " : "",
                                  check->text);
        if (status == HY_STATUS_OK) {
            hy_result_page_step(check->page, HY_RULE_B4, "destroying %s", vector->name);
            check->table.prepared_destroy(prepared);
        }
    }
    hy_model_view_finish(&model_view);
}

void hy_check_prepare(struct hy_check *check)
{
    for (uint32_t i = 0; i < check->models->count; i++)
        if (check->page->is_claimed[i])
            prepare_model(check, check->models->vectors[i]);
    hy_result_page_pass(check->page, HY_RULE_B4);
    hy_result_page_pass(check->page, HY_RULE_B6);
}

/* ---- Invalid models -------------------------------------------------------------------------- */

static const uint32_t far_indices[] = {UINT32_MAX, 0x7fffffff, 77, 1000, 5, 9, 10, 11};
#define FAR_COUNT (sizeof far_indices / sizeof *far_indices)

static const uint32_t no_extents[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

/* The first operand of a kind that the first operation reads, or NULL. */
static struct hy_operand *find(struct hy_model_view *model_view, int32_t lifetime)
{
    const struct hy_operation *operation = &model_view->operations[0];
    for (uint32_t i = 0; i < operation->input_count; i++) {
        struct hy_operand *operand = &model_view->operands[operation->inputs[i]];
        if (operand->lifetime == lifetime)
            return operand;
    }
    return NULL;
}

/* Each function makes a model invalid in one way; false if the model has no suitable part. */
static bool far_operation_input(struct hy_model_view *model_view)
{
    model_view->operations[0].inputs = far_indices;
    return model_view->operations[0].input_count <= FAR_COUNT;
}

static bool far_operation_output(struct hy_model_view *model_view)
{
    model_view->operations[0].outputs = far_indices;
    return model_view->operations[0].output_count <= FAR_COUNT;
}

static bool far_model_input(struct hy_model_view *model_view)
{
    model_view->graphs[0].inputs = far_indices;
    return model_view->graphs[0].input_count > 0 && model_view->graphs[0].input_count <= FAR_COUNT;
}

static bool far_model_output(struct hy_model_view *model_view)
{
    model_view->graphs[0].outputs = far_indices;
    return model_view->graphs[0].output_count <= FAR_COUNT;
}

static bool no_operation_inputs(struct hy_model_view *model_view)
{
    model_view->operations[0].input_count = 0;
    model_view->operations[0].inputs = NULL;
    return true;
}

static bool unknown_operation(struct hy_model_view *model_view)
{
    model_view->operations[0].type = 9999;
    return true;
}

static bool unknown_type(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_INPUT);
    if (operand)
        operand->type = 99;
    return operand != NULL;
}

static bool unknown_lifetime(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_INPUT);
    if (operand)
        operand->lifetime = 99;
    return operand != NULL;
}

static bool huge_rank(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_INPUT);
    if (operand)
        operand->rank = UINT32_MAX;
    return operand != NULL;
}

static bool huge_extents(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_INPUT);
    if (operand && operand->rank <= 4)
        operand->dims = no_extents;
    return operand && operand->rank >= 2 && operand->rank <= 4;
}

static bool constant_far_away(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_CONSTANT_COPY);
    if (operand)
        operand->location.offset = UINT64_MAX - 3;
    return operand != NULL;
}

static bool constant_past_the_end(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_CONSTANT_COPY);
    model_view->model.values_size = 0;
    return operand != NULL;
}

static bool constant_too_long(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_CONSTANT_COPY);
    if (operand)
        operand->location.length = UINT64_C(1) << 40;
    return operand != NULL;
}

static bool constant_too_short(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_CONSTANT_COPY);
    if (operand)
        operand->location.length = 1;
    return operand && operand->type != ANEURALNETWORKS_BOOL;
}

static bool constant_in_no_pool(struct hy_model_view *model_view)
{
    struct hy_operand *operand = find(model_view, HY_LIFETIME_CONSTANT_COPY);
    if (operand) {
        operand->lifetime = HY_LIFETIME_CONSTANT_POOL;
        operand->location.pool = 7;
    }
    return operand != NULL;
}

static const struct {
    const char *description;
    bool (*corrupt)(struct hy_model_view *model_view);
} corruptions[] = {
    {"an operation's input is an operand that does not exist", far_operation_input},
    {"an operation's output is an operand that does not exist", far_operation_output},
    {"an input of the model is an operand that does not exist", far_model_input},
    {"an output of the model is an operand that does not exist", far_model_output},
    {"an operation has no inputs", no_operation_inputs},
    {"an operation has an unknown type", unknown_operation},
    {"an operand has an unknown type", unknown_type},
    {"an operand has an unknown lifetime", unknown_lifetime},
    {"an operand has a rank of 4294967295", huge_rank},
    {"a tensor has more bytes than 64 bits count", huge_extents},
    {"a constant has an offset near 2^64", constant_far_away},
    {"a constant lies past the end of the values", constant_past_the_end},
    {"a constant has a length of 2^40", constant_too_long},
    {"a constant is shorter than its type", constant_too_short},
    {"a constant lies in a pool that does not exist", constant_in_no_pool},
};

static void try_corrupted(struct hy_check *check, const struct hy_vector *vector, size_t which)
{
    struct hy_model_view model_view = {0};
    uint8_t supported[64];
    void *prepared;
    if (hy_model_view_make(vector, 0, &model_view, NULL) == HY_OK &&
        model_view.model.main->operation_count <= sizeof supported &&
        corruptions[which].corrupt(&model_view)) {
        const char *description = corruptions[which].description;
        hy_result_page_step(check->page, HY_RULE_B5, "supported_operations of %s where %s",
                            vector->name, description);
        hy_call_supported(check, &model_view.model, supported, NULL);
        hy_result_page_step(check->page, HY_RULE_B5, "prepare of %s where %s", vector->name,
                            description);
        if (hy_call_prepare(check, &model_view.model, HY_NO_DEADLINE, &prepared) == HY_STATUS_OK) {
            hy_result_page_report(check->page, HY_RULE_B5, "%s where %s was prepared", vector->name,
                                  description);
            check->table.prepared_destroy(prepared);
        }
    }
    hy_model_view_finish(&model_view);
}

void hy_check_invalid_models(struct hy_check *check)
{
    const struct hy_vector *vector;
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));)
        for (size_t i = 0; i < sizeof corruptions / sizeof *corruptions; i++)
            try_corrupted(check, vector, i);
    hy_result_page_pass(check->page, HY_RULE_B5);
}
