/* Constants that follow from constants. */
#include "tests/kit/test.h"

#include <string.h>

#include "libhalyard/graph/propagate.h"
#include "tests/unit/libhalyard/kit/drawn_graph.h"

#define I HY_ELEMENT_INT32
#define B HY_ELEMENT_BOOL

#define expect_ints(drawn, tensor, ...) \
    hy_expect_ints(drawn, tensor, sizeof((const int64_t[]){__VA_ARGS__}) / 8, \
                   (const int64_t[]){__VA_ARGS__}, __LINE__)

static void propagate(struct hy_drawn_graph *drawn)
{
    EXPECT_INT(hy_graph_propagate(&drawn->graph, NULL), HY_OK);
}

/* 1 to 6 in two rows. */
static uint32_t draw_rows(struct hy_drawn_graph *drawn)
{
    static const int32_t numbers[] = {1, 2, 3, 4, 5, 6};
    const uint32_t rows = hy_draw_ints(drawn, 6, numbers);
    struct hy_graph_tensor *tensor = &drawn->graph.tensors[rows];
    tensor->rank = 2;
    tensor->extents[0] = 2;
    tensor->extents[1] = 3;
    return rows;
}

static uint32_t draw_two(struct hy_drawn_graph *drawn, enum hy_operator operator_, uint32_t a,
                         uint32_t b)
{
    return hy_draw_node(drawn, operator_, NULL, I, HY_INPUTS(a, b));
}

TEST(fold, arithmetic_broadcasts)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t column[] = {10, 20, 30};
    const uint32_t rows = draw_rows(&drawn);
    const uint32_t other = hy_draw_ints(&drawn, 3, column);
    const uint32_t sum = draw_two(&drawn, HY_OPERATOR_ADD, rows, other);
    const uint32_t less = draw_two(&drawn, HY_OPERATOR_LESS, rows, hy_draw_int(&drawn, 3));
    const uint32_t square = hy_draw_node(&drawn, HY_OPERATOR_SQUARE, NULL, I, HY_INPUTS(rows));
    propagate(&drawn);
    expect_ints(&drawn, sum, 11, 22, 33, 14, 25, 36);
    expect_ints(&drawn, less, 1, 1, 0, 0, 0, 0);
    expect_ints(&drawn, square, 1, 4, 9, 16, 25, 36);
    hy_draw_finish(&drawn);
}

TEST(fold, quotients_of_negative_numbers_differ)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t numbers[] = {-7, 7, -6};
    const uint32_t from = hy_draw_ints(&drawn, 3, numbers);
    const uint32_t two = hy_draw_int(&drawn, 2);
    const uint32_t towards_zero = draw_two(&drawn, HY_OPERATOR_DIV, from, two);
    const uint32_t down = draw_two(&drawn, HY_OPERATOR_FLOOR_DIV, from, two);
    const uint32_t undefined = draw_two(&drawn, HY_OPERATOR_DIV, from, hy_draw_int(&drawn, 0));
    propagate(&drawn);
    expect_ints(&drawn, towards_zero, -3, 3, -3);
    expect_ints(&drawn, down, -4, 3, -3);
    EXPECT(drawn.graph.tensors[undefined].data == NULL);
    hy_draw_finish(&drawn);
}

TEST(fold, a_selection_takes_either)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t rows = draw_rows(&drawn);
    const uint32_t less =
        hy_draw_node(&drawn, HY_OPERATOR_LESS, NULL, B, HY_INPUTS(rows, hy_draw_int(&drawn, 4)));
    const uint32_t chosen = hy_draw_node(&drawn, HY_OPERATOR_SELECT_V2, NULL, I,
                                         HY_INPUTS(less, rows, hy_draw_int(&drawn, 0)));
    propagate(&drawn);
    expect_ints(&drawn, chosen, 1, 2, 3, 0, 0, 0);
    hy_draw_finish(&drawn);
}

