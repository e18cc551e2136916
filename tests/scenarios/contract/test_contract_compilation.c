/* Compilations: how they are made, what each call gives in each state, and how they fail. Settings
 * are in test_contract_compilation_settings.c. */
#include "tests/scenarios/contract/kit/fixture.h"

static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {1, 2, 3};

enum {
    OK = ANEURALNETWORKS_NO_ERROR,
    DATA = ANEURALNETWORKS_BAD_DATA,
    STATE = ANEURALNETWORKS_BAD_STATE,
};

/* ---- Making ---------------------------------------------------------------------------------- */

TEST(contract_compilation, failed_creation_gives_no_object)
{
    ANeuralNetworksModel *open = relu_model(MODEL_BUILDING);
    ANeuralNetworksModel *invalid = relu_model(MODEL_INVALID);
    ANeuralNetworksModel *const models[] = {open, invalid};
    const ANeuralNetworksDevice *cpu = device_named("halyard-cpu");

    for (size_t i = 0; i < COUNT_OF(models); i++) {
        ANeuralNetworksCompilation *compilation = OLD_VALUE(ANeuralNetworksCompilation);
        EXPECT_FAIL(BAD_STATE, ANeuralNetworksCompilation_create(models[i], &compilation));
        EXPECT(compilation == NULL);
        compilation = OLD_VALUE(ANeuralNetworksCompilation);
        EXPECT_FAIL(BAD_STATE,
                    ANeuralNetworksCompilation_createForDevices(models[i], &cpu, 1, &compilation));
        EXPECT(compilation == NULL);
    }
    ANeuralNetworksModel_free(open);
    ANeuralNetworksModel_free(invalid);
}

/* All lists with a model that is not finished, either: that is looked at last. */
TEST(contract_compilation, list_of_devices_is_checked_before_the_model)
{
    const ANeuralNetworksDevice *cpu = device_named("halyard-cpu");
    const ANeuralNetworksDevice *npu = device_named("acme-npu");
    const ANeuralNetworksDevice *stranger = OLD_VALUE(const ANeuralNetworksDevice);
    const struct {
        uint32_t count;
        const ANeuralNetworksDevice *devices[3];
        int code;
    } cases[] = {
        {0, {cpu}, DATA},
        {0, {NULL}, DATA},
        {1, {NULL}, ANEURALNETWORKS_UNEXPECTED_NULL},
        {3, {cpu, npu, NULL}, ANEURALNETWORKS_UNEXPECTED_NULL},
        {3, {cpu, cpu, NULL}, ANEURALNETWORKS_UNEXPECTED_NULL},
        {3, {stranger, stranger, NULL}, ANEURALNETWORKS_UNEXPECTED_NULL},
        {2, {cpu, cpu}, DATA},
        {3, {cpu, npu, cpu}, DATA},
        {1, {stranger}, DATA},
        {2, {cpu, stranger}, DATA},
        {2, {cpu, npu}, STATE},
    };
    ANeuralNetworksModel *model = relu_model(MODEL_BUILDING);

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ANeuralNetworksCompilation *compilation = OLD_VALUE(ANeuralNetworksCompilation);
        EXPECT_CODE(cases[i].code, ANeuralNetworksCompilation_createForDevices(
                                       model, cases[i].devices, cases[i].count, &compilation));
        EXPECT(compilation == NULL);
    }
    ANeuralNetworksModel_free(model);
}

TEST(contract_compilation, list_of_devices_need_not_outlive_the_call)
{
    const ANeuralNetworksDevice *devices[] = {device_named("halyard-cpu")};
    ANeuralNetworksModel *model = relu_model(MODEL_FINISHED);
    ANeuralNetworksCompilation *compilation = NULL;

    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &compilation));
    devices[0] = OLD_VALUE(const ANeuralNetworksDevice);
    EXPECT_OK(ANeuralNetworksCompilation_finish(compilation));
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* ---- States ---------------------------------------------------------------------------------- */

