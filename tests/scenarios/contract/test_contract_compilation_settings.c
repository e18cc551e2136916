/* What is set of a compilation before it is finished, and asked of it afterwards. */
#include "tests/scenarios/contract/kit/fixture.h"

enum {
    OK = ANEURALNETWORKS_NO_ERROR,
    DATA = ANEURALNETWORKS_BAD_DATA,
};

/* ---- Settings -------------------------------------------------------------------------------- */

TEST(contract_compilation_settings, preference_is_one_of_three)
{
    static const int32_t wrong[] = {-1, 3, 99, INT32_MIN, INT32_MAX};
    struct compiled compiled = compiled_in(COMPILATION_BUILDING, ALL_DEVICES);

    for (int32_t preference = 0; preference < 3; preference++)
        EXPECT_OK(ANeuralNetworksCompilation_setPreference(compiled.compilation, preference));
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksCompilation_setPreference(compiled.compilation, wrong[i]));
    compiled_free(&compiled);
}

TEST(contract_compilation_settings, priority_is_one_of_three)
{
    static const int right[] = {90, 100, 110},
                     wrong[] = {0, 1, -1, 89, 91, 101, 111, INT32_MIN, INT32_MAX};
    struct compiled compiled = compiled_in(COMPILATION_BUILDING, ALL_DEVICES);

    for (size_t i = 0; i < COUNT_OF(right); i++)
        EXPECT_OK(ANeuralNetworksCompilation_setPriority(compiled.compilation, right[i]));
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksCompilation_setPriority(compiled.compilation, wrong[i]));
    compiled_free(&compiled);
}

TEST(contract_compilation_settings, timeout_and_attributes_are_for_a_single_device)
{
    static const struct {
        enum device_selection selection;
        int code;
    } cases[] = {{ALL_DEVICES, DATA}, {TWO_DEVICES, DATA}, {ONE_DEVICE, OK}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct compiled compiled = compiled_in(COMPILATION_BUILDING, cases[i].selection);
        EXPECT_CODE(cases[i].code, ANeuralNetworksCompilation_setTimeout(compiled.compilation, 0));
        EXPECT_CODE(cases[i].code,
                    ANeuralNetworksCompilation_setTimeout(compiled.compilation, UINT64_MAX));
        EXPECT_CODE(cases[i].code, ANeuralNetworksCompilation_addExtensionAttribute(
                                       compiled.compilation, "com.acme.fft", 1, "x", 1));
        EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
        compiled_free(&compiled);
    }
}

TEST(contract_compilation_settings, attribute_is_added_once)
{
    struct compiled compiled = compiled_in(COMPILATION_BUILDING, ONE_DEVICE);
    const struct {
        const char *name;
        uint16_t code;
        const void *data;
        size_t length;
        int result;
    } cases[] = {
        {"com.acme.fft", 1, "x", 1, OK},      {"com.acme.fft", 1, "x", 1, DATA},
        {"com.acme.fft", 1, "y", 1, DATA},    {"com.acme.fft", 2, "x", 1, OK},
        {"com.acme.other", 1, "x", 1, OK}, /* unknown ones are for the driver to ignore */
        {"com.acme.fft", 3, NULL, 0, OK},     {"com.acme.fft", 4, "x", 0, DATA},
        {"com.acme.fft", 0xffff, "x", 1, OK},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        EXPECT_CODE(cases[i].result, ANeuralNetworksCompilation_addExtensionAttribute(
                                         compiled.compilation, cases[i].name, cases[i].code,
                                         cases[i].data, cases[i].length));
    EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    compiled_free(&compiled);
}

/* ---- Preferred memory ------------------------------------------------------------------------ */

typedef int get_preferred(const ANeuralNetworksCompilation *compilation, uint32_t index,
                          uint32_t *value);

static void expect_preferred(get_preferred *get, const struct compiled *compiled, uint32_t index,
                             uint32_t expected)
{
    uint32_t value = 0;
    EXPECT_INT(get(compiled->compilation, index, &value), OK);
    EXPECT_INT(value, expected);
}

/* FLOOR(x) and RELU(x), for these devices. */
static struct compiled compiled_for_two(const char *first, const char *second)
{
    static const uint32_t indices[] = {0, 1, 2};
    const ANeuralNetworksDevice *devices[] = {device_named(first),
                                              second ? device_named(second) : NULL};
    const ANeuralNetworksOperandType tensors[] = {float_tensor, float_tensor, float_tensor};
    struct compiled compiled = {.model = model_of(3, tensors)};

    EXPECT_OK(ANeuralNetworksModel_addOperation(compiled.model, ANEURALNETWORKS_FLOOR, 1, indices,
                                                1, &indices[1]));
    EXPECT_OK(ANeuralNetworksModel_addOperation(compiled.model, ANEURALNETWORKS_RELU, 1, indices, 1,
                                                &indices[2]));
    EXPECT_OK(
        ANeuralNetworksModel_identifyInputsAndOutputs(compiled.model, 1, indices, 2, &indices[1]));
    EXPECT_OK(ANeuralNetworksModel_finish(compiled.model));
    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(compiled.model, devices, second ? 2 : 1,
                                                          &compiled.compilation));
    EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    return compiled;
}

/* 1 below feature level 5; of several steps on one operand the most. */
TEST(contract_compilation_settings, preferred_padding_is_that_of_the_devices_that_touch_the_operand)
{
    static const struct {
        const char *first, *second;
        uint32_t input, floor, relu;
    } cases[] = {
        {"halyard-cpu", NULL, 64, 64, 64},
        {"nnapi-reference", NULL, 64, 64, 64},
        {"acme-old", "acme-npu", 64, 1, 64},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct compiled compiled = compiled_for_two(cases[i].first, cases[i].second);
        expect_preferred(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput, &compiled, 0,
                         cases[i].input);
        expect_preferred(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput, &compiled,
                         0, cases[i].floor);
        expect_preferred(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput, &compiled,
                         1, cases[i].relu);
        compiled_free(&compiled);
    }
}

TEST(contract_compilation_settings, preferred_alignment_is_the_same_for_all_devices)
{
    static const char *const devices[][2] = {
        {"halyard-cpu", NULL}, {"nnapi-reference", NULL}, {"acme-old", "acme-npu"}};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        struct compiled compiled = compiled_for_two(devices[i][0], devices[i][1]);
        expect_preferred(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput, &compiled,
                         0, 64);
        expect_preferred(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput, &compiled,
                         0, 64);
        expect_preferred(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput, &compiled,
                         1, 64);
        compiled_free(&compiled);
    }
}

TEST(contract_compilation_settings, index_out_of_range_has_no_preferred_memory)
{
    static get_preferred *const getters[] = {
        ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
        ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
        ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
        ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput,
    };
    static const uint32_t indices[] = {1, 2, INT32_MAX, UINT32_MAX};
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);

    for (size_t i = 0; i < COUNT_OF(getters); i++) {
        for (size_t k = 0; k < COUNT_OF(indices); k++) {
            uint32_t value = 7;
            EXPECT_INT(getters[i](compiled.compilation, indices[k], &value), DATA);
            EXPECT_INT(value, 7);
        }
    }
    compiled_free(&compiled);
}
