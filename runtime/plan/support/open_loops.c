#include "runtime/plan/support/open_loops.h"

#include "common/operations/control_flow.h"
#include "common/operations/shape.h"
#include "runtime/extension/type_info.h"
#include "runtime/plan/alloc.h"

/* State of the referenced subgraphs; inner ones come first. */
struct bodies {
    const struct hy_model *model;
    const bool *open; /* per referenced subgraph */
};

static bool is_open(const struct bodies *bodies, const struct hy_operand *operand)
{
    struct hy_type_info type;
    struct hy_shape shape;

    if (operand->lifetime == HY_LIFETIME_SUBGRAPH)
        return operand->location.offset < bodies->model->referenced_count &&
               bodies->open[operand->location.offset];
    if (!hy_type_info_find(operand->type, &type) || type.is_scalar ||
        operand->lifetime == HY_LIFETIME_NO_VALUE)
        return false;
    return !hy_shape_set(&shape, operand->rank, operand->dims) || !hy_shape_is_complete(&shape);
}

static bool has_open_operand(const struct bodies *bodies, const struct hy_subgraph *graph)
{
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        if (is_open(bodies, &graph->operands[i]))
            return true;
    }
    return false;
}

static bool is_open_loop(const struct bodies *bodies, const struct hy_operation *operation)
{
    const struct hy_operand *operands = bodies->model->main->operands;
    bool has_body = false, open = false;

    for (uint32_t i = 0; i < operation->input_count; i++) {
        const struct hy_operand *operand = &operands[operation->inputs[i]];
        has_body |= operand->lifetime == HY_LIFETIME_SUBGRAPH;
        open |= is_open(bodies, operand);
    }
    for (uint32_t i = 0; i < operation->output_count; i++)
        open |= is_open(bodies, &operands[operation->outputs[i]]);
    return has_body && open;
}

enum hy_code hy_plan_find_open_bodies(const struct hy_model *model, struct hy_arena *arena,
                                      const bool **ret, struct hy_error *err)
{
    bool *open = hy_plan_alloc(arena, model->referenced_count, sizeof *open);
    const struct bodies bodies = {model, open};

    if (!open)
        return hy_fail(err, HY_OUT_OF_MEMORY, "marks of %u subgraphs", model->referenced_count);
    for (uint32_t i = 0; i < model->referenced_count; i++)
        open[i] = has_open_operand(&bodies, model->referenced[i]);
    *ret = open;
    return HY_OK;
}

static bool has_control_flow(const struct hy_subgraph *graph)
{
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (hy_is_control_flow(graph->operations[i].type))
            return true;
    }
    return false;
}

enum hy_code hy_plan_find_open_loops(const struct hy_model *model, struct hy_arena *arena,
                                     const bool **ret, struct hy_error *err)
{
    const struct hy_subgraph *main = model->main;

    *ret = NULL;
    if (!has_control_flow(main)) /* saves a scan of all bodies */
        return HY_OK;
    struct bodies bodies = {.model = model};
    bool *open = hy_plan_alloc(arena, main->operation_count, sizeof *open);
    if (!open)
        return hy_fail(err, HY_OUT_OF_MEMORY, "marks of %u operations", main->operation_count);
    enum hy_code code = hy_plan_find_open_bodies(model, arena, &bodies.open, err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < main->operation_count; i++)
        open[i] = is_open_loop(&bodies, &main->operations[i]);
    *ret = open;
    return HY_OK;
}
