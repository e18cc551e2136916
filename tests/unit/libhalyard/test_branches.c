/* IF: either branch, or one branch alone. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/flow_parts.h"

static const float ten = 10, three = 3;

/* x + 10, or x * 3; `decision` may be a constant. */
static struct hy_builder *branches(const uint8_t *decision)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = hy_flow_vector(builder, "x"), y = hy_flow_vector(builder, "y");
    const int32_t condition =
        hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "condition",
                                                               .type = HY_TFLITE_BOOL,
                                                               .data = decision,
                                                               .bytes = decision ? 1 : 0});
    struct hy_builder_operator operator_ =
        hy_flow_operator(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 2);
    hy_flow_add_input(&operator_, condition);
    hy_flow_add_input(&operator_, x);
    hy_flow_give(&operator_, y);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    if (!decision)
        hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    hy_flow_elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &ten);
    hy_flow_elementwise_subgraph(builder, HY_TFLITE_OP_MUL, &three);
    return builder;
}

TEST(flow, an_if_runs_either_branch)
{
    struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, branches(NULL)));
    run.inputs[1][0] = 1;
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 11, 12);
    run.inputs[1][0] = 0;
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 3, 6);
    hy_network_run_close(&run);
}

TEST(flow, an_if_with_a_constant_condition_is_one_branch)
{
    static const uint8_t yes = 1, no = 0;
    struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, branches(&yes)));
    EXPECT_INT(run.network->graph.body_count, 0);
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 11, 12);
    hy_network_run_close(&run);
    REQUIRE(hy_network_run_open(&run, branches(&no)));
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 3, 6);
    hy_network_run_close(&run);
}

/* x joined to itself, or x + 10. */
TEST(flow, branches_of_two_shapes_give_an_open_shape)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    uint32_t extent = 0;
    const int32_t condition = hy_flow_scalar(builder, HY_TFLITE_BOOL, "condition");
    const int32_t x = hy_flow_vector(builder, "x"), y = hy_flow_vector(builder, "y");
    struct hy_builder_operator operator_ =
        hy_flow_operator(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 2);

    hy_flow_add_input(&operator_, condition);
    hy_flow_add_input(&operator_, x);
    hy_flow_give(&operator_, y);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    hy_builder_subgraph(builder);
    const int32_t inner = hy_flow_vector(builder, "inner"),
                  joined = hy_flow_vector(builder, "joined");
    hy_flow_binary(builder, HY_TFLITE_OP_CONCATENATION, inner, inner, joined);
    hy_builder_input(builder, inner);
    hy_builder_output(builder, joined);
    hy_flow_elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &ten);

    REQUIRE(hy_network_run_open(&run, builder));
    run.inputs[1][0] = 1;
    hy_flow_run(&run, 0, 1, 2);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, &extent), 0);
    EXPECT_INT(extent, 4);
    HY_FLOW_EXPECT_FLOATS(&run, 1, 2);
    run.inputs[1][0] = 0;
    hy_flow_run(&run, 0, 1, 2);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, &extent), 0);
    EXPECT_INT(extent, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 11, 12);
    hy_network_run_close(&run);
}

/* A condition that is a constant after a CAST of this number; NULL: an input. */
static int32_t add_condition(struct hy_builder *builder, const int32_t *number)
{
    const int32_t condition = hy_flow_scalar(builder, HY_TFLITE_BOOL, "condition");
    if (number)
        hy_builder_operator(builder,
                            &(struct hy_builder_operator){.op = HY_TFLITE_OP_CAST,
                                                          .input_count = 1,
                                                          .inputs = {hy_flow_int(builder, number)},
                                                          .output_count = 1,
                                                          .outputs = {condition}});
    return condition;
}

/* A branch that gives what it gets, twice, and one that gives a constant and what it gets. The
 * third output is a sum. */