/* Each call with arguments that are wrong, where the state is looked at first. */

static int set_preference(ANeuralNetworksCompilation *compilation)
{
    return ANeuralNetworksCompilation_setPreference(compilation, 99);
}

static int set_priority(ANeuralNetworksCompilation *compilation)
{
    return ANeuralNetworksCompilation_setPriority(compilation, 99);
}

static int set_caching(ANeuralNetworksCompilation *compilation)
{
    return ANeuralNetworksCompilation_setCaching(compilation, "/tmp", token);
}

/* The compilation is for two devices, which comes after the state. */
static int set_timeout(ANeuralNetworksCompilation *compilation)
{
    return ANeuralNetworksCompilation_setTimeout(compilation, 1000000000);
}

static int add_attribute(ANeuralNetworksCompilation *compilation)
{
    return ANeuralNetworksCompilation_addExtensionAttribute(compilation, "com.acme.fft", 1, "x", 1);
}

static int get_input_alignment(ANeuralNetworksCompilation *compilation)
{
    uint32_t value;
    return ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(compilation, 99, &value);
}

static int get_output_alignment(ANeuralNetworksCompilation *compilation)
{
    uint32_t value;
    return ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(compilation, 99, &value);
}

static int get_input_padding(ANeuralNetworksCompilation *compilation)
{
    uint32_t value;
    return ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(compilation, 99, &value);
}

static int get_output_padding(ANeuralNetworksCompilation *compilation)
{
    uint32_t value;
    return ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(compilation, 99, &value);
}

static int create_execution(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksExecution *execution = OLD_VALUE(ANeuralNetworksExecution);
    const int code = ANeuralNetworksExecution_create(compilation, &execution);
    EXPECT((code == OK) == (execution != NULL));
    ANeuralNetworksExecution_free(execution);
    return code;
}

static int create_burst(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksBurst *burst = OLD_VALUE(ANeuralNetworksBurst);
    const int code = ANeuralNetworksBurst_create(compilation, &burst);
    EXPECT((code == OK) == (burst != NULL));
    ANeuralNetworksBurst_free(burst);
    return code;
}

static int add_input_role(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    EXPECT_OK(ANeuralNetworksMemoryDesc_create(&desc));
    const int code = ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1);
    ANeuralNetworksMemoryDesc_free(desc);
    return code;
}

static int add_output_role(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    EXPECT_OK(ANeuralNetworksMemoryDesc_create(&desc));
    const int code = ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1);
    ANeuralNetworksMemoryDesc_free(desc);
    return code;
}

static const struct {
    const char *name;
    int (*make)(ANeuralNetworksCompilation *compilation);
    int expected[3]; /* of a compilation that is building, finished, failed */
} calls[] = {
    {"Compilation_setPreference", set_preference, {DATA, STATE, STATE}},
    {"Compilation_setPriority", set_priority, {DATA, STATE, STATE}},
    {"Compilation_setCaching", set_caching, {OK, STATE, STATE}},
    {"Compilation_setTimeout", set_timeout, {DATA, STATE, STATE}},
    {"Compilation_addExtensionAttribute", add_attribute, {DATA, STATE, STATE}},
    {"Compilation_getPreferredMemoryAlignmentForInput", get_input_alignment, {STATE, DATA, STATE}},
    {"Compilation_getPreferredMemoryAlignmentForOutput",
     get_output_alignment,
     {STATE, DATA, STATE}},
    {"Compilation_getPreferredMemoryPaddingForInput", get_input_padding, {STATE, DATA, STATE}},
    {"Compilation_getPreferredMemoryPaddingForOutput", get_output_padding, {STATE, DATA, STATE}},
    {"Execution_create", create_execution, {STATE, OK, STATE}},
    {"Burst_create", create_burst, {STATE, OK, STATE}},
    {"MemoryDesc_addInputRole", add_input_role, {DATA, OK, DATA}},
    {"MemoryDesc_addOutputRole", add_output_role, {DATA, OK, DATA}},
    {"Compilation_finish", ANeuralNetworksCompilation_finish, {OK, STATE, STATE}},
};

