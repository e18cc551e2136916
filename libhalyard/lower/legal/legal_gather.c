#include "libhalyard/lower/legal/legal_rules.h"

/* ---- GATHER ---------------------------------------------------------------------------------- */

/* A plain GATHER of slices around `axis`, by a vector of indices. */
static void gather_flat(struct hy_legaliser *legaliser, const struct hy_shape *from, uint32_t axis)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 1);
    const struct hy_shape shape = hy_legal_shape_of(&indices);
    const struct hy_shape around = hy_legal_around(from, axis);
    const struct hy_shape vector = {.rank = 1, .extents = {hy_legal_elements(&shape)}};
    const uint32_t tensor = hy_legal_reshape(legaliser, node->inputs[0], &around);
    const uint32_t list = hy_legal_reshape(legaliser, node->inputs[1], &vector);

    hy_legal_give(legaliser, hy_legal_gather(legaliser, tensor, 1, list, vector.extents[0]), 0);
}

/* Each batch has separate indices: in four dimensions, batches, dimensions before the axis, the
 * axis, dimensions after the axis. */
static void gather_batches(struct hy_legaliser *legaliser, const struct hy_shape *from,
                           uint32_t axis, uint32_t batch_dimensions)
{
    const union hy_attributes attributes = {.gather = {.axis = 2, .batch_dimensions = 1}};
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor tensor = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 1);
    const struct hy_shape list = hy_legal_shape_of(&indices);
    struct hy_shape flat = {.rank = 4, .extents = {1, 1, from->extents[axis], 1}};

    for (uint32_t i = 0; i < from->rank; i++)
        flat.extents[i < batch_dimensions ? 0
                     : i < axis           ? 1
                                          : 3] *= i == axis ? 1 : from->extents[i];
    const int32_t count = hy_legal_elements(&list) / flat.extents[0];
    const struct hy_shape lists = {.rank = 2, .extents = {flat.extents[0], count}};
    const uint32_t inputs[2] = {hy_legal_reshape(legaliser, node->inputs[0], &flat),
                                hy_legal_reshape(legaliser, node->inputs[1], &lists)};

    flat.extents[2] = count;
    hy_legal_give(
        legaliser,
        hy_legal_node(legaliser, HY_OPERATOR_GATHER, &attributes, inputs, 2, &tensor, &flat), 0);
}

bool hy_legalise_gather(struct hy_legaliser *legaliser)
{
    const struct hy_attributes_gather *attributes = &legaliser->node->attributes.gather;
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 1);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&from);
    int64_t batch = attributes->batch_dimensions;
    uint32_t axis;

    batch += batch < 0 ? (int64_t)indices.rank : 0;
    if (!hy_legal_axis(attributes->axis, from.rank, &axis) || batch < 0 || batch > (int64_t)axis ||
        batch > (int64_t)indices.rank)
        return false;
    if (from.rank <= HY_LEGAL_RANK && output.rank <= HY_LEGAL_RANK &&
        indices.rank <= HY_LEGAL_RANK && indices.rank > (uint32_t)batch && output.rank > 0)
        return false;
    if (batch == 0)
        gather_flat(legaliser, &shape, axis);
    else
        gather_batches(legaliser, &shape, axis, (uint32_t)batch);
    return true;
}

/* ---- EMBEDDING_LOOKUP ------------------------------------------------------------------------ */

bool hy_legalise_embedding_lookup(struct hy_legaliser *legaliser)
{
    const union hy_attributes axis = {.gather = {.axis = 0}};
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor keys = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor table = hy_legal_input(legaliser, 1);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);

    if (keys.rank == 1 && table.rank <= 4)
        return false;
    if (table.element != output.element || table.rank == 0)
        return false;
    hy_legal_emit(legaliser, HY_OPERATOR_GATHER, &axis,
                  (const uint32_t[]){node->inputs[1], node->inputs[0]}, 2, node->outputs[0]);
    return true;
}
