/* Operators that run sub-graphs: IF, WHILE, CALL. */
#include "test.h"

#include <string.h>

#include "tests/libhalyard/network_run.h"

/* ---- Models ---------------------------------------------------------------------------------- */

static int32_t vector(struct hy_builder *builder, const char *name)
{
    return hy_builder_tensor(builder,
                             &(struct hy_builder_tensor){
                                 .name = name, .type = HY_TFLITE_FLOAT32, .rank = 1, .dims = {2}});
}

static int32_t typed_scalar(struct hy_builder *builder, enum hy_tflite_type type, const char *name)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = name, .type = type});
}

static int32_t constant(struct hy_builder *builder, const float *value)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "constant",
                                                                  .type = HY_TFLITE_FLOAT32,
                                                                  .data = value,
                                                                  .bytes = sizeof *value});
}

static int32_t whole(struct hy_builder *builder, const int32_t *value)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "whole",
                                                                  .type = HY_TFLITE_INT32,
                                                                  .data = value,
                                                                  .bytes = sizeof *value});
}

static void binary(struct hy_builder *builder, int op, int32_t a, int32_t b, int32_t output)
{
    hy_builder_operator(
        builder,
        &(struct hy_builder_operator){
            .op = op, .input_count = 2, .inputs = {a, b}, .output_count = 1, .outputs = {output}});
}

/* One sub-graph or two as options of the operator. */
static struct hy_builder_operator flow(int op, unsigned kind, uint32_t first, uint32_t second)
{
    return (struct hy_builder_operator){.op = op,
                                        .options_kind = kind,
                                        .option_count = 2,
                                        .options = {{0, 4, first}, {1, 4, second}}};
}

static void take(struct hy_builder_operator *operator_, int32_t input)
{
    operator_->inputs[operator_->input_count++] = input;
}

static void give(struct hy_builder_operator *operator_, int32_t output)
{
    operator_->outputs[operator_->output_count++] = output;
}

/* A sub-graph of one vector that gives `op` of the vector and of a constant. */
static void elementwise_subgraph(struct hy_builder *builder, int op, const float *value)
{
    hy_builder_subgraph(builder);
    const int32_t x = vector(builder, "x"), y = vector(builder, "y");
    binary(builder, op, x, constant(builder, value), y);
    hy_builder_input(builder, x);
    hy_builder_output(builder, y);
}

static void expect_floats(struct hy_network_run *run, float first, float second)
{
    float found[2];
    memcpy(found, run->outputs[0], sizeof found);
    if (found[0] != first || found[1] != second)
        hy_test_fail(__FILE__, __LINE__, "%g, %g instead of %g, %g", (double)found[0],
                     (double)found[1], (double)first, (double)second);
}

static void run_on(struct hy_network_run *run, uint32_t input, float first, float second)
{
    const float x[] = {first, second};
    memcpy(run->inputs[input], x, sizeof x);
    if (hy_network_run(run) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", run->err.text);
}

static void expect_refusal(struct hy_builder *builder, const char *words)
{
    struct hy_network_run run;
    EXPECT_INT(hy_network_run_try(&run, builder), HY_BAD_DATA);
    EXPECT_CONTAINS(run.err.text, words);
    hy_network_run_close(&run);
}

/* ---- IF -------------------------------------------------------------------------------------- */

static const float ten = 10, three = 3, one = 1, half = 0.5f;

/* x + 10, or x * 3; `decision` may be a constant. */
static struct hy_builder *branches(const uint8_t *decision)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = vector(builder, "x"), y = vector(builder, "y");
    const int32_t condition =
        hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "condition",
                                                               .type = HY_TFLITE_BOOL,
                                                               .data = decision,
                                                               .bytes = decision ? 1 : 0});
    struct hy_builder_operator operator_ = flow(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 2);
    take(&operator_, condition);
    take(&operator_, x);
    give(&operator_, y);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    if (!decision)
        hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &ten);
    elementwise_subgraph(builder, HY_TFLITE_OP_MUL, &three);
    return builder;
}

