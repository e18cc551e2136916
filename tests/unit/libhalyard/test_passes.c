/* What becomes of nodes before a graph is lowered: one test for each pass that applies, and for
 * what keeps the pass from applying. */
#include "tests/kit/test.h"

#include "libhalyard/graph/passes/passes.h"
#include "tests/unit/libhalyard/kit/drawn_graph.h"

#define F HY_ELEMENT_FLOAT32
#define I HY_ELEMENT_INT32
#define U HY_ELEMENT_UINT8

static void run_passes(struct hy_drawn_graph *drawn)
{
    struct hy_error err = {0};
    const enum hy_code code = hy_graph_run_passes(&drawn->graph, &err);
    if (code != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
}

/* The operators that are left, in their order. */
static void expect_operators(const struct hy_drawn_graph *drawn, uint32_t count,
                             const enum hy_operator *operators, int line)
{
    if (drawn->graph.node_count != count)
        hy_test_fail(__FILE__, line, "%u nodes, expected %u", drawn->graph.node_count, count);
    for (uint32_t i = 0; i < count && i < drawn->graph.node_count; i++) {
        const enum hy_operator found = drawn->graph.nodes[i].operator_;
        if (found != operators[i])
            hy_test_fail(__FILE__, line, "node %u is %s, expected %s", i, hy_operator_name(found),
                         hy_operator_name(operators[i]));
        else
            hy_test_pass(__FILE__, line);
    }
}

#define expect_operators(drawn, ...) \
    expect_operators(drawn, \
                     sizeof((const enum hy_operator[]){__VA_ARGS__}) / sizeof(enum hy_operator), \
                     (const enum hy_operator[]){__VA_ARGS__}, __LINE__)

static uint32_t draw_image(struct hy_drawn_graph *drawn)
{
    const uint32_t image = hy_draw_tensor(drawn, F, HY_EXTENTS(1, 4, 6, 2));
    hy_draw_inputs(drawn, 1, &image);
    return image;
}

static uint32_t draw_unary(struct hy_drawn_graph *drawn, enum hy_operator operator_, uint32_t from)
{
    return hy_draw_node(drawn, operator_, NULL, F, HY_INPUTS(from));
}

static uint32_t draw_binary(struct hy_drawn_graph *drawn, enum hy_operator operator_, uint32_t a,
                            uint32_t b)
{
    return hy_draw_node(drawn, operator_, NULL, F, HY_INPUTS(a, b));
}

static uint32_t draw_transpose(struct hy_drawn_graph *drawn, uint32_t from, const int32_t *order)
{
    return draw_binary(drawn, HY_OPERATOR_TRANSPOSE, from, hy_draw_ints(drawn, 4, order));
}

static uint32_t draw_reshape(struct hy_drawn_graph *drawn, uint32_t from, uint32_t rank,
                             const int32_t *extents)
{
    return draw_binary(drawn, HY_OPERATOR_RESHAPE, from, hy_draw_ints(drawn, rank, extents));
}

/* A 1 x 1 convolution from 2 to 2 channels, with a bias or without. */
static uint32_t draw_conv(struct hy_drawn_graph *drawn, uint32_t image,
                          enum hy_activation activation, bool has_bias)
{
    static const float weights[] = {1, 2, 3, 4}, bias[] = {10, 20};
    const union hy_attributes attributes = {.conv = {.padding = HY_PADDING_VALID,
                                                     .stride_width = 1,
                                                     .stride_height = 1,
                                                     .dilation_width = 1,
                                                     .dilation_height = 1,
                                                     .activation = activation}};
    const uint32_t inputs[] = {image, hy_draw_floats(drawn, HY_EXTENTS(2, 1, 1, 2), weights),
                               has_bias ? hy_draw_floats(drawn, HY_EXTENTS(2), bias) : 0};
    return hy_draw_node(drawn, HY_OPERATOR_CONV_2D, &attributes, F, has_bias ? 3 : 2, inputs);
}

/* A 3 x 3 convolution. */
static uint32_t draw_window(struct hy_drawn_graph *drawn, uint32_t image, enum hy_padding padding,
                            int32_t stride)
{
    static const float weights[2 * 3 * 3 * 2] = {1};
    const union hy_attributes attributes = {.conv = {.padding = padding,
                                                     .stride_width = stride,
                                                     .stride_height = stride,
                                                     .dilation_width = 1,
                                                     .dilation_height = 1}};
    const uint32_t filter = hy_draw_floats(drawn, HY_EXTENTS(2, 3, 3, 2), weights);
    return hy_draw_node(drawn, HY_OPERATOR_CONV_2D, &attributes, F, HY_INPUTS(image, filter));
}

static uint32_t draw_pad(struct hy_drawn_graph *drawn, uint32_t image, const int32_t paddings[8])
{
    const uint32_t numbers = hy_draw_ints(drawn, 8, paddings);
    return draw_binary(drawn, HY_OPERATOR_PAD, image, numbers);
}

static const struct hy_graph_tensor *input_of(const struct hy_drawn_graph *drawn, uint32_t node,
                                              uint32_t input)
{
    const uint32_t tensor = hy_graph_node_input(&drawn->graph.nodes[node], input);
    EXPECT(tensor != HY_NO_TENSOR);
    return &drawn->graph.tensors[tensor != HY_NO_TENSOR ? tensor : 0];
}

static void expect_floats(const struct hy_graph_tensor *tensor, uint32_t count,
                          const float *numbers)
{
    REQUIRE(tensor->data != NULL);
    EXPECT_INT(tensor->bytes, count * sizeof *numbers);
    EXPECT(memcmp(tensor->data, numbers, count * sizeof *numbers) == 0);
}

/* ---- Cancelling ------------------------------------------------------------------------------ */

TEST(passes, transposes_become_one)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t first[] = {0, 3, 1, 2}, second[] = {1, 3, 0, 2};
    const uint32_t image = draw_image(&drawn);
    const uint32_t y = draw_transpose(&drawn, draw_transpose(&drawn, image, first), second);
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_TRANSPOSE);
    EXPECT_INT(drawn.graph.nodes[0].inputs[0], image);
    /* Dimension 0 of the result is dimension 1 of the middle, which is 3 of the image, and so on.
     */
    hy_expect_ints(&drawn, drawn.graph.nodes[0].inputs[1], 4, (const int64_t[]){3, 2, 0, 1},
                   __LINE__);
    hy_expect_extents(&drawn, y, HY_EXTENTS(2, 6, 1, 4), __LINE__);
    hy_draw_finish(&drawn);
}

