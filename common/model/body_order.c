#include "common/model/body_order.h"

#include "common/operations/control_flow.h"

#include <string.h>

/* The state of a referenced subgraph, or for a finished one the nesting depth of its bodies. */
#define UNSEEN 0u
#define OPEN   UINT8_MAX /* on the path to the current subgraph */

struct walk {
    const struct hy_model *model;
    uint8_t *heights; /* per referenced subgraph: UNSEEN, OPEN, or 1 + the height of its bodies */
    struct hy_body_order order;
};

static enum hy_code visit(struct walk *walk, const struct hy_subgraph *graph, uint32_t depth,
                          uint8_t *height, struct hy_error *err);

/* The body must not have been entered. */
static enum hy_code enter(struct walk *walk, uint32_t body, uint32_t depth, struct hy_error *err)
{
    uint8_t below = 0;

    walk->heights[body] = OPEN;
    enum hy_code code = visit(walk, walk->model->referenced[body], depth, &below, err);
    if (code != HY_OK)
        return code;
    walk->heights[body] = (uint8_t)(below + 1);
    walk->order.bodies[walk->order.count++] = body;
    return HY_OK;
}

/* Enters a body unless it is finished; raises `*height` accordingly. */
static enum hy_code visit_body(struct walk *walk, uint64_t body, uint32_t depth, uint8_t *height,
                               struct hy_error *err)
{
    const struct hy_model *model = walk->model;

    if (body >= model->referenced_count)
        return hy_fail(err, HY_BAD_DATA, "model %llu does not exist, there are %u",
                       (unsigned long long)body, model->referenced_count);
    if (walk->heights[body] == OPEN)
        return hy_fail(err, HY_BAD_DATA, "model %llu contains itself", (unsigned long long)body);
    if (walk->heights[body] == UNSEEN) {
        enum hy_code code = enter(walk, (uint32_t)body, depth + 1, err);
        if (code != HY_OK)
            return code;
    }
    if (depth + walk->heights[body] > HY_CONTROL_FLOW_DEPTH)
        return hy_fail(err, HY_BAD_DATA, "models nest deeper than %u", HY_CONTROL_FLOW_DEPTH);
    if (walk->heights[body] > *height)
        *height = walk->heights[body];
    return HY_OK;
}

static enum hy_code visit(struct walk *walk, const struct hy_subgraph *graph, uint32_t depth,
                          uint8_t *height, struct hy_error *err)
{
    if (depth > HY_CONTROL_FLOW_DEPTH)
        return hy_fail(err, HY_BAD_DATA, "models nest deeper than %u", HY_CONTROL_FLOW_DEPTH);
    if (!graph || !HY_REACHES(graph, outputs) || (graph->operand_count && !graph->operands))
        return hy_fail(err, HY_BAD_DATA,
                       "a referenced model is NULL, or its struct_size is too small");
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        const struct hy_operand *operand = &graph->operands[i];
        if (operand->lifetime != HY_LIFETIME_SUBGRAPH)
            continue;
        enum hy_code code = visit_body(walk, operand->location.offset, depth, height, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operand %u", i);
    }
    return HY_OK;
}

/* Starts at the main subgraph. */
static enum hy_code start(struct walk *walk, struct hy_arena *memory, struct hy_error *err)
{
    const struct hy_model *model = walk->model;
    uint8_t height = 0;

    if (!model || !HY_REACHES(model, feature_level))
        return hy_fail(err, HY_BAD_DATA, "the model is NULL, or its struct_size is too small");
    const size_t count = model->referenced_count;
    if (count > 0 && !model->referenced)
        return hy_fail(err, HY_BAD_DATA, "the model has a count above 0 and no array");
    if (count > 0) {
        walk->heights = hy_arena_alloc(memory, count);
        walk->order.bodies = hy_arena_alloc(memory, count * sizeof *walk->order.bodies);
        if (!walk->heights || !walk->order.bodies)
            return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu models", count);
        memset(walk->heights, UNSEEN, count);
    }
    return visit(walk, model->main, 0, &height, err);
}

enum hy_code hy_body_order_find(const struct hy_model *model, struct hy_arena *memory,
                                struct hy_body_order *ret, struct hy_error *err)
{
    struct walk walk = {.model = model};

    enum hy_code code = start(&walk, memory, err);
    if (code == HY_OK)
        *ret = walk.order;
    return code;
}

enum hy_code hy_body_order_check(const struct hy_model *model, struct hy_arena *memory,
                                 struct hy_error *err)
{
    struct walk walk = {.model = model};

    enum hy_code code = start(&walk, memory, err);
    for (uint32_t i = 0; code == HY_OK && i < model->referenced_count; i++) {
        if (walk.heights[i] == UNSEEN)
            code = enter(&walk, i, 0, err);
    }
    return code;
}
