/* The shapes of IF and WHILE, inferred from the shapes of their bodies. */
#include <string.h>

#include "libhalyard/graph/shapes/shape_rules.h"
#include "libhalyard/graph/shapes/shapes.h"

/* ---- Bodies ---------------------------------------------------------------------------------- */

static void copy_shape(const struct hy_graph_tensor *from, struct hy_graph_tensor *to)
{
    to->rank = from->rank;
    memcpy(to->extents, from->extents, sizeof to->extents);
}

static struct hy_graph_tensor *input_of(struct hy_graph *body, uint32_t index)
{
    return &body->tensors[body->inputs[index]];
}

static const struct hy_graph_tensor *output_of(const struct hy_graph *body, uint32_t index)
{
    return &body->tensors[body->outputs[index]];
}

/* Gives a body the shapes of inputs of the node, from `first` on. */
static void give_inputs(const struct hy_shaping *shaping, uint32_t first, struct hy_graph *body)
{
    for (uint32_t i = 0; i < body->input_count; i++)
        copy_shape(&shaping->graph->tensors[shaping->node->inputs[first + i]], input_of(body, i));
}

static void infer_all(struct hy_graph *body)
{
    for (uint32_t i = 0; i < body->node_count; i++)
        hy_graph_infer_shapes(body, &body->nodes[i]);
}

/* Makes extents unknown if they differ; false if none differs. Shapes of different ranks stay. */
static bool widen(struct hy_graph_tensor *tensor, const struct hy_graph_tensor *other)
{
    bool differs = false;
    for (uint32_t i = 0; tensor->rank == other->rank && i < tensor->rank; i++) {
        if (tensor->extents[i] == other->extents[i] || tensor->extents[i] == HY_UNKNOWN_EXTENT)
            continue;
        tensor->extents[i] = HY_UNKNOWN_EXTENT;
        differs = true;
    }
    return differs;
}

/* Unlike hy_shaping_give also for unknown extents. */
static void give(const struct hy_shaping *shaping, uint32_t output,
                 const struct hy_graph_tensor *from)
{
    copy_shape(from, &shaping->graph->tensors[shaping->node->outputs[output]]);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

void hy_shape_if(struct hy_shaping *shaping)
{
    const struct hy_attributes_branches *branches = &shaping->node->attributes.branches;
    struct hy_graph *bodies[2] = {shaping->graph->bodies[branches->then_body],
                                  shaping->graph->bodies[branches->else_body]};

    for (int i = 0; i < 2; i++) {
        give_inputs(shaping, 1, bodies[i]);
        infer_all(bodies[i]);
    }
    for (uint32_t i = 0; i < shaping->node->output_count; i++) {
        struct hy_graph_tensor either = *output_of(bodies[0], i);
        widen(&either, output_of(bodies[1], i));
        give(shaping, i, &either);
    }
}

/* Rounds until a loop is given up on telling extents of what changes. */
enum { MOST_ROUNDS = 3 };

/* Makes extents unknown if an iteration changes them; false if no extent changes. */
static bool widen_inputs(struct hy_graph *body)
{
    bool changes = false;
    for (uint32_t i = 0; i < body->output_count; i++)
        changes |= widen(input_of(body, i), output_of(body, i));
    return changes;
}

static void clear_inputs(struct hy_graph *body)
{
    for (uint32_t i = 0; i < body->output_count; i++) {
        struct hy_graph_tensor *input = input_of(body, i);
        for (uint32_t j = 0; j < input->rank; j++)
            input->extents[j] = HY_UNKNOWN_EXTENT;
    }
}

/* The shapes that hold in every iteration. */
void hy_shape_while(struct hy_shaping *shaping)
{
    const struct hy_attributes_loop *loop = &shaping->node->attributes.loop;
    struct hy_graph *condition = shaping->graph->bodies[loop->condition];
    struct hy_graph *body = shaping->graph->bodies[loop->body];

    give_inputs(shaping, 0, body);
    infer_all(body);
    for (int round = 1; widen_inputs(body); round++) {
        if (round == MOST_ROUNDS)
            clear_inputs(body);
        infer_all(body);
    }
    for (uint32_t i = 0; i < condition->input_count; i++)
        copy_shape(input_of(body, i), input_of(condition, i));
    infer_all(condition);
    for (uint32_t i = 0; i < shaping->node->output_count; i++)
        give(shaping, i, input_of(body, i));
}
