#include "tests/unit/libhalyard/kit/random_image_graph.h"

#include "common/random.h"
#include "libhalyard/graph/shapes/shapes.h"

enum { MAX_IMAGES = 40, NODES = 14 };

struct drawing {
    struct hy_drawn_graph *drawn;
    enum hy_element element;
    struct hy_random random;
    uint32_t images[MAX_IMAGES]; /* tensors of rank 4 that may be read */
    uint32_t count;
};

static uint32_t pick(struct drawing *drawing, uint32_t count)
{
    return hy_random_below(&drawing->random, count);
}

static bool is_real(const struct drawing *drawing)
{
    return drawing->element == HY_ELEMENT_FLOAT32;
}

static const struct hy_graph_tensor *tensor_of(const struct drawing *drawing, uint32_t tensor)
{
    return &drawing->drawn->graph.tensors[tensor];
}

/* The last node gets its shape, and the quantisation of `like`. */
static uint32_t finish(struct drawing *drawing, uint32_t output, uint32_t like)
{
    struct hy_graph *graph = &drawing->drawn->graph;
    graph->tensors[output].quantisation = graph->tensors[like].quantisation;
    hy_graph_infer_shapes(graph, &graph->nodes[graph->node_count - 1]);
    return output;
}

static uint32_t draw(struct drawing *drawing, enum hy_operator operator_,
                     const union hy_attributes *attributes, uint32_t count, const uint32_t *inputs)
{
    return finish(
        drawing,
        hy_draw_node(drawing->drawn, operator_, attributes, drawing->element, count, inputs),
        inputs[0]);
}

static void rescale(struct drawing *drawing, uint32_t tensor)
{
    if (!is_real(drawing))
        hy_draw_scale(drawing->drawn, tensor, 0.25f + 0.25f * (float)pick(drawing, 4),
                      (int32_t)(96 + pick(drawing, 64)));
}

static uint32_t draw_floats(struct drawing *drawing, const int32_t *extents, uint32_t count)
{
    float numbers[512];
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = ((float)pick(drawing, 33) - 16.0f) / 16.0f;
    return hy_draw_floats(drawing->drawn, extents, numbers);
}

