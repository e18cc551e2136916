/* What follows from shapes and constants. */
#include "tests/kit/test.h"

#include "libhalyard/graph/propagate.h"
#include "tests/unit/libhalyard/kit/drawn_graph.h"

#define F HY_ELEMENT_FLOAT32
#define I HY_ELEMENT_INT32
#define L HY_ELEMENT_INT64

#define expect_extents(drawn, tensor, ...) \
    hy_expect_extents(drawn, tensor, HY_EXTENTS(__VA_ARGS__), __LINE__)
#define expect_ints(drawn, tensor, ...) \
    hy_expect_ints(drawn, tensor, sizeof((const int64_t[]){__VA_ARGS__}) / 8, \
                   (const int64_t[]){__VA_ARGS__}, __LINE__)

static void propagate(struct hy_drawn_graph *drawn)
{
    EXPECT_INT(hy_graph_propagate(&drawn->graph, NULL), HY_OK);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

TEST(propagate, shapes_that_a_converter_left_behind_are_told_anew)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t image = hy_draw_tensor(&drawn, F, HY_EXTENTS(2, 9, 9, 3));
    const uint32_t filter = hy_draw_tensor(&drawn, F, HY_EXTENTS(8, 3, 3, 3));
    const uint32_t filters = hy_draw_tensor(&drawn, F, HY_EXTENTS(1, 3, 3, 8));
    const union hy_attributes strided = {.conv = {.padding = HY_PADDING_SAME,
                                                  .stride_width = 2,
                                                  .stride_height = 2,
                                                  .dilation_width = 1,
                                                  .dilation_height = 1}};
    union hy_attributes dilated = strided;
    dilated.conv.padding = HY_PADDING_VALID;
    dilated.conv.stride_width = dilated.conv.stride_height = 1;
    dilated.conv.dilation_height = 2;

    const uint32_t conv =
        hy_draw_node(&drawn, HY_OPERATOR_CONV_2D, &strided, F, HY_INPUTS(image, filter));
    const uint32_t deep =
        hy_draw_node(&drawn, HY_OPERATOR_DEPTHWISE_CONV_2D, &dilated, F, HY_INPUTS(conv, filters));
    const uint32_t relu = hy_draw_node(&drawn, HY_OPERATOR_RELU, NULL, F, HY_INPUTS(deep));
    propagate(&drawn);
    expect_extents(&drawn, conv, 2, 5, 5, 8);
    expect_extents(&drawn, deep, 2, 1, 3, 8);
    expect_extents(&drawn, relu, 2, 1, 3, 8);
    hy_draw_finish(&drawn);
}

TEST(propagate, shorter_shapes_are_broadcast)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t a = hy_draw_tensor(&drawn, F, HY_EXTENTS(2, 1, 4));
    const uint32_t b = hy_draw_tensor(&drawn, F, HY_EXTENTS(3, 1));
    const uint32_t c = hy_draw_tensor(&drawn, F, HY_EXTENTS(5));
    const uint32_t sum = hy_draw_node(&drawn, HY_OPERATOR_ADD, NULL, F, HY_INPUTS(a, b));
    const uint32_t misfit = hy_draw_node(&drawn, HY_OPERATOR_ADD, NULL, F, HY_INPUTS(a, c));
    propagate(&drawn);
    expect_extents(&drawn, sum, 2, 3, 4);
    expect_extents(&drawn, misfit, 1); /* what the file says stays, for NNAPI to refuse */
    hy_draw_finish(&drawn);
}

TEST(propagate, one_extent_of_a_reshape_is_told_by_the_others)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t open[] = {-1, 6}, misfit[] = {-1, 7}, two[] = {-1, -1};
    const uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(2, 3, 4));
    const uint32_t shapes[] = {hy_draw_ints(&drawn, 2, open), hy_draw_ints(&drawn, 2, misfit),
                               hy_draw_ints(&drawn, 2, two)};
    uint32_t outputs[3];
    for (int i = 0; i < 3; i++)
        outputs[i] = hy_draw_node(&drawn, HY_OPERATOR_RESHAPE, NULL, F, HY_INPUTS(x, shapes[i]));
    propagate(&drawn);
    expect_extents(&drawn, outputs[0], 4, 6);
    expect_extents(&drawn, outputs[1], 1);
    expect_extents(&drawn, outputs[2], 1);
    hy_draw_finish(&drawn);
}