TEST(flow, an_if_runs_either_branch)
{
    struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, branches(NULL)));
    run.inputs[1][0] = 1;
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 11, 12);
    run.inputs[1][0] = 0;
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 3, 6);
    hy_network_run_close(&run);
}

TEST(flow, an_if_with_a_constant_condition_is_one_branch)
{
    static const uint8_t yes = 1, no = 0;
    struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, branches(&yes)));
    EXPECT_INT(run.network->graph.body_count, 0);
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 11, 12);
    hy_network_run_close(&run);
    REQUIRE(hy_network_run_open(&run, branches(&no)));
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 3, 6);
    hy_network_run_close(&run);
}

/* A condition that is a constant after a CAST of this number; NULL: an input. */
static int32_t add_condition(struct hy_builder *builder, const int32_t *number)
{
    const int32_t condition = typed_scalar(builder, HY_TFLITE_BOOL, "condition");
    if (number)
        hy_builder_operator(builder,
                            &(struct hy_builder_operator){.op = HY_TFLITE_OP_CAST,
                                                          .input_count = 1,
                                                          .inputs = {whole(builder, number)},
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
    const int32_t x = vector(builder, "x"), y = vector(builder, "y"), z = vector(builder, "z");
    struct hy_builder_operator operator_ = flow(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 2);
    take(&operator_, condition);
    take(&operator_, x);
    give(&operator_, y);
    give(&operator_, z);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    if (!number)
        hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    hy_builder_output(builder, z);
    const int32_t sum = vector(builder, "sum");
    binary(builder, HY_TFLITE_OP_ADD, x, x, sum);
    hy_builder_output(builder, sum);
    hy_builder_subgraph(builder);
    int32_t inner = vector(builder, "inner");
    hy_builder_input(builder, inner);
    hy_builder_output(builder, inner);
    hy_builder_output(builder, inner);
    hy_builder_subgraph(builder);
    inner = vector(builder, "inner");
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
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 1, 2);
    memcpy(second, run.outputs[1], sizeof second);
    EXPECT(second[0] == 1 && second[1] == 2);
    run.inputs[1][0] = 0;
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 7, 8);
    hy_network_run_close(&run);
}

/* ---- WHILE ----------------------------------------------------------------------------------- */

/* Adds the sub-graph "count < limit" of a count, a vector and, if asked for, what stays. */
static void condition_subgraph(struct hy_builder *builder, bool more)
{
    hy_builder_subgraph(builder);
    const int32_t count = typed_scalar(builder, HY_TFLITE_INT32, "count");
    const int32_t x = vector(builder, "x");
    const int32_t limit = typed_scalar(builder, HY_TFLITE_INT32, "limit");
    const int32_t result = typed_scalar(builder, HY_TFLITE_BOOL, "result");
    binary(builder, HY_TFLITE_OP_LESS, count, limit, result);
    hy_builder_input(builder, count);
    hy_builder_input(builder, x);
    hy_builder_input(builder, limit);
    if (more)
        hy_builder_input(builder, typed_scalar(builder, HY_TFLITE_FLOAT32, "factor"));
    hy_builder_output(builder, result);
}

static const int32_t next = 1;

/* A sub-graph of x and limit: while (count < limit) { count += 1; x = x * factor; } */
static int32_t loop_entry(struct hy_builder *builder, uint32_t condition, uint32_t body,
                          const float *factor)
{
    static const int32_t zero = 0;
    const int32_t limit = typed_scalar(builder, HY_TFLITE_INT32, "limit");
    const int32_t x = vector(builder, "x"), y = vector(builder, "y");
    struct hy_builder_operator operator_ =
        flow(HY_TFLITE_OP_WHILE, HY_TFLITE_OPTIONS_WHILE, condition, body);
    take(&operator_, whole(builder, &zero));
    take(&operator_, x);
    take(&operator_, limit);
    take(&operator_, constant(builder, factor));
    give(&operator_, typed_scalar(builder, HY_TFLITE_INT32, "count after"));
    give(&operator_, y);
    give(&operator_, typed_scalar(builder, HY_TFLITE_INT32, "limit after"));
    give(&operator_, typed_scalar(builder, HY_TFLITE_FLOAT32, "factor after"));
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, limit);
    hy_builder_output(builder, y);
    hy_builder_output(builder, operator_.outputs[0]);
    hy_builder_output(builder, operator_.outputs[3]);
    return y;
}