TEST(passes, transposes_that_cancel_leave_nothing)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t there[] = {0, 3, 1, 2}, back[] = {0, 2, 3, 1};
    const uint32_t image = draw_image(&drawn);
    const uint32_t same = draw_transpose(&drawn, draw_transpose(&drawn, image, there), back);
    const uint32_t y = draw_unary(&drawn, HY_OPERATOR_TANH, same);
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_TANH);
    EXPECT_INT(drawn.graph.nodes[0].inputs[0], image);
    hy_draw_finish(&drawn);
}

TEST(passes, a_transpose_with_another_reader_stays_for_that_reader)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t there[] = {0, 3, 1, 2}, back[] = {0, 2, 3, 1};
    const uint32_t image = draw_image(&drawn);
    const uint32_t middle = draw_transpose(&drawn, image, there);
    const uint32_t y = draw_unary(&drawn, HY_OPERATOR_TANH, draw_transpose(&drawn, middle, back));
    const uint32_t z = draw_unary(&drawn, HY_OPERATOR_EXP, middle);
    hy_draw_outputs(&drawn, HY_INPUTS(y, z));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_TRANSPOSE, HY_OPERATOR_TANH, HY_OPERATOR_EXP);
    EXPECT_INT(drawn.graph.nodes[1].inputs[0], image);
    EXPECT_INT(drawn.graph.nodes[2].inputs[0], middle);
    hy_draw_finish(&drawn);
}

TEST(passes, a_transpose_of_dimensions_of_1_is_a_reshape)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t order[] = {1, 2, 0, 3}, real[] = {0, 2, 1, 3};
    const uint32_t image = draw_image(&drawn);
    const uint32_t y = draw_transpose(&drawn, image, order);
    const uint32_t z = draw_transpose(&drawn, image, real);
    hy_draw_outputs(&drawn, HY_INPUTS(y, z));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_RESHAPE, HY_OPERATOR_TRANSPOSE);
    hy_expect_extents(&drawn, y, HY_EXTENTS(4, 6, 1, 2), __LINE__);
    hy_draw_finish(&drawn);
}

TEST(passes, reshapes_become_one_or_none)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t flat[] = {-1}, rows[] = {4, 12}, image_shape[] = {1, 4, 6, 2};
    const uint32_t image = draw_image(&drawn);
    const uint32_t middle = draw_reshape(&drawn, image, 1, flat);
    const uint32_t y = draw_reshape(&drawn, middle, 2, rows);
    const uint32_t z =
        draw_unary(&drawn, HY_OPERATOR_TANH, draw_reshape(&drawn, middle, 4, image_shape));
    hy_draw_outputs(&drawn, HY_INPUTS(y, z));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_RESHAPE, HY_OPERATOR_TANH);
    EXPECT_INT(drawn.graph.nodes[0].inputs[0], image);
    EXPECT_INT(drawn.graph.nodes[1].inputs[0], image);
    hy_expect_extents(&drawn, y, HY_EXTENTS(4, 12), __LINE__);
    hy_draw_finish(&drawn);
}

