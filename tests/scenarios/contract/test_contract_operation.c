/* Operations, and the lists of inputs and outputs: what addOperation and identifyInputsAndOutputs
 * take. */
#include "tests/scenarios/contract/kit/fixture.h"

#include <android/NeuralNetworksOEM.h>

/* ---- Which operations ------------------------------------------------------------------------ */

static const uint32_t zero = 0, one = 1, two = 2;

static ANeuralNetworksModel *two_tensors(void)
{
    return model_of(2, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor});
}

TEST(contract_operation, operation_that_does_not_exist_is_bad_data)
{
    static const int32_t codes[] = {-1,    106,       9999,      10001,  20000,
                                    65535, INT32_MIN, INT32_MAX, 0x10001 /* prefix 1: no name */};
    ANeuralNetworksModel *model = two_tensors();

    for (size_t i = 0; i < COUNT_OF(codes); i++)
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksModel_addOperation(model, codes[i], 1, &zero, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &zero, 1, &one));
    ANeuralNetworksModel_free(model);
}

TEST(contract_operation, counts_of_0_are_bad_data)
{
    ANeuralNetworksModel *model = two_tensors();

    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 0, &zero, 1, &one));
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &zero, 0, &one));
    ANeuralNetworksModel_free(model);
}

TEST(contract_operation, operand_out_of_range_is_bad_data)
{
    static const uint32_t indices[] = {2, INT32_MAX, UINT32_MAX};
    ANeuralNetworksModel *model = two_tensors();

    for (size_t i = 0; i < COUNT_OF(indices); i++) {
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1,
                                                                &indices[i], 1, &one));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1,
                                                                &zero, 1, &indices[i]));
    }
    EXPECT_CONTAINS(halyard_last_error(), "output 0 is operand 4294967295");
    ANeuralNetworksModel_free(model);
}

/* One of each kind; tests/unit/common/test_signature_list.c has them all. */
TEST(contract_operation, signature_is_checked_at_once)
{
    static const uint32_t both[] = {0, 1};
    ANeuralNetworksModel *model = two_tensors();

    EXPECT_OK(ANeuralNetworksModel_addOperand(model, &int32_scalar));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 2, both, 1,
                                                            &zero)); /* too few */
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 2, both, 1,
                                                            &zero)); /* too many */
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &two, 1,
                                                            &one)); /* of a wrong type */
    EXPECT_CONTAINS(halyard_last_error(), "operand 2");
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_SOFTMAX, 2, both,
                                                            1, &one));
    ANeuralNetworksModel_free(model);
}

/* Finished: RELU of a float tensor, and LOGISTIC with a result whose scale LOGISTIC cannot have. */
static ANeuralNetworksModel *wrong_scale_model(void)
{
    static const uint32_t extent = 4, inputs[] = {0, 1}, outputs[] = {2, 3};
    const ANeuralNetworksOperandType bytes = {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                              .dimensionCount = 1,
                                              .dimensions = &extent,
                                              .scale = 0.5f,
                                              .zeroPoint = 3};
    ANeuralNetworksModel *model =
        model_of(4, (const ANeuralNetworksOperandType[]){float_tensor, bytes, float_tensor, bytes});

    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &inputs[0], 1,
                                                &outputs[0]));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LOGISTIC, 1, &inputs[1], 1,
                                                &outputs[1]));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 2, outputs));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

TEST(contract_operation, scale_that_an_operation_cannot_have_is_refused_when_it_is_compiled)
{
    ANeuralNetworksModel *model = wrong_scale_model();
    const ANeuralNetworksDevice *devices[] = {device_named("halyard-cpu"),
                                              device_named("nnapi-reference")};
    bool supported[] = {false, true};

    EXPECT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, 2, supported));
    EXPECT(supported[0] && !supported[1]);

    struct compiled compiled = compiled_start(model, TWO_DEVICES);
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksCompilation_finish(compiled.compilation));
    EXPECT_CONTAINS(halyard_last_error(),
                    "operation 1: LOGISTIC: output 0 (operand 3) has scale 0.5 and zero point 3, "
                    "needs 0.00390625 and 0");
    compiled_free(&compiled);
}

