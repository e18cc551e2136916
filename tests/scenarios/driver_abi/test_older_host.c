/*
 * A host of version 1.0 and the drivers of today: the host is built with the frozen header, the
 * drivers with that of today. They find no member of a later version, and work without.
 */
#include "adding_host.h"
#include "tests/kit/test.h"

const struct hy_driver *hy_cpu_driver(void);

static void expect_work(const struct opened *opened)
{
    void *prepared = NULL;

    EXPECT_INT(HY_DRIVER_ABI, HY_ABI(1, 0));
    EXPECT(opened->driver->abi > HY_ABI(1, 0));
    REQUIRE(adding_host_prepare(opened->reported, opened->device, &prepared) == HY_STATUS_OK);
    adding_host_execute(opened->reported, prepared);
    adding_host_reuse(opened->reported, prepared);
    opened->reported->prepared_destroy(prepared);
}

static void expect_library_works(const char *path)
{
    struct opened opened;

    if (adding_host_open(&opened, path))
        expect_work(&opened);
    else
        hy_test_fail(__FILE__, __LINE__, "%s cannot be opened", path);
    adding_host_close(&opened);
}

TEST(driver_abi_older_host, the_sample_driver_of_today_works)
{
    expect_library_works(SAMPLE_DRIVER);
}

#ifdef XNNPACK_DRIVER
TEST(driver_abi_older_host, the_xnnpack_driver_of_today_works)
{
    expect_library_works(XNNPACK_DRIVER);
}
#endif

TEST(driver_abi_older_host, the_cpu_driver_of_today_works)
{
    struct opened opened = {0};

    REQUIRE(adding_host_create(&opened, hy_cpu_driver()));
    expect_work(&opened);
    adding_host_close(&opened);
}

/* The older host does not read that the device supports a part, and asks for each operation. */
TEST(driver_abi_older_host, extension_that_is_supported_in_part_is_listed)
{
    static const uint32_t dims[] = {4}, numbers[] = {0, 1, 2};
    static const struct hy_operand tensor = {.type = 3, .rank = 1, .dims = dims};
    const struct hy_operand operands[] = {tensor, tensor, tensor};
    const struct hy_extension_prefix prefix = {.name = "com.acme.double", .prefix = 5};
    const struct hy_operation operations[] = {
        {5 << 16, 1, 1, 0, &numbers[0], &numbers[1]},
        {5 << 16 | 1, 1, 1, 0, &numbers[1], &numbers[2]},
    };
    const struct hy_subgraph graph = {.struct_size = sizeof graph,
                                      .operand_count = 3,
                                      .operation_count = 2,
                                      .operands = operands,
                                      .operations = operations};
    const struct hy_model model = {.struct_size = sizeof model,
                                   .main = &graph,
                                   .extensions = &prefix,
                                   .extension_count = 1,
                                   .feature_level = 3};
    struct hy_device_info info = {.struct_size = sizeof info};
    uint8_t supported[] = {9, 9};
    struct opened opened;

    REQUIRE(adding_host_open(&opened, PARTIAL_EXTENSION));
    EXPECT_INT(opened.reported->describe(opened.device, &info), HY_STATUS_OK);
    EXPECT_INT(info.struct_size, sizeof info);
    REQUIRE(info.extension_count == 1);
    EXPECT_STR(info.extensions[0].name, "com.acme.double");
    EXPECT_INT(opened.reported->supported_operations(opened.device, &model, supported, NULL),
               HY_STATUS_OK);
    EXPECT_INT(supported[0], 1);
    EXPECT_INT(supported[1], 0);
    adding_host_close(&opened);
}
