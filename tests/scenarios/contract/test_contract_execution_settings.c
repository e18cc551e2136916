/* Settings of an execution: which need a single explicit device, which comes first, what reaches
 * the driver. */
#include "tests/scenarios/contract/kit/fake_setup.h"

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

/* ---- The rule of the single explicit device -------------------------------------------------- */

static void expect_refused(ANeuralNetworksExecution *execution)
{
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_setMeasureTiming(execution, true));
    EXPECT_CONTAINS(halyard_last_error(), "timing needs a compilation for one device");
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_setTimeout(execution, 1));
    EXPECT_CONTAINS(halyard_last_error(), "a timeout needs a compilation for one device");
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_addExtensionAttribute(execution, "com.acme.x", 1,
                                                                         NULL, 0));
    EXPECT_CONTAINS(halyard_last_error(), "an attribute needs a compilation for one device");
}

TEST(contract_execution_settings, single_device_comes_before_the_state)
{
    static const enum fake_setup_devices devices[] = {ALL_DEVICES, TWO_DEVICES};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        struct fake_setup fake_setup;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), devices[i]));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        expect_refused(execution);
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        expect_refused(execution);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_execution_settings, without_a_single_device_nothing_of_it_reaches_the_driver)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    expect_refused(execution);
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT(fake_setup.npu.last_deadline == HY_NO_DEADLINE);
    EXPECT_INT(fake_setup.npu.last_hint_count, 0);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

TEST(contract_execution_settings,
     attribute_is_checked_for_null_then_device_then_state_then_repetition)
{
    const uint8_t data = 7;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_addExtensionAttribute(
                                     NULL, "com.acme.run", 9, &data, sizeof data));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_addExtensionAttribute(
                                     execution, NULL, 9, &data, sizeof data));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_addExtensionAttribute(
                                     execution, "com.acme.run", 9, NULL, sizeof data));
    EXPECT_OK(ANeuralNetworksExecution_addExtensionAttribute(execution, "com.acme.run", 9, &data,
                                                             sizeof data));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_addExtensionAttribute(execution, "com.acme.run",
                                                                         9, NULL, 0));
    EXPECT_CONTAINS(halyard_last_error(), "attribute com.acme.run#9 was added before");
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_addExtensionAttribute(execution, "com.acme.run",
                                                                          9, NULL, 0));
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_settings, attributes_are_copied_and_reach_every_kind_of_run)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        uint8_t data = 42;
        struct fake_setup fake_setup;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        EXPECT_OK(
            ANeuralNetworksExecution_addExtensionAttribute(execution, "com.acme.run", 1, NULL, 0));
        EXPECT_OK(ANeuralNetworksExecution_addExtensionAttribute(execution, "com.acme.run", 2,
                                                                 &data, sizeof data));
        data = 0;
        EXPECT_INT(run(&fake_setup, kind, execution), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(fake_setup.npu.last_hint_count, 2);
        EXPECT_INT(fake_setup.npu.last_hint_token & 0xffffu, 2);
        EXPECT_INT(fake_setup.npu.last_hint_byte, 42);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

/* ---- Loop timeouts --------------------------------------------------------------------------- */

TEST(contract_execution_settings, loop_timeout_has_a_default_and_a_maximum)
{
    static const struct {
        uint64_t set, got;
    } cases[] = {
        {0, 0},
        {1, 1},
        {14999999999, 14999999999},
        {15000000000, 15000000000},
        {15000000001, 15000000000},
        {UINT64_MAX, 15000000000},
    };
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));

    EXPECT(ANeuralNetworks_getDefaultLoopTimeout() == 2000000000);
    EXPECT(ANeuralNetworks_getMaximumLoopTimeout() == 15000000000);
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT(fake_setup.npu.last_loop_timeout == ANeuralNetworks_getDefaultLoopTimeout());
    ANeuralNetworksExecution_free(execution);

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        execution = fake_setup_ready(&fake_setup, input, output);
        EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, cases[i].set));
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(fake_setup.npu.last_loop_timeout == cases[i].got);
        ANeuralNetworksExecution_free(execution);
    }
    fake_setup_close(&fake_setup);
}

/* ---- Reuse ----------------------------------------------------------------------------------- */

TEST(contract_execution_settings, last_word_about_reuse_counts)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, false));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_compute(execution));
    EXPECT_CONTAINS(halyard_last_error(), "has run and is not reusable");
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_settings, settings_stay_for_every_run_of_a_reusable_execution)
{
    float changing[EXTENT] = {0};
    const uint8_t data = 42;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, changing, output);

    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, UINT64_MAX));
    EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, 3));
    EXPECT_OK(
        ANeuralNetworksExecution_addExtensionAttribute(execution, "com.acme.run", 1, &data, 1));
    for (int i = 0; i < 3 * RUN_KINDS; i++) {
        changing[0] = (float)i;
        fake_setup.npu.last_deadline = HY_NO_DEADLINE;
        fake_setup.npu.last_loop_timeout = 0;
        fake_setup.npu.last_hint_byte = 0;
        EXPECT_INT(run(&fake_setup, (enum run_kind)(i % RUN_KINDS), execution),
                   ANEURALNETWORKS_NO_ERROR);
        EXPECT(output[0] == chain_result(changing[0]));
        EXPECT(fake_setup.npu.last_deadline == INT64_MAX);
        EXPECT(fake_setup.npu.last_loop_timeout == 3);
        EXPECT_INT(fake_setup.npu.last_hint_byte, 42);
    }
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}