TEST(contract_operation, scales_that_android_looks_at_early_are_refused_at_once)
{
    static const uint32_t extent = 4, axis = 2;
    ANeuralNetworksOperandType fine = {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                       .dimensionCount = 1,
                                       .dimensions = &extent,
                                       .scale = 0.5f};
    ANeuralNetworksOperandType coarse = fine;
    const ANeuralNetworksOperandType axes = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .dimensionCount = 1, .dimensions = &one};

    coarse.scale = 0.125f;
    ANeuralNetworksModel *model =
        model_of(4, (const ANeuralNetworksOperandType[]){fine, int32_scalar, axes, coarse});
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_REVERSE, 2,
                                                  (const uint32_t[]){0, axis}, 1, &(uint32_t){3}));
    EXPECT_CONTAINS(halyard_last_error(), "REVERSE: output 0 (operand 3) has scale 0.125");
    ANeuralNetworksModel_free(model);
}

TEST(contract_operation, ranks_that_cannot_fit_are_refused_at_once)
{
    static const uint32_t dims[] = {1, 4}, packed[] = {1, 0, 0}, reversed[] = {0, 2};
    const ANeuralNetworksOperandType flat = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 2, .dimensions = dims};
    const ANeuralNetworksOperandType axis = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .dimensionCount = 1, .dimensions = &one};
    ANeuralNetworksModel *model = model_of(
        4, (const ANeuralNetworksOperandType[]){float_tensor, int32_scalar, axis, float_tensor});

    EXPECT_OK(ANeuralNetworksModel_addOperand(model, &flat));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_PACK, 3, packed,
                                                            1, &(uint32_t){3}));
    EXPECT_CONTAINS(halyard_last_error(), "PACK: output 0 (operand 3) has rank 1, needs 2");
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_REVERSE, 2,
                                                            reversed, 1, &(uint32_t){4}));
    EXPECT_CONTAINS(halyard_last_error(), "REVERSE: output 0 (operand 4) has rank 2, needs 1");
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_PACK, 3, packed, 1,
                                                &(uint32_t){4}));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_REVERSE, 2, reversed, 1,
                                                &(uint32_t){3}));
    ANeuralNetworksModel_free(model);
}

/* Deprecated, but it exists: whether a device has it shows when the model is compiled. */
TEST(contract_operation, oem_operation_is_checked_for_indices_only)
{
    static const uint32_t inputs[] = {0, 0};
    const ANeuralNetworksDevice *device = device_named("halyard-cpu");
    ANeuralNetworksModel *model = two_tensors();
    bool supported = true;

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_OEM_OPERATION, 1,
                                                            &two, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_OEM_OPERATION, 2, inputs, 1,
                                                &one));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    EXPECT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &supported));
    EXPECT(!supported);

    struct compiled compiled = compiled_start(model, TWO_DEVICES);
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksCompilation_finish(compiled.compilation));
    EXPECT_CONTAINS(halyard_last_error(), "OEM_OPERATION");
    compiled_free(&compiled);
}

TEST(contract_operation, list_of_operands_need_not_outlive_the_call)
{
    ANeuralNetworksModel *model = two_tensors();
    uint32_t input = 0, output = 1;

    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &input, 1, &output));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1, &output));
    input = output = UINT32_MAX;
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    ANeuralNetworksModel_free(model);
}

/* ---- Control flow ---------------------------------------------------------------------------- */

/* IF and WHILE to be: a condition, two references, a tensor, a result; operands 0 to 4. */
static ANeuralNetworksModel *branching_model(void)
{
    const ANeuralNetworksOperandType truth = {
        .type = ANEURALNETWORKS_TENSOR_BOOL8, .dimensionCount = 1, .dimensions = &one};
    const ANeuralNetworksOperandType reference = {.type = ANEURALNETWORKS_MODEL};
    return model_of(5, (const ANeuralNetworksOperandType[]){truth, reference, reference,
                                                            float_tensor, float_tensor});
}

/* RELU of tensors of another size. */
static ANeuralNetworksModel *wide_relu(void)
{
    static const uint32_t nine = 9;
    const ANeuralNetworksOperandType wide = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &nine};
    ANeuralNetworksModel *model = model_of(2, (const ANeuralNetworksOperandType[]){wide, wide});

    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &zero, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

static const uint32_t if_inputs[] = {0, 1, 2, 3}, while_inputs[] = {1, 2, 3}, fourth = 4;

