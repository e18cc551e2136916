/*
 * Every function, on objects in every state, with one argument at a time that is NULL, at the end
 * of its range, or odd. The objects of each call are its own.
 */
#include "probe.h"

/* One call to be: states of objects and choices of all else, by parameter; -1 is NULL. */
struct plan {
    const struct probe_function *function;
    int64_t indices[PROBE_PARAMETERS];
};

static uint32_t choice_count(enum probe_kind kind)
{
    return probe_is_object(kind) ? probe_state_count(probe_object_kind(kind))
                                 : probe_value_count(kind);
}

static union probe_value choose_value(struct probe_world *world, const struct plan *plan,
                                      uint32_t at)
{
    const enum probe_kind kind = plan->function->kinds[at];

    if (plan->indices[at] < 0)
        return (union probe_value){0};
    if (!probe_is_object(kind))
        return probe_choose(world, kind, at, (uint32_t)plan->indices[at]);
    const enum probe_kind object_kind = probe_object_kind(kind);
    const struct probe_object *object =
        probe_nature(kind) == PROBE_FREED
            ? probe_make(world, object_kind, (uint32_t)plan->indices[at])
            : probe_get_shared(world, object_kind, (uint32_t)plan->indices[at]);
    return (union probe_value){.pointer = object ? object->handle : NULL};
}

static bool call(struct probe_world *world, const struct plan *plan)
{
    union probe_value arguments[PROBE_PARAMETERS] = {0};

    for (uint32_t i = 0; i < plan->function->count; i++)
        arguments[i] = choose_value(world, plan, i);
    const bool held = probe_call(world, plan->function, arguments);
    probe_clear(world);
    return held;
}

/* All that one argument can be, the others staying as they are. */
static bool vary(struct probe_world *world, struct plan *plan, uint32_t at)
{
    const enum probe_kind kind = plan->function->kinds[at];
    const int64_t plain = plan->indices[at];
    const int64_t first = probe_nature(kind) == PROBE_VALUE ? 0 : -1;
    const int64_t end =
        probe_is_object(kind) ? 0 : choice_count(kind); /* objects: see next_states */
    bool held = true;

    for (int64_t i = first; held && i < end; i++) {
        plan->indices[at] = i;
        held = call(world, plan);
    }
    plan->indices[at] = plain;
    return held;
}

/* The next of all combinations of states; false: that was the last. */
static bool next_states(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->function->count; i++) {
        if (!probe_is_object(plan->function->kinds[i]))
            continue;
        if (++plan->indices[i] < choice_count(plan->function->kinds[i]))
            return true;
        plan->indices[i] = 0;
    }
    return false;
}

static bool probe(struct probe_world *world, const struct probe_function *function)
{
    struct plan plan = {.function = function};
    bool held = true;

    do {
        held = call(world, &plan);
        for (uint32_t i = 0; held && i < function->count; i++)
            held = vary(world, &plan, i);
    } while (held && next_states(&plan));
    return held;
}

/* Those whose name begins so. */
static void probe_all(const char *prefix)
{
    struct probe_world *world = probe_world_create(0);

    for (uint32_t i = 0; i < probe_function_count; i++) {
        if (strncmp(probe_functions[i].name, prefix, strlen(prefix)) == 0)
            EXPECT(probe(world, &probe_functions[i]));
    }
    printf("(%u calls) ", world->calls);
    EXPECT(world->calls > 0);
    probe_world_destroy(world);
}

#define PROBE_ALL(name, prefix) \
    TEST(probe_each, name) \
    { \
        probe_all("ANeuralNetworks" prefix); \
    }

PROBE_ALL(function_of_no_object_returns, "_")
PROBE_ALL(function_of_devices_returns, "Device_")
PROBE_ALL(function_of_models_returns, "Model_")
PROBE_ALL(function_of_compilations_returns, "Compilation_")
PROBE_ALL(function_of_executions_returns, "Execution_")
PROBE_ALL(function_of_bursts_returns, "Burst_")
PROBE_ALL(function_of_events_returns, "Event_")
PROBE_ALL(function_of_memory_returns, "Memory_")
PROBE_ALL(function_of_memory_descriptors_returns, "MemoryDesc_")
