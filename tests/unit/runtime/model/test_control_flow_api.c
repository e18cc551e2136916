/* IF and WHILE through the API, from the model to the result, on the devices that are built in. */
#include "android/NeuralNetworks.h"
#include "tests/kit/test.h"

#define OK ANEURALNETWORKS_NO_ERROR

/* Models are built one after the other: this counts the operands of the last. */
static uint32_t operand_count;

static ANeuralNetworksModel *open_model(void)
{
    ANeuralNetworksModel *model = NULL;
    EXPECT_INT(ANeuralNetworksModel_create(&model), OK);
    operand_count = 0;
    return model;
}

static uint32_t operand(ANeuralNetworksModel *model, int32_t type, uint32_t rank, uint32_t extent)
{
    const ANeuralNetworksOperandType spec = {type, rank, rank ? &extent : NULL, 0, 0};

    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &spec), OK);
    return operand_count++;
}

static uint32_t floats(ANeuralNetworksModel *model, uint32_t extent)
{
    return operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, extent);
}

static uint32_t constant(ANeuralNetworksModel *model, float value)
{
    uint32_t index = floats(model, 1);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, (int32_t)index, &value, sizeof value),
               OK);
    return index;
}

static uint32_t number(ANeuralNetworksModel *model, int32_t value)
{
    uint32_t index = operand(model, ANEURALNETWORKS_INT32, 0, 0);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, (int32_t)index, &value, sizeof value),
               OK);
    return index;
}

static uint32_t reference(ANeuralNetworksModel *model, const ANeuralNetworksModel *to)
{
    uint32_t index = operand(model, ANEURALNETWORKS_MODEL, 0, 0);
    EXPECT_INT(ANeuralNetworksModel_setOperandValueFromModel(model, (int32_t)index, to), OK);
    return index;
}

static void close_model(ANeuralNetworksModel *model, uint32_t input_count, const uint32_t *inputs,
                        uint32_t output_count, const uint32_t *outputs)
{
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, input_count, inputs,
                                                             output_count, outputs),
               OK);
    EXPECT_INT(ANeuralNetworksModel_finish(model), OK);
}

/* Of a list and a counter: the counter is below the limit. */
static ANeuralNetworksModel *make_condition(float limit)
{
    ANeuralNetworksModel *model = open_model();
    uint32_t inputs[] = {floats(model, 0), floats(model, 1)};
    uint32_t less[] = {inputs[1], constant(model, limit)};
    uint32_t condition_output = operand(model, ANEURALNETWORKS_TENSOR_BOOL8, 1, 1);

    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LESS, 2, less, 1,
                                                 &condition_output),
               OK);
    close_model(model, 2, inputs, 1, &condition_output);
    return model;
}

/* Of a list and a counter: the list with the counter at its end, the counter and 1. */
static ANeuralNetworksModel *make_body(void)
{
    ANeuralNetworksModel *model = open_model();
    uint32_t inputs[] = {floats(model, 0), floats(model, 1)};
    uint32_t join[] = {inputs[0], inputs[1], number(model, 0)};
    uint32_t add[] = {inputs[1], constant(model, 1), number(model, 0)};
    uint32_t outputs[] = {floats(model, 0), floats(model, 1)};

    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONCATENATION, 3, join, 1,
                                                 &outputs[0]),
               OK);
    EXPECT_INT(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add, 1, &outputs[1]), OK);
    close_model(model, 2, inputs, 2, outputs);
    return model;
}

/* list, counter -> ABS of the list that the loop makes, its length unknown. */
static ANeuralNetworksModel *make_loop(float limit)
{
    ANeuralNetworksModel *condition = make_condition(limit), *body = make_body();
    ANeuralNetworksModel *model = open_model();
    uint32_t inputs[] = {reference(model, condition), reference(model, body), floats(model, 1),
                         floats(model, 1)};
    uint32_t list = floats(model, 0), result = floats(model, 0);

    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_WHILE, 4, inputs, 1, &list),
               OK);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ABS, 1, &list, 1, &result),
               OK);
    close_model(model, 2, inputs + 2, 1, &result);
    ANeuralNetworksModel_free(condition);
    ANeuralNetworksModel_free(body);
    return model;
}

static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model)
{
    ANeuralNetworksCompilation *compilation = NULL;
    EXPECT_INT(ANeuralNetworksCompilation_create(model, &compilation), OK);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), OK);
    ANeuralNetworksModel_free(model);
    return compilation;
}

static ANeuralNetworksExecution *start(ANeuralNetworksCompilation *compilation, float *arguments,
                                       float *result, uint32_t capacity)
{
    ANeuralNetworksExecution *execution = NULL;
    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), OK);
    for (int32_t i = 0; i < 2; i++)
        EXPECT_INT(
            ANeuralNetworksExecution_setInput(execution, i, NULL, &arguments[i], sizeof *arguments),
            OK);
    EXPECT_INT(
        ANeuralNetworksExecution_setOutput(execution, 0, NULL, result, capacity * sizeof *result),
        OK);
    return execution;
}

TEST(control_flow_api, loop_tells_the_shape_of_what_it_made)
{
    ANeuralNetworksCompilation *compilation = compile(make_loop(5));
    float arguments[] = {-7, 2}, result[8] = {0};
    uint32_t rank = 0, extent = 0;

    ANeuralNetworksExecution *execution = start(compilation, arguments, result, 8);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), OK);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank), OK);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, &extent), OK);
    EXPECT_INT(rank, 1);
    EXPECT_INT(extent, 4);
    EXPECT(result[0] == 7 && result[1] == 2 && result[2] == 3 && result[3] == 4);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
}

TEST(control_flow_api, room_that_is_too_small_is_told)
{
    ANeuralNetworksCompilation *compilation = compile(make_loop(5));
    float arguments[] = {-7, 2}, result[2];
    uint32_t extent = 0;

    ANeuralNetworksExecution *execution = start(compilation, arguments, result, 2);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution),
               ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, &extent),
               ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_INT(extent, 4);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
}