static void make_call(size_t number, ANeuralNetworksCompilation *compilation, int state)
{
    const int code = calls[number].make(compilation);

    if (code != calls[number].expected[state])
        hy_test_fail(__FILE__, __LINE__, "%s gives %s in state %d", calls[number].name,
                     contract_code_name(code), state);
    if (code == OK)
        return;
    EXPECT_INT(halyard_last_error_code(), code);
    EXPECT_CONTAINS(halyard_last_error(), calls[number].name);
}

TEST(contract_compilation, calls_are_answered_by_the_state_of_the_compilation)
{
    for (int state = COMPILATION_BUILDING; state <= COMPILATION_FAILED; state++) {
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
            struct compiled compiled = compiled_in((enum compilation_state)state, TWO_DEVICES);
            make_call(i, compiled.compilation, state);
            compiled_free(&compiled);
        }
    }
}

TEST(contract_compilation, refused_call_leaves_the_state_as_it_is)
{
    for (int state = COMPILATION_BUILDING; state <= COMPILATION_FAILED; state++) {
        struct compiled compiled = compiled_in((enum compilation_state)state, TWO_DEVICES);
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
            if (calls[i].expected[state] != OK)
                make_call(i, compiled.compilation, state);
        }
        if (state == COMPILATION_BUILDING)
            EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
        EXPECT_INT(create_execution(compiled.compilation),
                   state == COMPILATION_FAILED ? STATE : OK);
        compiled_free(&compiled);
    }
}

/* ---- Finishing ------------------------------------------------------------------------------- */

/* Of a RELU, for this device alone. */
static struct compiled compiled_for(const char *device)
{
    const ANeuralNetworksDevice *devices[] = {device_named(device)};
    struct compiled compiled = {.model = relu_model(MODEL_FINISHED)};

    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(compiled.model, devices, 1,
                                                          &compiled.compilation));
    return compiled;
}

TEST(contract_compilation, operation_that_no_device_of_the_list_has_is_bad_data)
{
    struct compiled compiled = compiled_in(COMPILATION_FAILED, ONE_DEVICE);

    EXPECT_CONTAINS(halyard_last_error(), "operation 1");
    EXPECT_CONTAINS(halyard_last_error(), "no device supports the operation");
    compiled_free(&compiled);
}

TEST(contract_compilation, operation_of_a_device_that_does_not_answer_is_unavailable)
{
    struct compiled compiled = compiled_for("acme-down");

    EXPECT_FAIL(UNAVAILABLE_DEVICE, ANeuralNetworksCompilation_finish(compiled.compilation));
    EXPECT_CONTAINS(halyard_last_error(), "operation 0 RELU: no device");
    EXPECT_CONTAINS(halyard_last_error(), "acme-down");
    compiled_free(&compiled);
}

TEST(contract_compilation, error_of_the_only_driver_is_returned)
{
    struct compiled compiled = compiled_for("acme-full");

    EXPECT_FAIL(RESOURCE_EXHAUSTED_TRANSIENT,
                ANeuralNetworksCompilation_finish(compiled.compilation));
    EXPECT_CONTAINS(halyard_last_error(), "acme-full");
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksCompilation_finish(compiled.compilation));
    EXPECT_INT(create_execution(compiled.compilation), STATE);
    compiled_free(&compiled);
}

TEST(contract_compilation, deadline_that_has_passed_is_missed)
{
    struct compiled compiled = compiled_in(COMPILATION_BUILDING, ONE_DEVICE);

    EXPECT_OK(ANeuralNetworksCompilation_setTimeout(compiled.compilation, 1));
    EXPECT_FAIL(MISSED_DEADLINE_PERSISTENT,
                ANeuralNetworksCompilation_finish(compiled.compilation));
    EXPECT_INT(create_execution(compiled.compilation), STATE);
    compiled_free(&compiled);
}