TEST(propagate, a_product_that_does_not_fit_is_no_shape)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t huge[] = {INT32_MAX, INT32_MAX, INT32_MAX};
    const uint32_t shape = hy_draw_ints(&drawn, 3, huge);
    const uint32_t value = hy_draw_tensor(&drawn, F, HY_EXTENTS(1));
    const uint32_t filled =
        hy_draw_node(&drawn, HY_OPERATOR_FILL, NULL, F, HY_INPUTS(shape, value));
    propagate(&drawn);
    expect_extents(&drawn, filled, 1);
    hy_draw_finish(&drawn);
}

/* Tensors of a recurrent node, up to `count`; those that shapes do not follow from are [1]. */
static void draw_weights(struct hy_drawn_graph *drawn, uint32_t count, uint32_t *inputs)
{
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = hy_draw_tensor(drawn, F, HY_EXTENTS(1));
}

TEST(propagate, shapes_of_recurrent_operators_follow_from_their_weights)
{
    struct hy_drawn_graph drawn = {0};
    const union hy_attributes merged_lstm = {.lstm = {.merge_outputs = true}};
    const union hy_attributes merged_rnn = {.rnn = {.merge_outputs = true}};
    const union hy_attributes svdf = {.svdf = {.rank = 2}};
    uint32_t lstm[48], rnn[12];

    draw_weights(&drawn, 48, lstm);
    draw_weights(&drawn, 12, rnn);
    lstm[0] = rnn[0] = hy_draw_tensor(&drawn, F, HY_EXTENTS(3, 4, 5));
    lstm[8] = hy_draw_tensor(&drawn, F, HY_EXTENTS(7, 6));  /* recurrent to output */
    lstm[25] = hy_draw_tensor(&drawn, F, HY_EXTENTS(9, 8)); /* the same, backward */
    rnn[1] = hy_draw_tensor(&drawn, F, HY_EXTENTS(6, 5));
    rnn[5] = hy_draw_tensor(&drawn, F, HY_EXTENTS(8, 5));
    const uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(3, 5));
    const uint32_t filters = hy_draw_tensor(&drawn, F, HY_EXTENTS(6, 5));

    const uint32_t forward =
        hy_draw_node(&drawn, HY_OPERATOR_UNIDIRECTIONAL_SEQUENCE_LSTM, NULL, F, 20, lstm);
    const uint32_t both =
        hy_draw_node(&drawn, HY_OPERATOR_BIDIRECTIONAL_SEQUENCE_LSTM, &merged_lstm, F, 48, lstm);
    const uint32_t one_way =
        hy_draw_node(&drawn, HY_OPERATOR_BIDIRECTIONAL_SEQUENCE_RNN, NULL, F, 12, rnn);
    const uint32_t two_ways =
        hy_draw_node(&drawn, HY_OPERATOR_BIDIRECTIONAL_SEQUENCE_RNN, &merged_rnn, F, 12, rnn);
    const uint32_t step =
        hy_draw_node(&drawn, HY_OPERATOR_RNN, NULL, F, HY_INPUTS(x, filters, x, x, x));
    const uint32_t filtered =
        hy_draw_node(&drawn, HY_OPERATOR_SVDF, &svdf, F, HY_INPUTS(x, filters, x, x, x));

    propagate(&drawn);
    expect_extents(&drawn, forward, 3, 4, 6);
    expect_extents(&drawn, both, 3, 4, 14);
    expect_extents(&drawn, one_way, 3, 4, 6);
    expect_extents(&drawn, two_ways, 3, 4, 14);
    expect_extents(&drawn, step, 3, 6);
    expect_extents(&drawn, filtered, 3, 3);
    hy_draw_finish(&drawn);
}

TEST(propagate, shapes_of_a_basic_lstm_follow_from_the_previous_output)
{
    struct hy_drawn_graph drawn = {0};
    const union hy_attributes basic = {.lstm = {.is_basic = true}};
    const uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(3, 5));
    const uint32_t previous = hy_draw_tensor(&drawn, F, HY_EXTENTS(3, 7));
    const uint32_t output =
        hy_draw_node(&drawn, HY_OPERATOR_LSTM, &basic, F, HY_INPUTS(x, previous, x, x, previous));

    propagate(&drawn);
    expect_extents(&drawn, output, 3, 7);
    hy_draw_finish(&drawn);
}

