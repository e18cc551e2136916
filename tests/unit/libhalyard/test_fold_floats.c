/* Arithmetic on constants of float32. */
#include "tests/kit/test.h"

#include <math.h>

#include "libhalyard/graph/propagate.h"
#include "tests/unit/libhalyard/kit/drawn_graph.h"

#define F HY_ELEMENT_FLOAT32

static void propagate(struct hy_drawn_graph *drawn)
{
    EXPECT_INT(hy_graph_propagate(&drawn->graph, NULL), HY_OK);
}

static void expect_floats(const struct hy_drawn_graph *drawn, uint32_t tensor, uint32_t count,
                          const float *numbers, int line)
{
    const struct hy_graph_tensor *found = &drawn->graph.tensors[tensor];
    if (!found->data || found->bytes != count * sizeof *numbers) {
        hy_test_fail(__FILE__, line, "tensor %u is no constant of %u numbers", tensor, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const float number = ((const float *)found->data)[i];
        if (memcmp(&number, &numbers[i], sizeof number) != 0)
            hy_test_fail(__FILE__, line, "number %u is %g, expected %g", i, (double)number,
                         (double)numbers[i]);
        else
            hy_test_pass(__FILE__, line);
    }
}

#define expect_floats(drawn, tensor, ...) \
    expect_floats(drawn, tensor, sizeof((const float[]){__VA_ARGS__}) / sizeof(float), \
                  (const float[]){__VA_ARGS__}, __LINE__)

static uint32_t draw_two(struct hy_drawn_graph *drawn, enum hy_operator operator_,
                         enum hy_activation activation, uint32_t a, uint32_t b)
{
    const union hy_attributes attributes = {.binary.activation = activation};
    return hy_draw_node(drawn, operator_, &attributes, F, HY_INPUTS(a, b));
}

TEST(fold_reals, results_are_those_of_ieee_754)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t a = hy_draw_floats(&drawn, HY_EXTENTS(2), (const float[]){1.0f, 2.0f});
    const uint32_t b = hy_draw_floats(&drawn, HY_EXTENTS(2), (const float[]){3.0f, -0.1f});
    const uint32_t sum = draw_two(&drawn, HY_OPERATOR_ADD, HY_ACTIVATION_NONE, a, b);
    const uint32_t difference = draw_two(&drawn, HY_OPERATOR_SUB, HY_ACTIVATION_NONE, a, b);
    const uint32_t product = draw_two(&drawn, HY_OPERATOR_MUL, HY_ACTIVATION_NONE, a, b);
    const uint32_t quotient = draw_two(&drawn, HY_OPERATOR_DIV, HY_ACTIVATION_NONE, a, b);
    const uint32_t greater = draw_two(&drawn, HY_OPERATOR_MAXIMUM, HY_ACTIVATION_NONE, a, b);
    const uint32_t lesser = draw_two(&drawn, HY_OPERATOR_MINIMUM, HY_ACTIVATION_NONE, a, b);
    const uint32_t root = hy_draw_node(&drawn, HY_OPERATOR_SQRT, NULL, F, HY_INPUTS(a));
    const uint32_t square = hy_draw_node(&drawn, HY_OPERATOR_SQUARE, NULL, F, HY_INPUTS(b));
    const uint32_t negative = hy_draw_node(&drawn, HY_OPERATOR_NEG, NULL, F, HY_INPUTS(b));
    const uint32_t size = hy_draw_node(&drawn, HY_OPERATOR_ABS, NULL, F, HY_INPUTS(b));
    propagate(&drawn);
    expect_floats(&drawn, sum, 4.0f, 1.9f);
    expect_floats(&drawn, difference, -2.0f, 2.1f);
    expect_floats(&drawn, product, 3.0f, -0.2f);
    expect_floats(&drawn, quotient, 0x1.555556p-2f, -20.0f);
    expect_floats(&drawn, greater, 3.0f, 2.0f);
    expect_floats(&drawn, lesser, 1.0f, -0.1f);
    expect_floats(&drawn, root, 1.0f, 0x1.6a09e6p+0f);
    expect_floats(&drawn, square, 9.0f, 0.1f * 0.1f);
    expect_floats(&drawn, negative, -3.0f, 0.1f);
    expect_floats(&drawn, size, 3.0f, 0.1f);
    EXPECT_INT(drawn.graph.node_count, 0);
    hy_draw_finish(&drawn);
}

TEST(fold_reals, inputs_are_broadcast_and_results_clipped)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t a = hy_draw_floats(&drawn, HY_EXTENTS(2, 3), (const float[]){1, 2, 3, 4, 5, 6});
    const uint32_t column = hy_draw_floats(&drawn, HY_EXTENTS(2, 1), (const float[]){-2, 2});
    const uint32_t row = hy_draw_floats(&drawn, HY_EXTENTS(3), (const float[]){1, 0, -1});
    const uint32_t y = draw_two(&drawn, HY_OPERATOR_ADD, HY_ACTIVATION_RELU6, column, a);
    const uint32_t z = draw_two(&drawn, HY_OPERATOR_MUL, HY_ACTIVATION_RELU1, a, row);
    propagate(&drawn);
    expect_floats(&drawn, y, 0, 0, 1, 6, 6, 6);
    expect_floats(&drawn, z, 1, 0, -1, 1, 0, -1);
    hy_draw_finish(&drawn);
}

TEST(fold_reals, what_devices_may_differ_in_is_left_to_the_run)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t a = hy_draw_floats(&drawn, HY_EXTENTS(2), (const float[]){1e30f, -1.0f});
    const uint32_t zero = hy_draw_floats(&drawn, HY_EXTENTS(1), (const float[]){0});
    const uint32_t endless = hy_draw_floats(&drawn, HY_EXTENTS(1), (const float[]){INFINITY});
    draw_two(&drawn, HY_OPERATOR_MUL, HY_ACTIVATION_NONE, a, a);
    draw_two(&drawn, HY_OPERATOR_DIV, HY_ACTIVATION_NONE, a, zero);
    draw_two(&drawn, HY_OPERATOR_ADD, HY_ACTIVATION_NONE, a, endless);
    draw_two(&drawn, HY_OPERATOR_ADD, HY_ACTIVATION_TANH, a, a);
    hy_draw_node(&drawn, HY_OPERATOR_SQRT, NULL, F, HY_INPUTS(a));
    hy_draw_node(&drawn, HY_OPERATOR_EXP, NULL, F, HY_INPUTS(zero));
    propagate(&drawn);
    EXPECT_INT(drawn.graph.node_count, 6);
    hy_draw_finish(&drawn);
}

TEST(fold_reals, a_result_larger_than_its_inputs_is_left_to_the_run)
{
    struct hy_drawn_graph drawn = {0};
    const uint32_t column = hy_draw_floats(&drawn, HY_EXTENTS(2, 1), (const float[]){1, 2});
    const uint32_t row = hy_draw_floats(&drawn, HY_EXTENTS(3), (const float[]){1, 2, 3});
    draw_two(&drawn, HY_OPERATOR_MUL, HY_ACTIVATION_NONE, column, row);
    propagate(&drawn);
    EXPECT_INT(drawn.graph.node_count, 1);
    hy_draw_finish(&drawn);
}
