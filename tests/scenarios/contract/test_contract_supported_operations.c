/* What devices can run of a model: Model_getSupportedOperationsForDevices. */
#include "tests/scenarios/contract/kit/fixture.h"

enum { FLOOR_CODE = ANEURALNETWORKS_FLOOR, RELU_CODE = ANEURALNETWORKS_RELU };

/* FLOOR(x0) -> x1 and RELU(x1) -> x2, added in this order or the other. */
static ANeuralNetworksModel *chain_model(bool relu_first)
{
    static const uint32_t indices[] = {0, 1, 2};
    ANeuralNetworksModel *model =
        model_of(3, (const ANeuralNetworksOperandType[]){float_tensor, float_tensor, float_tensor});

    for (int i = 0; i < 2; i++) {
        const int at = relu_first ? 1 - i : i;
        EXPECT_OK(ANeuralNetworksModel_addOperation(model, at ? RELU_CODE : FLOOR_CODE, 1,
                                                    &indices[at], 1, &indices[at + 1]));
    }
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &indices[0], 1, &indices[2]));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

TEST(contract_supported_operations, arguments_are_checked_in_order)
{
    const ANeuralNetworksDevice *cpu = device_named("halyard-cpu");
    const ANeuralNetworksDevice *with_null[] = {cpu, cpu, NULL}, *twice[] = {cpu, cpu};
    const ANeuralNetworksDevice *stranger[] = {OLD_VALUE(const ANeuralNetworksDevice)};
    ANeuralNetworksModel *open = relu_model(MODEL_BUILDING);
    ANeuralNetworksModel *finished = relu_model(MODEL_FINISHED);
    bool supported = false;

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_getSupportedOperationsForDevices(open, with_null, 0,
                                                                                &supported));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksModel_getSupportedOperationsForDevices(open, with_null, 3,
                                                                                 &supported));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksModel_getSupportedOperationsForDevices(
                                     finished, with_null, 3, &supported));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_getSupportedOperationsForDevices(finished, twice, 2,
                                                                                &supported));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_getSupportedOperationsForDevices(finished, stranger,
                                                                                1, &supported));
    EXPECT(!supported); /* nothing was written */
    EXPECT_OK(
        ANeuralNetworksModel_getSupportedOperationsForDevices(finished, twice, 1, &supported));
    EXPECT(supported);
    ANeuralNetworksModel_free(open);
    ANeuralNetworksModel_free(finished);
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* "01": what these devices say of a model of two operations. */
static void expect_supported(ANeuralNetworksModel *model, const char *first, const char *second,
                             const char *expected)
{
    const ANeuralNetworksDevice *devices[] = {device_named(first),
                                              second ? device_named(second) : NULL};
    bool supported[] = {expected[0] == '0', expected[1] == '0', true};
    char got[] = "00";

    EXPECT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, second ? 2 : 1,
                                                                    supported));
    for (int i = 0; i < 2; i++)
        got[i] = supported[i] ? '1' : '0';
    EXPECT_STR(got, expected);
    EXPECT(supported[2]); /* not a byte more than there are operations */
}

TEST(contract_supported_operations, answers_are_in_the_order_of_adding)
{
    for (int relu_first = 0; relu_first < 2; relu_first++) {
        ANeuralNetworksModel *model = chain_model(relu_first);
        expect_supported(model, "acme-npu", NULL, relu_first ? "10" : "01");
        expect_supported(model, "halyard-cpu", NULL, "11");
        expect_supported(model, "nnapi-reference", NULL, "11");
        ANeuralNetworksModel_free(model);
    }
}

TEST(contract_supported_operations, one_of_the_devices_is_enough)
{
    ANeuralNetworksModel *model = chain_model(false);

    expect_supported(model, "acme-old", NULL, "10");
    expect_supported(model, "acme-npu", "acme-full", "01");
    expect_supported(model, "acme-npu", "acme-old", "11");
    expect_supported(model, "acme-npu", "halyard-cpu", "11");
    expect_supported(model, "halyard-cpu", "acme-npu", "11");
    ANeuralNetworksModel_free(model);
}

TEST(contract_supported_operations, driver_that_fails_to_answer_has_not_said_no)
{
    const ANeuralNetworksDevice *devices[] = {device_named("acme-down"), device_named("acme-npu")};
    ANeuralNetworksModel *model = chain_model(false);
    bool supported[2];

    for (uint32_t count = 1; count <= 2; count++) {
        EXPECT_FAIL(UNAVAILABLE_DEVICE, ANeuralNetworksModel_getSupportedOperationsForDevices(
                                            model, devices, count, supported));
        EXPECT_CONTAINS(halyard_last_error(), "acme-down");
    }
    expect_supported(model, "acme-down", "halyard-cpu", "11"); /* nothing is open */
    ANeuralNetworksModel_free(model);
}
