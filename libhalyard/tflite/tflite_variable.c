#include "libhalyard/tflite/tflite_variable.h"

#include "common/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- Variables of the file ------------------------------------------------------------------- */

void hy_tflite_variables_finish(struct hy_tflite_variables *variables)
{
    free(variables->at);
    *variables = (struct hy_tflite_variables){0};
}

static bool is_same(const struct hy_tflite_variable *a, const struct hy_tflite_variable *b)
{
    if (a->is_table || b->is_table)
        return a->is_table && b->is_table && a->table == b->table;
    if (a->container && b->container)
        return strcmp(a->container, b->container) == 0 && strcmp(a->name, b->name) == 0;
    return !a->container && !b->container && a->subgraph == b->subgraph && a->tensor == b->tensor;
}

static enum hy_code find_or_add(struct hy_tflite_variables *variables,
                                const struct hy_tflite_variable *wanted, uint32_t *ret_variable,
                                struct hy_error *err)
{
    for (uint32_t i = 0; i < variables->count; i++) {
        if (is_same(&variables->at[i], wanted)) {
            *ret_variable = i;
            return HY_OK;
        }
    }
    if (variables->count == HY_TFLITE_MAX_VARIABLES)
        return hy_fail(err, HY_BAD_DATA, "variable %.64s: more than %d variables", wanted->name,
                       HY_TFLITE_MAX_VARIABLES);
    struct hy_tflite_variable *at = hy_array_grow(variables->at, variables->count, sizeof *at);
    if (!at)
        return hy_fail(err, HY_OUT_OF_MEMORY, "variable %u", variables->count);
    variables->at = at;
    *ret_variable = variables->count;
    at[variables->count++] = *wanted;
    return HY_OK;
}

enum hy_code hy_tflite_variable_of_name(struct hy_tflite_variables *variables,
                                        const char *container, const char *name,
                                        uint32_t *ret_variable, struct hy_error *err)
{
    const struct hy_tflite_variable wanted = {
        .name = name, .container = container, .initial.initial = HY_INITIAL_NONE};
    return find_or_add(variables, &wanted, ret_variable, err);
}

enum hy_code hy_tflite_variable_of_tensor(struct hy_tflite_variables *variables, uint32_t subgraph,
                                          uint32_t tensor, const char *name, uint32_t *ret_variable,
                                          struct hy_error *err)
{
    const struct hy_tflite_variable wanted = {
        .name = name, .subgraph = subgraph, .tensor = tensor, .initial.initial = HY_INITIAL_ZEROS};
    return find_or_add(variables, &wanted, ret_variable, err);
}

enum hy_code hy_tflite_variable_of_table(struct hy_tflite_variables *variables, int32_t table,
                                         uint32_t *ret_variable, struct hy_error *err)
{
    const struct hy_tflite_variable wanted = {.name = "table", .is_table = true, .table = table};
    return find_or_add(variables, &wanted, ret_variable, err);
}

/* ---- Contents in one graph ------------------------------------------------------------------- */

void hy_tflite_used_variables_finish(struct hy_tflite_used_variables *used)
{
    free(used->at);
    *used = (struct hy_tflite_used_variables){0};
}

struct hy_tflite_contents *hy_tflite_find_contents(const struct hy_tflite_used_variables *used,
                                                   uint32_t variable)
{
    for (uint32_t i = 0; i < used->count; i++) {
        if (used->at[i].variable == variable)
            return &used->at[i];
    }
    return NULL;
}

enum hy_code hy_tflite_add_contents(struct hy_tflite_used_variables *used, uint32_t variable,
                                    uint32_t before, struct hy_error *err)
{
    struct hy_tflite_contents *at = hy_array_grow(used->at, used->count, sizeof *at);
    if (!at)
        return hy_fail(err, HY_OUT_OF_MEMORY, "contents of variable %u", variable);
    used->at = at;
    at[used->count++] =
        (struct hy_tflite_contents){.variable = variable, .before = before, .now = before};
    return HY_OK;
}
