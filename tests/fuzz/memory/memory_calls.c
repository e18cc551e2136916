#include "tests/fuzz/memory/memory_calls.h"

#include "tests/fuzz/memory/memory_world.h"

#include <stdlib.h>

static void make_file(void)
{
    struct model_memory model = {.is_file = true, .extent = 1 + chance(MODEL_EXTENT)};
    struct hy_memory *memory = file_memory(model.extent, NULL);
    if (!memory)
        abort();
    object_write(object_put(chance(MEMORIES), memory, &model));
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

static enum hy_code describe(struct hy_memory_desc *desc, struct model_memory *model)
{
    const uint32_t roles = 1 + chance(3);
    const struct compiled *first = &world.compilations[chance(COMPILATIONS)];
    enum hy_code code = HY_OK;
    struct hy_error err = {0};

    for (uint32_t i = 0; code == HY_OK && i < roles; i++) {
        const struct compiled *of =
            i == 0 || chance(4) ? first : &world.compilations[chance(COMPILATIONS)];
        const bool is_output = chance(2);
        const uint32_t index = chance(16) == 0;
        const float frequency = chance(16) == 0 ? 0 : .5f;
        code = hy_memory_desc_add_role(desc, of->compilation, is_output, index, frequency, &err);
        expect_code("add role", code,
                    model_add_role(model, &of->model, is_output, index, frequency), &err);
    }
    if (code == HY_OK && chance(2)) {
        const uint32_t extent = chance(3) ? 4 : chance(7);
        code = hy_memory_desc_set_dims(desc, 1, &extent, &err);
        expect_code("set dimensions", code, model_set_extent(model, extent), &err);
    }
    return code;
}

static void make_memory(void)
{
    struct model_memory model = {0};
    struct hy_memory_desc *desc = NULL;
    struct hy_memory *memory = NULL;
    struct hy_error err = {0};

    expect_code("create descriptor", hy_memory_desc_create(&desc, &err), HY_OK, &err);
    if (describe(desc, &model) == HY_OK) {
        expect_code("finish", hy_memory_desc_finish(desc, &err), HY_OK, &err);
        const enum hy_code code = hy_memory_from_desc(desc, &memory, &err);
        expect_code("create memory", code, model_create(&model, world.faults), &err);
        if (code == HY_OK) {
            expect((hy_memory_pool(memory)->kind == HY_POOL_BUFFER) ==
                       (model.target != MODEL_SHARED),
                   "place of memory", code, code, NULL);
            object_put(chance(MEMORIES), memory, &model);
        }
    }
    hy_memory_desc_destroy(desc);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static void copy(void)
{
    struct object *from = object_any(), *to = object_any();
    struct hy_error err = {0};

    if (!from || !to)
        return;
    const enum hy_code code = hy_memory_copy(from->memory, to->memory, &err);
    expect_code("copy", code, model_copy(&from->model, &to->model, world.faults), &err);
    if (code != HY_OK && to->model.is_file)
        object_write(to);
}

static void change_faults(void)
{
    const uint32_t target = chance(FAULTY);
    struct buffer_device *device = &world.devices[target];
    struct model_device *faults = &world.faults[target];

    *faults = (struct model_device){.fails_create = chance(6) == 0,
                                    .fails_copy_from = chance(6) == 0,
                                    .fails_copy_to = chance(6) == 0,
                                    .fails_execute = chance(4) == 0,
                                    .wants_shared_sources = chance(2)};
    device->create_status = faults->fails_create ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
    device->copy_from_status = faults->fails_copy_from ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
    device->copy_to_status = faults->fails_copy_to ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
    device->fake.execute_status = faults->fails_execute ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
    device->wants_shared_sources = faults->wants_shared_sources;
}

/* What a file holds is as it should be; memory is read by copies. */
static void look(void)
{
    const struct object *object = object_any();

    if (object && object->model.is_file)
        expect(memcmp(hy_memory_pool(object->memory)->address, object->model.values,
                      object->model.extent * sizeof(float)) == 0,
               "contents", HY_OK, HY_OK, NULL);
}

static void read_out(void)
{
    struct object *from = object_any();
    struct hy_error err = {0};
    if (!from || from->model.is_file || from->model.extent == 0)
        return;

    struct model_memory model = {.is_file = true, .extent = from->model.extent};
    struct hy_memory *file = file_memory(model.extent, NULL);
    const enum hy_code code = hy_memory_copy(from->memory, file, &err);
    expect_code("read", code, model_copy(&from->model, &model, world.faults), &err);
    if (code == HY_OK)
        expect(memcmp(hy_memory_pool(file)->address, model.values, model.extent * sizeof(float)) ==
                   0,
               "contents of device", HY_OK, HY_OK, NULL);
    hy_memory_release(file);
}

static void free_one(void)
{
    struct object **object = &world.objects[chance(MEMORIES)];
    object_release(*object);
    *object = NULL;
}

static void drop_one(void)
{
    prepared_drop(&world.executions[chance(EXECUTIONS)]);
}

static void compile_again(void)
{
    if (chance(4) == 0)
        world_compile(chance(COMPILATIONS));
}

void hy_memory_calls(uint64_t seed, uint32_t count)
{
    static void (*const calls[])(void) = {make_file,
                                          make_memory,
                                          make_memory,
                                          copy,
                                          copy,
                                          copy,
                                          world_execute,
                                          world_execute,
                                          world_execute,
                                          world_run_again,
                                          world_run_again,
                                          look,
                                          read_out,
                                          read_out,
                                          free_one,
                                          drop_one,
                                          change_faults,
                                          compile_again};

    world_open(seed);
    for (world.call = 0; world.call < count; world.call++)
        calls[chance(sizeof calls / sizeof *calls)]();
    world_close();
}