/* ---- Slices ---------------------------------------------------------------------------------- */

/* A slice of a tensor of 4 x 5 x 6. */
static uint32_t draw_slice(struct hy_drawn_graph *drawn,
                           const struct hy_attributes_strided_slice *masks, uint32_t count,
                           const int32_t *begin, const int32_t *end, const int32_t *stride)
{
    const uint32_t x = hy_draw_tensor(drawn, F, HY_EXTENTS(4, 5, 6));
    const uint32_t b = hy_draw_ints(drawn, count, begin), e = hy_draw_ints(drawn, count, end),
                   s = hy_draw_ints(drawn, count, stride);
    const union hy_attributes attributes = {.strided_slice = *masks};
    return hy_draw_node(drawn, HY_OPERATOR_STRIDED_SLICE, &attributes, F, HY_INPUTS(x, b, e, s));
}

TEST(propagate, slices_take_what_their_masks_say)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t zeros[3], ones[3] = {1, 1, 1}, twos[3] = {2, 2, 2}, back[3] = {-1, 0, 0};
    static const int32_t minus[3] = {-1, -1, -1};
    const uint32_t last = draw_slice(
        &drawn, &(struct hy_attributes_strided_slice){.shrink_axis_mask = 1}, 1, back, zeros, ones);
    const uint32_t shorter =
        draw_slice(&drawn, &(struct hy_attributes_strided_slice){0}, 1, ones, twos, ones);
    const uint32_t middle = draw_slice(
        &drawn, &(struct hy_attributes_strided_slice){.ellipsis_mask = 1}, 2, zeros, twos, ones);
    const uint32_t longer = draw_slice(
        &drawn, &(struct hy_attributes_strided_slice){.new_axis_mask = 1}, 2, zeros, twos, ones);
    const uint32_t backwards =
        draw_slice(&drawn, &(struct hy_attributes_strided_slice){.begin_mask = 7, .end_mask = 7}, 3,
                   zeros, zeros, minus);
    const uint32_t offset = draw_slice(
        &drawn, &(struct hy_attributes_strided_slice){.end_is_offset = true}, 1, ones, twos, ones);
    propagate(&drawn);
    expect_extents(&drawn, last, 5, 6);
    expect_extents(&drawn, shorter, 1, 5, 6);
    expect_extents(&drawn, middle, 4, 5, 2);
    expect_extents(&drawn, longer, 1, 2, 5, 6);
    expect_extents(&drawn, backwards, 4, 5, 6);
    expect_extents(&drawn, offset, 2, 5, 6);
    hy_draw_finish(&drawn);
}

TEST(propagate, a_slice_of_an_input_that_is_left_out_keeps_its_shape)
{
    static const int32_t zero[] = {0}, one[] = {1};
    const union hy_attributes attributes = {.strided_slice = {.begin_mask = 0}};
    struct hy_drawn_graph drawn = {0};
    const uint32_t b = hy_draw_ints(&drawn, 1, zero), e = hy_draw_ints(&drawn, 1, one),
                   s = hy_draw_ints(&drawn, 1, one);
    const uint32_t slice = hy_draw_node(&drawn, HY_OPERATOR_STRIDED_SLICE, &attributes, F,
                                        HY_INPUTS(HY_NO_TENSOR, b, e, s));
    propagate(&drawn);
    expect_extents(&drawn, slice, 1);
    hy_draw_finish(&drawn);
}

TEST(propagate, a_slice_that_does_not_fit_keeps_its_shape)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t zeros[4], ones[4] = {1, 1, 1, 1}, nine[] = {9};
    const uint32_t standing =
        draw_slice(&drawn, &(struct hy_attributes_strided_slice){0}, 1, zeros, ones, zeros);
    const uint32_t beyond = draw_slice(
        &drawn, &(struct hy_attributes_strided_slice){.shrink_axis_mask = 1}, 1, nine, ones, ones);
    const uint32_t many =
        draw_slice(&drawn, &(struct hy_attributes_strided_slice){0}, 4, zeros, ones, ones);
    propagate(&drawn);
    expect_extents(&drawn, standing, 1);
    expect_extents(&drawn, beyond, 1);
    expect_extents(&drawn, many, 1);
    hy_draw_finish(&drawn);
}

