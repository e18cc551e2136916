/*
 * Random calls on a growing and shrinking set of objects: each walk makes thousands, by its seed.
 * A walk that fails prints its calls; it can be taken again alone, by its name. More of them:
 *     HALYARD_PROBE_SEEDS=100-400 test_probe_walk more_seeds
 */
#include "probe.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALLS = 30000, MOST_OBJECTS = 60 };
enum { TIMEOUT_MS = 10000 }; /* only a failing test waits so long */

/* Over all walks: what came of the calls of each function. */
static uint32_t *successes, *failures;

/* ---- Arguments ------------------------------------------------------------------------------- */

/* The plain ones are first in every table, and are taken more often. */
static uint32_t random_value_index(struct probe_world *world, uint32_t count)
{
    enum { PLAIN = 2 };
    const bool is_plain = count > PLAIN && probe_random(world, 3) != 0;
    return probe_random(world, is_plain ? PLAIN : count);
}

static struct probe_object *make_any(struct probe_world *world, enum probe_kind kind, bool is_new)
{
    const uint32_t state = probe_random(world, probe_state_count(kind));
    return is_new ? probe_make(world, kind, state) : probe_get_shared(world, kind, state);
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
        return probe_choose(world, kind, at, random_value_index(world, probe_value_count(kind)));

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

static bool run_step(struct probe_world *world)
{
    if (probe_live_count(world) >= MOST_OBJECTS)
        return free_any(world);
    return probe_random(world, 5) == 0 ? make_any_kind(world) : call_any(world);
}

/* ---- Walks ----------------------------------------------------------------------------------- */

static uint32_t open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    uint32_t count = 0;

    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static void walk(uint64_t seed)
{
    struct probe_world *world = probe_world_create(seed);
    bool held = true;

    while (held && world->calls < CALLS)
        held = run_step(world);
    probe_world_destroy(world);
}

static void make_counts(void)
{
    if (!successes)
        successes = calloc(2 * (size_t)probe_function_count, sizeof *successes);
    failures = successes + probe_function_count;
}

/* Of the threads, the one that watches fences may be late to close some: looks until no more are
 * open than `before`. */
static uint32_t open_files_in_the_end(uint32_t before)
{
    uint32_t count = open_files();

    for (unsigned ms = 0; ms < TIMEOUT_MS && count > before; ms++) {
        usleep(1000);
        count = open_files();
    }
    return count;
}

/* Two walks; then the first again, which can open nothing for the first time. If in the end there
 * are less files than before, some were late to be closed before, and it goes once more. */
static void walk_and_come_back(uint64_t seed)
{
    uint32_t before, after;

    make_counts();
    walk(seed);
    walk(seed + 1);
    after = open_files();
    do {
        before = after;
        walk(seed);
        after = open_files_in_the_end(before);
    } while (after < before);
    EXPECT_INT(after, before);
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

static bool has_been_seen(uint32_t number)
{
    const struct probe_function *function = &probe_functions[number];
    return function->result != PROBE_CODE || (successes[number] > 0 && failures[number] > 0);
}

static bool all_have_been_seen(void)
{
    bool all = true;
    for (uint32_t i = 0; i < probe_function_count; i++)
        all &= has_been_seen(i);
    return all;
}

/* So that the walks above say something of every function. Where they lead depends on how far the
 * executions under way have got, too: some functions may succeed only in a walk more. */
TEST(probe_walk, every_function_has_succeeded_and_failed)
{
    enum { FIRST_MORE = 11, LAST_MORE = 110 };

    if (!successes)
        return; /* taken alone */
    for (uint64_t seed = FIRST_MORE; seed <= LAST_MORE && !all_have_been_seen(); seed++)
        walk(seed);
    for (uint32_t i = 0; i < probe_function_count; i++) {
        if (!has_been_seen(i))
            hy_test_fail(__FILE__, __LINE__, "%s has succeeded %u times and failed %u times",
                         probe_functions[i].name, successes[i], failures[i]);
    }
    free(successes);
    successes = NULL;
}
