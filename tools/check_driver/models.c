#include "tools/check_driver/models.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"

static bool is_wanted(const struct hy_vector *vector, const char *filter)
{
    if (vector->expect_failure || vector->example_count == 0)
        return false;
    if (!filter)
        return true;
    if (strpbrk(filter, "*?["))
        return fnmatch(filter, vector->name, 0) == 0;
    return strstr(vector->name, filter) != NULL;
}

static void add_matching(struct hy_model_list *list, const struct hy_vector *vectors,
                         uint32_t count, const char *filter)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_wanted(&vectors[i], filter))
            list->vectors[list->count++] = &vectors[i];
}

enum hy_code hy_model_list_make(const char *const *dirs, uint32_t dir_count, const char *filter,
                                struct hy_model_list *out, struct hy_error *err)
{
    for (uint32_t i = 0; i < dir_count; i++) {
        const enum hy_code code = hy_vector_files_add(&out->files, dirs[i], err);
        if (code != HY_OK)
            return code;
    }
    uint32_t tiny_count;
    const struct hy_vector *tiny = hy_tiny_models(&tiny_count);
    size_t capacity = tiny_count;
    for (uint32_t f = 0; f < out->files.count; f++)
        capacity += out->files.files[f].count;
    out->vectors = calloc(capacity, sizeof *out->vectors);
    if (!out->vectors)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu models", capacity);

    add_matching(out, tiny, tiny_count, filter);
    out->built_in_count = out->count;
    for (uint32_t f = 0; f < out->files.count; f++)
        add_matching(out, out->files.files[f].vectors, out->files.files[f].count, filter);
    if (out->count == 0)
        return hy_fail(err, HY_BAD_DATA, "no model has a name like %s", filter);
    return HY_OK;
}

void hy_model_list_finish(struct hy_model_list *list)
{
    free(list->vectors);
    hy_vector_files_finish(&list->files);
    *list = (struct hy_model_list){0};
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

uint32_t hy_vector_level(const struct hy_vector *vector)
{
    uint32_t level = 1;
    for (uint32_t m = 0; m < vector->model_count; m++) {
        const struct hy_vector_model *model = &vector->models[m];
        for (uint32_t i = 0; i < model->operation_count; i++) {
            const struct hy_operation_info *info = hy_operation_info(model->operations[i].type);
            level = higher(level, info ? info->feature_level : 1);
        }
        for (uint32_t i = 0; i < model->operand_count; i++) {
            const struct hy_operand_type_info *info = hy_operand_type_info(model->operands[i].type);
            level = higher(level, info ? info->feature_level : 1);
        }
    }
    return level;
}
