/* Calls on an execution in any order, with arguments good and bad: never a crash, and nothing is
 * left behind. */
#include "tests/scenarios/contract/kit/fake_setup.h"

#include "common/random.h"

enum { ROUNDS = 400, CALLS = 40 };

static float input[EXTENT], output[EXTENT];

/* What one round works on. */
struct round {
    struct fake_setup fake_setup;
    ANeuralNetworksExecution *execution;
    ANeuralNetworksEvent *event;
    ANeuralNetworksBurst *burst;
    struct hy_random random;
};

static void random_argument(struct round *round, bool is_output)
{
    static const uint32_t extents[][2] = {{EXTENT, 0}, {0, 0}, {2, 2}, {UINT32_MAX, UINT32_MAX}};
    const uint32_t rank = (uint32_t)hy_random_next(&round->random) % 4;
    const int32_t index = (int32_t)((uint32_t)hy_random_next(&round->random) % 3) - 1;
    const size_t length = (uint32_t)hy_random_next(&round->random) % 3
                              ? BYTES
                              : (uint32_t)hy_random_next(&round->random) % 20;
    const ANeuralNetworksOperandType type = {
        (int32_t)((uint32_t)hy_random_next(&round->random) % 5), rank % 3,
        rank ? extents[(uint32_t)hy_random_next(&round->random) % 4] : NULL, 0, 0};
    const ANeuralNetworksOperandType *maybe =
        (uint32_t)hy_random_next(&round->random) % 2 ? &type : NULL;

    if (is_output)
        ANeuralNetworksExecution_setOutput(round->execution, index, maybe, length ? output : NULL,
                                           length);
    else
        ANeuralNetworksExecution_setInput(round->execution, index, maybe, length ? input : NULL,
                                          length);
}

static void random_setting(struct round *round)
{
    const uint32_t kind = (uint32_t)hy_random_next(&round->random) % 5,
                   value = (uint32_t)hy_random_next(&round->random);

    if (kind == 0)
        ANeuralNetworksExecution_enableInputAndOutputPadding(round->execution, value % 2);
    if (kind == 1)
        ANeuralNetworksExecution_setReusable(round->execution, value % 4 != 0);
    if (kind == 2)
        ANeuralNetworksExecution_setMeasureTiming(round->execution, value % 2);
    if (kind == 3)
        ANeuralNetworksExecution_setTimeout(round->execution, value);
    if (kind == 4)
        ANeuralNetworksExecution_setLoopTimeout(round->execution, value);
}

/* An event that is there already is the dependency of the next. */
static void random_run(struct round *round)
{
    const ANeuralNetworksEvent *before = round->event;
    ANeuralNetworksEvent *event = NULL;
    const uint32_t kind = (uint32_t)hy_random_next(&round->random) % RUN_KINDS;

    if (kind == COMPUTE)
        ANeuralNetworksExecution_compute(round->execution);
    if (kind == BURST)
        ANeuralNetworksExecution_burstCompute(round->execution, round->burst);
    if (kind == START)
        ANeuralNetworksExecution_startCompute(round->execution, &event);
    if (kind == FENCED)
        ANeuralNetworksExecution_startComputeWithDependencies(
            round->execution, &before, before != NULL, (uint32_t)hy_random_next(&round->random) % 2,
            &event);
    if (!event)
        return;
    ANeuralNetworksEvent_free(round->event);
    round->event = event;
}

static void random_question(struct round *round)
{
    const int32_t index = (int32_t)((uint32_t)hy_random_next(&round->random) % 5) - 1;
    uint32_t number, dims[HY_MAX_RANK];
    uint64_t duration;

    ANeuralNetworksExecution_getOutputOperandRank(round->execution, index, &number);
    ANeuralNetworksExecution_getOutputOperandDimensions(round->execution, index, dims);
    ANeuralNetworksExecution_getDuration(round->execution, index, &duration);
}

static void random_end(struct round *round)
{
    int fd = -1;

    if (round->event && (uint32_t)hy_random_next(&round->random) % 2)
        ANeuralNetworksEvent_wait(round->event);
    if (round->event && ANeuralNetworksEvent_getSyncFenceFd(round->event, &fd) == 0)
        close(fd);
    ANeuralNetworksEvent_free(round->event);
    round->event = NULL;
}

static void random_call(struct round *round)
{
    switch ((uint32_t)hy_random_next(&round->random) % 8) {
    case 0:
    case 1:
        random_argument(round, false);
        break;
    case 2:
    case 3:
        random_argument(round, true);
        break;
    case 4:
        random_setting(round);
        break;
    case 5:
        random_run(round);
        break;
    case 6:
        random_question(round);
        break;
    default:
        random_end(round);
    }
}

TEST(contract_execution_random, calls_in_any_order_do_no_harm)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct round round = {.random = {i}};
        const enum fake_setup_devices devices =
            hy_random_next(&round.random) % 2 ? ONE_DEVICE : ALL_DEVICES;
        REQUIRE(fake_setup_open(&round.fake_setup,
                                i % 3 ? chain_model() : dynamic_model(EXTENT, 0, 0), devices));
        round.fake_setup.npu.device.table = round.fake_setup.cpu.device.table =
            &fake_parallel_table;
        if (hy_random_next(&round.random) % 3 == 0)
            round.fake_setup.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
        round.execution = fake_setup_execution(&round.fake_setup);
        EXPECT_OK(ANeuralNetworksBurst_create(round.fake_setup.compilation, &round.burst));
        for (uint32_t call = 0; call < CALLS; call++)
            random_call(&round);
        ANeuralNetworksEvent_free(round.event);
        ANeuralNetworksExecution_free(round.execution);
        ANeuralNetworksBurst_free(round.burst);
        fake_setup_close(&round.fake_setup);
    }
}
