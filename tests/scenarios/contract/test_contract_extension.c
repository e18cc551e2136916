/* Extensions in models: codes, operands, values, data, and operations. */
#include "tests/scenarios/contract/kit/fixture.h"

enum { PAIR = 1, KEY = 2 }; /* of com.acme.fft: a tensor of 8-byte elements, a scalar of 6 bytes */

static int32_t fft_type(ANeuralNetworksModel *model, uint16_t code)
{
    int32_t type = 0;
    EXPECT_OK(ANeuralNetworksModel_getExtensionOperandType(model, "com.acme.fft", code, &type));
    return type;
}

/* ---- Codes ----------------------------------------------------------------------------------- */

TEST(contract_extension, code_is_the_prefix_of_the_name_and_the_code_within)
{
    static const uint16_t codes[] = {0, 1, 0x7fff, 0xffff};
    ANeuralNetworksModel *model = model_of(0, NULL);
    int32_t other = 0;

    EXPECT_OK(ANeuralNetworksModel_getExtensionOperandType(model, "com.nobody.has", 0, &other));
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        int32_t operand = 0, operation = 0;
        EXPECT_OK(ANeuralNetworksModel_getExtensionOperandType(model, "com.acme.fft", codes[i],
                                                               &operand));
        EXPECT_OK(ANeuralNetworksModel_getExtensionOperationType(model, "com.acme.fft", codes[i],
                                                                 &operation));
        EXPECT(operand >= 0x10000);
        EXPECT_INT(operand & 0xffff, codes[i]);
        EXPECT_INT(operation, operand);
        EXPECT(operand >> 16 != other >> 16);
    }
    ANeuralNetworksModel_free(model);
}

TEST(contract_extension, name_has_one_prefix_in_the_whole_process)
{
    ANeuralNetworksModel *one = model_of(0, NULL), *other = relu_model(MODEL_FINISHED);
    EXPECT_INT(fft_type(one, PAIR), fft_type(other, PAIR));
    ANeuralNetworksModel_free(one);
    EXPECT_INT(fft_type(other, PAIR), fft_type(other, PAIR));
    ANeuralNetworksModel_free(other);
}

/* Nothing is asked of a name, not even that there is one. */
TEST(contract_extension, name_that_no_device_knows_has_a_code_too)
{
    static const char *const names[] = {"com.nobody.has", "nodots", "Upper Case", "", "\xff\n"};
    ANeuralNetworksModel *model = model_of(0, NULL);
    int32_t type = 0;

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        EXPECT_OK(ANeuralNetworksModel_getExtensionOperandType(model, names[i], 1, &type));
        EXPECT(type >= 0x10000);
    }
    ANeuralNetworksModel_free(model);
}

/* ---- Operands -------------------------------------------------------------------------------- */

TEST(contract_extension, operand_of_an_extension_is_what_the_device_says)
{
    static const uint32_t three = 3, huge = UINT32_MAX / 8 + 1;
    ANeuralNetworksModel *model = model_of(0, NULL);
    const int32_t pair = fft_type(model, PAIR), key = fft_type(model, KEY);
    const struct {
        ANeuralNetworksOperandType operand;
        bool allowed;
    } cases[] = {
        {{pair, 1, &three, 0, 0}, true},  {{pair, 0, NULL, 0, 0}, true},
        {{key, 0, NULL, 0, 0}, true},     {{key, 1, &three, 0, 0}, false},
        {{pair, 1, &three, 1, 0}, false}, {{pair, 1, &three, 0, 1}, false},
        {{pair, 1, &huge, 0, 0}, false},  {{fft_type(model, 3), 0, NULL, 0, 0}, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        EXPECT_CODE(code_if(cases[i].allowed),
                    ANeuralNetworksModel_addOperand(model, &cases[i].operand));
    ANeuralNetworksModel_free(model);
}

TEST(contract_extension, operand_of_an_extension_that_no_device_has_is_bad_data)
{
    ANeuralNetworksModel *model = model_of(0, NULL);
    ANeuralNetworksOperandType operand = {0};

    EXPECT_OK(
        ANeuralNetworksModel_getExtensionOperandType(model, "com.nobody.has", 1, &operand.type));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperand(model, &operand));
    EXPECT_CONTAINS(halyard_last_error(), "does not exist on any device");
    ANeuralNetworksModel_free(model);
}

TEST(contract_extension, value_of_an_extension_type_has_the_bytes_the_device_says)
{
    static const uint8_t bytes[24];
    static const uint32_t three = 3;
    ANeuralNetworksModel *model = model_of(0, NULL);
    const ANeuralNetworksOperandType pairs = {fft_type(model, PAIR), 1, &three, 0, 0};
    const ANeuralNetworksOperandType key = {.type = fft_type(model, KEY)};

    EXPECT_OK(ANeuralNetworksModel_addOperand(model, &pairs));
    EXPECT_OK(ANeuralNetworksModel_addOperand(model, &key));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, bytes, 23));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 0, bytes, 24));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 1, bytes, 4));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 1, bytes, 6));
    ANeuralNetworksModel_free(model);
}

TEST(contract_extension, extension_data_is_for_operands_of_extension_types)
{
    ANeuralNetworksModel *model = model_of(1, &int32_scalar);
    const ANeuralNetworksOperandType key = {.type = fft_type(model, KEY)};

    EXPECT_OK(ANeuralNetworksModel_addOperand(model, &key));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, 0, "abc", 3));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, 0, NULL, 0));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, 1, "abc", 0));
    EXPECT_OK(ANeuralNetworksModel_setOperandExtensionData(model, 1, "abc", 3));
    EXPECT_OK(ANeuralNetworksModel_setOperandExtensionData(model, 1, "abc", 2));
    EXPECT_OK(ANeuralNetworksModel_setOperandExtensionData(model, 1, NULL, 0));
    ANeuralNetworksModel_free(model);
}

/* ---- Operations ------------------------------------------------------------------------------ */

TEST(contract_extension, operation_is_checked_for_indices_only)
{
    static const uint32_t inputs[] = {0, 0, 1}, zero = 0, one = 1, two = 2;
    ANeuralNetworksModel *model =
        model_of(2, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor});
    int32_t type = 0;

    EXPECT_OK(ANeuralNetworksModel_getExtensionOperationType(model, "com.nobody.has", 7, &type));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, type, 1, &two, 1, &one));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, type, 1, &zero, 1, &two));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_addOperation(model, type, 0, &zero, 1, &one));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, type, 3, inputs, 1, &one));
    ANeuralNetworksModel_free(model);
}

TEST(contract_extension, operation_that_no_device_has_makes_the_compilation_fail)
{
    struct compiled compiled = compiled_in(COMPILATION_FAILED, ALL_DEVICES);
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksCompilation_finish(compiled.compilation));
    compiled_free(&compiled);
}