TEST(fold, reductions_go_along_axes)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t rows = draw_rows(&drawn);
    const uint32_t first = hy_draw_int(&drawn, 0), last = hy_draw_int(&drawn, -1);
    const uint32_t sum = draw_two(&drawn, HY_OPERATOR_SUM, rows, first);
    const uint32_t product = draw_two(&drawn, HY_OPERATOR_REDUCE_PROD, rows, last);
    const uint32_t greatest = draw_two(&drawn, HY_OPERATOR_REDUCE_MAX, rows, last);
    propagate(&drawn);
    expect_ints(&drawn, sum, 5, 7, 9);
    expect_ints(&drawn, product, 6, 120);
    expect_ints(&drawn, greatest, 3, 6);
    hy_draw_finish(&drawn);
}

/* All elements are below the least int32, or above the largest. */
TEST(fold, the_largest_and_the_least_int64_are_found)
{
    static const int32_t factors[] = {-(1 << 20), 1 << 20};
    struct hy_drawn_graph drawn = {0};
    const uint32_t last = hy_draw_int(&drawn, -1);
    uint32_t low = hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, HY_ELEMENT_INT64,
                                HY_INPUTS(draw_rows(&drawn)));

    for (int i = 0; i < 2; i++) {
        const uint32_t factor = hy_draw_node(&drawn, HY_OPERATOR_CAST, NULL, HY_ELEMENT_INT64,
                                             HY_INPUTS(hy_draw_int(&drawn, factors[i])));
        low = hy_draw_node(&drawn, HY_OPERATOR_MUL, NULL, HY_ELEMENT_INT64, HY_INPUTS(low, factor));
    }
    const uint32_t high =
        hy_draw_node(&drawn, HY_OPERATOR_NEG, NULL, HY_ELEMENT_INT64, HY_INPUTS(low));
    const uint32_t largest =
        hy_draw_node(&drawn, HY_OPERATOR_REDUCE_MAX, NULL, HY_ELEMENT_INT64, HY_INPUTS(low, last));
    const uint32_t least =
        hy_draw_node(&drawn, HY_OPERATOR_REDUCE_MIN, NULL, HY_ELEMENT_INT64, HY_INPUTS(high, last));
    propagate(&drawn);
    expect_ints(&drawn, largest, -(INT64_C(1) << 40), -(INT64_C(4) << 40));
    expect_ints(&drawn, least, INT64_C(1) << 40, INT64_C(4) << 40);
    hy_draw_finish(&drawn);
}

TEST(fold, elements_are_moved)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t order[] = {1, 0}, times[] = {1, 2}, wide[] = {2, 2, 3};
    static const int32_t begin[] = {0, 1}, size[] = {-1, 2};
    const uint32_t rows = draw_rows(&drawn);
    const uint32_t turned =
        draw_two(&drawn, HY_OPERATOR_TRANSPOSE, rows, hy_draw_ints(&drawn, 2, order));
    const uint32_t reversed =
        draw_two(&drawn, HY_OPERATOR_REVERSE, rows, hy_draw_ints(&drawn, 1, order));
    const uint32_t tiled = draw_two(&drawn, HY_OPERATOR_TILE, rows, hy_draw_ints(&drawn, 2, times));
    const uint32_t spread =
        draw_two(&drawn, HY_OPERATOR_BROADCAST_TO, rows, hy_draw_ints(&drawn, 3, wide));
    const uint32_t cut = hy_draw_node(
        &drawn, HY_OPERATOR_SLICE, NULL, I,
        HY_INPUTS(rows, hy_draw_ints(&drawn, 2, begin), hy_draw_ints(&drawn, 2, size)));
    const uint32_t packed = draw_two(&drawn, HY_OPERATOR_PACK, rows, rows);
    propagate(&drawn);
    expect_ints(&drawn, turned, 1, 4, 2, 5, 3, 6);
    expect_ints(&drawn, reversed, 3, 2, 1, 6, 5, 4);
    expect_ints(&drawn, tiled, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6);
    expect_ints(&drawn, spread, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6);
    expect_ints(&drawn, cut, 2, 3, 5, 6);
    expect_ints(&drawn, packed, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6);
    hy_draw_finish(&drawn);
}

