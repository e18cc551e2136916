#include "probe_states.h"

static const struct {
    const struct probe_state *list;
    uint32_t count;
    uint32_t first_shared; /* from this state on no call can change an object */
} states[PROBE_KINDS] = {
    [PROBE_model] = {probe_model_states, PROBE_MODEL_STATES, PROBE_RELU},
    [PROBE_compilation] = {probe_compilation_states, PROBE_COMPILATION_STATES,
                           PROBE_COMPILED_FOR_ALL},
    [PROBE_execution] = {probe_execution_states, PROBE_EXECUTION_STATES, UINT32_MAX},
    [PROBE_burst] = {probe_burst_states, 1, UINT32_MAX},
    [PROBE_event] = {probe_event_states, PROBE_EVENT_STATES, UINT32_MAX},
    [PROBE_memory] = {probe_memory_states, PROBE_MEMORY_STATES, UINT32_MAX},
    [PROBE_desc] = {probe_desc_states, PROBE_DESC_STATES, UINT32_MAX},
};

uint32_t probe_state_count(enum probe_kind kind)
{
    return states[kind].count;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void log_object(struct probe_world *world, const struct probe_object *object)
{
    const union probe_value value = {.pointer = object->handle};

    fprintf(world->log, "    ");
    probe_print(world->log, world, object->kind, &value);
    fprintf(world->log, ": %s\n", states[object->kind].list[object->state].label);
    fflush(world->log);
}

/* What was made or shared since `first` belongs to the object that was made last. */
static struct probe_object *adopt(struct probe_world *world, enum probe_kind kind, uint32_t state,
                                  void *handle, uint32_t first)
{
    struct probe_object *object = handle ? probe_adopt(world, kind, handle) : NULL;

    for (uint32_t i = first; object && i < world->fresh_count; i++)
        probe_need(object, world->fresh[i]);
    world->fresh_count = first;
    if (!object)
        return NULL;
    object->state = state;
    log_object(world, object);
    return object;
}

/* A running execution is found through the event that it runs for. */
static struct probe_object *make_running(struct probe_world *world)
{
    struct probe_object *event = probe_make(world, PROBE_event, PROBE_RUNNING_EVENT);

    for (uint32_t i = 0; event && i < event->parent_count; i++) {
        if (event->parents[i]->kind == PROBE_execution)
            return event->parents[i];
    }
    return NULL;
}

struct probe_object *probe_make(struct probe_world *world, enum probe_kind kind, uint32_t state)
{
    if (kind == PROBE_execution && state == PROBE_RUNNING)
        return make_running(world);

    const uint32_t first = world->fresh_count;
    void *handle = states[kind].list[state].make(world);
    return adopt(world, kind, state, handle, first);
}

static struct probe_object *find_shared(struct probe_world *world, enum probe_kind kind,
                                        uint32_t state)
{
    for (size_t i = 0; i < PROBE_OBJECTS; i++) {
        struct probe_object *object = &world->objects[i];
        if (object->handle && object->is_shared && object->kind == kind && object->state == state)
            return object;
    }
    return NULL;
}

struct probe_object *probe_get_shared(struct probe_world *world, enum probe_kind kind,
                                      uint32_t state)
{
    if (state < states[kind].first_shared)
        return probe_make(world, kind, state);

    struct probe_object *object = find_shared(world, kind, state);
    if (!object)
        object = probe_make(world, kind, state);
    if (object)
        object->is_shared = true;
    return object;
}

/* ---- For makers ------------------------------------------------------------------------------ */

static void *handle_of(struct probe_world *world, struct probe_object *object)
{
    if (!object)
        return NULL;
    world->fresh[world->fresh_count++] = object;
    return object->handle;
}

void *probe_shared_handle(struct probe_world *world, enum probe_kind kind, uint32_t state)
{
    return handle_of(world, probe_get_shared(world, kind, state));
}

void *probe_new_handle(struct probe_world *world, enum probe_kind kind, uint32_t state)
{
    return handle_of(world, probe_make(world, kind, state));
}