/* Condition and body of the loop. */
static void loop_bodies(struct hy_builder *builder)
{
    condition_subgraph(builder, true);
    hy_builder_subgraph(builder);
    const int32_t count = typed_scalar(builder, HY_TFLITE_INT32, "count");
    const int32_t more = typed_scalar(builder, HY_TFLITE_INT32, "more");
    const int32_t before = vector(builder, "before"), after = vector(builder, "after");
    const int32_t stays = typed_scalar(builder, HY_TFLITE_INT32, "stays");
    const int32_t by = typed_scalar(builder, HY_TFLITE_FLOAT32, "by");
    binary(builder, HY_TFLITE_OP_ADD, count, whole(builder, &next), more);
    binary(builder, HY_TFLITE_OP_MUL, before, by, after);
    hy_builder_input(builder, count);
    hy_builder_input(builder, before);
    hy_builder_input(builder, stays);
    hy_builder_input(builder, by);
    hy_builder_output(builder, more);
    hy_builder_output(builder, after);
    hy_builder_output(builder, stays);
    hy_builder_output(builder, by);
}

static struct hy_builder *loop(const float *factor)
{
    struct hy_builder *builder = hy_builder_create();
    loop_entry(builder, 1, 2, factor);
    loop_bodies(builder);
    return builder;
}

static void set_whole(struct hy_network_run *run, uint32_t input, int32_t value)
{
    memcpy(run->inputs[input], &value, sizeof value);
}

TEST(flow, a_while_runs_no_one_and_many_iterations)
{
    struct hy_network_run run;
    int32_t count;
    float factor;

    REQUIRE(hy_network_run_open(&run, loop(&three)));
    set_whole(&run, 1, 0);
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 1, 2);
    set_whole(&run, 1, 1);
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 3, 6);
    set_whole(&run, 1, 5);
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 243, 486);
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
    const int32_t condition = add_condition(builder, &yes), x = vector(builder, "x"),
                  limit = typed_scalar(builder, HY_TFLITE_INT32, "limit");
    struct hy_builder_operator operator_ = flow(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 1);
    take(&operator_, condition);
    take(&operator_, x);
    take(&operator_, limit);
    give(&operator_, vector(builder, "y"));
    give(&operator_, typed_scalar(builder, HY_TFLITE_INT32, "count"));
    give(&operator_, typed_scalar(builder, HY_TFLITE_FLOAT32, "factor"));
    give(&operator_, vector(builder, "z"));
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, limit);
    hy_builder_output(builder, operator_.outputs[0]);
    hy_builder_output(builder, operator_.outputs[3]);
    hy_builder_subgraph(builder);
    const int32_t inner = loop_entry(builder, 2, 3, &three);
    hy_builder_output(builder, inner);
    loop_bodies(builder);
    REQUIRE(hy_network_run_open(&run, builder));
    EXPECT_INT(run.network->graph.node_count, 1);
    set_whole(&run, 1, 3);
    run_on(&run, 0, 1, 2);
    expect_floats(&run, 27, 54);
    memcpy(second, run.outputs[1], sizeof second);
    EXPECT(second[0] == 27 && second[1] == 54);
    hy_network_run_close(&run);
}

/* A loop around a sub-graph of a vector and a number. */
static void outer_loop(struct hy_builder *builder, uint32_t condition, uint32_t body)
{
    static const int32_t zero = 0;
    const int32_t limit = typed_scalar(builder, HY_TFLITE_INT32, "limit");
    const int32_t x = vector(builder, "x"), y = vector(builder, "y");
    struct hy_builder_operator operator_ =
        flow(HY_TFLITE_OP_WHILE, HY_TFLITE_OPTIONS_WHILE, condition, body);
    take(&operator_, whole(builder, &zero));
    take(&operator_, x);
    take(&operator_, limit);
    give(&operator_, typed_scalar(builder, HY_TFLITE_INT32, "count after"));
    give(&operator_, y);
    give(&operator_, typed_scalar(builder, HY_TFLITE_INT32, "limit after"));
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, limit);
    hy_builder_output(builder, y);
}

