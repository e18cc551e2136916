/* The state of a recurrent network that stays on the device, through the public API. */
#include <string.h>

#include "bench/kernels/lstm_chain.h"
#include "tests/kit/test.h"
#include "tests/scenarios/cost/cost.h"

enum { STEPS = 10, CHAINS = 17 };

static const struct hy_lstm_step small = {.batches = 9, .inputs = 3, .units = 5};

static bool is_good(enum hy_code code, const struct hy_error *err)
{
    if (code != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err->text);
    return code == HY_OK;
}

static bool run(struct hy_lstm_chain *chain)
{
    struct hy_error err;
    return is_good(hy_lstm_chain_start(chain, &err), &err) &&
           is_good(hy_lstm_chain_run(chain, STEPS, &err), &err);
}

/* The chain over memory of the device against the one over shared memory. */
static void expect_same(const char *device)
{
    struct hy_lstm_step step = small;
    struct hy_lstm_chain chains[2] = {{0}};
    struct hy_error err;
    uint64_t copied = 1;
    if (is_good(hy_lstm_step_make(device, &step, &err), &err) &&
        is_good(hy_lstm_chain_init(&step, true, &chains[0], &err), &err) &&
        is_good(hy_lstm_chain_init(&step, false, &chains[1], &err), &err) && run(&chains[0]) &&
        run(&chains[1])) {
        EXPECT_INT(memcmp(chains[0].output, chains[1].output, hy_lstm_state_bytes(&step)), 0);
        (void)is_good(hy_lstm_step_copied(&step, &copied, &err), &err);
        EXPECT_INT(copied, 0);
    }
    hy_lstm_chain_finish(&chains[0]);
    hy_lstm_chain_finish(&chains[1]);
    hy_lstm_step_finish(&step);
}

TEST(state_chain, states_on_a_device_are_never_copied_and_come_to_the_same)
{
    expect_same("halyard-sample-recurrent");
    expect_same("halyard-cpu");
}

/* The sample device has room for 64 buffers, and each chain has four. */
TEST(state_chain, the_memory_is_that_of_the_device)
{
    struct hy_lstm_step step = small;
    struct hy_lstm_chain chains[CHAINS] = {{0}};
    struct hy_error err;
    if (is_good(hy_lstm_step_make("halyard-sample-recurrent", &step, &err), &err)) {
        for (uint32_t i = 0; i < CHAINS - 1; i++)
            if (is_good(hy_lstm_chain_init(&step, true, &chains[i], &err), &err))
                (void)run(&chains[i]);
        EXPECT(hy_lstm_chain_init(&step, true, &chains[CHAINS - 1], &err) != HY_OK);
        EXPECT_CONTAINS(err.text, "buffer_create");
    }
    for (uint32_t i = 0; i < CHAINS; i++)
        hy_lstm_chain_finish(&chains[i]);
    hy_lstm_step_finish(&step);
}

/* ---- What a step asks of the system ---------------------------------------------------------- */

static bool run_two_steps(void *chain)
{
    struct hy_error err;
    return hy_lstm_chain_run(chain, 2, &err) == HY_OK;
}

static void expect_free(const char *device)
{
    struct hy_lstm_step step = small;
    struct hy_lstm_chain chain = {0};
    struct hy_error err;
    struct hy_cost cost;
    if (is_good(hy_lstm_step_make(device, &step, &err), &err) &&
        is_good(hy_lstm_chain_init(&step, true, &chain, &err), &err) && run(&chain) &&
        hy_cost_of(run_two_steps, &chain, 50, 100, &cost)) {
        EXPECT(cost.is_done && !cost.work_failed);
        EXPECT_INT(cost.allocations, 0);
        if (cost.system_calls_watched)
            EXPECT_INT(cost.system_call, -1);
    }
    hy_lstm_chain_finish(&chain);
    hy_lstm_step_finish(&step);
}

TEST(state_chain, a_step_neither_allocates_nor_makes_system_calls)
{
    if (!hy_cost_can_be_measured())
        return;
    expect_free("halyard-sample-recurrent");
    expect_free("halyard-cpu");
}
