/* Two operations as one model, where the second reads the result of the first: B29. */
#include <stdio.h>
#include <string.h>

#include "tools/check_driver/rules/check.h"

/* Two tests, and where they meet: the output of the first is input `meets` of the second. */
struct pair {
    const struct hy_vector *first, *second;
    uint32_t meets;
    bool is_reported; /* the model has what lies between as an output too */
    struct hy_arena arena;
    const void *between, *last; /* results of the two operations, run separately */
};

/* ---- Which tests go together ----------------------------------------------------------------- */

static const struct hy_vector_operand *argument_of(const struct hy_vector *vector,
                                                   const struct hy_vector_indices *arguments,
                                                   uint32_t index)
{
    return &vector->models[0].operands[arguments->items[index]];
}

static bool fits(const struct hy_vector_operand *from, const struct hy_vector_operand *to)
{
    return from->type == to->type && from->rank > 0 && from->rank == to->rank &&
           memcmp(from->dims, to->dims, from->rank * sizeof *from->dims) == 0 &&
           memcmp(from->declared_dims, to->declared_dims, from->rank * sizeof *from->dims) == 0 &&
           from->scale == to->scale && from->zero_point == to->zero_point;
}

/* Each has a single model and a single output: the comparison is simple. */
static bool is_plain(const struct hy_vector *vector)
{
    return vector->model_count == 1 && vector->models[0].outputs.count == 1 &&
           !argument_of(vector, &vector->models[0].outputs, 0)->ignored;
}

static bool meet(struct pair *pair)
{
    const struct hy_vector_indices *inputs = &pair->second->models[0].inputs;
    if (!is_plain(pair->first) || !is_plain(pair->second) ||
        pair->first->is_relaxed != pair->second->is_relaxed)
        return false;
    const struct hy_vector_operand *output =
        argument_of(pair->first, &pair->first->models[0].outputs, 0);
    for (pair->meets = 0; pair->meets < inputs->count; pair->meets++)
        if (!pair->second->examples[0].inputs[pair->meets].omitted &&
            fits(output, argument_of(pair->second, inputs, pair->meets)))
            return true;
    return false;
}

/* ---- One after the other --------------------------------------------------------------------- */

/* The device's result of a test; NULL if the run fails, which is a finding of another rule. */
static const void *run_alone(struct hy_check *check, struct pair *pair,
                             const struct hy_vector *vector)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    const size_t length = vector->examples[0].outputs[0].length;
    const void *result = NULL;
    struct hy_sample sample;
    if (hy_sample_make(check, HY_RULE_B29, vector, &form, &sample) &&
        hy_call_execute(check, sample.prepared, &sample.test_case) == HY_STATUS_OK)
        result =
            hy_arena_copy(&pair->arena, hy_request_case_output(&sample.test_case, 0), length, 1);
    hy_sample_finish(check, &sample);
    return result;
}

static bool run_apart(struct hy_check *check, struct pair *pair)
{
    const struct hy_vector_example *example = &pair->second->examples[0];
    struct hy_vector_value *inputs = hy_arena_copy(
        &pair->arena, example->inputs, pair->second->models[0].inputs.count, sizeof *inputs);
    pair->between = run_alone(check, pair, pair->first);
    if (!inputs || !pair->between)
        return false;
    inputs[pair->meets].bytes = pair->between;
    const struct hy_vector_example changed = {.inputs = inputs, .outputs = example->outputs};
    struct hy_vector second = *pair->second;
    second.examples = &changed;
    pair->last = run_alone(check, pair, &second);
    return pair->last != NULL;
}

/* ---- As one ---------------------------------------------------------------------------------- */

/* Operand `index` of the second test, numbered after the operands of the first. */
static uint32_t renumber(const struct pair *pair, uint32_t index)
{
    const struct hy_vector_model *first = &pair->first->models[0];
    const bool is_between = index == pair->second->models[0].inputs.items[pair->meets];
    return is_between ? first->outputs.items[0] : first->operand_count + index;
}

static bool renumber_all(struct pair *pair, struct hy_vector_indices *indices)
{
    uint32_t *items = hy_arena_copy(&pair->arena, indices->items, indices->count, sizeof *items);
    for (uint32_t i = 0; items && i < indices->count; i++)
        items[i] = renumber(pair, items[i]);
    indices->items = items;
    return items != NULL;
}

