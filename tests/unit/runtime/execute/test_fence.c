/* Sync fences of ours, and executions of several steps that wait for each other. What the API
 * promises of both is in tests/scenarios/contract. */
#include "runtime/event/event.h"
#include "runtime/event/fence.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};
static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};

static struct hy_compilation *compile_chain(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_RELU | FAKE_ADD);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    return compile(chain_model(), both, 2, false, NULL);
}

static bool is_chain_result(const float *output)
{
    bool same = true;
    for (uint32_t i = 0; i < EXTENT; i++)
        same &= output[i] == chain_result(input[i]);
    return same;
}

/* What poll says of a fence; 0: nothing yet. */
static short look(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, 0) > 0 ? look.revents : 0;
}

TEST(fence, of_ours_polls_readable_or_in_error)
{
    struct hy_fence good, bad;
    REQUIRE(hy_fence_create(&good, NULL) == HY_OK && hy_fence_create(&bad, NULL) == HY_OK);
    EXPECT_INT(look(good.fd), 0);
    hy_fence_end(&good, true);
    hy_fence_end(&bad, false);
    EXPECT(look(good.fd) & POLLIN);
    EXPECT(!(look(good.fd) & (POLLERR | POLLNVAL)));
    EXPECT(look(bad.fd) & POLLERR);
    EXPECT_INT(hy_fence_wait(good.fd, NULL), HY_OK);
    EXPECT_INT(hy_fence_wait(bad.fd, NULL), HY_FAILED);
    hy_fence_close(&good);
    hy_fence_close(&bad);
}

enum { CHAIN = 10 };

struct chain {
    struct hy_compilation *compilation;
    struct hy_execution *executions[CHAIN];
    struct hy_event *events[CHAIN];
    float outputs[CHAIN][EXTENT];
    int gate;
};

/* Each waits for the one before it, the first for the gate. */
static bool start_chain(struct chain *chain)
{
    struct hy_event *before = NULL;

    memset(chain, 0, sizeof *chain);
    chain->gate = eventfd(0, EFD_CLOEXEC);
    chain->compilation = compile_chain();
    if (!chain->compilation || hy_event_from_fence(chain->gate, &before, NULL) != HY_OK)
        return false;
    struct hy_event *first = before;
    for (int i = 0; i < CHAIN; i++) {
        chain->executions[i] =
            execution_of(chain->compilation, input, (float *[]){chain->outputs[i]});
        if (!chain->executions[i] || hy_event_start_fenced(chain->executions[i], &before, 1, 0,
                                                           &chain->events[i], NULL) != HY_OK)
            return false;
        before = chain->events[i];
    }
    hy_event_destroy(first);
    return true;
}

static void free_chain(struct chain *chain)
{
    for (int i = 0; i < CHAIN; i++) {
        hy_event_destroy(chain->events[i]);
        hy_execution_release(chain->executions[i]);
    }
    hy_compilation_release(chain->compilation);
    close(chain->gate);
}

TEST(fence, chain_of_executions_that_are_split_runs_in_order)
{
    struct chain chain;
    REQUIRE(start_chain(&chain));
    EXPECT(chain.compilation->plan->step_count > 1);
    EXPECT_INT(eventfd_write(chain.gate, 1), 0);
    EXPECT_INT(hy_event_wait(chain.events[CHAIN - 1], NULL), HY_OK);
    for (int i = 0; i < CHAIN; i++) {
        EXPECT_INT(hy_event_wait(chain.events[i], NULL), HY_OK);
        EXPECT(is_chain_result(chain.outputs[i]));
    }
    free_chain(&chain);
}
