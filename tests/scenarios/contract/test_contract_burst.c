/* Bursts: what they are made of, which executions they take, and one at a time. */
#include "tests/scenarios/contract/kit/fake_setup.h"

#include <pthread.h>

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

static ANeuralNetworksBurst *make_burst(const struct fake_setup *fake_setup)
{
    ANeuralNetworksBurst *burst = NULL;

    EXPECT_OK(ANeuralNetworksBurst_create(fake_setup->compilation, &burst));
    return burst;
}

/* Nothing has happened to it: it can still be changed. */
static void expect_untouched(ANeuralNetworksExecution *execution)
{
    EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, 1));
}

TEST(contract_burst, null_comes_before_everything)
{
    ANeuralNetworksBurst *burst = OLD_VALUE(ANeuralNetworksBurst);
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksBurst_create(NULL, NULL));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksBurst_create(fake_setup.compilation, NULL));
    EXPECT_CONTAINS(halyard_last_error(), "burst is NULL");
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksBurst_create(NULL, &burst));
    EXPECT_CONTAINS(halyard_last_error(), "compilation is NULL");
    EXPECT(burst == NULL);

    burst = make_burst(&fake_setup);
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_burstCompute(NULL, NULL));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_burstCompute(NULL, burst));
    EXPECT_CONTAINS(halyard_last_error(), "execution is NULL");
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_burstCompute(execution, NULL));
    EXPECT_CONTAINS(halyard_last_error(), "burst is NULL");
    expect_untouched(execution);
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksBurst_free(NULL);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_burst, creation_needs_a_compilation_that_finished_well)
{
    struct fake_device npu;
    ANeuralNetworksBurst *burst = OLD_VALUE(ANeuralNetworksBurst);

    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, 1, 0);
    ANeuralNetworksCompilation *compilation = hy_compilation_handle(
        compile_start(chain_model(), (struct fake_device *const[]){&npu}, 1, true));
    REQUIRE(compilation != NULL);
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksBurst_create(compilation, &burst));
    EXPECT_CONTAINS(halyard_last_error(), "is not finished");
    EXPECT(burst == NULL);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
    burst = OLD_VALUE(ANeuralNetworksBurst);
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksBurst_create(compilation, &burst));
    EXPECT_CONTAINS(halyard_last_error(), "has failed");
    EXPECT(burst == NULL);
    ANeuralNetworksCompilation_free(compilation);
}

TEST(contract_burst, results_are_those_of_compute_for_new_executions_and_reused_ones)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksBurst *burst = make_burst(&fake_setup);
    ANeuralNetworksExecution *reused = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksExecution_setReusable(reused, true));
    for (int i = 0; i < 3; i++) {
        float other[EXTENT] = {0};
        memset(output, 0, sizeof output);
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, other);
        EXPECT_OK(ANeuralNetworksExecution_burstCompute(execution, burst));
        EXPECT_OK(ANeuralNetworksExecution_burstCompute(reused, burst));
        EXPECT(other[3] == chain_result(input[3]));
        EXPECT(output[3] == chain_result(input[3]));
        EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_burstCompute(execution, burst));
        ANeuralNetworksExecution_free(execution);
    }
    ANeuralNetworksExecution_free(reused);
    ANeuralNetworksBurst_free(burst);
    fake_setup_close(&fake_setup);
}

/* Also if the execution has run already, or an argument is missing. */
TEST(contract_burst, execution_of_another_compilation_is_bad_data_and_untouched)
{
    struct fake_setup fake_setup, other;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    REQUIRE(fake_setup_open(&other, chain_model(), ALL_DEVICES));
    ANeuralNetworksBurst *burst = make_burst(&fake_setup);
    ANeuralNetworksExecution *empty = fake_setup_execution(&other);
    ANeuralNetworksExecution *execution = fake_setup_ready(&other, input, output);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_burstCompute(empty, burst));
    EXPECT_CONTAINS(halyard_last_error(), "the execution belongs to another compilation");
    expect_untouched(empty);
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_burstCompute(execution, burst));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_burstCompute(execution, burst));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksExecution_free(empty);
    ANeuralNetworksBurst_free(burst);
    fake_setup_close(&other);
    fake_setup_close(&fake_setup);
}

