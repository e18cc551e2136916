#include "libhalyard/tflite/tflite_variable.h"

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
    if (a->container && b->container)
        return strcmp(a->container, b->container) == 0 && strcmp(a->name, b->name) == 0;
    return !a->container && !b->container && a->subgraph == b->subgraph && a->tensor == b->tensor;
}

/* Room for one more element of a list that doubles. */
static enum hy_code grow(void **elements, uint32_t count, uint32_t *room, size_t size,
                         struct hy_error *err)
{
    if (count < *room)
        return HY_OK;
    const uint32_t wanted = *room ? 2 * *room : 8;
    void *grown = realloc(*elements, wanted * size);
    if (!grown)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u variables", wanted);
    *elements = grown;
    *room = wanted;
    return HY_OK;
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
    void *at = variables->at;
    const enum hy_code code = grow(&at, variables->count, &variables->room, sizeof *wanted, err);
    variables->at = at;
    if (code != HY_OK)
        return code;
    *ret_variable = variables->count;
    variables->at[variables->count++] = *wanted;
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
    void *at = used->at;
    const enum hy_code code = grow(&at, used->count, &used->room, sizeof *used->at, err);
    used->at = at;
    if (code == HY_OK)
        used->at[used->count++] =
            (struct hy_tflite_contents){.variable = variable, .before = before, .now = before};
    return code;
}
