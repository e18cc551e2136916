/* The objects of a world: noted with what they need, and freed in an order that the API allows. */
#include "probe.h"

#include "tests/scenarios/contract/kit/fixture.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Notes ----------------------------------------------------------------------------------- */

struct probe_object *probe_adopt(struct probe_world *world, enum probe_kind kind, void *handle)
{
    for (size_t i = 0; i < PROBE_OBJECTS; i++) {
        struct probe_object *object = &world->objects[i];
        if (object->handle)
            continue;
        *object = (struct probe_object){.kind = kind, .handle = handle, .number = ++world->made};
        return object;
    }
    hy_test_fail(__FILE__, __LINE__, "there is no place for another object");
    return NULL;
}

void probe_need(struct probe_object *object, struct probe_object *parent)
{
    for (uint32_t i = 0; i < object->parent_count; i++) {
        if (object->parents[i] == parent)
            return; /* so there is room for all objects that there can be */
    }
    if (object == parent)
        return;
    object->parents[object->parent_count++] = parent;
    parent->dependents++;
}

void probe_drop(struct probe_object *object)
{
    for (uint32_t i = 0; i < object->parent_count; i++)
        object->parents[i]->dependents--;
    *object = (struct probe_object){0};
}

struct probe_object *probe_find(struct probe_world *world, const void *handle)
{
    for (size_t i = 0; handle && i < PROBE_OBJECTS; i++) {
        if (world->objects[i].handle == handle)
            return &world->objects[i];
    }
    return NULL;
}

struct probe_object *probe_pick(struct probe_world *world, enum probe_kind kind, bool unused)
{
    const uint32_t start = probe_random(world, PROBE_OBJECTS);

    for (uint32_t i = 0; i < PROBE_OBJECTS; i++) {
        struct probe_object *object = &world->objects[(start + i) % PROBE_OBJECTS];
        if (object->handle && object->kind == kind && !(unused && object->dependents > 0))
            return object;
    }
    return NULL;
}

uint32_t probe_live_count(const struct probe_world *world)
{
    uint32_t count = 0;
    for (size_t i = 0; i < PROBE_OBJECTS; i++)
        count += world->objects[i].handle != NULL;
    return count;
}

/* ---- Freeing --------------------------------------------------------------------------------- */

static void free_handle(const struct probe_object *object)
{
    switch (object->kind) {
    case PROBE_model:
        ANeuralNetworksModel_free(object->handle);
        break;
    case PROBE_compilation:
        ANeuralNetworksCompilation_free(object->handle);
        break;
    case PROBE_execution:
        ANeuralNetworksExecution_free(object->handle);
        break;
    case PROBE_burst:
        ANeuralNetworksBurst_free(object->handle);
        break;
    case PROBE_event:
        ANeuralNetworksEvent_free(object->handle);
        break;
    case PROBE_memory:
        ANeuralNetworksMemory_free(object->handle);
        break;
    default:
        ANeuralNetworksMemoryDesc_free(object->handle);
    }
}

/* One of those that nothing needs, or NULL. */
static struct probe_object *find_unused(struct probe_world *world, bool with_shared)
{
    for (size_t i = 0; i < PROBE_OBJECTS; i++) {
        struct probe_object *object = &world->objects[i];
        if (object->handle && object->dependents == 0 && (with_shared || !object->is_shared))
            return object;
    }
    return NULL;
}

static void free_all(struct probe_world *world, bool with_shared)
{
    struct probe_object *object;

    probe_signal_fences(world);
    while ((object = find_unused(world, with_shared))) {
        free_handle(object);
        probe_drop(object);
    }
    world->output_buffer_count = 0;
    rewind(world->log);
}

void probe_clear(struct probe_world *world)
{
    free_all(world, false);
}

void probe_signal_fences(struct probe_world *world)
{
    for (uint32_t i = 0; i < world->fence_count; i++) {
        EXPECT(write(world->fences[i], &(uint64_t){1}, sizeof(uint64_t)) == sizeof(uint64_t));
        close(world->fences[i]);
    }
    world->fence_count = 0;
}

/* ---- The world ------------------------------------------------------------------------------- */

static bool open_files(struct probe_world *world)
{
    world->signalled_fence = eventfd(1, EFD_CLOEXEC);
    world->file = file_of(PROBE_FILE_SIZE);
    if (pipe(world->pipe) != 0)
        return false;
    return world->signalled_fence >= 0 && world->file >= 0;
}

/* Without reserving memory: it is there when somebody writes. */
static bool map_bytes(struct probe_world *world)
{
    void *bytes = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    world->bytes = bytes == MAP_FAILED ? NULL : bytes;
    return world->bytes != NULL;
}

uint32_t probe_random(struct probe_world *world, uint32_t below)
{
    return hy_random_below(&world->random, below);
}

struct probe_world *probe_world_create(uint64_t seed)
{
    struct probe_world *world = calloc(1, sizeof *world);
    if (!world)
        return NULL;

    world->seed = seed;
    world->random.state = seed;
    world->log = open_memstream(&world->log_text, &world->log_size);
    if (world->log && open_files(world) && map_bytes(world)) {
        probe_watch(world);
        return world;
    }
    hy_test_fail(__FILE__, __LINE__, "there is no memory or file for the objects of seed %llu",
                 (unsigned long long)seed);
    abort();
}

void probe_world_destroy(struct probe_world *world)
{
    free_all(world, true);
    probe_watch(NULL);
    EXPECT_INT(probe_live_count(world), 0);
    fclose(world->log);
    free(world->log_text);
    munmap(world->bytes, PROBE_BYTES);
    close(world->signalled_fence);
    close(world->file);
    close(world->pipe[0]);
    close(world->pipe[1]);
    free(world);
}
