#include "libhalyard/lower/legal/legal_rules.h"

/* Blocks of images, [batch, height, width, channels]: NNAPI moves no integers, and knows no images
 * of one dimension. */

/* An image whose rows and columns are cut into blocks: how far elements of one place lie apart. */
struct cut {
    int64_t image, block_row, row, block, column;
};

static struct cut cut_image(const struct hy_graph_tensor *image, int64_t height, int64_t width)
{
    const int64_t channels = image->extents[3], columns = image->extents[2];
    return (struct cut){.image = image->extents[1] * columns * channels,
                        .block_row = height * columns * channels,
                        .row = columns * channels,
                        .block = width * channels,
                        .column = channels};
}

/* The channels of `deep` are blocks of the image `wide`. */
static bool has_blocks(const struct hy_graph_tensor *deep, const struct hy_graph_tensor *wide,
                       int64_t size)
{
    return deep->rank == 4 && wide->rank == 4 && size > 0 && deep->extents[0] == wide->extents[0] &&
           deep->extents[1] * size == wide->extents[1] &&
           deep->extents[2] * size == wide->extents[2] &&
           deep->extents[3] % wide->extents[3] == 0 &&
           deep->extents[3] / wide->extents[3] == size * size;
}

bool hy_legalise_space_to_depth(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    const int32_t size = legaliser->node->attributes.block.size;

    if (!hy_is_integer(&from) || !has_blocks(&to, &from, size))
        return false;
    const struct cut cut = cut_image(&from, size, size);
    const struct hy_rearrangement places = {
        .rank = 6,
        .extents = {from.extents[0], to.extents[1], to.extents[2], size, size, from.extents[3]},
        .strides = {cut.image, cut.block_row, cut.block, cut.row, cut.column, 1}};
    hy_legal_give(legaliser, hy_legal_rearrange(legaliser, legaliser->node->inputs[0], &places), 0);
    return true;
}

/* Channels are [row, column, channel]. */
bool hy_legalise_depth_to_space(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    const int32_t size = legaliser->node->attributes.block.size;

    if (!hy_is_integer(&from) || !has_blocks(&from, &to, size))
        return false;
    const struct cut cut = cut_image(&from, 1, 1);
    const int64_t channels = to.extents[3];
    const struct hy_rearrangement places = {
        .rank = 6,
        .extents = {from.extents[0], from.extents[1], size, from.extents[2], size, to.extents[3]},
        .strides = {cut.image, cut.row, size * channels, cut.column, channels, 1}};
    hy_legal_give(legaliser, hy_legal_rearrange(legaliser, legaliser->node->inputs[0], &places), 0);
    return true;
}

/* ---- Batches --------------------------------------------------------------------------------- */

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
    for (uint32_t i = 0; i + 2 < whole->rank; i++) {
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

/* Padded integers, whose batches are [block row, block column, batch]. */
static void space_to_batch_of_integers(struct hy_legaliser *legaliser, const struct blocks *blocks)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    const struct hy_shape rows = {.rank = 2, .extents = {4, 2}};
    struct hy_graph_tensor padded = from;
    int32_t *paddings = hy_legal_memory(legaliser, 8, sizeof *paddings);

    for (int i = 0; paddings && i < 4; i++)
        paddings[2 + i] = blocks->edges[i];
    for (int i = 0; i < 2; i++)
        padded.extents[1 + i] += blocks->edges[2 * i] + blocks->edges[2 * i + 1];
    const struct hy_shape shape = hy_legal_shape_of(&padded);
    const uint32_t inputs[2] = {legaliser->node->inputs[0],
                                hy_legal_int_tensor(legaliser, &rows, paddings)};
    const uint32_t image =
        hy_legal_node(legaliser, HY_OPERATOR_PAD, NULL, inputs, 2, &from, &shape);
    const struct cut cut = cut_image(&padded, blocks->size[0], blocks->size[1]);
    const struct hy_rearrangement places = {
        .rank = 6,
        .extents = {blocks->size[0], blocks->size[1], from.extents[0], to.extents[1], to.extents[2],
                    from.extents[3]},
        .strides = {cut.row, cut.column, cut.image, cut.block_row, cut.block, 1}};
    hy_legal_give(legaliser, hy_legal_rearrange(legaliser, image, &places), 0);
}

bool hy_legalise_space_to_batch(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    struct blocks blocks;

    if (!read_blocks(legaliser, &blocks) || !fits(&from, &to, &blocks))
        return false;
    if (from.rank == 3)
        emit_as_images(legaliser, &blocks);
    else if (hy_is_integer(&from))
        space_to_batch_of_integers(legaliser, &blocks);
    else
        return false;
    return true;
}

/* Whole images of integers, from batches of [block row, block column, batch], and a SLICE. */
static void batch_to_space_of_integers(struct hy_legaliser *legaliser, const struct blocks *blocks)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    const struct cut cut = cut_image(&from, 1, 1);
    const int32_t begin[4] = {0, blocks->edges[0], blocks->edges[2], 0};
    const int32_t height = blocks->size[0], width = blocks->size[1];
    const int64_t batch = to.extents[0] * cut.image;
    struct hy_shape whole = hy_legal_shape_of(&to);

    whole.extents[1] = from.extents[1] * height;
    whole.extents[2] = from.extents[2] * width;
    const struct hy_rearrangement places = {
        .rank = 6,
        .extents = {to.extents[0], from.extents[1], height, from.extents[2], width,
                    from.extents[3]},
        .strides = {cut.image, cut.row, width * batch, cut.column, batch, 1}};
    const uint32_t moved = hy_legal_rearrange(legaliser, node->inputs[0], &places);
    const uint32_t inputs[3] = {hy_legal_reshape(legaliser, moved, &whole),
                                hy_legal_ints(legaliser, begin, 4),
                                hy_legal_ints(legaliser, to.extents, 4)};
    hy_legal_emit(legaliser, HY_OPERATOR_SLICE, NULL, inputs, 3, node->outputs[0]);
}

bool hy_legalise_batch_to_space(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor to = hy_legal_output(legaliser, 0);
    struct blocks blocks;

    if (!read_blocks(legaliser, &blocks) || !fits(&to, &from, &blocks))
        return false;
    if (from.rank == 3)
        emit_as_images(legaliser, &blocks);
    else if (hy_is_integer(&from))
        batch_to_space_of_integers(legaliser, &blocks);
    else
        return false;
    return true;
}
