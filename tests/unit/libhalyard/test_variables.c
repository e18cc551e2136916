/* Variables of a file: VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, CALL_ONCE. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/network_run.h"

/* ---- Models ---------------------------------------------------------------------------------- */

static const float first_contents[] = {1, 2};

static int32_t vector(struct hy_builder *builder, const char *name, const float *data)
{
    return hy_builder_tensor(builder,
                             &(struct hy_builder_tensor){.name = name,
                                                         .type = HY_TFLITE_FLOAT32,
                                                         .rank = 1,
                                                         .dims = {2},
                                                         .data = data,
                                                         .bytes = data ? 2 * sizeof *data : 0});
}

static int32_t resource(struct hy_builder *builder)
{
    return hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = "handle", .type = HY_TFLITE_RESOURCE});
}

static int32_t handle(struct hy_builder *builder, const char *name)
{
    const int32_t tensor = resource(builder);
    hy_builder_operator(builder, &(struct hy_builder_operator){
                                     .op = HY_TFLITE_OP_VAR_HANDLE,
                                     .output_count = 1,
                                     .outputs = {tensor},
                                     .options_kind = HY_TFLITE_OPTIONS_VAR_HANDLE,
                                     .text = name,
                                 });
    return tensor;
}

static int32_t read_variable(struct hy_builder *builder, int32_t of)
{
    const int32_t contents = vector(builder, "contents", NULL);
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_READ_VARIABLE,
                                                               .input_count = 1,
                                                               .inputs = {of},
                                                               .output_count = 1,
                                                               .outputs = {contents}});
    return contents;
}

static void assign(struct hy_builder *builder, int32_t to, int32_t contents)
{
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ASSIGN_VARIABLE,
                                                               .input_count = 2,
                                                               .inputs = {to, contents}});
}

static int32_t binary(struct hy_builder *builder, int op, int32_t a, int32_t b)
{
    const int32_t result = vector(builder, "result", NULL);
    hy_builder_operator(
        builder,
        &(struct hy_builder_operator){
            .op = op, .input_count = 2, .inputs = {a, b}, .output_count = 1, .outputs = {result}});
    return result;
}

static void call_once(struct hy_builder *builder, uint32_t subgraph)
{
    hy_builder_operator(builder,
                        &(struct hy_builder_operator){.op = HY_TFLITE_OP_CALL_ONCE,
                                                      .options_kind = HY_TFLITE_OPTIONS_CALL_ONCE,
                                                      .option_count = 1,
                                                      .options = {{0, 4, subgraph}}});
}

/* The sub-graph that says what a variable holds first. */
static void initialisation(struct hy_builder *builder, const char *name)
{
    hy_builder_subgraph(builder);
    const int32_t variable = handle(builder, name);
    assign(builder, variable, vector(builder, "first", first_contents));
}

/* sum += x; the result is the old sum and the new. */
static struct hy_builder *running_sum(bool is_initialised)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = vector(builder, "x", NULL);

    if (is_initialised)
        call_once(builder, 1);
    const int32_t variable = handle(builder, "sum");
    const int32_t before = read_variable(builder, variable);
    assign(builder, variable, binary(builder, HY_TFLITE_OP_ADD, before, x));
    hy_builder_input(builder, x);
    hy_builder_output(builder, read_variable(builder, handle(builder, "sum")));
    hy_builder_output(builder, before);
    if (is_initialised)
        initialisation(builder, "sum");
    return builder;
}

static enum hy_code run_on(struct hy_network_run *run, float first, float second)
{
    const float x[] = {first, second};
    memcpy(run->inputs[0], x, sizeof x);
    return hy_network_run(run);
}

static void expect_output(const struct hy_network_run *run, uint32_t output, float first,
                          float second, int line)
{
    float found[2];
    memcpy(found, run->outputs[output], sizeof found);
    if (found[0] != first || found[1] != second)
        hy_test_fail(__FILE__, line, "%g, %g instead of %g, %g", (double)found[0], (double)found[1],
                     (double)first, (double)second);
    else
        hy_test_pass(__FILE__, line);
}

#define EXPECT_OUTPUT(run, output, first, second) \
    expect_output(run, output, first, second, __LINE__)

static void expect_refusal(struct hy_builder *builder, const char *expected)
{
    struct hy_network_run run;
    EXPECT_INT(hy_network_run_try(&run, builder), HY_BAD_DATA);
    EXPECT_STR(run.err.text, expected);
    hy_network_run_close(&run);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

TEST(variables, a_variable_keeps_what_a_run_has_assigned)
{
    struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, running_sum(true)));
    EXPECT_INT(hy_states_count(run.states), 1);
    EXPECT_STR(hy_states_tensor(run.states, 0)->name, "sum");
    EXPECT_INT(run_on(&run, 10, 20), HY_OK);
    EXPECT_OUTPUT(&run, 0, 11, 22);
    EXPECT_OUTPUT(&run, 1, 1, 2); /* a READ_VARIABLE before the assignment */
    EXPECT_INT(run_on(&run, 100, 200), HY_OK);
    EXPECT_OUTPUT(&run, 0, 111, 222);
    EXPECT_OUTPUT(&run, 1, 11, 22);
    hy_states_reset(run.states);
    EXPECT_INT(run_on(&run, 0, 0), HY_OK);
    EXPECT_OUTPUT(&run, 0, 1, 2);
    hy_network_run_close(&run);
}

