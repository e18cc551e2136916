#include "libhalyard/graph/constant.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

enum {
    MOST_GATHERED = 1 << 20
}; /* indices that the model holds, which no bytes of the file bound */

/*
 * CUMSUM in logarithmically many steps: after k of them each element is the sum of the 2^k elements
 * that end at it, and adding the tensor moved by 2^k makes that 2^(k + 1). int32 sums wrap around
 * as TensorFlow Lite's; float sums are rounded less often.
 */
struct walk {
    uint32_t axis;
    int32_t count; /* elements along the axis */
    bool reverse;
    const struct hy_graph_tensor *like;
};

/* Floats that are moved in are zeros around a SLICE. */
static uint32_t moved_reals(struct hy_lowering *lowering, uint32_t from, int32_t by,
                            const struct walk *walk)
{
    const struct hy_graph_tensor numbers = {.element = HY_ELEMENT_INT32};
    const uint32_t extents[] = {walk->like->rank, 2};
    int32_t begin[HY_GRAPH_MAX_RANK] = {0}, around[2 * HY_GRAPH_MAX_RANK] = {0};
    struct hy_graph_tensor kept = *walk->like;

    kept.extents[walk->axis] = walk->count - by;
    begin[walk->axis] = walk->reverse ? by : 0;
    around[2 * walk->axis + walk->reverse] = by;
    const uint32_t part = hy_emit_slice(lowering, from, begin, &kept);
    const uint32_t result = hy_temporary_operand(lowering, walk->like);
    hy_push(lowering, part);
    hy_push(lowering, hy_constant_operand_like(lowering, &numbers, 2, extents, around,
                                               2 * walk->like->rank * sizeof *around));
    hy_emit_to(lowering, ANEURALNETWORKS_PAD, result);
    return result;
}

/* NNAPI pads no integers: elements are gathered, and those that are moved in multiplied by 0. */
static uint32_t moved_integers(struct hy_lowering *lowering, uint32_t from, int32_t by,
                               const struct walk *walk)
{
    const struct hy_graph_tensor numbers = {.element = HY_ELEMENT_INT32};
    const uint32_t count = (uint32_t)walk->count;
    uint32_t extents[HY_GRAPH_MAX_RANK];

    hy_expect(lowering, walk->count <= MOST_GATHERED, "a sum of this many integers");
    if (lowering->code != HY_OK)
        return 0;
    int32_t *places = hy_scratch_memory(lowering, 2 * (uint64_t)count, sizeof *places);
    if (!places)
        return 0;
    int32_t *kept = places + count;
    for (int32_t i = 0; i < walk->count; i++) {
        const int32_t place = walk->reverse ? i + by : i - by;
        kept[i] = place >= 0 && place < walk->count;
        places[i] = kept[i] ? place : 0;
    }
    for (uint32_t i = 0; i < walk->like->rank; i++)
        extents[i] = i == walk->axis ? count : 1;
    const uint32_t gathered = hy_temporary_operand(lowering, walk->like);
    hy_push(lowering, from);
    hy_push_int(lowering, (int32_t)walk->axis);
    hy_push_ints(lowering, places, count);
    hy_emit_to(lowering, ANEURALNETWORKS_GATHER, gathered);
    return hy_emit_binary(lowering, ANEURALNETWORKS_MUL, gathered,
                          hy_constant_operand_like(lowering, &numbers, walk->like->rank, extents,
                                                   kept, count * sizeof *kept),
                          walk->like);
}

static uint32_t moved(struct hy_lowering *lowering, uint32_t from, int32_t by,
                      const struct walk *walk)
{
    return hy_is_integer(walk->like) ? moved_integers(lowering, from, by, walk)
                                     : moved_reals(lowering, from, by, walk);
}

void hy_lower_cumsum(struct hy_lowering *lowering)
{
    const struct hy_attributes_cumsum *attributes = &lowering->node->attributes.cumsum;
    const struct hy_graph_tensor *like = hy_output(lowering, 0);
    int64_t axis = 0;
    const bool known = hy_constant_int(hy_input(lowering, 1), &axis) && axis < like->rank &&
                       axis >= -(int64_t)like->rank;

    hy_expect(lowering, known, "an axis that is known only at run time, or beyond the rank");
    if (lowering->code != HY_OK)
        return;
    const uint32_t at = (uint32_t)(axis < 0 ? axis + like->rank : axis);
    const struct walk walk = {at, like->extents[at], attributes->reverse, like};
    hy_expect(lowering, walk.count > 0, "a dimension that is empty or known only at run time");
    uint32_t sum = hy_input_operand(lowering, 0);
    if (attributes->exclusive && walk.count > 1)
        sum = moved(lowering, sum, 1, &walk);
    for (int64_t by = 1; lowering->code == HY_OK && by < walk.count; by *= 2)
        sum = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, sum,
                             moved(lowering, sum, (int32_t)by, &walk), like);
    if (attributes->exclusive && walk.count == 1)
        sum = hy_emit_binary(lowering, ANEURALNETWORKS_SUB, sum, sum, like);
    hy_emit_output_reshape(lowering, sum);
}