TEST(contract_operation, control_flow_needs_its_models_when_it_is_added)
{
    ANeuralNetworksModel *model = branching_model(), *body = relu_model(MODEL_FINISHED);

    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, body));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, if_inputs,
                                                            1, &fourth));
    EXPECT_STR(halyard_last_error(), "Model_addOperation: IF: input 1 (operand 1) is not a model");
    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, body));
    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, if_inputs, 1, &fourth));
    ANeuralNetworksModel_free(model);
    ANeuralNetworksModel_free(body);
}

TEST(contract_operation, branches_that_do_not_fit_are_bad_data)
{
    ANeuralNetworksModel *model = branching_model();
    ANeuralNetworksModel *body = relu_model(MODEL_FINISHED), *wide = wide_relu();

    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, body));
    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, wide));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, if_inputs,
                                                            1, &fourth));
    EXPECT_CONTAINS(halyard_last_error(),
                    "IF: input 3 has shape [4], input of the else-model 0 has [9]");
    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, body));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 3, if_inputs,
                                                            1, &fourth));
    EXPECT_CONTAINS(halyard_last_error(), "IF: the then-model has 1 inputs, needs 0");
    ANeuralNetworksModel_free(model);
    ANeuralNetworksModel_free(wide);
    ANeuralNetworksModel_free(body);
}

TEST(contract_operation, loop_without_a_condition_is_bad_data)
{
    ANeuralNetworksModel *model = branching_model(), *body = relu_model(MODEL_FINISHED);

    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, body));
    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, body));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_WHILE, 3,
                                                            while_inputs, 1, &fourth));
    EXPECT_CONTAINS(halyard_last_error(), "the condition model's output must be TENSOR_BOOL8");
    ANeuralNetworksModel_free(model);
    ANeuralNetworksModel_free(body);
}

TEST(contract_operation, body_replaced_by_one_that_does_not_fit_makes_finish_fail)
{
    static const uint32_t inputs[] = {0, 3};
    ANeuralNetworksModel *model = branching_model();
    ANeuralNetworksModel *body = relu_model(MODEL_FINISHED), *wide = wide_relu();

    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, body));
    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, body));
    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, if_inputs, 1, &fourth));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, &fourth));
    EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, wide));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_finish(model));
    EXPECT_CONTAINS(halyard_last_error(), "operation 0: IF: input 3 has shape [4]");
    ANeuralNetworksModel_free(model);
    ANeuralNetworksModel_free(wide);
    ANeuralNetworksModel_free(body);
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

TEST(contract_operation, inputs_and_outputs_are_free_operands_each_listed_once)
{
    static const struct {
        uint32_t input_count, inputs[2], output_count, outputs[2];
        const char *expected;
    } cases[] = {
        {0, {0}, 1, {1}, "0 inputs and 1 outputs"},
        {1, {0}, 0, {1}, "1 inputs and 0 outputs"},
        {1, {4}, 1, {1}, "input 0: operand 4 does not exist, the model has 4"},
        {1, {0}, 1, {UINT32_MAX}, "output 0: operand 4294967295 does not exist"},
        {2, {0, 0}, 1, {1}, "input 1 is operand 0, which is already listed as an input"},
        {1, {0}, 2, {1, 1}, "output 1 is operand 1, which is already listed as an output"},
        {1, {0}, 1, {0}, "output 0 is operand 0, which is already listed as an input"},
        {2, {0, 2}, 1, {1}, "input 1 is operand 2, which has a value"},
        {1, {0}, 2, {1, 2}, "output 1 is operand 2, which has a value"},
        {1, {3}, 1, {1}, "input 0 is operand 3, which has a value"}, /* it is left out */
    };
    ANeuralNetworksModel *model =
        model_of(4, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor, int32_scalar,
                                                         int32_scalar});
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &zero, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, &zero, sizeof zero));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 3, NULL, 0));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(
                                  model, cases[i].input_count, cases[i].inputs,
                                  cases[i].output_count, cases[i].outputs));
        EXPECT_CONTAINS(halyard_last_error(), cases[i].expected);
    }

    /* None of these has left a mark. */
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    ANeuralNetworksModel_free(model);
}

TEST(contract_operation, inputs_and_outputs_are_identified_once)
{
    ANeuralNetworksModel *model =
        model_of(3, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor, float_tensor});

    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &zero, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &one, 1, &two));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &two));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &two));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &one, 1, &two));
    EXPECT_CONTAINS(halyard_last_error(),
                    "1 inputs and 1 outputs of the model are identified already");
    EXPECT_OK(ANeuralNetworksModel_finish(model)); /* the first lists count */
    ANeuralNetworksModel_free(model);
}
