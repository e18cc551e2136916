#include "scene.h"

#include "test.h"

#include <android/NeuralNetworks.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES (SCENE_EXTENT * sizeof(float))

/* ---- The host -------------------------------------------------------------------------------- */

static void drop_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

/* The descriptor names the memory: a nameless pool has no id. */
static struct scene_memory *find(struct scene *scene, const struct hy_pool *pool)
{
    for (unsigned i = 0; i < SCENE_MEMORIES; i++) {
        if (scene->memories[i].fd == pool->fd)
            return &scene->memories[i];
    }
    return NULL;
}

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    struct scene_memory *memory = find(context, pool);
    if (!memory || (protection & ~pool->protection) != 0)
        return HY_STATUS_INVALID_ARGUMENT;
    memory->map_calls++;
    if (!memory->address) {
        void *mapped = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
        if (mapped == MAP_FAILED)
            return HY_STATUS_GENERAL_FAILURE;
        memory->address = mapped;
    }
    *address = memory->address;
    return HY_STATUS_OK;
}

static uint32_t worker_count(void *context)
{
    (void)context;
    return 1;
}

static void parallel(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                     void *argument)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
}

/* ---- The driver ------------------------------------------------------------------------------ */

static const struct hy_driver *load(void)
{
    void *library = dlopen(DRIVER_PATH, RTLD_NOW | RTLD_LOCAL); /* kept */
    void *symbol = library ? dlsym(library, HY_DRIVER_QUERY_SYMBOL) : NULL;
    hy_driver_query_fn query;
    if (!symbol)
        return NULL;
    memcpy(&query, &symbol, sizeof query);
    return query(HY_DRIVER_ABI);
}

static const struct hy_model *make_model(struct hy_builder *builder)
{
    const struct hy_builder_type type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .dims = {SCENE_EXTENT}};
    hy_builder_init(builder);
    const uint32_t a = hy_builder_input(builder, &type), b = hy_builder_input(builder, &type);
    const uint32_t out = hy_builder_output(builder, &type);
    const uint32_t inputs[] = {a, b, hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &out);
    return hy_builder_model(builder);
}

static bool prepare(struct scene *scene)
{
    const struct hy_prepare_options options = {
        .struct_size = sizeof options,
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = HY_NO_DEADLINE,
    };
    const struct hy_model *model = make_model(&scene->builder);
    return scene->driver->create(&scene->host, "{}", &(struct hy_message){0}, &scene->instance) ==
               HY_STATUS_OK &&
           scene->driver->device(scene->instance, 0, &scene->table, &scene->device) ==
               HY_STATUS_OK &&
           scene->table->prepare(scene->device, model, &options, &scene->prepared) == HY_STATUS_OK;
}

static bool make_memories(struct scene *scene)
{
    for (unsigned i = 0; i < SCENE_MEMORIES; i++) {
        struct scene_memory *memory = &scene->memories[i];
        memory->fd = memfd_create(SCENE_MEMFD, MFD_CLOEXEC);
        memory->id = i + 1;
        if (memory->fd < 0 || ftruncate(memory->fd, BYTES) != 0)
            return false;
    }
    return true;
}

bool scene_open(struct scene *scene, uint32_t abi)
{
    *scene = (struct scene){.host = {.struct_size = sizeof scene->host,
                                     .abi = abi,
                                     .context = scene,
                                     .log = drop_line,
                                     .map = map,
                                     .worker_count = worker_count,
                                     .parallel = parallel}};
    scene->driver = load();
    const bool is_open = scene->driver && make_memories(scene) && prepare(scene);
    EXPECT(is_open);
    return is_open;
}

void scene_close(struct scene *scene)
{
    for (unsigned i = 0; i < SCENE_MEMORIES; i++) {
        if (scene->memories[i].address)
            munmap(scene->memories[i].address, BYTES);
        if (scene->memories[i].fd > 0)
            close(scene->memories[i].fd);
    }
    if (scene->prepared)
        scene->table->prepared_destroy(scene->prepared);
    if (scene->instance)
        scene->driver->destroy(scene->instance);
    hy_builder_finish(&scene->builder);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void scene_fill(struct scene *scene, unsigned index, float value)
{
    float values[SCENE_EXTENT];
    for (unsigned i = 0; i < SCENE_EXTENT; i++)
        values[i] = value;
    EXPECT(pwrite(scene->memories[index].fd, values, BYTES, 0) == (ssize_t)BYTES);
}

float scene_value(const struct scene *scene, unsigned index)
{
    float values[SCENE_EXTENT];
    if (pread(scene->memories[index].fd, values, BYTES, 0) != (ssize_t)BYTES)
        return NAN;
    for (unsigned i = 1; i < SCENE_EXTENT; i++) {
        if (values[i] != values[0])
            return NAN;
    }
    return values[0];
}

/* Something else takes the place, so that no later mapping gets the same address. It is left. */
void scene_unmap(struct scene *scene, unsigned index)
{
    struct scene_memory *memory = &scene->memories[index];
    EXPECT(mmap(memory->address, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) == memory->address);
    memory->address = NULL;
}

unsigned scene_map_calls(const struct scene *scene)
{
    unsigned calls = 0;
    for (unsigned i = 0; i < SCENE_MEMORIES; i++)
        calls += scene->memories[i].map_calls;
    return calls;
}

unsigned scene_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned count = 0;
    while (maps && fgets(line, sizeof line, maps))
        count += strstr(line, SCENE_MEMFD) != NULL;
    if (maps)
        fclose(maps);
    return count;
}

/* ---- Executions ------------------------------------------------------------------------------ */

static struct hy_pool pool_of(const struct scene_memory *memory)
{
    return (struct hy_pool){
        .kind = HY_POOL_ASHMEM,
        .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
        .fd = memory->fd,
        .id = memory->id,
        .size = BYTES,
    };
}

void scene_request_init(struct scene_request *request, const struct scene *scene, unsigned a,
                        unsigned b, unsigned out)
{
    const unsigned memories[] = {a, b, out};
    *request = (struct scene_request){
        .view = {.struct_size = sizeof request->view,
                 .input_count = 2,
                 .output_count = 1,
                 .pool_count = 3,
                 .inputs = request->arguments,
                 .outputs = request->arguments + 2,
                 .pools = request->pools},
        .options = {.struct_size = sizeof request->options, .deadline = HY_NO_DEADLINE},
        .result = {.struct_size = sizeof request->result,
                   .output_count = 1,
                   .outputs = &request->shape},
    };
    for (uint32_t i = 0; i < 3; i++) {
        request->pools[i] = pool_of(&scene->memories[memories[i]]);
        request->arguments[i].location = (struct hy_location){.pool = i, .length = BYTES};
    }
}

int32_t scene_add(struct scene *scene, void *burst, unsigned a, unsigned b, unsigned out)
{
    struct scene_request request;
    scene_request_init(&request, scene, a, b, out);
    return burst ? scene->table->burst_execute(burst, &request.view, &request.options,
                                               &request.result)
                 : scene->table->execute(scene->prepared, &request.view, &request.options,
                                         &request.result);
}
