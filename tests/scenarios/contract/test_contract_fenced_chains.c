/* Chains of fenced executions over two devices, by events and by sync fences: they run in order,
 * and a link that fails fails all behind it. */
#include "runtime/compile/compile.h"

#include "runtime/drivers/device_list.h"
#include "tests/scenarios/contract/kit/fake_setup.h"

enum { LINKS = 10 };

/* Each link computes from what the one before it made: odd ones on the built-in CPU. */
struct chain {
    struct fake_setup fake_setup;
    ANeuralNetworksCompilation *on_cpu;
    struct manual_fence manual_fence;
    float values[LINKS + 1][EXTENT];
    ANeuralNetworksExecution *executions[LINKS];
    ANeuralNetworksEvent *events[LINKS];
};

static ANeuralNetworksCompilation *compile_on_cpu(void)
{
    const struct hy_runtime_device *device = hy_devices()->cpu;
    struct hy_app_model *model = chain_model();
    struct hy_compilation *compilation = NULL;

    EXPECT_INT(hy_compilation_create(model, &device, 1, true, &compilation, NULL), HY_OK);
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    hy_app_model_release(model);
    return hy_compilation_handle(compilation);
}

static ANeuralNetworksExecution *make_link(struct chain *chain, int i)
{
    const struct fake_setup on_cpu = {.compilation = chain->on_cpu};
    const struct fake_setup *fake_setup = i % 2 ? &on_cpu : &chain->fake_setup;

    return fake_setup_ready(fake_setup, chain->values[i], chain->values[i + 1]);
}

/* It waits for the event before it, or for the sync fence which that gives. */
static int start_link(struct chain *chain, int i, bool by_fence)
{
    ANeuralNetworksEvent *before = i ? chain->events[i - 1] : chain->manual_fence.event,
                         *fence = NULL;
    int fd = -1;

    chain->executions[i] = make_link(chain, i);
    if (by_fence) {
        EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(before, &fd));
        EXPECT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &fence));
        close(fd);
    }
    const ANeuralNetworksEvent *dependency = by_fence ? fence : before;
    int code = ANeuralNetworksExecution_startComputeWithDependencies(
        chain->executions[i], &dependency, 1, 0, &chain->events[i]);
    ANeuralNetworksEvent_free(fence);
    return code;
}

static bool start_chain(struct chain *chain, bool by_fences)
{
    bool ok = fake_setup_open(&chain->fake_setup, chain_model(), ONE_DEVICE) &&
              manual_fence_make(&chain->manual_fence);

    chain->on_cpu = compile_on_cpu();
    memset(chain->values, 0, sizeof chain->values);
    chain->values[0][0] = 1;
    for (int i = 0; ok && i < LINKS; i++)
        ok = start_link(chain, i, by_fences) == ANEURALNETWORKS_NO_ERROR;
    return ok;
}

static void end_chain(struct chain *chain)
{
    for (int i = 0; i < LINKS; i++) {
        ANeuralNetworksEvent_free(chain->events[i]);
        ANeuralNetworksExecution_free(chain->executions[i]);
    }
    manual_fence_free(&chain->manual_fence);
    ANeuralNetworksCompilation_free(chain->on_cpu);
    fake_setup_close(&chain->fake_setup);
}

static void expect_chain(bool by_fences)
{
    struct chain chain;
    float value = 1;
    REQUIRE(start_chain(&chain, by_fences));

    EXPECT_INT(chain.fake_setup.npu.runs, 0);
    manual_fence_signal(&chain.manual_fence);
    EXPECT_OK(ANeuralNetworksEvent_wait(chain.events[LINKS - 1]));
    for (int i = 0; i < LINKS; i++) {
        value = chain_result(value);
        EXPECT(chain.values[i + 1][0] == value);
        EXPECT_OK(ANeuralNetworksEvent_wait(chain.events[i]));
    }
    EXPECT_INT(chain.fake_setup.npu.runs, LINKS / 2);
    end_chain(&chain);
}

TEST(contract_fenced, chain_of_ten_over_two_devices_runs_in_order)
{
    expect_chain(false);
}

TEST(contract_fenced, chain_goes_through_sync_fences_too)
{
    expect_chain(true);
}

/* The third link is the first to fail: those before it are well, all behind it fail. */
static void expect_broken_chain(bool by_fences)
{
    struct chain chain;
    pthread_barrier_t inside;
    REQUIRE(start_chain(&chain, by_fences));

    pthread_barrier_init(&inside, NULL, 2);
    chain.fake_setup.npu.inside = &inside;
    manual_fence_signal(&chain.manual_fence);
    pthread_barrier_wait(&inside); /* link 0 */
    pthread_barrier_wait(&inside);
    pthread_barrier_wait(&inside); /* link 2 */
    chain.fake_setup.npu.execute_status = HY_STATUS_DEVICE_UNAVAILABLE;
    pthread_barrier_wait(&inside);
    for (int i = 0; i < LINKS; i++) {
        static const int good = ANEURALNETWORKS_NO_ERROR, own = ANEURALNETWORKS_UNAVAILABLE_DEVICE;
        EXPECT_CODE(i < 2    ? good
                    : i == 2 ? own
                             : ANEURALNETWORKS_OP_FAILED,
                    ANeuralNetworksEvent_wait(chain.events[i]));
        if (i > 2)
            EXPECT_CONTAINS(halyard_last_error(), "a dependency failed: ");
    }
    EXPECT_INT(chain.fake_setup.npu.runs, 2);
    end_chain(&chain);
    pthread_barrier_destroy(&inside);
}

TEST(contract_fenced, failed_link_fails_all_behind_it)
{
    expect_broken_chain(false);
    expect_broken_chain(true);
}
