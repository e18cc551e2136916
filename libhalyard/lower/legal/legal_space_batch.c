#include "libhalyard/lower/legal/legal_rules.h"

/* Blocks of images, [batch, height, width, channels]: NNAPI knows no images of one dimension. */

/* The block, and the paddings or crops, of one or two dimensions, in the terms of two. */
struct blocks {
    int32_t size[2];
    int32_t edges[4];
};

static bool read_blocks(const struct hy_legaliser *legaliser, struct blocks *blocks)
{
    int64_t size[2], edges[4];
    const int64_t count = hy_legal_numbers(legaliser, 1, size, 2);

    if (count < 1 || hy_legal_numbers(legaliser, 2, edges, 4) != 2 * count ||
        hy_legal_input(legaliser, 0).rank != 2 + (uint32_t)count)
        return false;
    *blocks = (struct blocks){.size = {1, 1}};
    for (int64_t i = 0; i < count; i++) {
        if (size[i] < 1 || size[i] > INT32_MAX)
            return false;
        blocks->size[i] = (int32_t)size[i];
    }
    for (int64_t i = 0; i < 2 * count; i++) {
        if (edges[i] < 0 || edges[i] > INT32_MAX)
            return false;
        blocks->edges[i] = (int32_t)edges[i];
    }
    return true;
}

/* The padded image `whole` is dealt over the images of `parts`. */
static bool fits(const struct hy_graph_tensor *whole, const struct hy_graph_tensor *parts,
                 const struct blocks *blocks)
{
    int64_t images = whole->extents[0];

    if (whole->rank != parts->rank)
        return false;
    for (size_t i = 0; i + 2 < whole->rank; i++) {
        const int64_t extent =
            (int64_t)whole->extents[1 + i] + blocks->edges[2 * i] + blocks->edges[2 * i + 1];
        if (extent > INT32_MAX || parts->extents[1 + i] * (int64_t)blocks->size[i] != extent)
            return false;
        images *= blocks->size[i];
        if (images > INT32_MAX)
            return false;
    }
    return images == parts->extents[0];
}

/* [batch, length, channels] as an image of one column. */
static struct hy_shape as_image(const struct hy_graph_tensor *tensor)
{
    struct hy_shape shape = hy_legal_shape_of(tensor);
    if (shape.rank == 3) {
        shape.extents[3] = shape.extents[2];
        shape.extents[2] = 1;
        shape.rank = 4;
    }
    return shape;
}

static void emit_as_images(struct hy_legaliser *legaliser, const struct blocks *blocks)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    const struct hy_shape before = as_image(&from), after = as_image(&to);
    const struct hy_shape rows = {.rank = 2, .extents = {2, 2}};
    int32_t *edges = hy_legal_memory(legaliser, 4, sizeof *edges);

    for (int i = 0; edges && i < 4; i++)
        edges[i] = blocks->edges[i];
    const uint32_t inputs[3] = {hy_legal_reshape(legaliser, node->inputs[0], &before),
                                hy_legal_ints(legaliser, blocks->size, 2),
                                hy_legal_int_tensor(legaliser, &rows, edges)};
    hy_legal_give(legaliser,
                  hy_legal_node(legaliser, node->operator_, NULL, inputs, 3, &from, &after), 0);
}

bool hy_legalise_space_to_batch(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    struct blocks blocks;

    if (from.rank != 3 || !read_blocks(legaliser, &blocks) || !fits(&from, &to, &blocks))
        return false;
    emit_as_images(legaliser, &blocks);
    return true;
}

bool hy_legalise_batch_to_space(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    struct blocks blocks;

    if (from.rank != 3 || !read_blocks(legaliser, &blocks) || !fits(&to, &from, &blocks))
        return false;
    emit_as_images(legaliser, &blocks);
    return true;
}
