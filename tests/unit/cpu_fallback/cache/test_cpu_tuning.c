/* The second stage of compilation: when it runs, what it may change, and when it stops. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_fallback/tuning/tuning.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/tuning_fixture.h"

enum { FAST, REFERENCE };

TEST(cpu_tuning, task_is_asked_for_once_after_enough_runs)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, FAST, 1);
    hy_tuning_fixture_prepare(&f);
    const uint32_t expected = hy_tuning_fixture_has_blockings(&f) ? 1 : 0;
    for (uint32_t i = 1; i < HY_CPU_TUNING_RUNS; i++)
        EXPECT_INT(hy_runner_execute(&f.runner), HY_STATUS_OK);
    EXPECT_INT(f.host.asked, 0);
    EXPECT_INT(hy_runner_execute(&f.runner), HY_STATUS_OK);
    EXPECT_INT(f.host.asked, expected);
    hy_tuning_host_run(&f.host);
    EXPECT_INT(hy_cpu_prepared_stats(f.runner.prepared).successors, expected);
    for (int i = 0; i < 3; i++)
        hy_tuning_fixture_wear(&f);
    EXPECT_INT(f.host.asked, expected);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning, answers_are_the_same_to_the_bit)
{
    for (int is_float = 0; is_float < 2; is_float++) {
        struct hy_tuning_fixture f;
        hy_tuning_fixture_open(&f, FAST, is_float);
        hy_tuning_fixture_prepare(&f);
        void *want = hy_tuning_fixture_run(&f);
        hy_tuning_fixture_wear(&f);
        hy_tuning_host_run(&f.host);
        hy_tuning_fixture_expect(&f, want);
        free(want);
        hy_tuning_fixture_close(&f);
    }
}

TEST(cpu_tuning, tuned_plan_needs_no_more_memory)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, FAST, 0);
    hy_tuning_fixture_prepare(&f);
    hy_tuning_fixture_wear(&f);
    hy_tuning_host_run(&f.host);
    const struct hy_cpu_plan *first = hy_tuning_fixture_prepared(&f)->declared;
    EXPECT(hy_cpu_plan_memory(hy_cpu_plan_newest(first)) <= hy_cpu_plan_memory(first));
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning, reusable_executions_go_over_to_the_tuned_plan)
{
    struct hy_tuning_fixture f;
    void *reusable;

    hy_tuning_fixture_open(&f, FAST, 1);
    hy_tuning_fixture_prepare(&f);
    void *want = hy_tuning_fixture_run(&f);
    EXPECT_INT(hy_runner_reuse(&f.runner, &reusable), HY_STATUS_OK);
    for (uint32_t i = 0; i < HY_CPU_TUNING_RUNS; i++)
        EXPECT_INT(hy_runner_execute_reused(&f.runner, reusable), HY_STATUS_OK);
    EXPECT_INT(f.host.asked, hy_tuning_fixture_has_blockings(&f));
    hy_tuning_host_run(&f.host);
    memset(f.out, 0, f.out_bytes);
    EXPECT_INT(hy_runner_execute_reused(&f.runner, reusable), HY_STATUS_OK);
    EXPECT(memcmp(f.out, want, f.out_bytes) == 0);
    f.runner.table->reusable_destroy(reusable);
    free(want);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning, reference_device_never_tunes)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, REFERENCE, 0);
    EXPECT_INT(hy_runner_prepare(&f.runner, hy_builder_model(&f.builder)), HY_STATUS_OK);
    EXPECT(!hy_tuning_fixture_prepared(&f)->tuning);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning, without_a_host_that_runs_tasks_later_nothing_is_tuned)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, FAST, 1);
    f.host.cache.host.later = NULL;
    hy_tuning_fixture_prepare(&f);
    EXPECT(!hy_tuning_fixture_prepared(&f)->tuning);
    hy_tuning_fixture_wear(&f);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning, host_that_refuses_is_not_asked_again)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, FAST, 1);
    f.host.post_task_status = HY_STATUS_GENERAL_FAILURE;
    hy_tuning_fixture_prepare(&f);
    hy_tuning_fixture_wear(&f);
    hy_tuning_fixture_wear(&f);
    EXPECT_INT(f.host.asked, hy_tuning_fixture_has_blockings(&f));
    EXPECT_INT(hy_cpu_prepared_stats(f.runner.prepared).successors, 0);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning, task_of_a_model_that_is_gone_does_nothing)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, FAST, 1);
    hy_tuning_fixture_prepare(&f);
    hy_tuning_fixture_wear(&f);
    hy_tuning_fixture_prepare(&f); /* destroys the first */
    hy_tuning_host_run(&f.host);
    EXPECT_INT(f.host.begun, 0);
    EXPECT_INT(hy_cpu_prepared_stats(f.runner.prepared).successors, 0);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning, destroying_a_model_ends_its_tuning)
{
    for (int i = 0; i < 10; i++) {
        struct hy_tuning_fixture f;
        hy_tuning_fixture_open(&f, FAST, i % 2);
        f.host.is_threaded = 1;
        hy_tuning_fixture_prepare(&f);
        hy_tuning_fixture_wear(&f);
        for (int k = 0; k < i % 5; k++)
            EXPECT_INT(hy_runner_execute(&f.runner), HY_STATUS_OK);
        hy_tuning_fixture_close(&f);
    }
}

/* ---- Executions meanwhile -------------------------------------------------------------------- */

struct executor {
    struct hy_tuning_fixture *fixture;
    const void *want;
    int is_reusing, failures;
};

static void *execute_again_and_again(void *argument)
{
    struct executor *self = argument;
    struct hy_runner runner = self->fixture->runner; /* the prepared model is shared */
    void *out = malloc(self->fixture->out_bytes), *reusable = NULL;

    hy_runner_clear(&runner);
    hy_runner_input(&runner, self->fixture->in, self->fixture->in_bytes, 0, NULL);
    hy_runner_output(&runner, out, self->fixture->out_bytes, 0, NULL);
    if (self->is_reusing && hy_runner_reuse(&runner, &reusable) != HY_STATUS_OK)
        self->failures++;
    for (int i = 0; i < 100; i++) {
        memset(out, 0, self->fixture->out_bytes);
        const int32_t status =
            reusable ? hy_runner_execute_reused(&runner, reusable) : hy_runner_execute(&runner);
        self->failures +=
            status != HY_STATUS_OK || memcmp(out, self->want, self->fixture->out_bytes) != 0;
    }
    if (reusable)
        runner.table->reusable_destroy(reusable);
    free(out);
    return NULL;
}

TEST(cpu_tuning, executions_go_on_while_a_tuned_plan_is_published)
{
    struct hy_tuning_fixture f;
    struct executor executors[3];
    pthread_t threads[3];

    hy_tuning_fixture_open(&f, FAST, 0);
    f.host.is_threaded = 1;
    hy_tuning_fixture_prepare(&f);
    void *want = hy_tuning_fixture_run(&f);
    for (int i = 0; i < 3; i++) {
        executors[i] = (struct executor){.fixture = &f, .want = want, .is_reusing = i == 1};
        EXPECT_INT(pthread_create(&threads[i], NULL, execute_again_and_again, &executors[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(executors[i].failures, 0);
    }
    const int has_blockings = hy_tuning_fixture_has_blockings(&f);
    hy_tuning_host_run(&f.host);
    EXPECT_INT(hy_cpu_prepared_stats(f.runner.prepared).successors, has_blockings);
    hy_tuning_fixture_expect(&f, want);
    free(want);
    hy_tuning_fixture_close(&f);
}