TEST(passes, a_cast_back_cancels_a_cast_that_loses_nothing)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t x = hy_draw_tensor(&drawn, I, HY_EXTENTS(5));
    hy_draw_inputs(&drawn, HY_INPUTS(x));
    const uint32_t wide =
        hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, HY_ELEMENT_INT64, HY_INPUTS(x));
    const uint32_t real = hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, F, HY_INPUTS(x));
    const uint32_t same = hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, I, HY_INPUTS(wide));
    const uint32_t rounded = hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, I, HY_INPUTS(real));
    const uint32_t sum = hy_draw_node(&drawn, HY_OPERATOR_ADD, NULL, I, HY_INPUTS(same, rounded));
    hy_draw_outputs(&drawn, HY_INPUTS(sum));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_CAST, HY_OPERATOR_CAST, HY_OPERATOR_ADD);
    EXPECT_INT(drawn.graph.nodes[2].inputs[0], x);
    EXPECT_INT(drawn.graph.nodes[2].inputs[1], rounded);
    hy_draw_finish(&drawn);
}

TEST(passes, indices_that_end_as_int32_are_int32_from_the_start)
{
    struct hy_drawn_graph drawn = {0}, read_twice = {0};
    uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(5));
    hy_draw_inputs(&drawn, HY_INPUTS(x));
    uint32_t position = hy_draw_node(&drawn, HY_OPERATOR_ARG_MAX, NULL, HY_ELEMENT_INT64,
                                     HY_INPUTS(x, hy_draw_int(&drawn, 0)));
    uint32_t narrow = hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, I, HY_INPUTS(position));
    hy_draw_outputs(&drawn, HY_INPUTS(narrow));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_ARG_MAX);
    EXPECT_INT(drawn.graph.nodes[0].outputs[0], narrow);
    hy_draw_finish(&drawn);

    x = hy_draw_tensor(&read_twice, F, HY_EXTENTS(5));
    hy_draw_inputs(&read_twice, HY_INPUTS(x));
    position = hy_draw_node(&read_twice, HY_OPERATOR_ARG_MAX, NULL, HY_ELEMENT_INT64,
                            HY_INPUTS(x, hy_draw_int(&read_twice, 0)));
    narrow = hy_draw_node(&read_twice, HY_OPERATOR_CAST, NULL, I, HY_INPUTS(position));
    hy_draw_outputs(&read_twice, HY_INPUTS(narrow, position));
    run_passes(&read_twice);
    expect_operators(&read_twice, HY_OPERATOR_ARG_MAX, HY_OPERATOR_CAST);
    hy_draw_finish(&read_twice);
}

/* A number of 64 bits that becomes one of 32 loses something. */
TEST(passes, indices_that_begin_as_int32_are_read_as_int32)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(5));
    const uint32_t narrow = hy_draw_tensor(&drawn, I, HY_EXTENTS(2));
    const uint32_t given = hy_draw_tensor(&drawn, HY_ELEMENT_INT64, HY_EXTENTS(2));
    hy_draw_inputs(&drawn, HY_INPUTS(x, narrow, given));
    const uint32_t wide =
        hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, HY_ELEMENT_INT64, HY_INPUTS(narrow));
    const uint32_t cut = hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, I, HY_INPUTS(given));
    const uint32_t first = hy_draw_node(&drawn, HY_OPERATOR_GATHER, NULL, F, HY_INPUTS(x, wide));
    const uint32_t second = hy_draw_node(&drawn, HY_OPERATOR_GATHER, NULL, F, HY_INPUTS(x, cut));
    hy_draw_outputs(&drawn, HY_INPUTS(first, second));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_CAST, HY_OPERATOR_GATHER, HY_OPERATOR_GATHER);
    EXPECT_INT(drawn.graph.nodes[1].inputs[1], narrow);
    EXPECT_INT(drawn.graph.nodes[2].inputs[1], cut);
    hy_draw_finish(&drawn);
}

/* A QUANTIZE to `scale` behind a DEQUANTIZE from a scale of 0.5, and a reader. */
static void draw_requantised(struct hy_drawn_graph *drawn, float scale)
{
    const uint32_t x = hy_draw_scale(drawn, hy_draw_tensor(drawn, U, HY_EXTENTS(5)), 0.5f, 7);
    const uint32_t real = draw_unary(drawn, HY_OPERATOR_DEQUANTIZE, x);
    const uint32_t again = hy_draw_scale(
        drawn, hy_draw_node(drawn, HY_OPERATOR_QUANTIZE, NULL, U, HY_INPUTS(real)), scale, 7);
    const uint32_t y = hy_draw_scale(
        drawn, hy_draw_node(drawn, HY_OPERATOR_LOGISTIC, NULL, U, HY_INPUTS(again)), 1.0f / 256, 0);
    hy_draw_inputs(drawn, 1, &x);
    hy_draw_outputs(drawn, HY_INPUTS(y));
}