TEST(fold, slices_of_an_axis_are_gathered_and_joined)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t indices[] = {2, 0};
    const union hy_attributes gather = {.gather = {.axis = -1}}, join = {.axis = {.axis = 1}};
    const uint32_t rows = draw_rows(&drawn);
    const uint32_t gathered = hy_draw_node(&drawn, HY_OPERATOR_GATHER, &gather, I,
                                           HY_INPUTS(rows, hy_draw_ints(&drawn, 2, indices)));
    const uint32_t joined =
        hy_draw_node(&drawn, HY_OPERATOR_CONCATENATION, &join, I, HY_INPUTS(gathered, rows));
    drawn.graph.tensors[gathered].rank = 2; /* the rank that the file says is that of its kind */
    propagate(&drawn);
    expect_ints(&drawn, gathered, 3, 1, 6, 4);
    expect_ints(&drawn, joined, 3, 1, 1, 2, 3, 6, 4, 4, 5, 6);
    hy_draw_finish(&drawn);
}

TEST(fold, shapes_tell_ranks_and_broadcasts)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t a[] = {2, 1, 4}, b[] = {3, 1};
    const uint32_t x = hy_draw_tensor(&drawn, HY_ELEMENT_FLOAT32, HY_EXTENTS(2, 3, 4));
    const uint32_t rank = hy_draw_node(&drawn, HY_OPERATOR_RANK, NULL, I, HY_INPUTS(x));
    const uint32_t shape = draw_two(&drawn, HY_OPERATOR_BROADCAST_ARGS, hy_draw_ints(&drawn, 3, a),
                                    hy_draw_ints(&drawn, 2, b));
    const uint32_t filled =
        draw_two(&drawn, HY_OPERATOR_FILL, hy_draw_ints(&drawn, 2, b), hy_draw_int(&drawn, 7));
    const uint32_t zeros = hy_draw_node(&drawn, HY_OPERATOR_ZEROS_LIKE, NULL, I, HY_INPUTS(filled));
    propagate(&drawn);
    expect_ints(&drawn, rank, 3);
    expect_ints(&drawn, shape, 2, 3, 4);
    expect_ints(&drawn, filled, 7, 7, 7);
    expect_ints(&drawn, zeros, 0, 0, 0);
    hy_draw_finish(&drawn);
}

TEST(fold, outputs_without_elements_are_constants)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t x = hy_draw_tensor(&drawn, HY_ELEMENT_FLOAT32, HY_EXTENTS(0, 3));
    const uint32_t y =
        hy_draw_node(&drawn, HY_OPERATOR_EXP, NULL, HY_ELEMENT_FLOAT32, HY_INPUTS(x));
    propagate(&drawn);
    EXPECT(drawn.graph.tensors[y].data != NULL);
    EXPECT_INT(drawn.graph.node_count, 0);
    hy_draw_finish(&drawn);
}

TEST(fold, a_node_of_several_outputs_is_folded_as_a_whole_or_not)
{
    struct hy_drawn_graph drawn = {0};
    const union hy_attributes first = {.axis = {.axis = 0}};
    const uint32_t rows = draw_rows(&drawn);
    const uint32_t a = hy_draw_node(&drawn, HY_OPERATOR_UNPACK, &first, I, HY_INPUTS(rows));
    const uint32_t b = hy_draw_tensor(&drawn, HY_ELEMENT_FLOAT32, HY_EXTENTS(1));
    struct hy_graph_node *unpack = &drawn.graph.nodes[0];
    const uint32_t outputs[2] = {a, b};
    unpack->outputs = hy_arena_copy(&drawn.graph.arena, outputs, 2, sizeof *outputs);
    unpack->output_count = 2;
    propagate(&drawn); /* the second output is of another type */
    EXPECT(drawn.graph.tensors[a].data == NULL);
    EXPECT_INT(drawn.graph.node_count, 1);
    hy_draw_finish(&drawn);
}
