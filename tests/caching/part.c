#include "tests/caching/part.h"

#include "tests/caching/state.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

const char *const part_devices[PART_DEVICE_COUNT] = {"halyard-cpu", "halyard-sample-compiled",
                                                     "halyard-sample-just-in-time",
                                                     "halyard-sample-descriptors"};

struct part part_make(const char *device)
{
    struct part part = {.place = place_make(true), .device = device, .kind = SUBJECT_DENSE8};
    part.state = place_in(state_place(), "own");
    return part;
}

void part_remove(const struct part *part)
{
    place_remove(&part->place);
    place_remove(&part->state);
}

/* ---- In the part ----------------------------------------------------------------------------- */

bool part_begin(struct part *part)
{
    setenv("HALYARD_STATE_DIR", part->state.path, 1);
    APART_CHECK(subject_init(&part->subject, part->kind, 1));
    APART_CHECK(app_init(&part->app, &part->subject, part->device, part->place.path));
    return true;
}

struct app_result part_compile(const struct part *part)
{
    const struct app_result result = app_compile_and_run(&part->app);
    if (!app_is_good(&result))
        fprintf(stderr, "  %s\n", app_words(&part->app, &result));
    return result;
}

bool part_does_without(const struct part *part)
{
    const struct app_result result = part_compile(part);
    if (result.cache != HALYARD_CACHE_NOT_STORED)
        fprintf(stderr, "  %s\n", app_words(&part->app, &result));
    APART_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_NOT_STORED);
    APART_CHECK(result.reason[0]);
    return true;
}

bool part_is_right(const struct part *part)
{
    const struct app_result result = part_compile(part);
    APART_CHECK(app_is_good(&result) && result.reason[0]);
    return true;
}

bool part_is_sane(const struct part *part)
{
    struct halyard_cache_summary summary = {.struct_size = sizeof summary};
    struct app_result result = part_compile(part);

    APART_CHECK(app_is_good(&result));
    result = part_compile(part);
    if (result.cache != HALYARD_CACHE_HIT)
        fprintf(stderr, "  %s\n", app_words(&part->app, &result));
    APART_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_HIT);
    APART_CHECK(halyard_cache_verify(part->place.path, NULL, NULL, &summary) ==
                ANEURALNETWORKS_NO_ERROR);
    APART_CHECK(summary.faulty == 0 && summary.entries > 0);
    return true;
}

void part_for_each_device(bool (*run)(void *context))
{
    for (int i = 0; i < PART_DEVICE_COUNT; i++) {
        struct part part = part_make(part_devices[i]);
        const int status = apart_run(run, &part);
        if (status == APART_NOT_HERE)
            printf("(skipped: this machine does not permit it) ");
        else if (status != 0)
            hy_test_fail(__FILE__, __LINE__, "%s: status %d", part_devices[i], status);
        else
            EXPECT_INT(status, 0);
        part_remove(&part);
    }
}