TEST(passes, quantize_cancels_dequantize_of_equal_scales_alone)
{
    struct hy_drawn_graph equal = {0}, other = {0}, tiny = {0};
    draw_requantised(&equal, 0.5f);
    run_passes(&equal);
    expect_operators(&equal, HY_OPERATOR_LOGISTIC);
    EXPECT_INT(equal.graph.nodes[0].inputs[0], equal.graph.inputs[0]);
    hy_draw_finish(&equal);

    draw_requantised(&other, 0.25f);
    run_passes(&other);
    expect_operators(&other, HY_OPERATOR_DEQUANTIZE, HY_OPERATOR_QUANTIZE, HY_OPERATOR_LOGISTIC);
    hy_draw_finish(&other);

    draw_requantised(&tiny, 1e-40f); /* products are rounded to few bits */
    hy_draw_scale(&tiny, tiny.graph.inputs[0], 1e-40f, 7);
    run_passes(&tiny);
    expect_operators(&tiny, HY_OPERATOR_DEQUANTIZE, HY_OPERATOR_QUANTIZE, HY_OPERATOR_LOGISTIC);
    hy_draw_finish(&tiny);
}

/* ---- Nodes that change nothing --------------------------------------------------------------- */

TEST(passes, nodes_that_change_nothing_go)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t zeros[8], all[] = {-1, 4, -1, 2}, ones[] = {1, 1, 1, 1};
    const union hy_attributes whole = {.strided_slice = {.end_mask = 15}};
    const uint32_t image = draw_image(&drawn);
    uint32_t x = draw_binary(&drawn, HY_OPERATOR_TILE, image, hy_draw_ints(&drawn, 4, ones));
    x = draw_pad(&drawn, x, zeros);
    const uint32_t begin = hy_draw_ints(&drawn, 4, zeros), end = hy_draw_ints(&drawn, 4, zeros),
                   size = hy_draw_ints(&drawn, 4, all), steps = hy_draw_ints(&drawn, 4, ones);
    x = hy_draw_node(&drawn, HY_OPERATOR_SLICE, NULL, F, HY_INPUTS(x, begin, size));
    x = hy_draw_node(&drawn, HY_OPERATOR_STRIDED_SLICE, &whole, F, HY_INPUTS(x, begin, end, steps));
    x = draw_unary(&drawn, HY_OPERATOR_CONCATENATION, x);
    x = draw_unary(&drawn, HY_OPERATOR_CAST, x);
    const uint32_t y = draw_unary(&drawn, HY_OPERATOR_EXP, x);
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_EXP);
    EXPECT_INT(drawn.graph.nodes[0].inputs[0], image);
    hy_draw_finish(&drawn);
}

TEST(passes, nodes_that_change_something_of_the_same_shape_stay)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t zeros[4], back[] = {-1, -1, -1, -1};
    const union hy_attributes whole = {.strided_slice = {.begin_mask = 15, .end_mask = 15}};
    const uint32_t image = draw_image(&drawn);
    const uint32_t ends = hy_draw_ints(&drawn, 4, zeros), steps = hy_draw_ints(&drawn, 4, back);
    const uint32_t reversed = hy_draw_node(&drawn, HY_OPERATOR_STRIDED_SLICE, &whole, F,
                                           HY_INPUTS(image, ends, ends, steps));
    const uint32_t zero = hy_draw_floats(&drawn, HY_EXTENTS(1), (const float[]){0});
    const uint32_t sum = draw_binary(&drawn, HY_OPERATOR_ADD, reversed, zero); /* -0 becomes 0 */
    hy_draw_outputs(&drawn, HY_INPUTS(sum));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_STRIDED_SLICE, HY_OPERATOR_ADD);
    hy_draw_finish(&drawn);
}

TEST(passes, an_output_that_changes_nothing_is_computed_by_the_node_before)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t same[] = {1, 4, 6, 2};
    const uint32_t image = draw_image(&drawn);
    const uint32_t x = draw_unary(&drawn, HY_OPERATOR_TANH, image);
    const uint32_t y = draw_reshape(&drawn, x, 4, same);
    const uint32_t z = draw_reshape(&drawn, image, 4, same);
    hy_draw_outputs(&drawn, HY_INPUTS(y, z));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_TANH, HY_OPERATOR_RESHAPE);
    EXPECT_INT(drawn.graph.nodes[0].outputs[0], y);
    EXPECT_INT(drawn.graph.nodes[1].inputs[0], image); /* nothing computes the image */
    hy_draw_finish(&drawn);
}

/* ---- Common nodes ---------------------------------------------------------------------------- */

TEST(passes, equal_nodes_are_computed_once)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t image = draw_image(&drawn);
    const uint32_t a =
        draw_unary(&drawn, HY_OPERATOR_EXP, draw_unary(&drawn, HY_OPERATOR_TANH, image));
    const uint32_t b =
        draw_unary(&drawn, HY_OPERATOR_EXP, draw_unary(&drawn, HY_OPERATOR_TANH, image));
    const uint32_t sum = draw_binary(&drawn, HY_OPERATOR_ADD, a, b);
    hy_draw_outputs(&drawn, HY_INPUTS(sum));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_TANH, HY_OPERATOR_EXP, HY_OPERATOR_ADD);
    EXPECT_INT(drawn.graph.nodes[2].inputs[0], a);
    EXPECT_INT(drawn.graph.nodes[2].inputs[1], a);
    hy_draw_finish(&drawn);
}

