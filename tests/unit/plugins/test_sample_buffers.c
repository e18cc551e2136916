/* Buffers of the sample driver: their tokens, how many there are, and who lets them go. */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/sample_step.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define BUFFERS 64u /* that the device has room for */

/* ---- Tokens ---------------------------------------------------------------------------------- */

TEST(sample_buffers, as_many_live_at_once_as_the_manifest_says)
{
    static struct sample_step_case step;
    static struct sample_buffer buffers[BUFFERS + 1];
    memset(buffers, 0, sizeof buffers);
    REQUIRE(sample_step_init(&step, 1));
    for (uint32_t i = 0; i < BUFFERS; i++)
        EXPECT_INT(sample_buffer_create_state(&step, STATE_IN, &buffers[i]), HY_STATUS_OK);
    EXPECT_INT(sample_buffer_create_state(&step, STATE_IN, &buffers[BUFFERS]),
               HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT(buffers[BUFFERS].buffer == NULL);
    sample_buffer_destroy(&step, &buffers[17]);
    EXPECT_INT(sample_buffer_create_state(&step, STATE_IN, &buffers[BUFFERS]), HY_STATUS_OK);
    for (uint32_t i = 0; i <= BUFFERS; i++)
        sample_buffer_destroy(&step, &buffers[i]);
    sample_step_finish(&step);
}

/* More buffers than one slot has tokens. */
TEST(sample_buffers, a_token_does_not_come_again_while_others_are_left)
{
    static struct sample_step_case step;
    struct sample_buffer position = {0};
    REQUIRE(sample_step_init(&step, 1));
    EXPECT_INT(sample_buffer_create_state(&step, STATE_IN, &position), HY_STATUS_OK);
    const uint32_t first = position.token;
    uint32_t repeats = 0;
    for (uint32_t i = 0; i < 70000; i++) {
        sample_buffer_destroy(&step, &position);
        REQUIRE(sample_buffer_create_state(&step, STATE_IN, &position) == HY_STATUS_OK);
        repeats += position.token == 0 || position.token == first;
    }
    EXPECT_INT(repeats, 0);
    sample_buffer_destroy(&step, &position);
    sample_step_finish(&step);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct runner {
    const struct sample_step_case *step;
    _Atomic uint32_t *token;
    atomic_bool *is_over;
    uint32_t odd_statuses;
};

/* Executes with whatever token there is: it may be gone by then. */
static void *run_until_stopped(void *argument)
{
    struct runner *runner = argument;
    struct sample_buffer buffers[ARGUMENTS];
    memset(buffers, 0, sizeof buffers);
    while (!atomic_load(runner->is_over)) {
        buffers[STATE_IN].token = atomic_load(runner->token);
        const int32_t status = sample_step_run(
            runner->step,
            (struct sample_buffer *[]){&buffers[0], &buffers[1], &buffers[2], &buffers[3],
                                       &buffers[4], &buffers[5], &buffers[6]});
        runner->odd_statuses += status != HY_STATUS_OK && status != HY_STATUS_INVALID_ARGUMENT;
    }
    return NULL;
}

TEST(sample_buffers, one_that_is_destroyed_stays_until_the_executions_that_use_it_end)
{
    static struct sample_step_case step;
    _Atomic uint32_t token = 0;
    atomic_bool is_over = false;
    struct runner runners[3];
    pthread_t threads[3];
    REQUIRE(sample_step_init(&step, 8));
    struct sample_buffer position = {0};
    EXPECT_INT(sample_buffer_create_state(&step, STATE_IN, &position), HY_STATUS_OK);
    EXPECT_INT(sample_buffer_copy_in(&step, &position, step.sizes[STATE_IN]), HY_STATUS_OK);
    atomic_store(&token, position.token);
    for (uint32_t i = 0; i < 3; i++) {
        runners[i] = (struct runner){&step, &token, &is_over, 0};
        EXPECT_INT(pthread_create(&threads[i], NULL, run_until_stopped, &runners[i]), 0);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        struct sample_buffer next = {0};
        EXPECT_INT(sample_buffer_create_state(&step, STATE_IN, &next), HY_STATUS_OK);
        EXPECT_INT(sample_buffer_copy_in(&step, &next, step.sizes[STATE_IN]), HY_STATUS_OK);
        atomic_store(&token, next.token);
        sample_buffer_destroy(&step, &position);
        position = next;
    }
    atomic_store(&is_over, true);
    for (uint32_t i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(runners[i].odd_statuses, 0);
    }
    sample_buffer_destroy(&step, &position);
    sample_step_finish(&step);
}

/* ---- Devices without ------------------------------------------------------------------------- */

TEST(sample_buffers, a_device_without_them_has_no_part_of_the_group)
{
    struct sample_fixture fixture;
    REQUIRE(sample_fixture_init(&fixture));
    EXPECT(!fixture.table->buffer_create && !fixture.table->buffer_copy_from);
    EXPECT(!fixture.table->buffer_copy_to && !fixture.table->buffer_destroy);
    sample_fixture_finish(&fixture);
}
