/* What layers have to do at least: products and bytes by the definition of the operation. */
#include "bench/kernels/layer_work.h"
#include "tests/kit/test.h"

static const float constant[1];

static uint32_t add(struct hy_graph *graph, const int32_t extents[4], const void *data)
{
    struct hy_graph_tensor tensor = {.element = HY_ELEMENT_FLOAT32, .rank = 4, .data = data};
    struct hy_error err;
    uint32_t index = 0;

    for (int i = 0; i < 4; i++)
        tensor.extents[i] = extents[i];
    EXPECT(hy_graph_add_tensor(graph, &tensor, &index, &err) == HY_OK);
    return index;
}

/* Of one operator, whose second input is a constant unless it is a product of two tensors. */
static struct hy_layer_work work_of(enum hy_operator operator_, const int32_t input[4],
                                    const int32_t second[4], const int32_t output[4])
{
    const bool has_weights = operator_ != HY_OPERATOR_BATCH_MATMUL;
    struct hy_graph graph;

    hy_graph_init(&graph);
    const uint32_t inputs[] = {add(&graph, input, NULL),
                               add(&graph, second, has_weights ? constant : NULL)};
    const uint32_t outputs[] = {add(&graph, output, NULL)};
    const struct hy_graph_node node = {.operator_ = operator_,
                                       .input_count = 2,
                                       .output_count = 1,
                                       .inputs = inputs,
                                       .outputs = outputs};
    const struct hy_layer_work work = hy_layer_work_of(&graph, &node);
    hy_graph_finish(&graph);
    return work;
}

#define WORK(operator_, ...) work_of(HY_OPERATOR_##operator_, __VA_ARGS__)
#define EXTENTS(...)         ((const int32_t[4]){__VA_ARGS__})

TEST(layer_work, a_sum_has_a_product_for_each_weight_of_its_channel)
{
    const struct hy_layer_work work =
        WORK(CONV_2D, EXTENTS(1, 6, 6, 5), EXTENTS(7, 3, 3, 5), EXTENTS(1, 4, 4, 7));

    EXPECT_INT((int)work.products, 4 * 4 * 7 * 3 * 3 * 5);
    EXPECT_INT((int)work.constant_bytes, 4 * 7 * 3 * 3 * 5);
    EXPECT_INT((int)work.value_bytes, 4 * (6 * 6 * 5 + 4 * 4 * 7));
    EXPECT(work.is_float);
}

TEST(layer_work, a_depthwise_sum_has_a_product_for_each_tap)
{
    EXPECT_INT((int)WORK(DEPTHWISE_CONV_2D, EXTENTS(1, 6, 6, 5), EXTENTS(1, 3, 3, 10),
                         EXTENTS(1, 4, 4, 10))
                   .products,
               4 * 4 * 10 * 3 * 3);
}

TEST(layer_work, each_input_of_a_transposed_convolution_meets_the_filter)
{
    EXPECT_INT(
        (int)WORK(TRANSPOSE_CONV_2D, EXTENTS(1, 4, 4, 5), EXTENTS(7, 2, 2, 5), EXTENTS(1, 8, 8, 7))
            .products,
        4 * 4 * 5 * 7 * 2 * 2);
}

TEST(layer_work, a_product_of_two_tensors_has_no_constants)
{
    const struct hy_layer_work work =
        WORK(BATCH_MATMUL, EXTENTS(2, 3, 4, 5), EXTENTS(2, 3, 5, 6), EXTENTS(2, 3, 4, 6));

    EXPECT_INT((int)work.products, 2 * 3 * 4 * 5 * 6);
    EXPECT_INT((int)work.constant_bytes, 0);
}

TEST(layer_work, a_sum_of_two_tensors_has_bytes_alone)
{
    const struct hy_layer_work work =
        WORK(ADD, EXTENTS(1, 1, 2, 3), EXTENTS(1, 1, 2, 3), EXTENTS(1, 1, 2, 3));

    EXPECT_INT((int)work.products, 0);
    EXPECT_INT((int)(work.constant_bytes + work.value_bytes), 4 * 3 * 6);
}
