#include <pthread.h>

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#define THREADS 4
#define RUNS    100

/* One thread's part: the same prepared model, batches of changing size. */
struct part {
    struct hy_runner runner; /* shares device and prepared model with the others */
    uint32_t number;
    uint32_t failures;
};

static void *run_part(void *argument)
{
    struct part *part = argument;
    float in[4 * HY_SAMPLE_PIXELS], out[4 * HY_SAMPLE_CLASSES] = {0};
    float first[4][4 * HY_SAMPLE_CLASSES]; /* by batch */

    hy_sample_numbers(9, 4 * HY_SAMPLE_PIXELS, in);
    for (uint32_t i = 0; i < RUNS; i++) {
        uint32_t batch = (i + part->number) % 4 + 1;
        const uint32_t dims[] = {batch, 8, 8, 3};
        hy_runner_clear(&part->runner);
        hy_runner_input(&part->runner, in, batch * HY_SAMPLE_PIXELS * sizeof *in, 4, dims);
        hy_runner_output(&part->runner, out, sizeof out, 0, NULL);
        part->failures += hy_runner_execute(&part->runner) != HY_STATUS_OK;
        uint64_t length = batch * HY_SAMPLE_CLASSES * sizeof *out;
        if (i < 4)
            memcpy(first[batch - 1], out, length);
        part->failures += memcmp(first[batch - 1], out, length) != 0;
    }
    return NULL;
}

TEST(cpu_threads, executions_of_one_prepared_model_do_not_meet)
{
    static struct part parts[THREADS];
    pthread_t threads[THREADS];
    struct hy_builder builder;
    struct hy_runner runner;

    hy_builder_init(&builder);
    hy_sample_network(&builder, 0);
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    REQUIRE(hy_runner_prepare(&runner, hy_builder_model(&builder)) == HY_STATUS_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        parts[i] = (struct part){.runner = runner, .number = i};
        REQUIRE(pthread_create(&threads[i], NULL, run_part, &parts[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(parts[i].failures, 0);
    }
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}