static void calling_body(struct hy_builder *builder, uint32_t callee)
{
    hy_builder_subgraph(builder);
    const int32_t count = typed_scalar(builder, HY_TFLITE_INT32, "count");
    const int32_t more = typed_scalar(builder, HY_TFLITE_INT32, "more");
    const int32_t before = vector(builder, "before"), after = vector(builder, "after");
    const int32_t stays = typed_scalar(builder, HY_TFLITE_INT32, "stays");
    struct hy_builder_operator call = flow(HY_TFLITE_OP_CALL, HY_TFLITE_OPTIONS_CALL, callee, 0);
    call.option_count = 1;
    take(&call, before);
    take(&call, stays);
    give(&call, after);
    give(&call, typed_scalar(builder, HY_TFLITE_INT32, "unused"));
    give(&call, typed_scalar(builder, HY_TFLITE_FLOAT32, "unused"));
    hy_builder_operator(builder, &call);
    binary(builder, HY_TFLITE_OP_ADD, count, whole(builder, &next), more);
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
    condition_subgraph(builder, false);
    calling_body(builder, 3);
    hy_builder_subgraph(builder);
    loop_entry(builder, 4, 5, &half);
    loop_bodies(builder);
    REQUIRE(hy_network_run_open(&run, builder));
    set_whole(&run, 1, 3);
    run_on(&run, 0, 512, 1024);
    expect_floats(&run, 1, 2);
    set_whole(&run, 1, 0);
    run_on(&run, 0, 512, 1024);
    expect_floats(&run, 512, 1024);
    hy_network_run_close(&run);
}

/* Operators of this kind have as many outputs as the input has elements. */
static void unpack(struct hy_builder *builder, int32_t input)
{
    hy_builder_operator(builder, &(struct hy_builder_operator){
                                     .op = HY_TFLITE_OP_UNPACK,
                                     .input_count = 1,
                                     .inputs = {input},
                                     .output_count = 1,
                                     .outputs = {typed_scalar(builder, HY_TFLITE_FLOAT32, "e")}});
}

/* while (count < limit) { count += 1; x = concatenation(x, x) } */
static struct hy_builder *growing(bool is_split)
{
    struct hy_builder *builder = hy_builder_create();

    outer_loop(builder, 1, 2);
    condition_subgraph(builder, false);
    hy_builder_subgraph(builder);
    const int32_t count = typed_scalar(builder, HY_TFLITE_INT32, "count");
    const int32_t more = typed_scalar(builder, HY_TFLITE_INT32, "more");
    const int32_t before = vector(builder, "before"), after = vector(builder, "after");
    const int32_t stays = typed_scalar(builder, HY_TFLITE_INT32, "stays");
    binary(builder, HY_TFLITE_OP_ADD, count, whole(builder, &next), more);
    binary(builder, HY_TFLITE_OP_CONCATENATION, before, before, after);
    if (is_split)
        unpack(builder, after);
    hy_builder_input(builder, count);
    hy_builder_input(builder, before);
    hy_builder_input(builder, stays);
    hy_builder_output(builder, more);
    hy_builder_output(builder, after);
    hy_builder_output(builder, stays);
    return builder;
}

TEST(flow, a_tensor_that_grows_has_an_open_shape)
{
    struct hy_network_run run;
    uint32_t extent = 0;

    REQUIRE(hy_network_run_open(&run, growing(false)));
    set_whole(&run, 1, 2);
    run_on(&run, 0, 3, 4);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, &extent), 0);
    EXPECT_INT(extent, 8);
    hy_network_run_close(&run);
}

TEST(flow, an_operator_that_needs_the_shape_of_a_tensor_that_grows_is_named)
{
    expect_refusal(growing(true), "operator 0 WHILE: subgraph 2: operator 2 UNPACK: a shape that "
                                  "only a run can tell has no NNAPI form");
}

