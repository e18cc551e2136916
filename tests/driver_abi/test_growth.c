/*
 * A host of version 1.7, whose structs are all longer, and the driver that was built with 1.0: the
 * loader's part and this file are built with the grown header, the driver with the frozen one.
 */
#include "halyard/driver.h"
#include "plugins/device_info.h"
#include "plugins/device_table.h"
#include "test.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

#define EXTENT 4u

/* ---- A host ---------------------------------------------------------------------------------- */

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

static const struct hy_host host = {
    .struct_size = sizeof host,
    .abi = HY_DRIVER_ABI,
    .log = log_line,
    .map = map,
    .worker_count = worker_count,
    .parallel = parallel,
    .of_a_later_version = {~UINT64_C(0), ~UINT64_C(0)},
};

/* ---- The driver ------------------------------------------------------------------------------ */

struct opened {
    void *library;
    const struct hy_driver *driver;
    void *instance, *device;
    const struct hy_device *told; /* the driver's own table */
    struct hy_device table;       /* as the loader takes it over */
};

static bool open_frozen(struct opened *opened)
{
    const struct hy_message message = {0};
    hy_driver_query_fn query;
    *opened = (struct opened){.library = dlopen(FROZEN_DRIVER, RTLD_NOW | RTLD_LOCAL)};
    void *symbol = opened->library ? dlsym(opened->library, HY_DRIVER_QUERY_SYMBOL) : NULL;
    if (!symbol)
        return false;
    memcpy(&query, &symbol, sizeof query);
    opened->driver = query(HY_DRIVER_ABI);
    return opened->driver &&
           opened->driver->create(&host, "{}", &message, &opened->instance) == HY_STATUS_OK &&
           opened->driver->device(opened->instance, 0, &opened->told, &opened->device) ==
               HY_STATUS_OK &&
           hy_device_table_copy(opened->told, &opened->table, NULL) == HY_OK;
}

static void close_frozen(struct opened *opened)
{
    if (opened->instance)
        opened->driver->destroy(opened->instance);
    if (opened->library)
        dlclose(opened->library);
}

TEST(driver_abi_growth, this_host_is_later_than_the_driver)
{
    struct opened opened;
    REQUIRE(open_frozen(&opened));
    EXPECT_INT(HY_DRIVER_ABI, HY_ABI(1, 7));
    EXPECT_INT(opened.driver->abi, HY_ABI(1, 0));
    EXPECT(opened.driver->struct_size < sizeof(struct hy_driver));
    EXPECT(opened.told->struct_size < sizeof(struct hy_device));
    close_frozen(&opened);
}

TEST(driver_abi_growth, what_the_older_table_lacks_is_absent)
{
    struct opened opened;
    REQUIRE(open_frozen(&opened));
    EXPECT_INT(opened.table.struct_size, sizeof opened.table);
    EXPECT(opened.table.execute && opened.table.memory_gone);
    EXPECT(opened.table.of_a_later_version[0] == 0 && opened.table.of_a_later_version[1] == 0);
    close_frozen(&opened);
}

TEST(driver_abi_growth, an_older_description_is_taken_and_the_rest_is_zero)
{
    struct opened opened;
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    REQUIRE(open_frozen(&opened));
    REQUIRE(hy_device_info_ask(&opened.table, opened.device, &info, NULL) == HY_OK);
    EXPECT_STR(info.name, "frozen-1-0");
    EXPECT_INT(info.burst_depth, 1);
    EXPECT_INT(info.struct_size, sizeof info);
    EXPECT(info.of_a_later_version[0] == 0 && info.of_a_later_version[1] == 0);
    hy_device_info_finish(&info);
    REQUIRE(hy_device_capabilities_ask(&opened.table, opened.device, &capabilities, NULL) == HY_OK);
    EXPECT_INT(capabilities.struct_size, sizeof capabilities);
    EXPECT(capabilities.of_a_later_version[0] == 0);
    hy_device_capabilities_finish(&capabilities);
    close_frozen(&opened);
}

/* ---- Work ------------------------------------------------------------------------------------ */

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

TEST(driver_abi_growth, the_older_driver_prepares_and_executes)
{
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    const struct hy_run_options run = {.struct_size = sizeof run, .deadline = HY_NO_DEADLINE};
    float memory[3][EXTENT] = {{1, 2, 3, 4}, {10, 20, 30, 40}};
    const struct hy_pool pool = {.kind = HY_POOL_HOST,
                                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                 .fd = -1,
                                 .size = sizeof memory,
                                 .address = memory};
    const struct hy_argument inputs[] = {argument(0), argument(1)}, output = argument(2);
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = 2,
                                       .output_count = 1,
                                       .pool_count = 1,
                                       .inputs = inputs,
                                       .outputs = &output,
                                       .pools = &pool};
    struct hy_output_shape shape = {0};
    struct hy_result result = {.struct_size = sizeof result, .output_count = 1, .outputs = &shape};
    struct hy_scratch scratch = {.struct_size = sizeof scratch};
    struct opened opened;
    uint8_t supported = 0;
    void *prepared = NULL;

    REQUIRE(open_frozen(&opened));
    const struct hy_device *table = &opened.table;
    EXPECT_INT(table->supported_operations(opened.device, &model, &supported, NULL), HY_STATUS_OK);
    EXPECT_INT(supported, 1);
    REQUIRE(table->prepare(opened.device, &model, &options, &prepared) == HY_STATUS_OK);
    EXPECT_INT(table->execute(prepared, &request, &run, &result), HY_STATUS_OK);
    for (uint32_t i = 0; i < EXTENT; i++)
        EXPECT(memory[2][i] == memory[0][i] + memory[1][i]);
    EXPECT(shape.rank == 1 && shape.dims[0] == EXTENT);
    EXPECT_INT(table->scratch_needed(prepared, &scratch), HY_STATUS_OK);
    EXPECT(scratch.struct_size < sizeof scratch && scratch.of_a_later_version[0] == 0);
    table->prepared_destroy(prepared);
    close_frozen(&opened);
}
