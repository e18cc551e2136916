/* WHILE: loops of fixed and of growing tensors, and loops in loops. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/flow_parts.h"

static const float three = 3, half = 0.5f;
static const int32_t next = 1;

static struct hy_builder *loop(const float *factor)
{
    struct hy_builder *builder = hy_builder_create();
    hy_flow_loop(builder, 1, 2, factor);
    hy_flow_loop_subgraphs(builder);
    return builder;
}

TEST(flow, a_while_runs_no_one_and_many_iterations)
{
    struct hy_network_run run;
    int32_t count;
    float factor;

    REQUIRE(hy_network_run_open(&run, loop(&three)));
    hy_flow_set_int(&run, 1, 0);
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 1, 2);
    hy_flow_set_int(&run, 1, 1);
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 3, 6);
    hy_flow_set_int(&run, 1, 5);
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 243, 486);
    memcpy(&count, run.outputs[1], sizeof count);
    memcpy(&factor, run.outputs[2], sizeof factor);
    EXPECT_INT(count, 5);
    EXPECT(factor == 3);
    hy_network_run_close(&run);
}

/* Weights that a loop only reads have to be constants for most devices. */
TEST(flow, a_constant_that_a_loop_reads_is_a_constant_in_the_body)
{
    struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, loop(&three)));
    const struct hy_graph *graph = &run.network->graph;
    const struct hy_graph_node *node = &graph->nodes[graph->node_count - 1];
    EXPECT_INT(node->operator_, HY_OPERATOR_WHILE);
    EXPECT_INT(node->input_count, 3);
    EXPECT_INT(node->output_count, 2);
    EXPECT_INT(graph->bodies[node->attributes.loop.body]->input_count, 3);
    hy_network_run_close(&run);
}

/* A loop around a sub-graph of a vector and a number. */
static void outer_loop(struct hy_builder *builder, uint32_t condition, uint32_t body)
{
    static const int32_t zero = 0;
    const int32_t limit = hy_flow_scalar(builder, HY_TFLITE_INT32, "limit");
    const int32_t x = hy_flow_vector(builder, "x"), y = hy_flow_vector(builder, "y");
    struct hy_builder_operator operator_ =
        hy_flow_operator(HY_TFLITE_OP_WHILE, HY_TFLITE_OPTIONS_WHILE, condition, body);
    hy_flow_add_input(&operator_, hy_flow_int(builder, &zero));
    hy_flow_add_input(&operator_, x);
    hy_flow_add_input(&operator_, limit);
    hy_flow_give(&operator_, hy_flow_scalar(builder, HY_TFLITE_INT32, "count after"));
    hy_flow_give(&operator_, y);
    hy_flow_give(&operator_, hy_flow_scalar(builder, HY_TFLITE_INT32, "limit after"));
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, limit);
    hy_builder_output(builder, y);
}

static void calling_body(struct hy_builder *builder, uint32_t callee)
{
    hy_builder_subgraph(builder);
    const int32_t count = hy_flow_scalar(builder, HY_TFLITE_INT32, "count");
    const int32_t more = hy_flow_scalar(builder, HY_TFLITE_INT32, "more");
    const int32_t before = hy_flow_vector(builder, "before"),
                  after = hy_flow_vector(builder, "after");
    const int32_t stays = hy_flow_scalar(builder, HY_TFLITE_INT32, "stays");
    struct hy_builder_operator call =
        hy_flow_operator(HY_TFLITE_OP_CALL, HY_TFLITE_OPTIONS_CALL, callee, 0);
    call.option_count = 1;
    hy_flow_add_input(&call, before);
    hy_flow_add_input(&call, stays);
    hy_flow_give(&call, after);
    hy_flow_give(&call, hy_flow_scalar(builder, HY_TFLITE_INT32, "unused"));
    hy_flow_give(&call, hy_flow_scalar(builder, HY_TFLITE_FLOAT32, "unused"));
    hy_builder_operator(builder, &call);
    hy_flow_binary(builder, HY_TFLITE_OP_ADD, count, hy_flow_int(builder, &next), more);
    hy_builder_input(builder, count);
    hy_builder_input(builder, before);
    hy_builder_input(builder, stays);
    hy_builder_output(builder, more);
    hy_builder_output(builder, after);
    hy_builder_output(builder, stays);
}

/* x * 0.5 ^ (limit * limit) */
TEST(flow, loops_are_nested)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;

    outer_loop(builder, 1, 2);
    hy_flow_condition_subgraph(builder, false);
    calling_body(builder, 3);
    hy_builder_subgraph(builder);
    hy_flow_loop(builder, 4, 5, &half);
    hy_flow_loop_subgraphs(builder);
    REQUIRE(hy_network_run_open(&run, builder));
    hy_flow_set_int(&run, 1, 3);
    hy_flow_run(&run, 0, 512, 1024);
    HY_FLOW_EXPECT_FLOATS(&run, 1, 2);
    hy_flow_set_int(&run, 1, 0);
    hy_flow_run(&run, 0, 512, 1024);
    HY_FLOW_EXPECT_FLOATS(&run, 512, 1024);
    hy_network_run_close(&run);
}

/* An operator of this kind has as many outputs as the input has elements. */
static int32_t unpack(struct hy_builder *builder, int32_t input)
{
    const int32_t element = hy_flow_scalar(builder, HY_TFLITE_FLOAT32, "element");

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_UNPACK,
                                                               .input_count = 1,
                                                               .inputs = {input},
                                                               .output_count = 1,
                                                               .outputs = {element}});
    return element;
}

/* while (count < limit) { count += 1; x = concatenation(x, x) } */
static struct hy_builder *growing(bool is_split)
{
    struct hy_builder *builder = hy_builder_create();

    outer_loop(builder, 1, 2);
    hy_flow_condition_subgraph(builder, false);
    hy_builder_subgraph(builder);
    const int32_t count = hy_flow_scalar(builder, HY_TFLITE_INT32, "count");
    const int32_t more = hy_flow_scalar(builder, HY_TFLITE_INT32, "more");
    const int32_t before = hy_flow_vector(builder, "before"),
                  after = hy_flow_vector(builder, "after");
    const int32_t sum = is_split ? hy_flow_vector(builder, "sum") : after;
    const int32_t stays = hy_flow_scalar(builder, HY_TFLITE_INT32, "stays");
    hy_flow_binary(builder, HY_TFLITE_OP_ADD, count, hy_flow_int(builder, &next), more);
    hy_flow_binary(builder, HY_TFLITE_OP_CONCATENATION, before, before, after);
    if (is_split)
        hy_flow_binary(builder, HY_TFLITE_OP_ADD, after, unpack(builder, after), sum);
    hy_builder_input(builder, count);
    hy_builder_input(builder, before);
    hy_builder_input(builder, stays);
    hy_builder_output(builder, more);
    hy_builder_output(builder, sum);
    hy_builder_output(builder, stays);
    return builder;
}

TEST(flow, a_tensor_that_grows_has_an_open_shape)
{
    struct hy_network_run run;
    uint32_t extent = 0;

    REQUIRE(hy_network_run_open(&run, growing(false)));
    hy_flow_set_int(&run, 1, 2);
    hy_flow_run(&run, 0, 3, 4);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, &extent), 0);
    EXPECT_INT(extent, 8);
    hy_network_run_close(&run);
}

TEST(flow, an_operator_that_needs_the_shape_of_a_tensor_that_grows_is_named)
{
    HY_FLOW_EXPECT_REFUSAL(growing(true), "operator 0 WHILE: subgraph 2: operator 2 UNPACK: a "
                                          "shape known only at run time has no NNAPI form");
}
