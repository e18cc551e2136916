#include "adding_host.h"

#include "tests/kit/test.h"

#include <dlfcn.h>

#define EXTENT 4u

/* A struct of the host's, and what follows it in memory. */
#define FOLLOWED(type) \
    struct { \
        struct type it; \
        uint64_t after[4]; \
    }
#define WILD \
    { \
        ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0) \
    }

/* ---- The host -------------------------------------------------------------------------------- */

static void log_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)context, (void)protection;
    *address = pool->address;
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

static const FOLLOWED(hy_host) host = {{
                                           .struct_size = sizeof host.it,
                                           .abi = HY_DRIVER_ABI,
                                           .log = log_line,
                                           .map = map,
                                           .worker_count = worker_count,
                                           .parallel = parallel,
                                       },
                                       WILD};

int adding_host_create(struct opened *opened, const struct hy_driver *driver)
{
    const struct hy_message message = {0};

    opened->driver = driver;
    return driver && driver->create(&host.it, "{}", &message, &opened->instance) == HY_STATUS_OK &&
           driver->device(opened->instance, 0, &opened->reported, &opened->device) == HY_STATUS_OK;
}

int adding_host_open(struct opened *opened, const char *path)
{
    hy_driver_query_fn query;
    /* Stays loaded: libraries behind it keep what they have found about the machine, which nobody
     * could reach without them. */
    *opened = (struct opened){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    void *symbol = opened->library ? dlsym(opened->library, HY_DRIVER_QUERY_SYMBOL) : NULL;
    if (!symbol)
        return 0;
    memcpy(&query, &symbol, sizeof query);
    return adding_host_create(opened, query(HY_DRIVER_ABI));
}

void adding_host_close(struct opened *opened)
{
    if (opened->instance)
        opened->driver->destroy(opened->instance);
    if (opened->library)
        dlclose(opened->library);
}

/* ---- The model ------------------------------------------------------------------------------- */

static const uint32_t dims[] = {EXTENT}, add_inputs[] = {0, 1, 2}, add_outputs[] = {3},
                      model_inputs[] = {0, 1};
static const uint32_t none = 0;
static const struct hy_operand operands[] = {
    {.type = 3, .lifetime = HY_LIFETIME_INPUT, .rank = 1, .dims = dims},
    {.type = 3, .lifetime = HY_LIFETIME_INPUT, .rank = 1, .dims = dims},
    {.type = 1, .lifetime = HY_LIFETIME_CONSTANT_COPY, .location = {.length = 4}},
    {.type = 3, .lifetime = HY_LIFETIME_OUTPUT, .rank = 1, .dims = dims},
};
static const struct hy_operation add = {
    .type = 0, .input_count = 3, .output_count = 1, .inputs = add_inputs, .outputs = add_outputs};
static const struct hy_subgraph graph = {.struct_size = sizeof graph,
                                         .operand_count = 4,
                                         .operation_count = 1,
                                         .input_count = 2,
                                         .output_count = 1,
                                         .operands = operands,
                                         .operations = &add,
                                         .inputs = model_inputs,
                                         .outputs = add_outputs};
static const struct hy_model model = {.struct_size = sizeof model,
                                      .main = &graph,
                                      .values = (const uint8_t *)&none,
                                      .values_size = sizeof none,
                                      .feature_level = 1};

static struct hy_argument argument(uint32_t number)
{
    return (struct hy_argument){
        .location = {.offset = number * EXTENT * sizeof(float), .length = EXTENT * sizeof(float)}};
}

static void refuse(void *context, uint32_t operation, const char *reason)
{
    (void)context;
    hy_test_fail(__FILE__, __LINE__, "operation %u is refused: %s", operation, reason);
}

int32_t adding_host_prepare(const struct hy_device *table, void *device, void **prepared)
{
    const FOLLOWED(hy_prepare_options)
        options = {{.struct_size = sizeof options.it, .deadline = HY_NO_DEADLINE}, WILD};
    const FOLLOWED(hy_refusals)
        refusals = {{.struct_size = sizeof refusals.it, .refuse = refuse}, WILD};
    uint8_t supported = 0;

    EXPECT_INT(table->supported_operations(device, &model, &supported, &refusals.it), HY_STATUS_OK);
    EXPECT_INT(supported, 1);
    return table->prepare(device, &model, &options.it, prepared);
}

/* ---- Its executions -------------------------------------------------------------------------- */

/* The bytes of an execution, and what names them. */
struct addition {
    float memory[3][EXTENT];
    struct hy_pool pool;
    struct hy_argument inputs[2], output;
    struct hy_request request;
    struct hy_output_shape shape;
    struct hy_result result;
};

static void addition_init(struct addition *addition)
{
    *addition = (struct addition){
        .memory = {{1, 2, 3, 4}, {10, 20, 30, 40}},
        .pool = {.kind = HY_POOL_HOST,
                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                 .fd = -1,
                 .size = sizeof addition->memory,
                 .address = addition->memory},
        .inputs = {argument(0), argument(1)},
        .output = argument(2),
        .request = {.struct_size = sizeof addition->request,
                    .input_count = 2,
                    .output_count = 1,
                    .pool_count = 1,
                    .inputs = addition->inputs,
                    .outputs = &addition->output,
                    .pools = &addition->pool},
        .result = {.struct_size = sizeof addition->result,
                   .output_count = 1,
                   .outputs = &addition->shape},
    };
}

static void expect_added(const struct addition *addition)
{
    for (uint32_t i = 0; i < EXTENT; i++)
        EXPECT(addition->memory[2][i] == addition->memory[0][i] + addition->memory[1][i]);
    EXPECT(addition->shape.rank == 1 && addition->shape.dims[0] == EXTENT);
}

void adding_host_execute(const struct hy_device *table, void *prepared)
{
    const FOLLOWED(hy_run_options)
        run = {{.struct_size = sizeof run.it, .deadline = HY_NO_DEADLINE}, WILD};
    struct addition addition;

    addition_init(&addition);
    EXPECT_INT(table->execute(prepared, &addition.request, &run.it, &addition.result),
               HY_STATUS_OK);
    expect_added(&addition);
}

void adding_host_reuse(const struct hy_device *table, void *prepared)
{
    const FOLLOWED(hy_run_options)
        run = {{.struct_size = sizeof run.it, .deadline = HY_NO_DEADLINE}, WILD};
    struct addition addition;
    void *reusable = NULL;

    if (!HY_HAS(table, reusable_create))
        return;
    addition_init(&addition);
    REQUIRE(table->reusable_create(prepared, &addition.request, &run.it, &reusable) ==
            HY_STATUS_OK);
    EXPECT_INT(table->reusable_execute(reusable, HY_NO_DEADLINE, &addition.result), HY_STATUS_OK);
    expect_added(&addition);
    table->reusable_destroy(reusable);
}