/* ---- Constants ------------------------------------------------------------------------------- */

/* reshape(x, pack([shape(x)[0], shape(x)[1] * 6])), as converters write it. */
TEST(propagate, arithmetic_on_shapes_is_folded)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t zero[] = {0}, one[] = {1}, two[] = {2};
    const union hy_attributes scalar = {.strided_slice = {.shrink_axis_mask = 1}};
    const uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(4, 5, 6));
    const uint32_t zeros = hy_draw_ints(&drawn, 1, zero), ones = hy_draw_ints(&drawn, 1, one),
                   twos = hy_draw_ints(&drawn, 1, two), six = hy_draw_int(&drawn, 6);
    const uint32_t shape = hy_draw_node(&drawn, HY_OPERATOR_SHAPE, NULL, I, HY_INPUTS(x));
    const uint32_t rows = hy_draw_node(&drawn, HY_OPERATOR_STRIDED_SLICE, &scalar, I,
                                       HY_INPUTS(shape, zeros, ones, ones));
    const uint32_t columns = hy_draw_node(&drawn, HY_OPERATOR_STRIDED_SLICE, &scalar, I,
                                          HY_INPUTS(shape, ones, twos, ones));
    const uint32_t product =
        hy_draw_node(&drawn, HY_OPERATOR_MUL, NULL, I, HY_INPUTS(columns, six));
    const uint32_t packed =
        hy_draw_node(&drawn, HY_OPERATOR_PACK, NULL, I, HY_INPUTS(rows, product));
    const uint32_t flat = hy_draw_node(&drawn, HY_OPERATOR_RESHAPE, NULL, F, HY_INPUTS(x, packed));
    propagate(&drawn);
    expect_ints(&drawn, packed, 4, 30);
    expect_extents(&drawn, flat, 4, 30);
    EXPECT_INT(drawn.graph.node_count, 1); /* the RESHAPE is left */
    hy_draw_finish(&drawn);
}

TEST(propagate, integers_are_folded_as_the_operators_define_them)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t a[] = {7, -7, 8}, b[] = {2, 2, -3}, order[] = {2, 0};
    const uint32_t x = hy_draw_ints(&drawn, 3, a), y = hy_draw_ints(&drawn, 3, b);
    const uint32_t indices = hy_draw_ints(&drawn, 2, order);
    const uint32_t start = hy_draw_int(&drawn, 1), limit = hy_draw_int(&drawn, 8),
                   step = hy_draw_int(&drawn, 3);
    const uint32_t quotient = hy_draw_node(&drawn, HY_OPERATOR_DIV, NULL, I, HY_INPUTS(x, y));
    const uint32_t wide = hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, L, HY_INPUTS(x));
    const uint32_t greater = hy_draw_node(&drawn, HY_OPERATOR_MAXIMUM, NULL, I, HY_INPUTS(x, y));
    const uint32_t gathered =
        hy_draw_node(&drawn, HY_OPERATOR_GATHER, NULL, I, HY_INPUTS(x, indices));
    const uint32_t range =
        hy_draw_node(&drawn, HY_OPERATOR_RANGE, NULL, I, HY_INPUTS(start, limit, step));
    const uint32_t joined =
        hy_draw_node(&drawn, HY_OPERATOR_CONCATENATION, NULL, I, HY_INPUTS(indices, x));
    propagate(&drawn);
    expect_ints(&drawn, quotient, 3, -3, -2); /* towards zero */
    expect_ints(&drawn, wide, 7, -7, 8);
    expect_ints(&drawn, greater, 7, 2, 8);
    expect_ints(&drawn, gathered, 8, 7);
    expect_ints(&drawn, range, 1, 4, 7);
    expect_ints(&drawn, joined, 2, 0, 7, -7, 8);
    EXPECT_INT(drawn.graph.node_count, 0);
    hy_draw_finish(&drawn);
}

