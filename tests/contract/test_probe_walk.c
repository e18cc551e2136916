/*
 * Random calls on a growing and shrinking set of objects: each walk makes thousands, by its seed.
 * A walk that fails prints its calls; it can be taken again alone, by its name. More of them:
 *     HALYARD_PROBE_SEEDS=100-400 test_probe_walk more_seeds
 */
#include "probe.h"

#include <dirent.h>
#include <stdlib.h>

enum { CALLS = 30000, MOST_OBJECTS = 60 };

/* Over all walks: what came of the calls of each function. */
static uint32_t *successes, *failures;

/* ---- Arguments ------------------------------------------------------------------------------- */

/* The plain ones are first in every table, and are taken more often. */
static uint32_t random_choice(struct probe_world *world, uint32_t count)
{
    enum { PLAIN = 2 };
    const bool is_plain = count > PLAIN && probe_random(world, 3) != 0;
    return probe_random(world, is_plain ? PLAIN : count);
}

static struct probe_object *make_any(struct probe_world *world, enum probe_kind kind, bool is_new)
{
    const uint32_t state = probe_random(world, probe_state_count(kind));
    return is_new ? probe_make(world, kind, state) : probe_share(world, kind, state);
}

static bool is_null(struct probe_world *world, enum probe_nature nature)
{
    switch (nature) {
    case PROBE_VALUE:
        return false;
    case PROBE_MAY:
        return probe_random(world, 4) == 0;
    default:
        return probe_random(world, 60) == 0;
    }
}

static union probe_value any_value(struct probe_world *world, enum probe_kind kind, uint32_t at)
{
    const enum probe_nature nature = probe_nature(kind);

    if (is_null(world, nature))
        return (union probe_value){0};
    if (!probe_is_object(kind))
        return probe_choose(world, kind, at, random_choice(world, probe_choice_count(kind)));

    const bool is_freed = nature == PROBE_FREED;
    struct probe_object *object = probe_pick(world, probe_object_kind(kind), is_freed);
    if (!object)
        object = make_any(world, probe_object_kind(kind), is_freed);
    return (union probe_value){.pointer = object ? object->handle : NULL};
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static bool call(struct probe_world *world, uint32_t number)
{
    const struct probe_function *function = &probe_functions[number];
    union probe_value arguments[PROBE_PARAMETERS] = {0};

    for (uint32_t i = 0; i < function->count; i++)
        arguments[i] = any_value(world, function->kinds[i], i);
    const bool held = probe_call(world, function, arguments);
    if (function->result == PROBE_CODE && world->last_code == ANEURALNETWORKS_NO_ERROR)
        successes[number]++;
    else
        failures[number]++;
    return held;
}

static bool call_any(struct probe_world *world)
{
    return call(world, probe_random(world, probe_function_count));
}

/* Calls one of the functions that free something. */
static bool free_any(struct probe_world *world)
{
    uint32_t number;

    do
        number = probe_random(world, probe_function_count);
    while (probe_functions[number].result != PROBE_NOTHING);
    return call(world, number);
}

static bool make_any_kind(struct probe_world *world)
{
    enum probe_kind kind;

    do
        kind = (enum probe_kind)probe_random(world, PROBE_KINDS);
    while (probe_state_count(kind) == 0);
    return make_any(world, kind, false) != NULL;
}

static bool take_step(struct probe_world *world)
{
    if (probe_live_count(world) >= MOST_OBJECTS)
        return free_any(world);
    return probe_random(world, 5) == 0 ? make_any_kind(world) : call_any(world);
}

/* ---- Walks ----------------------------------------------------------------------------------- */

static uint32_t open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    uint32_t count = 0;

    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static void walk(uint64_t seed)
{
    struct probe_world *world = probe_world_create(seed);
    bool held = true;

    while (held && world->calls < CALLS)
        held = take_step(world);
    probe_world_destroy(world);
}

static void make_counts(void)
{
    if (!successes)
        successes = calloc(2 * (size_t)probe_function_count, sizeof *successes);
    failures = successes + probe_function_count;
}

/* Two walks; then the first again, which can open nothing for the first time. */
static void walk_and_come_back(uint64_t seed)
{
    make_counts();
    walk(seed);
    walk(seed + 1);
    const uint32_t before = open_files();
    walk(seed);
    EXPECT_INT(open_files(), before);
}

#define WALK(seed) \
    TEST(probe_walk, seed_##seed) \
    { \
        walk_and_come_back(seed); \
    }

WALK(1)
WALK(3)
WALK(5)
WALK(7)
WALK(9)

TEST(probe_walk, more_seeds)
{
    const char *seeds = getenv("HALYARD_PROBE_SEEDS");
    unsigned long long first, last;

    if (!seeds || sscanf(seeds, "%llu-%llu", &first, &last) != 2)
        return;
    make_counts();
    for (unsigned long long seed = first; seed <= last; seed++)
        walk(seed);
}

/* So that the walks above say something of every function. */
TEST(probe_walk, every_function_has_succeeded_and_failed)
{
    if (!successes)
        return; /* taken alone */
    for (uint32_t i = 0; i < probe_function_count; i++) {
        const struct probe_function *function = &probe_functions[i];
        if (function->result != PROBE_CODE)
            continue;
        const bool can_succeed = !strstr(function->name, "AHardwareBuffer");
        if ((successes[i] == 0 && can_succeed) || failures[i] == 0)
            hy_test_fail(__FILE__, __LINE__, "%s has succeeded %u times and failed %u times",
                         function->name, successes[i], failures[i]);
    }
    free(successes);
    successes = NULL;
}
