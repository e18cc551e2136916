#include "opened_driver.h"

#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES (OPENED_EXTENT * sizeof(float))

/* ---- The host -------------------------------------------------------------------------------- */

static void drop_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

/* The descriptor names the memory: a nameless pool has no id. */
static struct opened_memory *find(struct opened_driver *opened, const struct hy_pool *pool)
{
    for (unsigned i = 0; i < OPENED_MEMORIES; i++) {
        if (opened->memories[i].fd == pool->fd)
            return &opened->memories[i];
    }
    return NULL;
}

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    struct opened_memory *memory = find(context, pool);
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
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .dims = {OPENED_EXTENT}};
    hy_builder_init(builder);
    const uint32_t a = hy_builder_input(builder, &type), b = hy_builder_input(builder, &type);
    const uint32_t out = hy_builder_output(builder, &type);
    const uint32_t inputs[] = {a, b, hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &out);
    return hy_builder_model(builder);
}

static bool prepare(struct opened_driver *opened)
{
    const struct hy_prepare_options options = {
        .struct_size = sizeof options,
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = HY_NO_DEADLINE,
    };
    const struct hy_model *model = make_model(&opened->builder);
    return opened->driver->create(&opened->host, "{}", &(struct hy_message){0},
                                  &opened->instance) == HY_STATUS_OK &&
           opened->driver->device(opened->instance, 0, &opened->table, &opened->device) ==
               HY_STATUS_OK &&
           opened->table->prepare(opened->device, model, &options, &opened->prepared) ==
               HY_STATUS_OK;
}

static bool make_memories(struct opened_driver *opened)
{
    for (unsigned i = 0; i < OPENED_MEMORIES; i++) {
        struct opened_memory *memory = &opened->memories[i];
        memory->fd = memfd_create(OPENED_MEMFD, MFD_CLOEXEC);
        memory->id = i + 1;
        if (memory->fd < 0 || ftruncate(memory->fd, BYTES) != 0)
            return false;
    }
    return true;
}

bool opened_open(struct opened_driver *opened, uint32_t abi)
{
    *opened = (struct opened_driver){.host = {.struct_size = sizeof opened->host,
                                              .abi = abi,
                                              .context = opened,
                                              .log = drop_line,
                                              .map = map,
                                              .worker_count = worker_count,
                                              .parallel = parallel}};
    opened->driver = load();
    const bool is_open = opened->driver && make_memories(opened) && prepare(opened);
    EXPECT(is_open);
    return is_open;
}

void opened_close(struct opened_driver *opened)
{
    for (unsigned i = 0; i < OPENED_MEMORIES; i++) {
        if (opened->memories[i].address)
            munmap(opened->memories[i].address, BYTES);
        if (opened->memories[i].fd > 0)
            close(opened->memories[i].fd);
    }
    if (opened->prepared)
        opened->table->prepared_destroy(opened->prepared);
    if (opened->instance)
        opened->driver->destroy(opened->instance);
    hy_builder_finish(&opened->builder);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void opened_fill(struct opened_driver *opened, unsigned index, float value)
{
    float values[OPENED_EXTENT];
    for (unsigned i = 0; i < OPENED_EXTENT; i++)
        values[i] = value;
    EXPECT(pwrite(opened->memories[index].fd, values, BYTES, 0) == (ssize_t)BYTES);
}

float opened_value(const struct opened_driver *opened, unsigned index)
{
    float values[OPENED_EXTENT];
    if (pread(opened->memories[index].fd, values, BYTES, 0) != (ssize_t)BYTES)
        return NAN;
    for (unsigned i = 1; i < OPENED_EXTENT; i++) {
        if (values[i] != values[0])
            return NAN;
    }
    return values[0];
}

/* Something else takes the place, so that no later mapping gets the same address. It is left. */
void opened_unmap(struct opened_driver *opened, unsigned index)
{
    struct opened_memory *memory = &opened->memories[index];
    EXPECT(mmap(memory->address, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) == memory->address);
    memory->address = NULL;
}

unsigned opened_map_calls(const struct opened_driver *opened)
{
    unsigned calls = 0;
    for (unsigned i = 0; i < OPENED_MEMORIES; i++)
        calls += opened->memories[i].map_calls;
    return calls;
}

unsigned opened_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned count = 0;
    while (maps && fgets(line, sizeof line, maps))
        count += strstr(line, OPENED_MEMFD) != NULL;
    if (maps)
        fclose(maps);
    return count;
}

/* ---- Executions ------------------------------------------------------------------------------ */

static struct hy_pool pool_of(const struct opened_memory *memory)
{
    return (struct hy_pool){
        .kind = HY_POOL_ASHMEM,
        .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
        .fd = memory->fd,
        .id = memory->id,
        .size = BYTES,
    };
}

void opened_request_init(struct opened_request *request, const struct opened_driver *opened,
                         unsigned a, unsigned b, unsigned out)
{
    const unsigned memories[] = {a, b, out};
    *request = (struct opened_request){
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
        request->pools[i] = pool_of(&opened->memories[memories[i]]);
        request->arguments[i].location = (struct hy_location){.pool = i, .length = BYTES};
    }
}

int32_t opened_add(struct opened_driver *opened, void *burst, unsigned a, unsigned b, unsigned out)
{
    struct opened_request request;
    opened_request_init(&request, opened, a, b, out);
    return burst ? opened->table->burst_execute(burst, &request.view, &request.options,
                                                &request.result)
                 : opened->table->execute(opened->prepared, &request.view, &request.options,
                                          &request.result);
}
