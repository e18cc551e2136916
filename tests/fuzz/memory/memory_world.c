#include "tests/fuzz/memory/memory_world.h"

#include "runtime/compile/compile.h"
#include "runtime/drivers/device_list.h"

#include <stdio.h>
#include <stdlib.h>

struct world world;

/* ---- Chance and judgement -------------------------------------------------------------------- */

uint32_t chance(uint32_t count)
{
    return hy_random_below(&world.random, count);
}

void expect(bool is_right, const char *call, enum hy_code is, enum hy_code should,
            const struct hy_error *err)
{
    if (is_right)
        return;
    fprintf(stderr, "seed %llu, call %u: %s: %s, expected %s: %s\n", (unsigned long long)world.seed,
            world.call, call, hy_code_name(is), hy_code_name(should), err ? err->text : "");
    abort();
}

void expect_code(const char *call, enum hy_code is, enum hy_code should, const struct hy_error *err)
{
    expect(is == should, call, is, should, err);
}

/* ---- Objects --------------------------------------------------------------------------------- */

struct object *object_retain(struct object *object)
{
    object->references++;
    return object;
}

void object_release(struct object *object)
{
    if (!object || --object->references > 0)
        return;
    hy_memory_release(object->memory);
    free(object);
}

struct object *object_put(uint32_t target, struct hy_memory *memory,
                          const struct model_memory *model)
{
    struct object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    *object = (struct object){.references = 1, .memory = memory, .model = *model};
    object_release(world.objects[target]);
    return world.objects[target] = object;
}

void object_write(struct object *object)
{
    for (uint32_t i = 0; i < object->model.extent; i++)
        object->model.values[i] = (float)((int32_t)chance(64) - 16) / 4;
    memcpy(hy_memory_pool(object->memory)->address, object->model.values,
           object->model.extent * sizeof(float));
}

struct object *object_any(void)
{
    return world.objects[chance(MEMORIES)];
}

/* ---- The world ------------------------------------------------------------------------------- */

static const struct hy_runtime_device *device_at(enum model_target target)
{
    if (target == MODEL_SHARED)
        return &world.cpu.device;
    return target == MODEL_CPU ? hy_devices()->cpu : &world.devices[target].fake.device;
}

void world_compile(uint32_t index)
{
    static const struct model_compilation kinds[COMPILATIONS] = {
        {.target = MODEL_NPU, .has_devices = true, .is_chain = true, .extent = EXTENT},
        {.target = MODEL_NPU},
        {.target = MODEL_NPU, .has_devices = true},
        {.target = MODEL_GPU, .extent = EXTENT},
        {.target = MODEL_GPU, .has_devices = true},
        {.target = MODEL_SHARED, .has_devices = true},
        {.target = MODEL_CPU, .has_devices = true, .is_chain = true, .extent = EXTENT},
        {.target = MODEL_CPU},
        {.target = MODEL_CPU, .has_devices = true},
    };
    struct compiled *compiled = &world.compilations[index];
    const struct model_compilation *kind = &kinds[index];
    /* halyard-cpu needs nobody to stand in for it */
    const struct hy_runtime_device *const devices[] = {device_at(kind->target), &world.cpu.device};
    const uint32_t count = kind->has_devices || kind->target == MODEL_CPU ? 1 : 2;
    struct hy_app_model *model =
        kind->is_chain ? chain_model() : dynamic_model(kind->extent, kind->extent, kind->extent);

    hy_compilation_release(compiled->compilation);
    compiled->compilation = NULL;
    if (!model ||
        hy_compilation_create(model, devices, count, kind->has_devices, &compiled->compilation,
                              NULL) != HY_OK ||
        hy_compilation_finish(compiled->compilation, NULL) != HY_OK)
        abort();
    hy_app_model_release(model);
    compiled->model = *kind;
    compiled->model.id = ++world.last_id;
}

void world_open(uint64_t seed)
{
    world = (struct world){.seed = seed, .random = {seed}};
    buffer_device_init(&world.devices[MODEL_NPU], "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f,
                       FAKE_ALL);
    buffer_device_init(&world.devices[MODEL_GPU], "acme-gpu", HALYARD_DEVICE_IN_PROCESS, .5f,
                       FAKE_ALL);
    fake_device_init(&world.cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    for (uint32_t i = 0; i < COMPILATIONS; i++)
        world_compile(i);
}

void world_close(void)
{
    for (uint32_t i = 0; i < EXECUTIONS; i++)
        prepared_drop(&world.executions[i]);
    for (uint32_t i = 0; i < MEMORIES; i++)
        object_release(world.objects[i]);
    for (uint32_t i = 0; i < COMPILATIONS; i++)
        hy_compilation_release(world.compilations[i].compilation);
    for (uint32_t i = 0; i < FAULTY; i++) {
        const struct buffer_device *device = &world.devices[i];
        expect(device->live == 0 && device->fake.prepared == 0, "what is left", HY_OK, HY_OK, NULL);
        expect(device->refusals == 0, "requests", HY_OK, HY_OK, NULL);
    }
}