TEST(propagate, the_places_of_a_constant_condition_are_folded)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t some[] = {0, 5, 0, -1, 1, 0}, none[] = {0, 0}, shape[] = {2, 3};
    const uint32_t x = hy_draw_ints(&drawn, 6, some), zeros = hy_draw_ints(&drawn, 2, none);
    const uint32_t to = hy_draw_ints(&drawn, 2, shape);
    const uint32_t matrix = hy_draw_node(&drawn, HY_OPERATOR_RESHAPE, NULL, I, HY_INPUTS(x, to));
    const uint32_t where_indices =
        hy_draw_node(&drawn, HY_OPERATOR_WHERE, NULL, L, HY_INPUTS(matrix));
    const uint32_t nowhere = hy_draw_node(&drawn, HY_OPERATOR_WHERE, NULL, L, HY_INPUTS(zeros));
    propagate(&drawn);
    EXPECT_INT(drawn.graph.tensors[where_indices].extents[0], 3);
    EXPECT_INT(drawn.graph.tensors[where_indices].extents[1], 2);
    expect_ints(&drawn, where_indices, 0, 1, 1, 0, 1, 1);
    EXPECT_INT(drawn.graph.tensors[nowhere].extents[0], 0);
    EXPECT_INT(drawn.graph.node_count, 0);
    hy_draw_finish(&drawn);
}

TEST(propagate, a_division_by_zero_and_an_overflow_are_left_to_the_run)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t large[] = {INT32_MAX}, zero[] = {0};
    const uint32_t x = hy_draw_ints(&drawn, 1, large), y = hy_draw_ints(&drawn, 1, zero);
    hy_draw_node(&drawn, HY_OPERATOR_DIV, NULL, I, HY_INPUTS(x, y));
    hy_draw_node(&drawn, HY_OPERATOR_ADD, NULL, I, HY_INPUTS(x, x));
    propagate(&drawn);
    EXPECT_INT(drawn.graph.node_count, 2);
    hy_draw_finish(&drawn);
}

TEST(propagate, numbers_beyond_all_shapes_tell_nothing)
{
    struct hy_drawn_graph drawn = {0};
    static const int64_t wild[] = {INT64_MIN, INT64_MAX, INT64_MIN};
    uint32_t numbers;
    const struct hy_graph_tensor tensor = {
        .name = "n", .element = L, .rank = 1, .extents = {3}, .data = wild, .bytes = sizeof wild};
    EXPECT_INT(hy_graph_add_tensor(&drawn.graph, &tensor, &numbers, NULL), HY_OK);
    const uint32_t x = hy_draw_tensor(&drawn, F, HY_EXTENTS(4, 5, 6));
    const uint32_t sliced =
        hy_draw_node(&drawn, HY_OPERATOR_SLICE, NULL, F, HY_INPUTS(x, numbers, numbers));
    const uint32_t strided = hy_draw_node(&drawn, HY_OPERATOR_STRIDED_SLICE, NULL, F,
                                          HY_INPUTS(x, numbers, numbers, numbers));
    const uint32_t reshaped =
        hy_draw_node(&drawn, HY_OPERATOR_RESHAPE, NULL, F, HY_INPUTS(x, numbers));
    propagate(&drawn);
    expect_extents(&drawn, sliced, 1);
    expect_extents(&drawn, strided, 1);
    expect_extents(&drawn, reshaped, 1);
    hy_draw_finish(&drawn);
}

TEST(propagate, float16_weights_become_float32)
{
    struct hy_drawn_graph drawn = {0};
    static const uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7c00}; /* 1, -2, 2^-24, infinity */
    uint32_t weights;
    const struct hy_graph_tensor tensor = {.name = "w",
                                           .element = HY_ELEMENT_FLOAT16,
                                           .rank = 1,
                                           .extents = {4},
                                           .data = halves,
                                           .bytes = sizeof halves};
    EXPECT_INT(hy_graph_add_tensor(&drawn.graph, &tensor, &weights, NULL), HY_OK);
    const uint32_t real = hy_draw_node(&drawn, HY_OPERATOR_DEQUANTIZE, NULL, F, HY_INPUTS(weights));
    propagate(&drawn);
    const float *values = drawn.graph.tensors[real].data;
    REQUIRE(values != NULL);
    EXPECT(values[0] == 1.0f && values[1] == -2.0f && values[2] == 0x1p-24f);
    EXPECT(values[3] > 3e38f);
    EXPECT_INT(drawn.graph.node_count, 0);
    hy_draw_finish(&drawn);
}
