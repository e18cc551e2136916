/* The type and the length of an argument: what may be left open, and what a type has to keep to. */
#include "tests/scenarios/contract/kit/argument_calls.h"

#include <android/NeuralNetworksOEM.h>

static float data[2 * EXTENT];
static const uint32_t four = EXTENT, open = 0, huge[] = {65536, 65536, 0};

/* Each against tensors of unknown extent, and a fitting length. */
static const struct {
    enum argument_call argument_call;
    const ANeuralNetworksOperandType *type;
    size_t length;
    int code;
} open_types[] = {
    {INPUT, NULL, BYTES, ANEURALNETWORKS_BAD_DATA},
    {INPUT, FLOATS(1, &open), BYTES, ANEURALNETWORKS_BAD_DATA},
    {INPUT, FLOATS(0, NULL), BYTES, ANEURALNETWORKS_BAD_DATA},
    {INPUT, FLOATS(1, &four), BYTES, ANEURALNETWORKS_NO_ERROR},
    {OUTPUT, NULL, 0, ANEURALNETWORKS_BAD_DATA},
    {OUTPUT, NULL, 1, ANEURALNETWORKS_NO_ERROR},
    {OUTPUT, FLOATS(1, &open), 2 * BYTES, ANEURALNETWORKS_NO_ERROR},
    {OUTPUT, FLOATS(1, &four), BYTES, ANEURALNETWORKS_NO_ERROR},
    {OUTPUT, FLOATS(1, &four), BYTES + 1, ANEURALNETWORKS_BAD_DATA},
    {INPUT_MEMORY, NULL, BYTES, ANEURALNETWORKS_BAD_DATA},
    {INPUT_MEMORY, FLOATS(1, &open), BYTES, ANEURALNETWORKS_BAD_DATA},
    {INPUT_MEMORY, FLOATS(1, &four), BYTES, ANEURALNETWORKS_NO_ERROR},
    {OUTPUT_MEMORY, NULL, 2 * BYTES, ANEURALNETWORKS_NO_ERROR},
    {OUTPUT_MEMORY, FLOATS(1, &open), 1, ANEURALNETWORKS_NO_ERROR},
    {OUTPUT_MEMORY, FLOATS(1, &four), 2 * BYTES, ANEURALNETWORKS_BAD_DATA},
};

TEST(contract_execution_arguments, shape_of_an_input_is_known_that_of_an_output_need_not_be)
{
    ANeuralNetworksMemory *memory = file_memory(PROT_READ | PROT_WRITE, 2 * BYTES);
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, dynamic_model(0, 0, 0), ALL_DEVICES));

    for (size_t i = 0; i < COUNT_OF(open_types); i++) {
        ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
        const struct argument argument = {.type = open_types[i].type,
                                          .buffer = data,
                                          .memory = memory,
                                          .length = open_types[i].length};
        EXPECT_SET(open_types[i].argument_call, execution, &argument, open_types[i].code,
                   "put 0: ");
        ANeuralNetworksExecution_free(execution);
    }
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_arguments, type_obeys_its_own_rules_but_need_not_repeat_the_quantisation)
{
    const struct {
        const ANeuralNetworksOperandType *type;
        const char *expected;
    } wrong[] = {
        {QUANTISED(0, 0), "scale is 0"},
        {QUANTISED(-1, 0), "scale is -1"},
        {QUANTISED(.5f, -1), "zero point is -1"},
        {QUANTISED(.5f, 256), "zero point is 256"},
    };
    static uint8_t bytes[EXTENT];
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, quantised_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    for (enum argument_call argument_call = INPUT; argument_call <= OUTPUT; argument_call++) {
        struct argument argument = {.buffer = bytes, .length = sizeof bytes};
        for (size_t i = 0; i < COUNT_OF(wrong); i++) {
            argument.type = wrong[i].type;
            EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_BAD_DATA,
                       wrong[i].expected);
        }
        argument.type = QUANTISED(.25f, 128);
        EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
    }
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_arguments, type_of_an_output_whose_known_extents_are_too_many_is_bad_data)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y = tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 0, NULL, 0);
    struct fake_setup fake_setup;
    REQUIRE(relu(&f, x, y) == HY_OK && identify(&f, x, y) == HY_OK && finish(&f) == HY_OK);
    REQUIRE(fake_setup_open(&fake_setup, f.model, ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
    struct argument argument = {.type = FLOATS(3, huge), .buffer = data, .length = BYTES};

    EXPECT_SET(OUTPUT, execution, &argument, ANEURALNETWORKS_BAD_DATA, "above 4294967295 bytes");
    argument.type = FLOATS(0, NULL);
    EXPECT_SET(OUTPUT, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_arguments, type_and_its_extents_need_not_outlive_the_call)
{
    uint32_t extent = EXTENT;
    ANeuralNetworksOperandType type = *FLOATS(1, &extent);
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, dynamic_model(0, 0, 0), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, &type, data, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, &type, data + EXTENT, BYTES));
    extent = 77;
    type = (ANeuralNetworksOperandType){.type = -1};
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_arguments, scalar_takes_no_extents)
{
    const uint32_t one = 1;
    const ANeuralNetworksOperandType wrong = {ANEURALNETWORKS_INT32, 1, &one, 0, 0};
    const ANeuralNetworksOperandType right = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    int32_t value = 0;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, scalar_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_setInput(execution, 1, &wrong, &value, 4));
    EXPECT_CONTAINS(halyard_last_error(), "input 1: INT32 is a scalar, but has 1 dimensions");
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_setInput(execution, 1, &right, &value, 8));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 1, &right, &value, 4));
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* The app alone knows how long the scalar is. */
TEST(contract_execution_arguments, length_of_an_oem_scalar_is_not_checked)
{
    struct fixture f = fixture_create();
    struct fake_setup fake_setup;
    uint32_t x = floats(&f, EXTENT), y = floats(&f, EXTENT);
    uint32_t oem = scalar(&f, ANEURALNETWORKS_OEM_SCALAR);
    const uint32_t inputs[] = {x, oem};
    REQUIRE(relu(&f, x, y) == HY_OK);
    REQUIRE(hy_app_model_identify(f.model, 2, inputs, 1, &y, &f.err) == HY_OK);
    REQUIRE(finish(&f) == HY_OK && fake_setup_open(&fake_setup, f.model, ALL_DEVICES));

    for (size_t length = 1; length <= 9; length += 4) {
        ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
        EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, data, length));
        ANeuralNetworksExecution_free(execution);
    }
    fake_setup_close(&fake_setup);
}
