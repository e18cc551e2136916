/* Buffers of the sample driver: their tokens, how many there are, and who lets them go. */
#include "test.h"
#include "tests/plugins/kit/sample_step.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define BUFFERS 64u /* that the device has room for */

/* ---- Tokens ---------------------------------------------------------------------------------- */

TEST(sample_buffers, as_many_live_at_once_as_the_manifest_says)
{
    static struct sample_step_case step;
    static struct sample_place places[BUFFERS + 1];
    memset(places, 0, sizeof places);
    REQUIRE(sample_step_init(&step, 1));
    for (uint32_t i = 0; i < BUFFERS; i++)
        EXPECT_INT(sample_place_create_state(&step, STATE_IN, &places[i]), HY_STATUS_OK);
    EXPECT_INT(sample_place_create_state(&step, STATE_IN, &places[BUFFERS]),
               HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT(places[BUFFERS].buffer == NULL);
    sample_place_destroy(&step, &places[17]);
    EXPECT_INT(sample_place_create_state(&step, STATE_IN, &places[BUFFERS]), HY_STATUS_OK);
    for (uint32_t i = 0; i <= BUFFERS; i++)
        sample_place_destroy(&step, &places[i]);
    sample_step_finish(&step);
}

/* More buffers than one slot has tokens. */
TEST(sample_buffers, a_token_does_not_come_again_while_others_are_left)
{
    static struct sample_step_case step;
    struct sample_place place = {0};
    REQUIRE(sample_step_init(&step, 1));
    EXPECT_INT(sample_place_create_state(&step, STATE_IN, &place), HY_STATUS_OK);
    const uint32_t first = place.token;
    uint32_t repeats = 0;
    for (uint32_t i = 0; i < 70000; i++) {
        sample_place_destroy(&step, &place);
        REQUIRE(sample_place_create_state(&step, STATE_IN, &place) == HY_STATUS_OK);
        repeats += place.token == 0 || place.token == first;
    }
    EXPECT_INT(repeats, 0);
    sample_place_destroy(&step, &place);
    sample_step_finish(&step);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct racer {
    const struct sample_step_case *step;
    _Atomic uint32_t *token;
    atomic_bool *is_over;
    uint32_t odd_answers;
};

/* Executes with whatever token there is: it may be gone by then. */
static void *keep_running(void *argument)
{
    struct racer *racer = argument;
    struct sample_place places[ARGUMENTS];
    memset(places, 0, sizeof places);
    while (!atomic_load(racer->is_over)) {
        places[STATE_IN].token = atomic_load(racer->token);
        const int32_t status = sample_step_run(
            racer->step, (struct sample_place *[]){&places[0], &places[1], &places[2], &places[3],
                                                   &places[4], &places[5], &places[6]});
        racer->odd_answers += status != HY_STATUS_OK && status != HY_STATUS_INVALID_ARGUMENT;
    }
    return NULL;
}

TEST(sample_buffers, one_that_is_destroyed_stays_until_the_executions_that_use_it_end)
{
    static struct sample_step_case step;
    _Atomic uint32_t token = 0;
    atomic_bool is_over = false;
    struct racer racers[3];
    pthread_t threads[3];
    REQUIRE(sample_step_init(&step, 8));
    struct sample_place place = {0};
    EXPECT_INT(sample_place_create_state(&step, STATE_IN, &place), HY_STATUS_OK);
    EXPECT_INT(sample_place_copy_in(&step, &place, step.sizes[STATE_IN]), HY_STATUS_OK);
    atomic_store(&token, place.token);
    for (uint32_t i = 0; i < 3; i++) {
        racers[i] = (struct racer){&step, &token, &is_over, 0};
        EXPECT_INT(pthread_create(&threads[i], NULL, keep_running, &racers[i]), 0);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        struct sample_place next = {0};
        EXPECT_INT(sample_place_create_state(&step, STATE_IN, &next), HY_STATUS_OK);
        EXPECT_INT(sample_place_copy_in(&step, &next, step.sizes[STATE_IN]), HY_STATUS_OK);
        atomic_store(&token, next.token);
        sample_place_destroy(&step, &place);
        place = next;
    }
    atomic_store(&is_over, true);
    for (uint32_t i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(racers[i].odd_answers, 0);
    }
    sample_place_destroy(&step, &place);
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