static struct hy_builder *branches_without_operators(const int32_t *number)
{
    static const float fixed[] = {7, 8};
    struct hy_builder *builder = hy_builder_create();
    const int32_t condition = add_condition(builder, number);
    const int32_t x = hy_flow_vector(builder, "x"), y = hy_flow_vector(builder, "y"),
                  z = hy_flow_vector(builder, "z");
    struct hy_builder_operator operator_ =
        hy_flow_operator(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 2);
    hy_flow_add_input(&operator_, condition);
    hy_flow_add_input(&operator_, x);
    hy_flow_give(&operator_, y);
    hy_flow_give(&operator_, z);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    if (!number)
        hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    hy_builder_output(builder, z);
    const int32_t sum = hy_flow_vector(builder, "sum");
    hy_flow_binary(builder, HY_TFLITE_OP_ADD, x, x, sum);
    hy_builder_output(builder, sum);
    hy_builder_subgraph(builder);
    int32_t inner = hy_flow_vector(builder, "inner");
    hy_builder_input(builder, inner);
    hy_builder_output(builder, inner);
    hy_builder_output(builder, inner);
    hy_builder_subgraph(builder);
    inner = hy_flow_vector(builder, "inner");
    hy_builder_input(builder, inner);
    hy_builder_output(
        builder, hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "fixed",
                                                                        .type = HY_TFLITE_FLOAT32,
                                                                        .rank = 1,
                                                                        .dims = {2},
                                                                        .data = fixed,
                                                                        .bytes = sizeof fixed}));
    hy_builder_output(builder, inner);
    return builder;
}

TEST(flow, branches_may_give_what_they_get_and_constants)
{
    struct hy_network_run run;
    float second[2];

    REQUIRE(hy_network_run_open(&run, branches_without_operators(NULL)));
    run.inputs[1][0] = 1;
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 1, 2);
    memcpy(second, run.outputs[1], sizeof second);
    EXPECT(second[0] == 1 && second[1] == 2);
    run.inputs[1][0] = 0;
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 7, 8);
    hy_network_run_close(&run);
}

TEST(flow, an_if_whose_condition_is_folded_is_one_branch)
{
    static const int32_t yes = 1, no = 0;
    struct hy_network_run run;

    REQUIRE(hy_network_run_try(&run, branches_without_operators(&yes)) == HY_OK);
    EXPECT_INT(run.network->graph.node_count, 1); /* the sum */
    EXPECT_INT(hy_lowered_model_outputs(run.network->model)[0].source, HY_OUTPUT_INPUT);
    EXPECT_INT(hy_lowered_model_outputs(run.network->model)[1].source, HY_OUTPUT_INPUT);
    hy_network_run_close(&run);
    REQUIRE(hy_network_run_try(&run, branches_without_operators(&no)) == HY_OK);
    EXPECT_INT(run.network->graph.node_count, 1); /* the sum */
    EXPECT_INT(hy_lowered_model_outputs(run.network->model)[0].source, HY_OUTPUT_CONSTANT);
    EXPECT_INT(hy_lowered_model_outputs(run.network->model)[1].source, HY_OUTPUT_INPUT);
    hy_network_run_close(&run);
}

/* The outputs are one tensor, which a loop in the branch computes. */
TEST(flow, a_folded_branch_may_have_bodies)
{
    static const int32_t yes = 1;
    struct hy_network_run run;
    float second[2];
    struct hy_builder *builder = hy_builder_create();
    const int32_t condition = add_condition(builder, &yes), x = hy_flow_vector(builder, "x"),
                  limit = hy_flow_scalar(builder, HY_TFLITE_INT32, "limit");
    struct hy_builder_operator operator_ =
        hy_flow_operator(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 1);
    hy_flow_add_input(&operator_, condition);
    hy_flow_add_input(&operator_, x);
    hy_flow_add_input(&operator_, limit);
    hy_flow_give(&operator_, hy_flow_vector(builder, "y"));
    hy_flow_give(&operator_, hy_flow_scalar(builder, HY_TFLITE_INT32, "count"));
    hy_flow_give(&operator_, hy_flow_scalar(builder, HY_TFLITE_FLOAT32, "factor"));
    hy_flow_give(&operator_, hy_flow_vector(builder, "z"));
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, limit);
    hy_builder_output(builder, operator_.outputs[0]);
    hy_builder_output(builder, operator_.outputs[3]);
    hy_builder_subgraph(builder);
    const int32_t inner = hy_flow_loop(builder, 2, 3, &three);
    hy_builder_output(builder, inner);
    hy_flow_loop_subgraphs(builder);
    REQUIRE(hy_network_run_open(&run, builder));
    EXPECT_INT(run.network->graph.node_count, 1);
    hy_flow_set_int(&run, 1, 3);
    hy_flow_run(&run, 0, 1, 2);
    HY_FLOW_EXPECT_FLOATS(&run, 27, 54);
    memcpy(second, run.outputs[1], sizeof second);
    EXPECT(second[0] == 27 && second[1] == 54);
    hy_network_run_close(&run);
}
