/* Views of models that no runtime would make: nothing in them is believed. */
#include "plugin.h"
#include "tests/kit/test.h"

/* out = relu(in + constant), of which tests spoil one member. */
struct chain {
    struct hy_builder builder;
    struct hy_model model;
    struct hy_subgraph main;
    uint32_t sum_inputs[3], relu_input, sum_output, relu_output;
};

static void make_chain(struct chain *chain)
{
    const struct hy_builder_type row = {.type = F32, .rank = 2, .dims = {1, 4}};
    const float constant[4] = {1, 2, 3, 4};
    struct hy_builder *builder = &chain->builder;
    hy_builder_init(builder);
    chain->sum_inputs[0] = hy_builder_input(builder, &row);
    chain->sum_inputs[1] = hy_builder_pool_constant(builder, &row, constant, sizeof constant);
    chain->sum_inputs[2] = hy_builder_int(builder, 0);
    chain->sum_output = chain->relu_input = hy_builder_temporary(builder, &row);
    chain->relu_output = hy_builder_output(builder, &row);
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, chain->sum_inputs, 1, &chain->sum_output);
    hy_builder_operation(builder, ANEURALNETWORKS_RELU, 1, &chain->relu_input, 1,
                         &chain->relu_output);
    chain->model = *hy_builder_model(builder);
    chain->main = *chain->model.main;
    chain->model.main = &chain->main;
    builder->operations[0].inputs = chain->sum_inputs;
    builder->operations[0].outputs = &chain->sum_output;
    builder->operations[1].inputs = &chain->relu_input;
    builder->operations[1].outputs = &chain->relu_output;
}

static void expect_refused(struct hy_runner *runner, struct chain *chain, const char *expected)
{
    uint8_t supported[2] = {7, 7};
    const int32_t asked =
        runner->table->supported_operations(runner->device, &chain->model, supported, NULL);
    EXPECT(asked == HY_STATUS_OK || asked == HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(hy_runner_prepare(runner, &chain->model), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(runner->message, expected);
}

TEST(xnnpack_hostile_models, are_refused_with_a_reason)
{
    struct hy_runner runner;
    REQUIRE(xnnpack_open(&runner));

#define REFUSED(change, expected) \
    do { \
        struct chain chain; \
        make_chain(&chain); \
        change; \
        expect_refused(&runner, &chain, expected); \
        hy_builder_finish(&chain.builder); \
    } while (0)
#define OPERAND(index) chain.builder.operands[index]

    REFUSED(chain.sum_inputs[1] = 99, "input 1 is operand 99");
    REFUSED(chain.sum_inputs[2] = UINT32_MAX, "input 2 is operand 4294967295");
    REFUSED(chain.sum_output = 99, "output 0 is operand 99");
    REFUSED(chain.relu_output = chain.sum_output, "output 0 cannot be written");
    REFUSED(chain.relu_output = chain.sum_inputs[0], "output 0 cannot be written");
    REFUSED(chain.relu_output = chain.sum_inputs[1], "output 0 cannot be written");
    REFUSED(chain.relu_input = chain.relu_output, "input 0 is read before it is written");
    REFUSED(chain.builder.inputs[0] = 50, "an input of the model is operand 50");
    REFUSED(chain.builder.inputs[0] = chain.sum_inputs[1], "an input of the model is operand 1");
    REFUSED(chain.builder.outputs[0] = chain.sum_inputs[0], "an output of the model is operand 0");
    REFUSED(chain.main.input_count = 0, "input 0 is read before it is written");
    REFUSED(chain.main.operation_count = 1, "no operation writes output 0 of the model");
    REFUSED(OPERAND(0).rank = 17, "input 0 has rank 17");
    REFUSED(OPERAND(0).rank = UINT32_MAX, "input 0 has rank 4294967295");
    REFUSED(OPERAND(0).dims = NULL, "extent 0 of input 0 is not known");
    REFUSED(OPERAND(0).type = 77, "input 0 has type 77, which is not supported");
    REFUSED(OPERAND(0).type = -3, "input 0 has type -3, which is not supported");
    REFUSED(OPERAND(0).lifetime = HY_LIFETIME_NO_VALUE,
            "operand 0, which does not exist or has another lifetime");
    REFUSED(OPERAND(1).lifetime = HY_LIFETIME_NO_VALUE, "input 1 is left out");
    REFUSED(OPERAND(1).lifetime = 42, "input 1 is read before it is written");
    REFUSED(OPERAND(1).location.pool = 1, "a constant lies in pool 1 of 1");
    REFUSED(OPERAND(1).location.offset = UINT64_MAX, "does not fit its pool of 16 bytes");
    REFUSED(OPERAND(1).location.length = 15, "a constant needs 16 bytes, has 15");
    REFUSED(chain.builder.pools[0].size = 8, "does not fit its pool of 8 bytes");
    REFUSED(chain.builder.pools[0].protection = 0, "cannot be mapped");
    REFUSED(OPERAND(2).location.offset = UINT64_MAX, "lies outside the model's values");
    REFUSED(OPERAND(2).location.length = 8, "a constant needs 4 bytes, has 8");
    REFUSED(OPERAND(2).lifetime = HY_LIFETIME_INPUT, "input 2 is not constant");
    REFUSED(chain.builder.operations[0].input_count = 2, "ADD: 2 inputs and 1 outputs");
    REFUSED(chain.builder.operations[0].output_count = 0, "ADD: 3 inputs and 0 outputs");
#undef OPERAND
#undef REFUSED
    hy_runner_close(&runner);
}

TEST(xnnpack_hostile_models, small_tables_are_refused)
{
    struct hy_runner runner;
    struct chain chain;
    uint8_t supported[2];
    REQUIRE(xnnpack_open(&runner));
    make_chain(&chain);
    chain.model.struct_size -= 8;
    EXPECT_INT(hy_runner_prepare(&runner, &chain.model), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(runner.table->supported_operations(runner.device, &chain.model, supported, NULL),
               HY_STATUS_INVALID_ARGUMENT);
    chain.model.struct_size += 8;
    chain.main.struct_size = 0;
    EXPECT_INT(hy_runner_prepare(&runner, &chain.model), HY_STATUS_INVALID_ARGUMENT);
    hy_builder_finish(&chain.builder);
    hy_runner_close(&runner);
}

TEST(xnnpack_hostile_models, arguments_of_the_manifest_are_none)
{
    const struct hy_driver *driver = xnnpack_plugin();
    char text[128] = "";
    const struct hy_message message = {text, sizeof text};
    void *instance = NULL;
    REQUIRE(driver != NULL);
    EXPECT_INT(driver->create(NULL, "{\"threads\":2}", &message, &instance),
               HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(text, "this driver has no arguments");
    EXPECT_INT(driver->create(NULL, "[]", &message, &instance), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(driver->create(NULL, " { } ", &message, &instance), HY_STATUS_OK);
    EXPECT_INT(driver->device_count(instance), 1);
    const struct hy_device *table = NULL;
    void *device = NULL;
    EXPECT_INT(driver->device(instance, 1, &table, &device), HY_STATUS_INVALID_ARGUMENT);
    driver->destroy(instance);
}
