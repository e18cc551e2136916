/* The life of a model: what each call gives in each state, and what finish wants of the whole. */
#include "tests/scenarios/contract/kit/fixture.h"

#include <sys/mman.h>
#include <unistd.h>

static const uint32_t zero = 0, one = 1, two = 2;

/* ---- States ---------------------------------------------------------------------------------- */

/* Each call with arguments that are wrong, if there are any: the state is looked at first. */

static int add_operand(ANeuralNetworksModel *model)
{
    const ANeuralNetworksOperandType wrong = {.type = 99};
    return ANeuralNetworksModel_addOperand(model, &wrong);
}

static int set_value(ANeuralNetworksModel *model)
{
    return ANeuralNetworksModel_setOperandValue(model, 99, &zero, sizeof zero);
}

static int set_value_from_memory(ANeuralNetworksModel *model)
{
    ANeuralNetworksMemory *memory = memory_of(4, PROT_READ);
    const int code = ANeuralNetworksModel_setOperandValueFromMemory(model, 99, memory, 7, 7);
    ANeuralNetworksMemory_free(memory);
    return code;
}

static int set_value_from_model(ANeuralNetworksModel *model)
{
    ANeuralNetworksModel *value = relu_model(MODEL_FINISHED);
    const int code = ANeuralNetworksModel_setOperandValueFromModel(model, 99, value);
    ANeuralNetworksModel_free(value);
    return code;
}

static int set_scales(ANeuralNetworksModel *model)
{
    const ANeuralNetworksSymmPerChannelQuantParams wrong = {.scaleCount = 7};
    return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 99, &wrong);
}

static int set_extension_data(ANeuralNetworksModel *model)
{
    return ANeuralNetworksModel_setOperandExtensionData(model, 99, "x", 0);
}

static int add_operation(ANeuralNetworksModel *model)
{
    return ANeuralNetworksModel_addOperation(model, 999, 0, &zero, 0, &zero);
}

static int identify(ANeuralNetworksModel *model)
{
    return ANeuralNetworksModel_identifyInputsAndOutputs(model, 0, &zero, 0, &zero);
}

static int relax(ANeuralNetworksModel *model)
{
    return ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true);
}

static int get_operand_type(ANeuralNetworksModel *model)
{
    int32_t type;
    return ANeuralNetworksModel_getExtensionOperandType(model, "com.acme.fft", 1, &type);
}

static int get_operation_type(ANeuralNetworksModel *model)
{
    int32_t type;
    return ANeuralNetworksModel_getExtensionOperationType(model, "com.acme.fft", 1, &type);
}

static int ask_for_support(ANeuralNetworksModel *model)
{
    const ANeuralNetworksDevice *device = device_named("halyard-cpu");
    bool supported;
    return ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &supported);
}