TEST(passes, nodes_that_differ_in_attributes_or_quantisation_are_computed_twice)
{
    struct hy_drawn_graph drawn = {0};
    const union hy_attributes relu = {.binary.activation = HY_ACTIVATION_RELU};
    const uint32_t image = draw_image(&drawn);
    const uint32_t a = draw_binary(&drawn, HY_OPERATOR_ADD, image, image);
    const uint32_t b = hy_draw_node(&drawn, HY_OPERATOR_ADD, &relu, F, HY_INPUTS(image, image));
    const uint32_t c = hy_draw_scale(
        &drawn, hy_draw_node(&drawn, HY_OPERATOR_QUANTIZE, NULL, U, HY_INPUTS(image)), 1, 0);
    const uint32_t d = hy_draw_scale(
        &drawn, hy_draw_node(&drawn, HY_OPERATOR_QUANTIZE, NULL, U, HY_INPUTS(image)), 2, 0);
    hy_draw_outputs(&drawn, HY_INPUTS(a, b, c, d));
    run_passes(&drawn);
    EXPECT_INT(drawn.graph.node_count, 4);
    hy_draw_finish(&drawn);
}

TEST(passes, equal_nodes_that_are_two_outputs_stay_two)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t image = draw_image(&drawn);
    const uint32_t a = draw_unary(&drawn, HY_OPERATOR_TANH, image);
    const uint32_t b = draw_unary(&drawn, HY_OPERATOR_TANH, image);
    hy_draw_outputs(&drawn, HY_INPUTS(a, b));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_TANH, HY_OPERATOR_TANH);
    hy_draw_finish(&drawn);
}

/* ---- Padding --------------------------------------------------------------------------------- */

TEST(passes, zeros_around_images_become_padding_of_the_convolution)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t around[8] = {0, 0, 0, 1, 2, 1};
    const uint32_t image = draw_image(&drawn);
    const uint32_t y = draw_window(&drawn, draw_pad(&drawn, image, around), HY_PADDING_VALID, 2);
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_CONV_2D);
    const struct hy_attributes_conv *conv = &drawn.graph.nodes[0].attributes.conv;
    EXPECT_INT(conv->padding, HY_PADDING_EXPLICIT);
    EXPECT_INT(conv->padding_top, 0);
    EXPECT_INT(conv->padding_bottom, 1);
    EXPECT_INT(conv->padding_left, 2);
    EXPECT_INT(conv->padding_right, 1);
    EXPECT_INT(drawn.graph.nodes[0].inputs[0], image);
    hy_expect_extents(&drawn, y, HY_EXTENTS(1, 2, 4, 2), __LINE__);
    EXPECT_INT(hy_graph_run_passes(&drawn.graph, NULL), HY_OK); /* tells the same shape */
    hy_expect_extents(&drawn, y, HY_EXTENTS(1, 2, 4, 2), __LINE__);
    hy_draw_finish(&drawn);
}

TEST(passes, padding_of_the_convolution_itself_is_added)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t around[8] = {0, 0, 1, 0, 0, 0};
    const uint32_t image = draw_image(&drawn);
    const uint32_t y = draw_window(&drawn, draw_pad(&drawn, image, around), HY_PADDING_SAME, 2);
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    /* 5 rows need 1 and 1, 6 columns need 0 and 1. */
    const struct hy_attributes_conv *conv = &drawn.graph.nodes[0].attributes.conv;
    EXPECT_INT(conv->padding_top, 2);
    EXPECT_INT(conv->padding_bottom, 1);
    EXPECT_INT(conv->padding_left, 0);
    EXPECT_INT(conv->padding_right, 1);
    hy_expect_extents(&drawn, y, HY_EXTENTS(1, 3, 3, 2), __LINE__);
    hy_draw_finish(&drawn);
}

TEST(passes, other_padding_stays_a_node)
{
    static const int32_t wide[8] = {0, 0, 3, 0};
    static const int32_t batches[8] = {1};
    static const int32_t *const paddings[] = {wide, batches};

    for (int i = 0; i < 2; i++) {
        struct hy_drawn_graph drawn = {0};
        const uint32_t padded = draw_pad(&drawn, draw_image(&drawn), paddings[i]);
        const uint32_t y = draw_window(&drawn, padded, HY_PADDING_VALID, 1);
        hy_draw_outputs(&drawn, HY_INPUTS(y));
        run_passes(&drawn);
        expect_operators(&drawn, HY_OPERATOR_PAD, HY_OPERATOR_CONV_2D);
        hy_draw_finish(&drawn);
    }
}

