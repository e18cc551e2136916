#include "cpu_fallback/nesting.h"

#include "common/control_flow.h"
#include "cpu_fallback/memory.h"

/* What is known about a referenced subgraph; once it is done, how deep its own bodies nest. */
#define UNSEEN 0u
#define OPEN   UINT8_MAX /* on the way from the main subgraph to the one at hand */

struct walk {
    const struct hy_model *model;
    uint8_t *heights; /* per referenced subgraph: UNSEEN, OPEN, or 1 + the height of its bodies */
    uint32_t *order;
    uint32_t count;
};

static enum hy_code visit(struct walk *walk, const struct hy_subgraph *graph, uint32_t depth,
                          uint8_t *height, struct hy_error *err);

/* Enters a body unless it is done already; `*height` grows to hold it. */
static enum hy_code visit_body(struct walk *walk, uint64_t body, uint32_t depth, uint8_t *height,
                               struct hy_error *err)
{
    const struct hy_model *model = walk->model;

    if (body >= model->referenced_count)
        return hy_fail(err, HY_BAD_DATA, "refers to model %llu of %u", (unsigned long long)body,
                       model->referenced_count);
    if (walk->heights[body] == OPEN)
        return hy_fail(err, HY_BAD_DATA, "model %llu contains itself", (unsigned long long)body);
    if (walk->heights[body] == UNSEEN) {
        uint8_t below = 0;
        walk->heights[body] = OPEN;
        enum hy_code code = visit(walk, model->referenced[body], depth + 1, &below, err);
        if (code != HY_OK)
            return code;
        walk->heights[body] = (uint8_t)(below + 1);
        walk->order[walk->count++] = (uint32_t)body;
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
        return hy_fail(err, HY_BAD_DATA, "a model is missing or of an older version");
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

enum hy_code hy_cpu_nesting_order(const struct hy_model *model, const struct hy_host *host,
                                  uint32_t **order, uint32_t *count, struct hy_error *err)
{
    if (!model || !HY_REACHES(model, feature_level))
        return hy_fail(err, HY_BAD_DATA, "the model is missing or of an older version");
    if (model->referenced_count && !model->referenced)
        return hy_fail(err, HY_BAD_DATA, "the model has a count without its array");

    const size_t room = model->referenced_count + (size_t)1;
    struct walk walk = {
        .model = model,
        .heights = hy_cpu_calloc(host, room, sizeof *walk.heights),
        .order = hy_cpu_calloc(host, room, sizeof *walk.order),
    };
    uint8_t height = 0;
    enum hy_code code = HY_OK;
    if (!walk.heights || !walk.order)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu models", room);
    if (code == HY_OK)
        code = visit(&walk, model->main, 0, &height, err);
    hy_cpu_free(walk.heights);
    if (code != HY_OK) {
        hy_cpu_free(walk.order);
        return code;
    }
    *order = walk.order;
    *count = walk.count;
    return HY_OK;
}
