#include "tests/kit/scripted_driver.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

static struct scripted_driver script = {
    .driver.name = "scripted",
    .device_count = 2,
    .device_size = 16,
    .info.name = "scripted-device",
    .capabilities.while_overhead = {3, 4},
};

static const struct hy_driver *open_driver(void **instance)
{
    const struct hy_driver *driver = scripted_driver(HY_DRIVER_ABI, &script);
    const struct hy_message message = {0};

    EXPECT_INT(driver->create(hy_test_host(), "{}", &message, instance), HY_STATUS_OK);
    return driver;
}

TEST(scripted_driver, another_abi_is_refused)
{
    EXPECT(scripted_driver(HY_ABI(HY_ABI_MAJOR(HY_DRIVER_ABI) + 1, 0), &script) == NULL);
}

TEST(scripted_driver, devices_lie_one_after_the_other)
{
    const struct hy_device *table = NULL;
    void *instance = NULL, *devices[2] = {0}, *none = NULL;
    const struct hy_driver *driver = open_driver(&instance);

    EXPECT_INT(driver->device_count(instance), 2);
    for (uint32_t i = 0; i < 2; i++)
        EXPECT_INT(driver->device(instance, i, &table, &devices[i]), HY_STATUS_OK);
    EXPECT(table == &script.device);
    EXPECT((char *)devices[1] - (char *)devices[0] == 16);
    EXPECT_INT(driver->device(instance, 2, &table, &none), HY_STATUS_INVALID_ARGUMENT);
    driver->destroy(instance);
}

TEST(scripted_driver, facts_are_those_of_the_script_and_else_the_usual)
{
    struct hy_device_info info = {.struct_size = sizeof info};
    struct hy_capabilities figures = {.struct_size = sizeof figures};
    const struct hy_device *table = NULL;
    void *instance = NULL, *device = NULL;
    const struct hy_driver *driver = open_driver(&instance);

    EXPECT_INT(driver->device(instance, 0, &table, &device), HY_STATUS_OK);
    EXPECT_INT(table->describe(device, &info), HY_STATUS_OK);
    EXPECT_STR(info.name, "scripted-device");
    EXPECT_STR(info.version, "1");
    EXPECT_INT(info.feature_level, 8);
    EXPECT_INT(table->capabilities(device, &figures), HY_STATUS_OK);
    EXPECT(figures.relaxed_scalar.exec_time == 1 && figures.while_overhead.exec_time == 3);
    driver->destroy(instance);
}

TEST(scripted_driver, no_operation_is_supported_and_no_execution_succeeds)
{
    const struct hy_operation operation = {.type = 0};
    const struct hy_subgraph graph = {.operation_count = 1, .operations = &operation};
    const struct hy_model model = {.struct_size = sizeof model, .main = &graph};
    const struct hy_device *table = NULL;
    void *instance = NULL, *device = NULL, *prepared = NULL;
    uint8_t supported = 1;
    const struct hy_driver *driver = open_driver(&instance);

    EXPECT_INT(driver->device(instance, 0, &table, &device), HY_STATUS_OK);
    EXPECT_INT(table->supported_operations(device, &model, &supported, NULL), HY_STATUS_OK);
    EXPECT_INT(supported, 0);
    EXPECT_INT(table->prepare(device, &model, NULL, &prepared), HY_STATUS_OK);
    EXPECT(prepared == device);
    EXPECT_INT(table->execute(prepared, NULL, NULL, NULL), HY_STATUS_GENERAL_FAILURE);
    table->prepared_destroy(prepared);
    driver->destroy(instance);
}