TEST(passes, padding_before_a_pooling_stays_a_node)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t around[8] = {0, 0, 1, 1, 1, 1};
    const union hy_attributes pool = {.pool = {.padding = HY_PADDING_VALID,
                                               .stride_width = 1,
                                               .stride_height = 1,
                                               .filter_width = 3,
                                               .filter_height = 3}};
    const uint32_t padded = draw_pad(&drawn, draw_image(&drawn), around);
    const uint32_t a = hy_draw_node(&drawn, HY_OPERATOR_MAX_POOL_2D, &pool, F, HY_INPUTS(padded));
    const uint32_t b =
        hy_draw_node(&drawn, HY_OPERATOR_AVERAGE_POOL_2D, &pool, F, HY_INPUTS(padded));
    hy_draw_outputs(&drawn, HY_INPUTS(a, b));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_PAD, HY_OPERATOR_MAX_POOL_2D, HY_OPERATOR_AVERAGE_POOL_2D);
    hy_draw_finish(&drawn);
}

/* ---- Batch normalisation --------------------------------------------------------------------- */

TEST(passes, factors_and_summands_per_channel_become_filter_and_bias)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t image = draw_image(&drawn);
    const uint32_t factor = hy_draw_floats(&drawn, HY_EXTENTS(1, 1, 2), (const float[]){2, 3});
    const uint32_t summand = hy_draw_floats(&drawn, HY_EXTENTS(2), (const float[]){1, -1});
    const uint32_t less = hy_draw_floats(&drawn, HY_EXTENTS(1), (const float[]){0.5f});
    const union hy_attributes relu = {.binary.activation = HY_ACTIVATION_RELU6};
    uint32_t x = draw_conv(&drawn, image, HY_ACTIVATION_NONE, true);
    x = draw_binary(&drawn, HY_OPERATOR_MUL, factor, x);
    x = draw_binary(&drawn, HY_OPERATOR_ADD, x, summand);
    x = hy_draw_node(&drawn, HY_OPERATOR_SUB, &relu, F, HY_INPUTS(x, less));
    hy_draw_outputs(&drawn, HY_INPUTS(x));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_CONV_2D);
    expect_floats(input_of(&drawn, 0, 1), 4, (const float[]){2, 4, 9, 12});
    expect_floats(input_of(&drawn, 0, 2), 2, (const float[]){20.5f, 58.5f});
    EXPECT_INT(drawn.graph.nodes[0].attributes.conv.activation, HY_ACTIVATION_RELU6);
    EXPECT_INT(drawn.graph.nodes[0].outputs[0], x);
    hy_draw_finish(&drawn);
}

TEST(passes, a_factor_of_depthwise_channels_belongs_to_the_last_dimension)
{
    struct hy_drawn_graph drawn = {0};
    const union hy_attributes attributes = {.conv = {.padding = HY_PADDING_VALID,
                                                     .stride_width = 1,
                                                     .stride_height = 1,
                                                     .dilation_width = 1,
                                                     .dilation_height = 1}};
    const uint32_t image = draw_image(&drawn);
    const uint32_t filter =
        hy_draw_floats(&drawn, HY_EXTENTS(1, 1, 2, 2), (const float[]){1, 2, 3, 4});
    const uint32_t factor = hy_draw_floats(&drawn, HY_EXTENTS(2), (const float[]){2, 3});
    const uint32_t conv = hy_draw_node(&drawn, HY_OPERATOR_DEPTHWISE_CONV_2D, &attributes, F,
                                       HY_INPUTS(image, filter));
    const uint32_t y = draw_binary(&drawn, HY_OPERATOR_MUL, conv, factor);
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_DEPTHWISE_CONV_2D);
    expect_floats(input_of(&drawn, 0, 1), 4, (const float[]){2, 6, 6, 12});
    expect_floats(input_of(&drawn, 0, 2), 2, (const float[]){0, 0});
    hy_draw_finish(&drawn);
}

TEST(passes, a_filter_that_others_read_keeps_its_numbers)
{
    struct hy_drawn_graph drawn = {0};
    const union hy_attributes attributes = {0};
    const uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(1, 2));
    hy_draw_inputs(&drawn, HY_INPUTS(x));
    const uint32_t filter = hy_draw_floats(&drawn, HY_EXTENTS(2, 2), (const float[]){1, 2, 3, 4});
    const uint32_t two = hy_draw_floats(&drawn, HY_EXTENTS(1), (const float[]){2});
    const uint32_t a =
        hy_draw_node(&drawn, HY_OPERATOR_FULLY_CONNECTED, &attributes, F, HY_INPUTS(x, filter));
    const uint32_t scaled = draw_binary(&drawn, HY_OPERATOR_MUL, a, two);
    const uint32_t b = hy_draw_node(&drawn, HY_OPERATOR_FULLY_CONNECTED, &attributes, F,
                                    HY_INPUTS(scaled, filter));
    hy_draw_outputs(&drawn, HY_INPUTS(b));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_FULLY_CONNECTED, HY_OPERATOR_FULLY_CONNECTED);
    expect_floats(input_of(&drawn, 0, 1), 4, (const float[]){2, 4, 6, 8});
    expect_floats(input_of(&drawn, 1, 1), 4, (const float[]){1, 2, 3, 4});
    hy_draw_finish(&drawn);
}