static uint32_t draw_weights(struct drawing *drawing, const int32_t *extents, uint32_t count)
{
    uint8_t numbers[512];
    if (is_real(drawing))
        return draw_floats(drawing, extents, count);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = (uint8_t)pick(drawing, 256);
    return hy_draw_scale(drawing->drawn, hy_draw_bytes(drawing->drawn, extents, numbers),
                         0.0078125f, 128);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static union hy_attributes window(struct drawing *drawing)
{
    return (union hy_attributes){
        .conv = {.padding = pick(drawing, 2) ? HY_PADDING_SAME : HY_PADDING_VALID,
                 .stride_width = 1 + (int32_t)pick(drawing, 2),
                 .stride_height = 1,
                 .dilation_width = 1,
                 .dilation_height = 1}};
}

static uint32_t draw_conv(struct drawing *drawing, uint32_t image)
{
    const struct hy_graph_tensor *from = tensor_of(drawing, image);
    const int32_t side = from->extents[1] >= 3 && from->extents[2] >= 3 && pick(drawing, 2) ? 3 : 1;
    const int32_t channels = from->extents[3];
    const union hy_attributes attributes = window(drawing);
    const uint32_t filter = draw_weights(drawing, HY_EXTENTS(3, side, side, channels),
                                         (uint32_t)(3 * side * side * channels));
    const bool has_bias = is_real(drawing) && pick(drawing, 2);
    const uint32_t inputs[] = {image, filter,
                               has_bias ? draw_floats(drawing, HY_EXTENTS(3), 3) : 0};
    const uint32_t output =
        draw(drawing, HY_OPERATOR_CONV_2D, &attributes, has_bias ? 3 : 2, inputs);
    rescale(drawing, output);
    return output;
}

static uint32_t draw_depthwise(struct drawing *drawing, uint32_t image)
{
    const struct hy_graph_tensor *from = tensor_of(drawing, image);
    const int32_t height = from->extents[1] >= 2 ? 2 : 1;
    const int32_t channels = from->extents[3];
    const union hy_attributes attributes = window(drawing);
    const uint32_t filter =
        draw_weights(drawing, HY_EXTENTS(1, height, 1, channels), (uint32_t)(height * channels));
    const uint32_t output =
        draw(drawing, HY_OPERATOR_DEPTHWISE_CONV_2D, &attributes, HY_INPUTS(image, filter));
    rescale(drawing, output);
    return output;
}

static uint32_t draw_pad(struct drawing *drawing, uint32_t image)
{
    const int32_t numbers[8] = {0,
                                0,
                                (int32_t)pick(drawing, 2),
                                (int32_t)pick(drawing, 2),
                                (int32_t)pick(drawing, 2),
                                (int32_t)pick(drawing, 2)};
    const uint32_t paddings = hy_draw_ints(drawing->drawn, 8, numbers);
    struct hy_graph_tensor *tensor = &drawing->drawn->graph.tensors[paddings];
    tensor->rank = 2;
    tensor->extents[0] = 4;
    tensor->extents[1] = 2;
    return draw(drawing, HY_OPERATOR_PAD, NULL, HY_INPUTS(image, paddings));
}

static uint32_t draw_scaled(struct drawing *drawing, uint32_t image)
{
    static const enum hy_operator operators[] = {HY_OPERATOR_MUL, HY_OPERATOR_ADD, HY_OPERATOR_SUB};
    const int32_t channels = pick(drawing, 3) ? tensor_of(drawing, image)->extents[3] : 1;
    const union hy_attributes attributes = {
        .binary.activation = pick(drawing, 3) ? HY_ACTIVATION_NONE : HY_ACTIVATION_RELU};
    const uint32_t constant =
        pick(drawing, 2) ? draw_weights(drawing, HY_EXTENTS(channels), (uint32_t)channels)
                         : draw_weights(drawing, HY_EXTENTS(1, 1, channels), (uint32_t)channels);
    const enum hy_operator operator_ = operators[pick(drawing, 3)];
    const uint32_t output = operator_ != HY_OPERATOR_SUB && pick(drawing, 2)
                                ? draw(drawing, operator_, &attributes, HY_INPUTS(constant, image))
                                : draw(drawing, operator_, &attributes, HY_INPUTS(image, constant));
    rescale(drawing, output);
    return output;
}

static uint32_t draw_activation(struct drawing *drawing, uint32_t image)
{
    static const enum hy_operator operators[] = {HY_OPERATOR_RELU, HY_OPERATOR_RELU1,
                                                 HY_OPERATOR_RELU6};
    return draw(drawing, operators[pick(drawing, 3)], NULL, HY_INPUTS(image));
}

static uint32_t draw_transpose(struct drawing *drawing, uint32_t image)
{
    static const int32_t orders[][4] = {{0, 2, 1, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {0, 1, 2, 3}};
    const uint32_t order = hy_draw_ints(drawing->drawn, 4, orders[pick(drawing, 4)]);
    return draw(drawing, HY_OPERATOR_TRANSPOSE, NULL, HY_INPUTS(image, order));
}

/* To a vector and back, or to another image of as many elements. */
static uint32_t draw_reshape(struct drawing *drawing, uint32_t image)
{
    const struct hy_graph_tensor *from = tensor_of(drawing, image);
    const int32_t flat[] = {-1};
    const int32_t shape[] = {from->extents[0], from->extents[2], -1, from->extents[3]};
    uint32_t x = image;
    if (pick(drawing, 2))
        x = draw(drawing, HY_OPERATOR_RESHAPE, NULL,
                 HY_INPUTS(x, hy_draw_ints(drawing->drawn, 1, flat)));
    return draw(drawing, HY_OPERATOR_RESHAPE, NULL,
                HY_INPUTS(x, hy_draw_ints(drawing->drawn, 4, shape)));
}

static uint32_t draw_pool(struct drawing *drawing, uint32_t image)
{
    const union hy_attributes attributes = {.pool = {.padding = HY_PADDING_SAME,
                                                     .stride_width = 1,
                                                     .stride_height = 1,
                                                     .filter_width = 2,
                                                     .filter_height = 2}};
    return draw(drawing, pick(drawing, 2) ? HY_OPERATOR_MAX_POOL_2D : HY_OPERATOR_AVERAGE_POOL_2D,
                &attributes, HY_INPUTS(image));
}

/* To reals and back, of uint8; of float32 a sum with itself. */
static uint32_t draw_through_float(struct drawing *drawing, uint32_t image)
{
    if (is_real(drawing))
        return draw(drawing, HY_OPERATOR_ADD, NULL, HY_INPUTS(image, image));
    const uint32_t real =
        hy_draw_node(drawing->drawn, HY_OPERATOR_DEQUANTIZE, NULL, HY_ELEMENT_FLOAT32, 1, &image);
    hy_graph_infer_shapes(&drawing->drawn->graph,
                          &drawing->drawn->graph.nodes[drawing->drawn->graph.node_count - 1]);
    const uint32_t again =
        hy_draw_node(drawing->drawn, HY_OPERATOR_QUANTIZE, NULL, drawing->element, 1, &real);
    finish(drawing, again, image);
    if (pick(drawing, 3) == 0)
        rescale(drawing, again);
    return again;
}

static uint32_t draw_any(struct drawing *drawing, uint32_t image)
{
    static uint32_t (*const kinds[])(struct drawing *, uint32_t) = {
        draw_conv,       draw_depthwise,  draw_pad,          draw_scaled,
        draw_activation, draw_transpose,  draw_reshape,      draw_pool,
        draw_scaled,     draw_activation, draw_through_float};
    return kinds[pick(drawing, sizeof kinds / sizeof *kinds)](drawing, image);
}

/* Mostly the newest image, so that chains form. */
static uint32_t any_image(struct drawing *drawing)
{
    return drawing->images[pick(drawing, 4) ? drawing->count - 1 : pick(drawing, drawing->count)];
}

void hy_draw_random_images(struct hy_drawn_graph *drawn, enum hy_element element, uint64_t seed)
{
    struct drawing drawing = {.drawn = drawn, .element = element, .random = {seed}};
    uint32_t outputs[3];
    uint32_t output_count = 0;

    drawing.images[drawing.count++] = hy_draw_tensor(
        drawn, element,
        HY_EXTENTS(1, 3 + (int32_t)pick(&drawing, 4), 3 + (int32_t)pick(&drawing, 4), 2));
    rescale(&drawing, drawing.images[0]);
    hy_draw_inputs(drawn, 1, drawing.images);
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t from = any_image(&drawing);
        const struct hy_random random = drawing.random;
        drawing.images[drawing.count++] = draw_any(&drawing, from);
        if (pick(&drawing, 5) == 0) { /* the same node once more */
            const struct hy_random next = drawing.random;
            drawing.random = random;
            drawing.images[drawing.count++] = draw_any(&drawing, from);
            drawing.random = next;
        }
    }
    outputs[output_count++] = drawing.images[drawing.count - 1];
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t tensor = drawing.images[1 + pick(&drawing, drawing.count - 2)];
        if (tensor != outputs[0] && (output_count == 1 || tensor != outputs[1]))
            outputs[output_count++] = tensor;
    }
    hy_draw_outputs(drawn, output_count, outputs);
}