static bool join_graphs(struct pair *pair, struct hy_vector_model *out)
{
    const struct hy_vector_model *a = &pair->first->models[0], *b = &pair->second->models[0];
    out->operand_count = a->operand_count + b->operand_count;
    out->operation_count = a->operation_count + b->operation_count;
    struct hy_vector_operand *operands =
        hy_arena_alloc(&pair->arena, out->operand_count * sizeof *operands);
    struct hy_vector_operation *operations =
        hy_arena_alloc(&pair->arena, out->operation_count * sizeof *operations);
    if (!operands || !operations)
        return false;
    memcpy(operands, a->operands, a->operand_count * sizeof *operands);
    memcpy(operands + a->operand_count, b->operands, b->operand_count * sizeof *operands);
    operands[a->operand_count + b->inputs.items[pair->meets]].lifetime = HY_VECTOR_NO_VALUE;
    if (!pair->is_reported)
        operands[a->outputs.items[0]].lifetime = HY_VECTOR_TEMPORARY;
    memcpy(operations, a->operations, a->operation_count * sizeof *operations);
    for (uint32_t i = 0; i < b->operation_count; i++) {
        operations[a->operation_count + i] = b->operations[i];
        if (!renumber_all(pair, &operations[a->operation_count + i].inputs) ||
            !renumber_all(pair, &operations[a->operation_count + i].outputs))
            return false;
    }
    out->operands = operands;
    out->operations = operations;
    return true;
}

/* All inputs except for the intermediate tensor; the outputs of the merged model. */
static bool join_arguments(struct pair *pair, struct hy_vector_model *model,
                           struct hy_vector_example *example)
{
    const struct hy_vector_model *a = &pair->first->models[0], *b = &pair->second->models[0];
    const uint32_t total = a->inputs.count + b->inputs.count,
                   first_output = pair->is_reported ? 0 : 1;
    uint32_t *items = hy_arena_alloc(&pair->arena, (total + 2) * sizeof *items);
    struct hy_vector_value *values = hy_arena_alloc(&pair->arena, (total + 2) * sizeof *values);
    if (!items || !values)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < total; i++) {
        const bool is_first = i < a->inputs.count;
        const uint32_t k = is_first ? i : i - a->inputs.count;
        if (!is_first && k == pair->meets)
            continue;
        items[count] = is_first ? a->inputs.items[k] : renumber(pair, b->inputs.items[k]);
        values[count++] = (is_first ? pair->first : pair->second)->examples[0].inputs[k];
    }
    items[total] = a->outputs.items[0];
    items[total + 1] = renumber(pair, b->outputs.items[0]);
    values[total] = pair->first->examples[0].outputs[0];
    values[total].bytes = pair->between;
    values[total + 1] = pair->second->examples[0].outputs[0];
    values[total + 1].bytes = pair->last;
    model->inputs = (struct hy_vector_indices){count, items};
    model->outputs = (struct hy_vector_indices){2 - first_output, items + total + first_output};
    *example = (struct hy_vector_example){values, values + total + first_output};
    return true;
}

static bool supports(struct hy_check *check, const struct hy_vector *vector)
{
    struct hy_model_view model_view = {0};
    const bool all = hy_model_view_make(vector, 0, &model_view, NULL) == HY_OK &&
                     hy_call_supports(check, &model_view.model);
    hy_model_view_finish(&model_view);
    return all;
}

static bool run_joined(struct hy_check *check, struct pair *pair)
{
    const struct hy_request_case_form form = {.kind = HY_POOL_MMAP_FD};
    struct hy_vector_model model = {0};
    struct hy_vector_example example;
    struct hy_vector joined = *pair->first;
    struct hy_sample sample;
    char name[160];
    snprintf(name, sizeof name, "%.64s and then %.64s%s", pair->first->name, pair->second->name,
             pair->is_reported ? ", both with an output" : "");
    if (!join_graphs(pair, &model) || !join_arguments(pair, &model, &example))
        return false;
    joined.name = name;
    joined.models = &model;
    joined.example_count = 1;
    joined.examples = &example;
    hy_result_page_step(check->page, HY_RULE_B29, "supported_operations of %s", name);
    if (!supports(check, &joined))
        return false;
    if (hy_sample_make(check, HY_RULE_B29, &joined, &form, &sample))
        hy_sample_run(check, HY_RULE_B29, &sample);
    hy_sample_finish(check, &sample);
    return true;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool check_pair(struct hy_check *check, const struct hy_vector *first,
                       const struct hy_vector *second)
{
    struct pair pair = {.first = first, .second = second};
    bool any = false;
    if (meet(&pair) && run_apart(check, &pair))
        for (int reported = 0; reported < 2; reported++) {
            pair.is_reported = reported == 1;
            any |= run_joined(check, &pair);
        }
    hy_arena_finish(&pair.arena);
    return any;
}

void hy_check_chains(struct hy_check *check)
{
    const struct hy_vector *first, *second;
    bool any = false;
    for (uint32_t i = 0; (first = hy_next_sample(check, &i));)
        for (uint32_t k = 0; (second = hy_next_sample(check, &k));)
            any |= check_pair(check, first, second);
    if (any)
        hy_result_page_pass(check->page, HY_RULE_B29);
    else
        hy_result_page_skip(check->page, HY_RULE_B29,
                            "the device supports no two operations in one model");
}