/* Whatever `x`, a tensor that a convolution computes, is changed by stays a node. */
static void expect_unfused(struct hy_drawn_graph *drawn, enum hy_operator operator_, uint32_t a,
                           uint32_t b)
{
    const uint32_t y = draw_binary(drawn, operator_, a, b);
    hy_draw_outputs(drawn, HY_INPUTS(y));
    run_passes(drawn);
    expect_operators(drawn, HY_OPERATOR_CONV_2D, operator_);
    hy_draw_finish(drawn);
}

TEST(passes, a_batch_normalisation_that_does_not_fit_stays)
{
    static const float numbers[24] = {1};
    struct hy_drawn_graph clipped = {0}, columns = {0}, wider = {0}, huge = {0}, reversed = {0};

    uint32_t x = draw_conv(&clipped, draw_image(&clipped), HY_ACTIVATION_RELU, true);
    expect_unfused(&clipped, HY_OPERATOR_MUL, x, hy_draw_floats(&clipped, HY_EXTENTS(2), numbers));

    x = draw_conv(&columns, draw_image(&columns), HY_ACTIVATION_NONE, true);
    expect_unfused(&columns, HY_OPERATOR_ADD, x,
                   hy_draw_floats(&columns, HY_EXTENTS(6, 1), numbers));

    x = draw_conv(&wider, draw_image(&wider), HY_ACTIVATION_NONE, true);
    expect_unfused(&wider, HY_OPERATOR_ADD, x,
                   hy_draw_floats(&wider, HY_EXTENTS(2, 1, 1, 1), numbers)); /* two batches */

    x = draw_conv(&huge, draw_image(&huge), HY_ACTIVATION_NONE, true);
    expect_unfused(&huge, HY_OPERATOR_MUL, x,
                   hy_draw_floats(&huge, HY_EXTENTS(1), (const float[]){3e38f}));

    x = draw_conv(&reversed, draw_image(&reversed), HY_ACTIVATION_NONE, true);
    expect_unfused(&reversed, HY_OPERATOR_SUB, hy_draw_floats(&reversed, HY_EXTENTS(2), numbers),
                   x);
}

TEST(passes, a_convolution_with_another_reader_fuses_with_nothing)
{
    struct hy_drawn_graph read = {0}, output = {0};
    const uint32_t x = draw_conv(&read, draw_image(&read), HY_ACTIVATION_NONE, true);
    const uint32_t two = hy_draw_floats(&read, HY_EXTENTS(1), (const float[]){2});
    const uint32_t y = draw_binary(&read, HY_OPERATOR_MUL, x, two);
    const uint32_t z = draw_unary(&read, HY_OPERATOR_RELU, x);
    hy_draw_outputs(&read, HY_INPUTS(y, z));
    run_passes(&read);
    expect_operators(&read, HY_OPERATOR_CONV_2D, HY_OPERATOR_MUL, HY_OPERATOR_RELU);
    hy_draw_finish(&read);

    const uint32_t conv = draw_conv(&output, draw_image(&output), HY_ACTIVATION_NONE, true);
    const uint32_t relu = draw_unary(&output, HY_OPERATOR_RELU, conv);
    hy_draw_outputs(&output, HY_INPUTS(relu, conv));
    run_passes(&output);
    expect_operators(&output, HY_OPERATOR_CONV_2D, HY_OPERATOR_RELU);
    hy_draw_finish(&output);
}

/* ---- Activations ----------------------------------------------------------------------------- */

TEST(passes, activations_become_part_of_the_node_before)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t image = draw_image(&drawn);
    const uint32_t conv = draw_conv(&drawn, image, HY_ACTIVATION_NONE, false);
    const uint32_t x = draw_unary(&drawn, HY_OPERATOR_RELU6, conv);
    const uint32_t sum = draw_binary(&drawn, HY_OPERATOR_ADD, x, image);
    const uint32_t y = draw_unary(&drawn, HY_OPERATOR_RELU1, sum);
    const uint32_t z = draw_unary(&drawn, HY_OPERATOR_RELU, y); /* the sum has one already */
    hy_draw_outputs(&drawn, HY_INPUTS(z));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_CONV_2D, HY_OPERATOR_ADD, HY_OPERATOR_RELU);
    EXPECT_INT(drawn.graph.nodes[0].attributes.conv.activation, HY_ACTIVATION_RELU6);
    EXPECT_INT(drawn.graph.nodes[1].attributes.binary.activation, HY_ACTIVATION_RELU1);
    hy_draw_finish(&drawn);
}

/* A RELU of 8 bits behind an ADD whose scale is 0.5. */
static void draw_quantised_relu(struct hy_drawn_graph *drawn, float scale)
{
    const uint32_t x = hy_draw_scale(drawn, hy_draw_tensor(drawn, U, HY_EXTENTS(5)), 0.25f, 128);
    const uint32_t sum = hy_draw_scale(
        drawn, hy_draw_node(drawn, HY_OPERATOR_ADD, NULL, U, HY_INPUTS(x, x)), 0.5f, 100);
    const uint32_t y = hy_draw_scale(
        drawn, hy_draw_node(drawn, HY_OPERATOR_RELU, NULL, U, HY_INPUTS(sum)), scale, 100);
    hy_draw_inputs(drawn, 1, &x);
    hy_draw_outputs(drawn, HY_INPUTS(y));
}

