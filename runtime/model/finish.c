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
struct model_builder {
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

static void model_builder_finish(struct model_builder *model_builder)
{
    hy_flat_models_finish(&model_builder->flat);
    free(model_builder->extensions);
    free(model_builder->pools);
    free(model_builder->sorted);
    free(model_builder->order);
    free(model_builder->producers);
}

static enum hy_code sort_operations(const struct hy_app_model *model,
                                    struct model_builder *model_builder, struct hy_error *err)
{
    const uint32_t count = model->operation_count;

    model_builder->producers = calloc(model->operand_count, sizeof *model_builder->producers);
    model_builder->order = calloc(count, sizeof *model_builder->order);
    model_builder->sorted = calloc(count, sizeof *model_builder->sorted);
    if (!model_builder->producers || !model_builder->order || !model_builder->sorted)
        return hy_fail(err, HY_OUT_OF_MEMORY, "sorting %u operations on %u operands", count,
                       model->operand_count);

    enum hy_code code = hy_app_model_check_producers(model, model_builder->producers, err);
    if (code == HY_OK)
        code = hy_operations_sort(model->operations, count, model_builder->producers,
                                  model_builder->order, err);
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        model_builder->sorted[i] = model->operations[model_builder->order[i]];
    return code;
}

static enum hy_code build_model(struct hy_app_model *model, struct model_builder *model_builder,
                                struct hy_error *err)
{
    struct hy_error gone;

    enum hy_code code = hy_app_model_check_parts(model, &model_builder->feature_level, err);
    if (code == HY_OK)
        code = sort_operations(model, model_builder, err);
    if (code == HY_OK)
        code =
            hy_app_model_list_pools(model, &model_builder->pools, &model_builder->pool_count, err);
    if (code == HY_OK)
        code = hy_app_model_list_extensions(model, &model_builder->extensions,
                                            &model_builder->extension_count, err);
    if (code == HY_OK)
        code = hy_flat_models_make(model, model_builder->pools, model_builder->pool_count,
                                   &model_builder->flat, err);
    if (code == HY_OK && hy_app_model_check_files(model, &model_builder->flat, &gone) != HY_OK)
        code = hy_fail(err, HY_BAD_DATA, "%s", gone.text);
    return code;
}

/* Values and pools shared by all subgraphs of the view. */
static void set_common_parts(struct hy_model *view, const struct hy_flat_models *flat)
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
static void build_view(struct hy_app_model *model, struct model_builder *model_builder)
{
    hy_app_model_complete_shapes(model, model_builder->order);
    model->operands = hy_array_trim(model->operands, model->operand_count, sizeof *model->operands);
    model->sources = hy_array_trim(model->sources, model->operand_count, sizeof *model->sources);
    model->order = model_builder->order;
    model->sorted = model_builder->sorted;
    model->pools = model_builder->pools;
    model->pool_count = model_builder->pool_count;
    model->extensions = model_builder->extensions;
    model->extension_count = model_builder->extension_count;
    model->flat = model_builder->flat;
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
        .pool_count = model_builder->pool_count,
        .extension_count = model_builder->extension_count,
        .feature_level = model_builder->feature_level,
    };
    if (model->flat.count > 0)
        set_common_parts(&model->view, &model->flat);
    model_builder->order = NULL;
    model_builder->sorted = NULL;
    model_builder->pools = NULL;
    model_builder->extensions = NULL;
    model_builder->flat = (struct hy_flat_models){0};
}

enum hy_code hy_app_model_finish(struct hy_app_model *model, struct hy_error *err)
{
    struct model_builder model_builder = {0};

    enum hy_code code = hy_app_model_check_building(model, err);
    if (code != HY_OK)
        return code;

    code = build_model(model, &model_builder, err);
    if (code == HY_OK) {
        build_view(model, &model_builder);
        model->state = HY_MODEL_FINISHED;
    } else if (code == HY_BAD_DATA) {
        model->state = HY_MODEL_INVALID;
    }
    model_builder_finish(&model_builder);
    return code;
}
