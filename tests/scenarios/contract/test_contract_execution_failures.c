/* What a run gives when the driver fails: the result code of each status, and when the CPU takes
 * over. */
#include "tests/scenarios/contract/kit/fake_setup.h"

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

static const struct {
    int32_t status;
    int code;
} failures[] = {
    {HY_STATUS_DEVICE_UNAVAILABLE, ANEURALNETWORKS_UNAVAILABLE_DEVICE},
    {HY_STATUS_GENERAL_FAILURE, ANEURALNETWORKS_OP_FAILED},
    {HY_STATUS_INVALID_ARGUMENT, ANEURALNETWORKS_BAD_DATA},
    {HY_STATUS_MISSED_DEADLINE_TRANSIENT, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT},
    {HY_STATUS_MISSED_DEADLINE_PERSISTENT, ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT},
    {HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT},
    {HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT, ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT},
    {HY_STATUS_DEAD_OBJECT, ANEURALNETWORKS_DEAD_OBJECT},
    {4711, ANEURALNETWORKS_OP_FAILED}, /* no status at all */
};

/* The call that tells the end of a run. */
static const char *last_call(enum run_kind kind)
{
    return kind < START ? run_names[kind] : "ANeuralNetworksEvent_wait";
}

TEST(contract_execution_failures, single_device_gives_its_own_code_in_every_kind_of_run)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        for (size_t i = 0; i < COUNT_OF(failures); i++) {
            struct fake_setup fake_setup;
            REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
            ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
            fake_setup.npu.execute_status = failures[i].status;
            contract_before(failures[i].code);
            contract_after(__FILE__, __LINE__, last_call(kind), failures[i].code,
                           run(&fake_setup, kind, execution));
            EXPECT_CONTAINS(halyard_last_error(), "acme-npu: execute failed");
            EXPECT_CONTAINS(halyard_last_error(), ": the core is on fire");
            ANeuralNetworksExecution_free(execution);
            fake_setup_close(&fake_setup);
        }
    }
}

/* Whatever the driver says: there is no deadline that an app could have set. */
TEST(contract_execution_failures, cpu_runs_again_what_a_driver_failed_to_run)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        for (size_t i = 0; i < COUNT_OF(failures); i++) {
            struct fake_setup fake_setup;
            REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
            ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
            fake_setup.npu.execute_status = failures[i].status;
            memset(output, 0, sizeof output);
            EXPECT_INT(run(&fake_setup, kind, execution), ANEURALNETWORKS_NO_ERROR);
            EXPECT(output[3] == chain_result(input[3]));
            EXPECT_INT(fake_setup.npu.runs, 1);
            EXPECT_INT(fake_setup.cpu.runs, 1);
            ANeuralNetworksExecution_free(execution);
            fake_setup_close(&fake_setup);
        }
    }
}

TEST(contract_execution_failures, failure_of_the_cpu_after_that_is_final)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    fake_setup.npu.execute_status = HY_STATUS_INVALID_ARGUMENT;
    fake_setup.cpu.execute_status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    EXPECT_FAIL(RESOURCE_EXHAUSTED_TRANSIENT, ANeuralNetworksExecution_compute(execution));
    EXPECT_CONTAINS(halyard_last_error(), "halyard-cpu: execute failed");
    EXPECT_INT(fake_setup.cpu.runs, 1);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_failures, every_wait_for_a_failed_run_has_its_code_and_words)
{
    ANeuralNetworksEvent *event = NULL;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    fake_setup.npu.execute_status = HY_STATUS_DEAD_OBJECT;
    EXPECT_OK(ANeuralNetworksExecution_startCompute(execution, &event));
    for (int i = 0; i < 3; i++) {
        EXPECT_FAIL(DEAD_OBJECT, ANeuralNetworksEvent_wait(event));
        EXPECT_CONTAINS(halyard_last_error(), "Event_wait: acme-npu: execute failed");
    }
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}