TEST(passes, an_activation_that_changes_the_quantisation_stays)
{
    struct hy_drawn_graph equal = {0}, other = {0};
    draw_quantised_relu(&equal, 0.5f);
    run_passes(&equal);
    expect_operators(&equal, HY_OPERATOR_ADD);
    EXPECT_INT(equal.graph.nodes[0].attributes.binary.activation, HY_ACTIVATION_RELU);
    hy_draw_finish(&equal);

    draw_quantised_relu(&other, 0.25f);
    run_passes(&other);
    expect_operators(&other, HY_OPERATOR_ADD, HY_OPERATOR_RELU);
    hy_draw_finish(&other);
}

/* ---- Dead nodes ------------------------------------------------------------------------------ */

TEST(passes, nodes_that_nothing_reads_go_and_inputs_stay)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t inputs[] = {hy_draw_tensor(&drawn, F, HY_EXTENTS(2)),
                               hy_draw_tensor(&drawn, F, HY_EXTENTS(2))};
    hy_draw_inputs(&drawn, 2, inputs);
    draw_unary(&drawn, HY_OPERATOR_EXP, draw_unary(&drawn, HY_OPERATOR_TANH, inputs[0]));
    const uint32_t y = draw_unary(&drawn, HY_OPERATOR_TANH, inputs[1]);
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_TANH);
    EXPECT_INT(drawn.graph.input_count, 2);
    hy_draw_finish(&drawn);
}

TEST(passes, a_node_without_a_meaning_stays)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t image = draw_image(&drawn);
    draw_unary(&drawn, HY_OPERATOR_FOREIGN, draw_unary(&drawn, HY_OPERATOR_TANH, image));
    const uint32_t y = draw_unary(&drawn, HY_OPERATOR_EXP, image);
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_TANH, HY_OPERATOR_FOREIGN, HY_OPERATOR_EXP);
    hy_draw_finish(&drawn);
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* A sum with a RELU behind, and a dead node. */
static void draw_body(struct hy_graph *graph, uint32_t *ret_index)
{
    struct hy_drawn_graph body = {0};
    const uint32_t x = hy_draw_tensor(&body, F, HY_EXTENTS(4));
    const uint32_t y = draw_binary(&body, HY_OPERATOR_ADD, x, x);
    const uint32_t z = draw_unary(&body, HY_OPERATOR_RELU, y);
    draw_unary(&body, HY_OPERATOR_EXP, x);
    hy_draw_inputs(&body, HY_INPUTS(x));
    hy_draw_outputs(&body, HY_INPUTS(z));
    EXPECT_INT(hy_graph_add_body(graph, ret_index, NULL), HY_OK);
    *graph->bodies[*ret_index] = body.graph;
}

TEST(passes, bodies_are_treated_like_the_graph)
{
    struct hy_drawn_graph drawn = {0};
    union hy_attributes attributes = {0};
    const uint32_t condition = hy_draw_tensor(&drawn, HY_ELEMENT_BOOL, HY_EXTENTS(1));
    const uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(4));
    hy_draw_inputs(&drawn, HY_INPUTS(condition, x));
    draw_body(&drawn.graph, &attributes.branches.then_body);
    draw_body(&drawn.graph, &attributes.branches.else_body);
    const uint32_t y =
        hy_draw_node(&drawn, HY_OPERATOR_IF, &attributes, F, HY_INPUTS(condition, x));
    hy_draw_outputs(&drawn, HY_INPUTS(y));
    run_passes(&drawn);
    expect_operators(&drawn, HY_OPERATOR_IF);
    for (uint32_t i = 0; i < 2; i++) {
        const struct hy_graph *body = drawn.graph.bodies[i];
        EXPECT_INT(body->node_count, 1);
        EXPECT_INT(body->nodes[0].attributes.binary.activation, HY_ACTIVATION_RELU);
        EXPECT_INT(body->nodes[0].outputs[0], body->outputs[0]);
    }
    hy_draw_finish(&drawn);
}

/* ---- Size ------------------------------------------------------------------------------------ */

/* Takes seconds where the time is in proportion to the square. */
TEST(passes, a_chain_of_100000_nodes_takes_linear_time)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t flat[] = {-1};
    const uint32_t image = draw_image(&drawn);
    const uint32_t shape = hy_draw_ints(&drawn, 1, flat);
    uint32_t x = image;
    for (int i = 0; i < 50000; i++) {
        x = draw_unary(&drawn, HY_OPERATOR_TANH, x);
        x = draw_binary(&drawn, HY_OPERATOR_RESHAPE, x, shape);
    }
    hy_draw_outputs(&drawn, HY_INPUTS(x));
    run_passes(&drawn);
    EXPECT_INT(drawn.graph.node_count, 50001);
    hy_draw_finish(&drawn);
}