struct race {
    ANeuralNetworksBurst *burst;
    ANeuralNetworksExecution *execution;
    int code;
};

static void *compute_in_burst(void *argument)
{
    struct race *race = argument;

    race->code = ANeuralNetworksExecution_burstCompute(race->execution, race->burst);
    return NULL;
}

TEST(contract_burst, busy_burst_is_bad_state_and_leaves_the_execution_untouched)
{
    float first[EXTENT] = {0};
    pthread_barrier_t inside;
    pthread_t thread;
    struct fake_setup fake_setup, other;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    REQUIRE(fake_setup_open(&other, chain_model(), ALL_DEVICES));
    struct race race = {make_burst(&fake_setup), fake_setup_ready(&fake_setup, input, first), -1};
    ANeuralNetworksExecution *second = fake_setup_ready(&fake_setup, input, output);
    ANeuralNetworksExecution *empty = fake_setup_execution(&fake_setup);
    ANeuralNetworksExecution *stranger = fake_setup_execution(&other);

    pthread_barrier_init(&inside, NULL, 2);
    fake_setup.npu.inside = &inside;
    REQUIRE(pthread_create(&thread, NULL, compute_in_burst, &race) == 0);
    pthread_barrier_wait(&inside);
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_burstCompute(stranger, race.burst));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_burstCompute(second, race.burst));
    EXPECT_CONTAINS(halyard_last_error(), "the burst is running another execution");
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_burstCompute(empty, race.burst));
    expect_untouched(second);
    expect_untouched(empty);
    fake_setup.npu.inside = NULL;
    pthread_barrier_wait(&inside);
    pthread_join(thread, NULL);

    EXPECT_INT(race.code, ANEURALNETWORKS_NO_ERROR);
    EXPECT_OK(ANeuralNetworksExecution_burstCompute(second, race.burst));
    EXPECT(first[3] == chain_result(input[3]));
    EXPECT(output[3] == chain_result(input[3]));
    pthread_barrier_destroy(&inside);
    ANeuralNetworksExecution_free(race.execution);
    ANeuralNetworksExecution_free(second);
    ANeuralNetworksExecution_free(empty);
    ANeuralNetworksExecution_free(stranger);
    ANeuralNetworksBurst_free(race.burst);
    fake_setup_close(&other);
    fake_setup_close(&fake_setup);
}

TEST(contract_burst, run_that_fails_leaves_the_burst_usable)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    ANeuralNetworksBurst *burst = make_burst(&fake_setup);
    ANeuralNetworksExecution *empty = fake_setup_execution(&fake_setup);
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_burstCompute(empty, burst));
    EXPECT_CONTAINS(halyard_last_error(), "input 0 was never set");
    fake_setup.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_burstCompute(execution, burst));
    fake_setup.npu.execute_status = HY_STATUS_OK;
    EXPECT_OK(ANeuralNetworksExecution_burstCompute(execution, burst));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksExecution_free(empty);
    ANeuralNetworksBurst_free(burst);
    fake_setup_close(&fake_setup);
}

TEST(contract_burst, memory_may_go_between_runs)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksBurst *burst = make_burst(&fake_setup);

    for (int i = 0; i < 3; i++) {
        ANeuralNetworksMemory *memory = NULL;
        int fd = shared_file(BYTES);
        EXPECT_OK(ANeuralNetworksMemory_createFromFd(BYTES, PROT_READ, fd, 0, &memory));
        close(fd);
        ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
        EXPECT_OK(
            ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, BYTES));
        EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES));
        EXPECT_OK(ANeuralNetworksExecution_burstCompute(execution, burst));
        ANeuralNetworksMemory_free(memory);
        ANeuralNetworksExecution_free(execution);
    }
    ANeuralNetworksBurst_free(burst);
    fake_setup_close(&fake_setup);
}
