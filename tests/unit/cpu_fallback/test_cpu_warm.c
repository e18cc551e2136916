#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#include <stdbool.h>

static unsigned long allocations_of_run(struct hy_runner *runner, uint32_t batch)
{
    static float in[4 * HY_SAMPLE_PIXELS], out[4 * HY_SAMPLE_CLASSES];
    const uint32_t dims[] = {batch, 8, 8, 3};
    unsigned long before = hy_allocation_count();

    hy_runner_clear(runner);
    hy_runner_input(runner, in, batch * HY_SAMPLE_PIXELS * sizeof *in, 4, dims);
    hy_runner_output(runner, out, sizeof out, 0, NULL);
    int32_t status = hy_runner_execute(runner);
    unsigned long made = hy_allocation_count() - before;
    EXPECT_INT(status, HY_STATUS_OK);
    return made;
}

static void open_network(struct hy_runner *runner, struct hy_builder *builder, uint32_t batch)
{
    hy_builder_init(builder);
    hy_sample_network(builder, batch);
    EXPECT_INT(hy_runner_open(runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(runner, hy_builder_model(builder)), HY_STATUS_OK);
}

TEST(cpu_warm, second_execution_allocates_nothing)
{
    struct hy_builder builder;
    struct hy_runner runner;

    open_network(&runner, &builder, 2);
    EXPECT(allocations_of_run(&runner, 2) > 0);
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_INT(allocations_of_run(&runner, 2), 0);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

TEST(cpu_warm, shape_seen_before_allocates_nothing)
{
    struct hy_builder builder;
    struct hy_runner runner;

    open_network(&runner, &builder, 0);
    for (uint32_t batch = 4; batch > 0; batch--)
        EXPECT(allocations_of_run(&runner, batch) > 0);
    for (uint32_t i = 0; i < 12; i++)
        EXPECT_INT(allocations_of_run(&runner, i % 4 + 1), 0);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

static void set_request(struct hy_runner *runner, uint32_t batch)
{
    static float in[4 * HY_SAMPLE_PIXELS], out[4 * HY_SAMPLE_CLASSES];
    static uint32_t dims[] = {0, 8, 8, 3};

    dims[0] = batch;
    hy_runner_clear(runner);
    hy_runner_input(runner, in, batch * HY_SAMPLE_PIXELS * sizeof *in, 4, dims);
    hy_runner_output(runner, out, sizeof out, 0, NULL);
}

TEST(cpu_warm, reusable_allocates_nothing_from_its_second_run_on)
{
    struct hy_builder builder;
    struct hy_runner runner;
    void *reusable = NULL;

    open_network(&runner, &builder, 2);
    set_request(&runner, 2);
    REQUIRE(hy_runner_reuse(&runner, &reusable) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_execute_reused(&runner, reusable), HY_STATUS_OK);
    unsigned long before = hy_allocation_count();
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_INT(hy_runner_execute_reused(&runner, reusable), HY_STATUS_OK);
    EXPECT_INT(hy_allocation_count() - before, 0);
    runner.table->reusable_destroy(reusable);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

/* Makes each allocation fail in turn. Not all have to be there: it may go without a context of its
 * own. */
TEST(cpu_warm, reusable_without_memory_is_an_error_or_works)
{
    struct hy_builder builder;
    struct hy_runner runner;
    int32_t status = HY_STATUS_GENERAL_FAILURE;
    unsigned long at = 0;
    bool has_failed = true;

    while (has_failed) {
        at++;
        void *reusable = NULL;
        open_network(&runner, &builder, 0);
        set_request(&runner, 3);
        const unsigned long before = hy_allocation_count();
        hy_allocation_fail_at(before + at);
        status = hy_runner_reuse(&runner, &reusable);
        if (status == HY_STATUS_OK)
            status = hy_runner_execute_reused(&runner, reusable);
        hy_allocation_fail_at(0);
        has_failed = hy_allocation_count() - before >= at;
        EXPECT(status == HY_STATUS_OK || status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
        if (reusable)
            EXPECT_INT(hy_runner_execute_reused(&runner, reusable), HY_STATUS_OK);
        if (reusable)
            runner.table->reusable_destroy(reusable);
        hy_runner_close(&runner);
        hy_builder_finish(&builder);
    }
    EXPECT_INT(status, HY_STATUS_OK);
    EXPECT(at > 5);
}