TEST(variables, a_variable_that_nothing_has_assigned_is_named)
{
    static const float contents[] = {5, 6};
    struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, running_sum(false)));
    EXPECT_INT(run_on(&run, 10, 20), HY_BAD_DATA);
    EXPECT_STR(run.err.text, "variable sum is read before an assignment");
    EXPECT_INT(hy_states_write(run.states, 0, contents, sizeof contents, &run.err), HY_OK);
    EXPECT_INT(run_on(&run, 10, 20), HY_OK);
    EXPECT_OUTPUT(&run, 0, 15, 26);
    hy_states_reset(run.states);
    EXPECT_INT(run_on(&run, 10, 20), HY_BAD_DATA);
    hy_network_run_close(&run);
}

TEST(variables, a_variable_that_only_call_once_assigns_is_a_constant)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = vector(builder, "x", NULL);

    call_once(builder, 1);
    hy_builder_output(builder, binary(builder, HY_TFLITE_OP_MUL, x,
                                      read_variable(builder, handle(builder, "factor"))));
    hy_builder_input(builder, x);
    initialisation(builder, "factor");
    REQUIRE(hy_network_run_open(&run, builder));
    EXPECT_INT(hy_states_count(run.states), 0);
    EXPECT_INT(run_on(&run, 10, 20), HY_OK);
    EXPECT_OUTPUT(&run, 0, 10, 40);
    hy_network_run_close(&run);
}

/* The variables become x, the other's contents, and a constant. */
TEST(variables, inputs_constants_and_other_variables_are_assigned_without_operations)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = vector(builder, "x", NULL);

    call_once(builder, 1);
    const int32_t newest = handle(builder, "newest"), older = handle(builder, "older");
    const int32_t before = read_variable(builder, newest);
    hy_builder_output(builder, read_variable(builder, older));
    assign(builder, older, before);
    assign(builder, newest, x);
    assign(builder, handle(builder, "fixed"), vector(builder, "fixed", first_contents));
    hy_builder_input(builder, x);
    hy_builder_output(builder, binary(builder, HY_TFLITE_OP_ADD, x, x));
    initialisation(builder, "newest");
    const int32_t second = handle(builder, "older");
    assign(builder, second, vector(builder, "first", first_contents));

    REQUIRE(hy_network_run_open(&run, builder));
    EXPECT_INT(hy_states_count(run.states), 3);
    EXPECT_INT(run_on(&run, 10, 20), HY_OK);
    EXPECT_OUTPUT(&run, 0, 1, 2);
    EXPECT_INT(run_on(&run, 30, 40), HY_OK);
    EXPECT_OUTPUT(&run, 0, 1, 2);
    EXPECT_INT(run_on(&run, 50, 60), HY_OK);
    EXPECT_OUTPUT(&run, 0, 10, 20);
    EXPECT_INT(run_on(&run, 50, 60), HY_OK);
    EXPECT_OUTPUT(&run, 0, 30, 40);
    hy_network_run_close(&run);
}

/* sum and product begin with what a sum and a product of constants are. */
TEST(variables, first_contents_are_computed_once)
{
    static const float second[] = {10, 20};
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = vector(builder, "x", NULL);

    call_once(builder, 1);
    const int32_t sum = handle(builder, "sum"), product = handle(builder, "product");
    const int32_t next = binary(builder, HY_TFLITE_OP_ADD, read_variable(builder, sum), x);
    assign(builder, sum, next);
    hy_builder_input(builder, x);
    hy_builder_output(builder, next);
    hy_builder_output(builder,
                      binary(builder, HY_TFLITE_OP_ADD, x, read_variable(builder, product)));
    hy_builder_subgraph(builder);
    const int32_t a = vector(builder, "a", first_contents), b = vector(builder, "b", second);
    assign(builder, handle(builder, "product"), binary(builder, HY_TFLITE_OP_MUL, a, b));
    assign(builder, handle(builder, "sum"), binary(builder, HY_TFLITE_OP_ADD, a, b));

    REQUIRE(hy_network_run_open(&run, builder));
    EXPECT_INT(run_on(&run, 100, 200), HY_OK);
    EXPECT_OUTPUT(&run, 0, 111, 222);
    EXPECT_OUTPUT(&run, 1, 110, 240);
    EXPECT_INT(run_on(&run, 100, 200), HY_OK);
    EXPECT_OUTPUT(&run, 0, 211, 422);
    EXPECT_OUTPUT(&run, 1, 110, 240);
    hy_states_reset(run.states);
    EXPECT_INT(run_on(&run, 100, 200), HY_OK);
    EXPECT_OUTPUT(&run, 0, 111, 222);
    hy_network_run_close(&run);
}

