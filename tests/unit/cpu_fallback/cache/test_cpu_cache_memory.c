#include <stdbool.h>

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_host.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* Saving and restoring where memory runs out: each allocation fails in turn. */

struct fixture {
    struct hy_cache_host host;
    struct hy_runner runner;
    struct hy_builder builder;
};

static void open_network(struct fixture *fixture)
{
    hy_cache_host_init(&fixture->host);
    fixture->host.memory = HY_CACHE_HEAP;
    hy_builder_init(&fixture->builder);
    hy_sample_network(&fixture->builder, 1);
    EXPECT_INT(hy_runner_open_on(&fixture->runner, &fixture->host.host, hy_cpu_driver(), 0),
               HY_STATUS_OK);
}

static void close_network(struct fixture *fixture)
{
    hy_runner_close(&fixture->runner);
    EXPECT_INT(fixture->host.released, fixture->host.restored);
    hy_builder_finish(&fixture->builder);
    hy_cache_host_finish(&fixture->host);
}

static bool runs(struct fixture *fixture)
{
    static float in[HY_SAMPLE_PIXELS], out[HY_SAMPLE_CLASSES];

    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, sizeof in, 0, NULL);
    hy_runner_output(&fixture->runner, out, sizeof out, 0, NULL);
    return hy_runner_execute(&fixture->runner) == HY_STATUS_OK;
}

TEST(cpu_cache_memory, compilation_that_cannot_be_saved_for_lack_of_memory_works)
{
    uint32_t unsaved = 0;

    for (unsigned long at = 1;; at++) {
        struct fixture fixture;
        open_network(&fixture);
        const struct hy_model *model = hy_builder_model(&fixture.builder);
        const unsigned long before = hy_allocation_count();
        hy_allocation_fail_at(before + at);
        const int32_t status = hy_cache_host_prepare(&fixture.runner, model);
        hy_allocation_fail_at(0);
        const bool has_failed = hy_allocation_count() - before >= at;
        EXPECT(status == HY_STATUS_OK || status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
        EXPECT(has_failed || fixture.host.saved == 1);
        if (status == HY_STATUS_OK) {
            unsaved += fixture.host.saved == 0;
            EXPECT(runs(&fixture));
        }
        close_network(&fixture);
        if (!has_failed)
            break;
    }
    EXPECT(unsaved > 2);
}

TEST(cpu_cache_memory, restoring_without_memory_is_an_error)
{
    struct fixture fixture;
    int32_t status = HY_STATUS_GENERAL_FAILURE;
    unsigned long at = 0;

    open_network(&fixture);
    EXPECT_INT(hy_cache_host_prepare(&fixture.runner, hy_builder_model(&fixture.builder)),
               HY_STATUS_OK);
    for (bool has_failed = true; has_failed;) {
        const unsigned long before = hy_allocation_count();
        hy_allocation_fail_at(before + ++at);
        status = hy_cache_host_restore(&fixture.runner);
        hy_allocation_fail_at(0);
        has_failed = hy_allocation_count() - before >= at;
        EXPECT((status == HY_STATUS_OK) == !has_failed);
        EXPECT(status == HY_STATUS_OK || status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT ||
               status == HY_STATUS_GENERAL_FAILURE);
    }
    EXPECT(at > 5);
    EXPECT(runs(&fixture));
    close_network(&fixture);
}
