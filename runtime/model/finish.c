#include "app_model.h"
#include "check.h"
#include "constant_files.h"
#include "extensions.h"
#include "pools.h"
#include "shapes.h"
#include "sort.h"

#include "common/array.h"

#include <stdlib.h>

/* The results of finish, moved to the model only when complete. */
struct draft {
    uint32_t feature_level;
    uint32_t *producers;
    uint32_t *order;
    struct hy_operation *sorted;
    struct hy_pool *pools;
    uint32_t pool_count;
    struct hy_extension_prefix *extensions;
    uint32_t extension_count;
    struct hy_flat_models flat;
};

static void draft_finish(struct draft *draft)
{
    hy_flat_models_finish(&draft->flat);
    free(draft->extensions);
    free(draft->pools);
    free(draft->sorted);
    free(draft->order);
    free(draft->producers);
}

static enum hy_code sort_operations(const struct hy_app_model *model, struct draft *draft,
                                    struct hy_error *err)
{
    const uint32_t count = model->operation_count;

    draft->producers = calloc(model->operand_count, sizeof *draft->producers);
    draft->order = calloc(count, sizeof *draft->order);
    draft->sorted = calloc(count, sizeof *draft->sorted);
    if (!draft->producers || !draft->order || !draft->sorted)
        return hy_fail(err, HY_OUT_OF_MEMORY, "sorting %u operations on %u operands", count,
                       model->operand_count);

    enum hy_code code = hy_app_model_check_producers(model, draft->producers, err);
    if (code == HY_OK)
        code = hy_operations_sort(model->operations, count, draft->producers, draft->order, err);
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        draft->sorted[i] = model->operations[draft->order[i]];
    return code;
}

static enum hy_code make_draft(struct hy_app_model *model, struct draft *draft,
                               struct hy_error *err)
{
    struct hy_error gone;

    enum hy_code code = hy_app_model_check_parts(model, &draft->feature_level, err);
    if (code == HY_OK)
        code = sort_operations(model, draft, err);
    if (code == HY_OK)
        code = hy_app_model_list_pools(model, &draft->pools, &draft->pool_count, err);
    if (code == HY_OK)
        code =
            hy_app_model_list_extensions(model, &draft->extensions, &draft->extension_count, err);
    if (code == HY_OK)
        code = hy_flat_models_make(model, draft->pools, draft->pool_count, &draft->flat, err);
    if (code == HY_OK && hy_app_model_check_files(model, &draft->flat, &gone) != HY_OK)
        code = hy_fail(err, HY_BAD_DATA, "%s", gone.text);
    return code;
}

/* Values and pools shared by all subgraphs of the view. */
static void share_view(struct hy_model *view, const struct hy_flat_models *flat)
{
    view->referenced = flat->list;
    view->referenced_count = flat->count;
    view->values = flat->values;
    view->values_size = flat->values_size;
    view->pools = flat->pools;
    view->pool_count = flat->pool_count;
}

static uint32_t depth_of(const struct hy_app_model *model)
{
    uint32_t depth = 0;

    for (uint32_t i = 0; i < model->operand_count; i++) {
        const struct hy_app_model *other = model->sources[i].model;
        if (other && other->depth >= depth)
            depth = other->depth + 1;
    }
    return depth;
}

/* Moves the results to the model. Cannot fail. */
static void build_view(struct hy_app_model *model, struct draft *draft)
{
    hy_app_model_complete_shapes(model, draft->order);
    model->operands = hy_array_trim(model->operands, model->operand_count, sizeof *model->operands);
    model->sources = hy_array_trim(model->sources, model->operand_count, sizeof *model->sources);
    model->order = draft->order;
    model->sorted = draft->sorted;
    model->pools = draft->pools;
    model->pool_count = draft->pool_count;
    model->extensions = draft->extensions;
    model->extension_count = draft->extension_count;
    model->flat = draft->flat;
    model->depth = depth_of(model);
    model->main = (struct hy_subgraph){
        .struct_size = sizeof model->main,
        .operand_count = model->operand_count,
        .operation_count = model->operation_count,
        .input_count = model->input_count,
        .output_count = model->output_count,
        .operands = model->operands,
        .operations = model->sorted,
        .inputs = model->inputs,
        .outputs = model->outputs,
    };
    model->view = (struct hy_model){
        .struct_size = sizeof model->view,
        .relaxed_float = model->relaxed,
        .main = &model->main,
        .values = model->values,
        .pools = model->pools,
        .extensions = model->extensions,
        .values_size = model->values_size,
        .pool_count = draft->pool_count,
        .extension_count = draft->extension_count,
        .feature_level = draft->feature_level,
    };
    if (model->flat.count > 0)
        share_view(&model->view, &model->flat);
    draft->order = NULL;
    draft->sorted = NULL;
    draft->pools = NULL;
    draft->extensions = NULL;
    draft->flat = (struct hy_flat_models){0};
}

enum hy_code hy_app_model_finish(struct hy_app_model *model, struct hy_error *err)
{
    struct draft draft = {0};

    enum hy_code code = hy_app_model_check_building(model, err);
    if (code != HY_OK)
        return code;

    code = make_draft(model, &draft, err);
    if (code == HY_OK) {
        build_view(model, &draft);
        model->state = HY_MODEL_FINISHED;
    } else if (code == HY_BAD_DATA) {
        model->state = HY_MODEL_INVALID;
    }
    draft_finish(&draft);
    return code;
}