/* ---- What is refused ------------------------------------------------------------------------- */

static struct hy_builder *circle(uint32_t back)
{
    struct hy_builder *builder = hy_builder_create();
    for (uint32_t i = 0; i < 3; i++) {
        if (i > 0)
            hy_builder_subgraph(builder);
        const int32_t x = vector(builder, "x"), y = vector(builder, "y");
        struct hy_builder_operator call =
            flow(HY_TFLITE_OP_CALL, HY_TFLITE_OPTIONS_CALL, i < 2 ? i + 1 : back, 0);
        call.option_count = 1;
        take(&call, x);
        give(&call, y);
        hy_builder_operator(builder, &call);
        hy_builder_input(builder, x);
        hy_builder_output(builder, y);
    }
    return builder;
}

TEST(flow, a_subgraph_that_runs_itself_is_named)
{
    expect_refusal(circle(0), "subgraph 0 (main) runs itself");
    expect_refusal(circle(1), "subgraph 1 (main) runs itself");
    expect_refusal(circle(2), "subgraph 2 (main) runs itself");
    expect_refusal(circle(3), "option subgraph is 3, the model has 3 subgraphs");
}

/* Each sub-graph calls the next twice. */
TEST(flow, subgraphs_that_multiply_are_refused)
{
    struct hy_builder *builder = hy_builder_create();
    enum { DEPTH = 40 };
    for (uint32_t i = 0; i <= DEPTH; i++) {
        if (i > 0)
            hy_builder_subgraph(builder);
        const int32_t x = vector(builder, "x");
        int32_t last = x;
        for (int j = 0; i < DEPTH && j < 2; j++) {
            struct hy_builder_operator call =
                flow(HY_TFLITE_OP_CALL, HY_TFLITE_OPTIONS_CALL, i + 1, 0);
            call.option_count = 1;
            take(&call, last);
            last = vector(builder, "y");
            give(&call, last);
            hy_builder_operator(builder, &call);
        }
        hy_builder_input(builder, x);
        hy_builder_output(builder, last);
    }
    expect_refusal(builder, "operators run subgraphs that have together more than 16 times");
}

TEST(flow, bodies_that_do_not_fit_are_refused)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t condition = typed_scalar(builder, HY_TFLITE_BOOL, "condition");
    const int32_t y = vector(builder, "y");
    struct hy_builder_operator operator_ = flow(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 1);
    take(&operator_, condition);
    give(&operator_, y);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &one);
    expect_refusal(builder, "operator 0 IF: subgraph 1 has 1 inputs, the operator 0");

    builder = hy_builder_create();
    const int32_t x = vector(builder, "x");
    struct hy_builder_operator call = flow(HY_TFLITE_OP_CALL, HY_TFLITE_OPTIONS_CALL, 1, 0);
    call.option_count = 1;
    take(&call, x);
    hy_builder_operator(builder, &call);
    hy_builder_input(builder, x);
    hy_builder_output(builder, x);
    elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &one);
    expect_refusal(builder, "operator 0 CALL: subgraph 1 has 1 outputs, needs 0");
}

/* A body has tensors of its own: the number of a tensor outside is another tensor inside. */
TEST(flow, a_body_that_reads_a_tensor_that_it_has_not_is_refused)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t condition = typed_scalar(builder, HY_TFLITE_BOOL, "condition");
    const int32_t x = vector(builder, "x"), y = vector(builder, "y");
    struct hy_builder_operator operator_ = flow(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 2);
    take(&operator_, condition);
    take(&operator_, x);
    give(&operator_, y);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &one);
    hy_builder_subgraph(builder);
    const int32_t inner = vector(builder, "inner"), outer = vector(builder, "outer"),
                  sum = vector(builder, "sum");
    binary(builder, HY_TFLITE_OP_ADD, inner, outer, sum);
    hy_builder_input(builder, inner);
    hy_builder_output(builder, sum);
    expect_refusal(builder, "operator 0 IF: subgraph 2: operator 0 ADD: tensor 1 (outer), float32 "
                            "of rank 1: nothing gives the tensor contents");
}
