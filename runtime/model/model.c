#include "app_model.h"

#include "runtime/memory/memory_object.h"
#include "shared_pools.h"

#include <stdlib.h>

enum hy_code hy_app_model_create(struct hy_app_model **ret, struct hy_error *err)
{
    struct hy_app_model *model = calloc(1, sizeof *model);
    if (!model)
        return hy_fail(err, HY_OUT_OF_MEMORY, "model of %zu bytes", sizeof *model);

    atomic_init(&model->references, 1);
    model->state = HY_MODEL_BUILDING;
    *ret = model;
    return HY_OK;
}

struct hy_app_model *hy_app_model_retain(struct hy_app_model *model)
{
    atomic_fetch_add_explicit(&model->references, 1, memory_order_relaxed);
    return model;
}

void hy_app_model_release(struct hy_app_model *model)
{
    if (!model || atomic_fetch_sub_explicit(&model->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < model->operand_count; i++) {
        hy_memory_release(model->sources[i].memory);
        hy_app_model_release(model->sources[i].model);
    }
    hy_shared_pools_destroy(atomic_load_explicit(&model->shared, memory_order_acquire));
    hy_shared_pools_destroy(atomic_load_explicit(&model->sealed, memory_order_acquire));
    hy_flat_models_finish(&model->flat);
    free(model->extensions);
    free(model->pools);
    free(model->order);
    free(model->sorted);
    free(model->values);
    free(model->operations);
    free(model->sources);
    free(model->operands);
    hy_arena_finish(&model->arena);
    free(model);
}

enum hy_code hy_app_model_relax(struct hy_app_model *model, bool allow, struct hy_error *err)
{
    enum hy_code code = hy_app_model_check_building(model, err);
    if (code == HY_OK)
        model->relaxed = allow;
    return code;
}

enum hy_code hy_app_model_check_building(const struct hy_app_model *model, struct hy_error *err)
{
    switch (model->state) {
    case HY_MODEL_BUILDING:
        return HY_OK;
    case HY_MODEL_FINISHED:
        return hy_fail(err, HY_BAD_STATE, "the model is finished already");
    case HY_MODEL_INVALID:
        break;
    }
    return hy_fail(err, HY_BAD_STATE, "the model is invalid, as finish failed");
}

enum hy_code hy_app_model_check_operand(const struct hy_app_model *model, uint32_t operand,
                                        struct hy_error *err)
{
    if (operand < model->operand_count)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "operand %u does not exist, the model has %u", operand,
                   model->operand_count);
}

enum hy_model_state hy_app_model_state(const struct hy_app_model *model)
{
    return model->state;
}

const struct hy_model *hy_app_model_view(const struct hy_app_model *model)
{
    return &model->view;
}

const uint32_t *hy_app_model_operation_order(const struct hy_app_model *model)
{
    return model->order;
}
