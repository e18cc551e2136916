#include "plugins/service/wire/model_nesting.h"

#include "common/control_flow.h"

#include <string.h>

/* How deep the bodies below each referenced subgraph nest, once that is known. */
#define NOT_KNOWN UINT8_MAX

struct nesting {
    const struct hy_model *model;
    uint8_t *depths; /* one per referenced subgraph */
};

/* Gives the depth below a subgraph, at most `room`; above that, `room` + 1. A circle is deeper than
 * any room. */
static uint32_t measure(struct nesting *nesting, const struct hy_subgraph *subgraph, uint32_t room)
{
    uint32_t depth = 0;

    for (uint32_t i = 0; i < subgraph->operand_count && depth <= room; i++) {
        if (subgraph->operands[i].lifetime != HY_LIFETIME_SUBGRAPH)
            continue;
        if (room == 0)
            return 1;
        const uint64_t body = subgraph->operands[i].location.offset;
        uint32_t below = nesting->depths[body];
        if (below == NOT_KNOWN)
            below = measure(nesting, nesting->model->referenced[body], room - 1);
        if (below <= room - 1)
            nesting->depths[body] = (uint8_t)below;
        if (below + 1 > depth)
            depth = below + 1;
    }
    return depth;
}

void hy_model_nesting_check(struct hy_unpack *in, const struct hy_model *model)
{
    const uint32_t count = model->referenced_count;

    if (!hy_unpack_good(in) || count == 0)
        return;
    struct nesting nesting = {.model = model, .depths = hy_arena_alloc(in->arena, count)};
    if (!nesting.depths) {
        in->code = hy_fail(in->err, HY_OUT_OF_MEMORY, "%s: %u subgraphs", in->what, count);
        return;
    }
    memset(nesting.depths, NOT_KNOWN, count);
    int is_deep = measure(&nesting, model->main, HY_CONTROL_FLOW_DEPTH) > HY_CONTROL_FLOW_DEPTH;
    for (uint32_t i = 0; i < count && !is_deep; i++)
        is_deep =
            nesting.depths[i] == NOT_KNOWN &&
            measure(&nesting, model->referenced[i], HY_CONTROL_FLOW_DEPTH) > HY_CONTROL_FLOW_DEPTH;
    if (is_deep)
        hy_unpack_fail(in, "bodies of control flow nest deeper than %u", HY_CONTROL_FLOW_DEPTH);
}