/* ---- Variables in bodies --------------------------------------------------------------------- */

static struct hy_builder_operator flow(int op, unsigned kind, uint32_t one, uint32_t other)
{
    return (struct hy_builder_operator){
        .op = op, .options_kind = kind, .option_count = 2, .options = {{0, 4, one}, {1, 4, other}}};
}

static int32_t number(struct hy_builder *builder, const char *name, const int32_t *value)
{
    return hy_builder_tensor(builder,
                             &(struct hy_builder_tensor){.name = name,
                                                         .type = HY_TFLITE_INT32,
                                                         .data = value,
                                                         .bytes = value ? sizeof *value : 0});
}

static int32_t truth(struct hy_builder *builder)
{
    return hy_builder_tensor(builder,
                             &(struct hy_builder_tensor){.name = "truth", .type = HY_TFLITE_BOOL});
}

static int32_t compute(struct hy_builder *builder, int op, int32_t a, int32_t b, int32_t result)
{
    hy_builder_operator(
        builder,
        &(struct hy_builder_operator){
            .op = op, .input_count = 2, .inputs = {a, b}, .output_count = 1, .outputs = {result}});
    return result;
}

/* sum += x three times in a loop that gets the handle, and the sum comes out. */
TEST(variables, a_loop_changes_a_variable_whose_handle_it_gets)
{
    static const int32_t zero = 0, one = 1, three = 3;
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = vector(builder, "x", NULL);

    call_once(builder, 3);
    const int32_t variable = handle(builder, "sum");
    struct hy_builder_operator loop = flow(HY_TFLITE_OP_WHILE, HY_TFLITE_OPTIONS_WHILE, 1, 2);
    loop.input_count = loop.output_count = 3;
    loop.inputs[0] = number(builder, "zero", &zero);
    loop.inputs[1] = variable;
    loop.inputs[2] = x;
    loop.outputs[0] = number(builder, "count", NULL);
    loop.outputs[1] = resource(builder);
    loop.outputs[2] = vector(builder, "x after", NULL);
    hy_builder_operator(builder, &loop);
    hy_builder_input(builder, x);
    hy_builder_output(builder, read_variable(builder, loop.outputs[1]));

    for (int i = 0; i < 2; i++) { /* condition, body */
        hy_builder_subgraph(builder);
        const int32_t count = number(builder, "count", NULL), inner = resource(builder),
                      by = vector(builder, "by", NULL);
        hy_builder_input(builder, count);
        hy_builder_input(builder, inner);
        hy_builder_input(builder, by);
        if (i == 0) {
            hy_builder_output(builder, compute(builder, HY_TFLITE_OP_LESS, count,
                                               number(builder, "three", &three), truth(builder)));
            continue;
        }
        assign(builder, inner,
               binary(builder, HY_TFLITE_OP_ADD, read_variable(builder, inner), by));
        hy_builder_output(builder,
                          compute(builder, HY_TFLITE_OP_ADD, count, number(builder, "one", &one),
                                  number(builder, "more", NULL)));
        hy_builder_output(builder, inner);
        hy_builder_output(builder, by);
    }
    initialisation(builder, "sum");

    REQUIRE(hy_network_run_open(&run, builder));
    EXPECT_INT(run_on(&run, 10, 20), HY_OK);
    EXPECT_OUTPUT(&run, 0, 31, 62);
    EXPECT_INT(run_on(&run, 1, 1), HY_OK);
    EXPECT_OUTPUT(&run, 0, 34, 65);
    hy_network_run_close(&run);
}

/* One branch assigns x to the variable, the other nothing. */
TEST(variables, a_branch_changes_a_variable)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = vector(builder, "x", NULL), condition = truth(builder);

    call_once(builder, 3);
    struct hy_builder_operator branch = flow(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 2);
    branch.input_count = 2;
    branch.inputs[0] = condition;
    branch.inputs[1] = x;
    hy_builder_operator(builder, &branch);
    hy_builder_output(builder, read_variable(builder, handle(builder, "newest")));
    hy_builder_input(builder, x);
    hy_builder_input(builder, condition);
    for (int i = 0; i < 2; i++) {
        hy_builder_subgraph(builder);
        const int32_t inner = vector(builder, "inner", NULL);
        hy_builder_input(builder, inner);
        if (i == 0)
            assign(builder, handle(builder, "newest"), inner);
    }
    initialisation(builder, "newest");

    REQUIRE(hy_network_run_open(&run, builder));
    EXPECT_INT(run_on(&run, 10, 20), HY_OK);
    EXPECT_OUTPUT(&run, 0, 1, 2);
    run.inputs[1][0] = 1;
    EXPECT_INT(run_on(&run, 30, 40), HY_OK);
    EXPECT_OUTPUT(&run, 0, 30, 40);
    run.inputs[1][0] = 0;
    EXPECT_INT(run_on(&run, 50, 60), HY_OK);
    EXPECT_OUTPUT(&run, 0, 30, 40);
    hy_network_run_close(&run);
}