static int compile(ANeuralNetworksModel *model)
{
    ANeuralNetworksCompilation *compilation = NULL;
    const int code = ANeuralNetworksCompilation_create(model, &compilation);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

static int compile_for_device(ANeuralNetworksModel *model)
{
    const ANeuralNetworksDevice *device = device_named("halyard-cpu");
    ANeuralNetworksCompilation *compilation = NULL;
    const int code = ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

static int refer_to(ANeuralNetworksModel *model)
{
    const ANeuralNetworksOperandType reference = {.type = ANEURALNETWORKS_MODEL};
    ANeuralNetworksModel *main = model_of(1, &reference);
    const int code = ANeuralNetworksModel_setOperandValueFromModel(main, 0, model);
    ANeuralNetworksModel_free(main);
    return code;
}

enum {
    OK = ANEURALNETWORKS_NO_ERROR,
    DATA = ANEURALNETWORKS_BAD_DATA,
    STATE = ANEURALNETWORKS_BAD_STATE,
};

static const struct {
    const char *name;
    int (*make)(ANeuralNetworksModel *model);
    int expected[3]; /* of a model that is building, finished, invalid */
} calls[] = {
    {"Model_addOperand", add_operand, {DATA, STATE, STATE}},
    {"Model_setOperandValue", set_value, {DATA, STATE, STATE}},
    {"Model_setOperandValueFromMemory", set_value_from_memory, {DATA, STATE, STATE}},
    {"Model_setOperandValueFromModel", set_value_from_model, {DATA, STATE, STATE}},
    {"Model_setOperandSymmPerChannelQuantParams", set_scales, {DATA, STATE, STATE}},
    {"Model_setOperandExtensionData", set_extension_data, {DATA, STATE, STATE}},
    {"Model_addOperation", add_operation, {DATA, STATE, STATE}},
    {"Model_identifyInputsAndOutputs", identify, {DATA, STATE, STATE}},
    {"Model_relaxComputationFloat32toFloat16", relax, {OK, STATE, STATE}},
    {"Model_getExtensionOperandType", get_operand_type, {OK, OK, OK}},
    {"Model_getExtensionOperationType", get_operation_type, {OK, OK, OK}},
    {"Model_getSupportedOperationsForDevices", ask_for_support, {STATE, OK, STATE}},
    {"Compilation_create", compile, {STATE, OK, STATE}},
    {"Compilation_createForDevices", compile_for_device, {STATE, OK, STATE}},
    {"Model_setOperandValueFromModel", refer_to, {STATE, OK, STATE}},
    {"Model_finish", ANeuralNetworksModel_finish, {OK, STATE, STATE}},
};

static void make_call(size_t number, ANeuralNetworksModel *model, int state)
{
    const int code = calls[number].make(model);

    if (code != calls[number].expected[state])
        hy_test_fail(__FILE__, __LINE__, "%s gives %s in state %d", calls[number].name,
                     contract_code_name(code), state);
    if (code == OK)
        return;
    EXPECT_INT(halyard_last_error_code(), code);
    EXPECT_CONTAINS(halyard_last_error(), calls[number].name);
}

TEST(contract_model, calls_are_answered_by_the_state_of_the_model)
{
    for (int state = MODEL_BUILDING; state <= MODEL_INVALID; state++) {
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
            ANeuralNetworksModel *model = relu_model((enum model_state)state);
            make_call(i, model, state);
            ANeuralNetworksModel_free(model);
        }
    }
}

TEST(contract_model, refused_call_leaves_the_state_as_it_is)
{
    for (int state = MODEL_BUILDING; state <= MODEL_INVALID; state++) {
        ANeuralNetworksModel *model = relu_model((enum model_state)state);
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
            if (calls[i].expected[state] != OK)
                make_call(i, model, state);
        }
        if (state == MODEL_BUILDING)
            EXPECT_OK(ANeuralNetworksModel_finish(model));
        EXPECT_INT(compile(model), state == MODEL_INVALID ? STATE : OK);
        ANeuralNetworksModel_free(model);
    }
}

TEST(contract_model, words_of_a_closed_model_tell_why)
{
    ANeuralNetworksModel *finished = relu_model(MODEL_FINISHED);
    ANeuralNetworksModel *invalid = relu_model(MODEL_INVALID);

    EXPECT_FAIL(BAD_STATE, ANeuralNetworksModel_finish(finished));
    EXPECT_STR(halyard_last_error(), "Model_finish: the model is finished already");
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksModel_finish(invalid));
    EXPECT_STR(halyard_last_error(), "Model_finish: the model is invalid, as finish failed");
    ANeuralNetworksModel_free(finished);
    ANeuralNetworksModel_free(invalid);
}

/* ---- What finish wants ----------------------------------------------------------------------- */

/* Fails and frees. */
static void expect_invalid(ANeuralNetworksModel *model, const char *expected)
{
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_finish(model));
    EXPECT_CONTAINS(halyard_last_error(), expected);
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksModel_finish(model));
    ANeuralNetworksModel_free(model);
}

static void add_relu(ANeuralNetworksModel *model, uint32_t input, uint32_t output)
{
    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &input, 1, &output));
}

/* The building RELU model with one operand more, number 2. */
static ANeuralNetworksModel *relu_and(const ANeuralNetworksOperandType *operand)
{
    ANeuralNetworksModel *model = relu_model(MODEL_BUILDING);
    EXPECT_OK(ANeuralNetworksModel_addOperand(model, operand));
    return model;
}

TEST(contract_model, finish_wants_operands_operations_and_lists)
{
    const ANeuralNetworksOperandType tensors[] = {float_tensor, float_tensor};
    ANeuralNetworksModel *model;

    expect_invalid(model_of(0, NULL), "no operands");
    expect_invalid(model_of(1, tensors), "no operations");
    model = model_of(2, tensors);
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &zero, 1, &one));
    expect_invalid(model, "not identified");
}

TEST(contract_model, finish_wants_each_operand_to_be_something)
{
    const ANeuralNetworksOperandType reference = {.type = ANEURALNETWORKS_MODEL};

    expect_invalid(relu_and(&float_tensor),
                   "operand 2 has no value: it is not an input, and no operation writes it");
    expect_invalid(relu_and(&int32_scalar), "operand 2");
    expect_invalid(relu_and(&reference), "operand 2: MODEL operand without a model");
}

TEST(contract_model, finish_wants_outputs_to_be_written)
{
    ANeuralNetworksModel *model =
        model_of(3, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor, float_tensor});

    add_relu(model, 0, 1);
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &two));
    expect_invalid(model, "operand 2");
}

