/* Inputs of a graph in other shapes than the file's. */
#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/graph/input_shape.h"
#include "libhalyard/graph/passes/passes.h"
#include "libhalyard/tflite/tflite_graph.h"
#include "tests/unit/libhalyard/kit/drawn_graph.h"
#include "tests/unit/tools/kit/tflite_builder.h"

#define F HY_ELEMENT_FLOAT32

/* A pooling over an image of 1 x 4 x 6 x 2, then one vector per image. */
static uint32_t draw(struct hy_drawn_graph *drawn)
{
    static const int32_t rows[] = {-1, 8};
    const union hy_attributes pool = {.pool = {.padding = HY_PADDING_VALID,
                                               .stride_width = 3,
                                               .stride_height = 2,
                                               .filter_width = 3,
                                               .filter_height = 2}};
    const uint32_t image = hy_draw_tensor(drawn, F, HY_EXTENTS(1, 4, 6, 2));
    const uint32_t pooled =
        hy_draw_node(drawn, HY_OPERATOR_MAX_POOL_2D, &pool, F, HY_INPUTS(image));
    const uint32_t shape = hy_draw_ints(drawn, 2, rows);
    const uint32_t y = hy_draw_node(drawn, HY_OPERATOR_RESHAPE, NULL, F, HY_INPUTS(pooled, shape));
    hy_draw_inputs(drawn, 1, &image);
    hy_draw_outputs(drawn, HY_INPUTS(y));
    return y;
}

TEST(input_shape, all_shapes_follow_from_that_of_the_input)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t batch[] = {3, 4, 6, 2};
    const uint32_t y = draw(&drawn);
    EXPECT_INT(hy_graph_set_shape(&drawn.graph, 0, 4, batch, NULL), HY_OK);
    EXPECT_INT(hy_graph_run_passes(&drawn.graph, NULL), HY_OK);
    hy_expect_extents(&drawn, y, HY_EXTENTS(3, 8), __LINE__);
    hy_draw_finish(&drawn);
}

TEST(input_shape, every_extent_and_the_rank_may_change)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t wide[] = {1, 2, 12, 2}, vector[] = {7};
    const uint32_t y = draw(&drawn);
    EXPECT_INT(hy_graph_set_shape(&drawn.graph, 0, 4, wide, NULL), HY_OK);
    EXPECT_INT(hy_graph_run_passes(&drawn.graph, NULL), HY_OK);
    hy_expect_extents(&drawn, y, HY_EXTENTS(1, 8), __LINE__);
    EXPECT_INT(hy_graph_set_shape(&drawn.graph, 0, 1, vector, NULL), HY_OK);
    hy_expect_extents(&drawn, drawn.graph.inputs[0], HY_EXTENTS(7), __LINE__);
    EXPECT_INT(hy_graph_set_shape(&drawn.graph, 0, 0, NULL, NULL), HY_OK);
    EXPECT_INT(drawn.graph.tensors[drawn.graph.inputs[0]].rank, 0);
    hy_draw_finish(&drawn);
}

TEST(input_shape, an_extent_may_be_unknown)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t open[] = {HY_UNKNOWN_EXTENT, 4, 6, 2};
    draw(&drawn);
    EXPECT_INT(hy_graph_set_shape(&drawn.graph, 0, 4, open, NULL), HY_OK);
    EXPECT_INT(drawn.graph.tensors[drawn.graph.inputs[0]].extents[0], HY_UNKNOWN_EXTENT);
    hy_draw_finish(&drawn);
}

static void expect_refusal(struct hy_drawn_graph *drawn, uint32_t input, uint32_t rank,
                           const int32_t *extents, const char *expected)
{
    struct hy_error err = {0};
    EXPECT_INT(hy_graph_set_shape(&drawn->graph, input, rank, extents, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, expected);
    hy_expect_extents(drawn, drawn->graph.inputs[0], HY_EXTENTS(1, 4, 6, 2), __LINE__);
}

TEST(input_shape, what_is_no_shape_is_refused_by_name)
{
    struct hy_drawn_graph drawn = {0};
    static const int32_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, negative[] = {1, -2};
    static const int32_t huge[] = {INT32_MAX, INT32_MAX, INT32_MAX};
    draw(&drawn);
    expect_refusal(&drawn, 1, 1, ones, "input 1 does not exist, the network has 1");
    expect_refusal(&drawn, 0, 9, ones, "input 0 (t): rank 9, at most 8");
    expect_refusal(&drawn, 0, 2, negative, "input 0 (t): extent 1 is -2");
    expect_refusal(&drawn, 0, 3, huge, "input 0 (t): the shape has more than 2^64 bits");
    hy_draw_finish(&drawn);
}

TEST(input_shape, the_graph_knows_which_extents_a_file_leaves_open)
{
    struct hy_builder *builder = hy_builder_create();
    const struct hy_builder_tensor tensor = {.name = "x",
                                             .type = HY_TFLITE_FLOAT32,
                                             .rank = 2,
                                             .dims = {1, 4},
                                             .signature_rank = 2,
                                             .signature = {-1, 4}};
    const int32_t x = hy_builder_tensor(builder, &tensor);
    struct hy_tflite_model *model = NULL;
    struct hy_graph graph = {0};
    size_t length;

    hy_builder_input(builder, x);
    hy_builder_output(builder, x);
    uint8_t *bytes = hy_builder_finish(builder, &length);
    REQUIRE(hy_tflite_open(bytes, length, NULL, &model, NULL) == HY_OK);
    EXPECT_INT(hy_tflite_graph(model, 0, &graph, NULL), HY_OK);
    EXPECT_INT(graph.tensors[x].extents[0], 1);
    REQUIRE(graph.tensors[x].signature != NULL);
    EXPECT_INT(graph.tensors[x].signature[0], HY_UNKNOWN_EXTENT);
    EXPECT_INT(graph.tensors[x].signature[1], 4);
    hy_graph_finish(&graph);
    hy_tflite_close(model);
    free(bytes);
}