/* ---- What is refused ------------------------------------------------------------------------- */

TEST(variables, what_is_no_handle_is_refused)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = vector(builder, "x", NULL);
    hy_builder_input(builder, x);
    hy_builder_output(builder, read_variable(builder, x));
    expect_refusal(builder, "operator 0 READ_VARIABLE: input 0 is not the handle of a variable");

    builder = hy_builder_create();
    const int32_t nothing = resource(builder);
    const int32_t y = vector(builder, "y", NULL);
    assign(builder, nothing, y);
    hy_builder_input(builder, y);
    hy_builder_output(builder, y);
    expect_refusal(builder, "operator 0 ASSIGN_VARIABLE: input 0 is not the handle of a variable");
}

TEST(variables, a_handle_is_no_state_of_a_recurrent_operator)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = vector(builder, "x", NULL);
    const int32_t variable = handle(builder, "v");
    const int32_t y = vector(builder, "y", NULL);

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RNN,
                                                               .input_count = 5,
                                                               .inputs = {x, x, x, x, variable},
                                                               .output_count = 1,
                                                               .outputs = {y}});
    hy_builder_input(builder, x);
    hy_builder_output(builder, y);
    EXPECT_INT(hy_network_run_try(&run, builder), HY_BAD_DATA);
    EXPECT_CONTAINS(run.err.text, "operator 1 RNN");
    hy_network_run_close(&run);

    builder = hy_builder_create();
    const int32_t z = vector(builder, "z", NULL);
    hy_builder_operator(builder, &(struct hy_builder_operator){
                                     .op = HY_TFLITE_OP_VAR_HANDLE,
                                     .output_count = 1,
                                     .outputs = {z},
                                     .options_kind = HY_TFLITE_OPTIONS_VAR_HANDLE,
                                     .text = "v",
                                 });
    hy_builder_output(builder, z);
    expect_refusal(builder, "operator 0 VAR_HANDLE: output 0 is not a resource");
}

/* The sub-graph of CALL_ONCE gets nothing, so that nothing can be its input. */
TEST(variables, first_contents_that_nothing_gives_are_named)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = vector(builder, "x", NULL);

    call_once(builder, 1);
    const int32_t variable = handle(builder, "v");
    const int32_t sum = binary(builder, HY_TFLITE_OP_ADD, x, read_variable(builder, variable));
    hy_builder_input(builder, x);
    hy_builder_output(builder, sum);
    hy_builder_subgraph(builder);
    const int32_t inner = vector(builder, "inner", NULL);
    const int32_t twice = binary(builder, HY_TFLITE_OP_ADD, inner, inner);
    assign(builder, handle(builder, "v"), twice);
    REQUIRE(hy_network_run_try(&run, builder) == HY_OK);
    EXPECT_INT(hy_states_create(&run.network->graph, run.network->model, &run.states, &run.err),
               HY_BAD_DATA);
    EXPECT_STR(
        run.err.text,
        "first contents of variables: subgraph 1: operator 0 ADD: tensor 0 (inner), float32 of "
        "rank 1: no operator computes the tensor, and it is neither an input nor a constant");
    hy_network_run_close(&run);
}

TEST(variables, contents_that_change_their_shape_are_refused)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = vector(builder, "x", NULL);
    const int32_t variable = handle(builder, "v");
    const int32_t before = read_variable(builder, variable);
    const int32_t longer = hy_builder_tensor(builder, &(struct hy_builder_tensor){
                                                          .name = "longer",
                                                          .type = HY_TFLITE_FLOAT32,
                                                          .rank = 1,
                                                          .dims = {4},
                                                      });

    compute(builder, HY_TFLITE_OP_CONCATENATION, before, x, longer);
    assign(builder, variable, longer);
    hy_builder_input(builder, x);
    hy_builder_output(builder, before);
    REQUIRE(hy_network_run_try(&run, builder) == HY_OK);
    EXPECT_INT(hy_states_create(&run.network->graph, run.network->model, &run.states, &run.err),
               HY_BAD_DATA);
    EXPECT_STR(run.err.text, "state 0 (v): the type or shape differs after a run");
    hy_network_run_close(&run);
}