TEST(contract_model, finish_wants_each_operand_to_be_written_once)
{
    ANeuralNetworksModel *model = relu_model(MODEL_BUILDING);

    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_TANH, 1, &zero, 1, &one));
    expect_invalid(model, "operation 1 TANH writes operand 1, which operation 0 RELU also writes");
}

TEST(contract_model, finish_wants_inputs_and_constants_not_to_be_written)
{
    static const float values[EXTENT];
    ANeuralNetworksModel *model = relu_model(MODEL_BUILDING);

    add_relu(model, 1, 0);
    expect_invalid(model, "operation 1 RELU writes operand 0, which is an input of the model");

    model = relu_and(&float_tensor);
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, values, sizeof values));
    add_relu(model, 1, 2);
    expect_invalid(model, "writes operand 2, which is a constant");

    model = relu_and(&float_tensor);
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, NULL, 0));
    add_relu(model, 1, 2);
    expect_invalid(model, "writes operand 2, which is left out");
}

TEST(contract_model, finish_wants_inputs_and_outputs_without_values)
{
    static const float values[EXTENT];
    ANeuralNetworksModel *model = relu_model(MODEL_BUILDING);

    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 0, values, sizeof values));
    expect_invalid(model, "input 0 is operand 0, which has a value");
    model = relu_model(MODEL_BUILDING);
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 1, NULL, 0));
    expect_invalid(model, "output 0 is operand 1, which has a value");
}

TEST(contract_model, finish_wants_required_arguments_to_be_there)
{
    static const uint32_t inputs[] = {0, 1, 2}, three = 3;
    ANeuralNetworksModel *model =
        model_of(4, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor, int32_scalar,
                                                         float_tensor});

    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, &zero, sizeof zero));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &three));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &three));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 1, NULL, 0));
    expect_invalid(model, "operation 0: ADD: input 1 (operand 1) must not be omitted");
}

TEST(contract_model, finish_wants_operations_without_a_cycle)
{
    static const uint32_t three = 3;
    ANeuralNetworksModel *model =
        model_of(4, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor, float_tensor,
                                                         float_tensor});

    add_relu(model, 0, 3);
    add_relu(model, 1, 2);
    add_relu(model, 2, 1);
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &three));
    expect_invalid(model, "the model has a cycle");

    model = relu_and(&float_tensor);
    add_relu(model, 2, 2);
    expect_invalid(model, "operation 1 RELU reads operand 2, which cannot be computed before");
}

TEST(contract_model, finish_wants_legal_scales_of_int32_tensors)
{
    static const struct {
        float scale;
        int32_t zero_point;
        int code;
    } cases[] = {{0, 0, OK}, {.5f, 0, OK}, {-.5f, 0, DATA}, {0, 1, DATA}, {0, -1, DATA}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const ANeuralNetworksOperandType bias = {.type = ANEURALNETWORKS_TENSOR_INT32,
                                                 .dimensionCount = 1,
                                                 .dimensions = &one,
                                                 .scale = cases[i].scale,
                                                 .zeroPoint = cases[i].zero_point};
        ANeuralNetworksModel *model = relu_and(&bias);
        EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, &zero, sizeof zero));
        EXPECT_CODE(cases[i].code, ANeuralNetworksModel_finish(model));
        ANeuralNetworksModel_free(model);
    }
}

TEST(contract_model, finish_wants_scales_of_per_channel_tensors)
{
    static const uint32_t three = 3;
    static const float scales[] = {1, 1, 1};
    const ANeuralNetworksOperandType filter = {.type =
                                                   ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
                                               .dimensionCount = 1,
                                               .dimensions = &three};
    const ANeuralNetworksSymmPerChannelQuantParams quant = {0, 3, scales};
    ANeuralNetworksModel *model = relu_and(&filter);

    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, "abc", 3));
    expect_invalid(model, "operand 2: TENSOR_QUANT8_SYMM_PER_CHANNEL without scales");

    model = relu_and(&filter);
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, "abc", 3));
    EXPECT_OK(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 2, &quant));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    ANeuralNetworksModel_free(model);
}

TEST(contract_model, finish_wants_the_file_behind_a_constant_to_be_whole)
{
    int fd = file_of(TENSOR_SIZE);
    ANeuralNetworksMemory *memory = NULL;
    ANeuralNetworksModel *model = relu_and(&float_tensor);

    EXPECT_OK(ANeuralNetworksMemory_createFromFd(TENSOR_SIZE, PROT_READ, fd, 0, &memory));
    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromMemory(model, 2, memory, 0, TENSOR_SIZE));
    EXPECT_INT(ftruncate(fd, TENSOR_SIZE - 4), 0);
    expect_invalid(model, "operand 2: the file has 12 bytes");
    ANeuralNetworksMemory_free(memory);
    close(fd);
}
